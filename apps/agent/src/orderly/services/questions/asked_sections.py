"""Answers a question for the words of a section by its number: "what does clause 7.2 say?", "show me Schedule 1"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from orderly.services.questions.clause_parts import parts_of
from orderly.services.questions.follow_ups import content
from orderly.services.questions.presence import DocumentAnswer, found_at, without_number
from orderly.services.text import Passage, Reference, RevisionView, is_within_section, section_reference
from orderly.store.functions.revisions import Section

LONGEST = 6_000
"""Characters of a section that are shown."""
_NUMBER = r"\d{1,4}[A-Za-z]{0,3}(?:\.\d{1,3}[A-Z]{0,2})*(?:\s?\([A-Za-z0-9]{1,4}\))*"
_REFERENCE = re.compile(
    r"\b(?:(?P<attached>schedules?|annexures?|annex|appendix|appendices|exhibits?|attachments?)"
    r"|(?P<part>articles?|parts?|divisions?|chapters?)"
    r"|clauses?|cll?\.?|sections?|secs?\.?|ss?\.?|subsections?|subclauses?|paragraphs?|paras?\.?|items?)"
    rf"\s*(?:no\.?\s*)?\[?(?P<first>{_NUMBER}|[IVXLC]{{1,6}}\b|[A-Z]\b)\]?"
    rf"(?P<more>(?:\s*(?:,|and|&|,\s*and)\s*\[?{_NUMBER}\]?)*)",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"(?<![\w.$])(?P<first>\d{1,3}(?:\.\d{1,3}){1,4}(?:\([A-Za-z0-9]{1,4}\))*)(?![\w%])(?P<more>)")
_ASKING_LIST = (
    "what whats s me show read give quote print display see open get find text full whole exact words wording terms contents "
    "provide provides require requires state states stated says said tell out reads written please can could you i need want "
    "would let us have clause section paragraph pull up verbatim where located act judgment letter policy statute regulations"
)
_ASKING = frozenset(_ASKING_LIST.split())
"""Words that ask for a text and say nothing about it."""


def asked_sections(question: str) -> list[str]:
    """The references to the sections whose words are asked for; none if a question asks anything else about them."""
    found = list(_REFERENCE.finditer(question)) or list(_DOTTED.finditer(question))
    rest = question
    for match in reversed(found):
        rest = f"{rest[: match.start()]} {rest[match.end() :]}"
    if not found or any(word not in _ASKING for word in content(rest)):
        return []
    return list(dict.fromkeys(reference for match in found for reference in _references(match)))


def _references(match: re.Match[str]) -> Iterator[str]:
    groups = match.groupdict()
    unit = groups.get("attached") or groups.get("part") or ""
    singular = re.sub(r"(?<=e)s$|(?<=[tnr])s$", "", unit).replace("appendices", "appendix")
    for number in (match["first"], *re.findall(_NUMBER, match["more"])):
        yield f"{singular} {number}".strip()


def show_sections(view: RevisionView, references: Sequence[str]) -> DocumentAnswer:
    """The words of the sections, clause by clause, and a note on what is missing or too long."""
    passages: list[Passage] = []
    notes: list[str] = []
    for reference in references:
        found = _named(view.sections, reference)
        if not found:
            notes.append(f"{view.name} has no heading or clause with the number {reference}.")
        for section in found:
            shown, rest = _words(view, section)
            passages += shown
            if rest:
                notes.append(f"the last {rest:,} characters of {reference} of {view.name} are not shown.")
    return replace(found_at(view, passages), notes=tuple(notes))


def _named(sections: Sequence[Section], reference: str) -> list[Section]:
    """The sections of that number: those whose label has the same word before it, else any; else the one around that item."""
    wanted = section_reference(reference)
    labelled = [(section, section["label"]) for section in sections if section["label"]]
    equal = [(section, label) for section, label in labelled if section_reference(label) == wanted]
    unit = reference.split(maxsplit=1)[0].lower() if " " in reference else ""
    alike = [section for section, label in equal if _unit(label) == unit]
    if equal:
        return alike or [section for section, _ in equal]
    around = [section for section, label in labelled if _holds(section_reference(label), wanted)]
    return around[-1:]


def _holds(label: Reference, wanted: Reference) -> bool:
    """Whether `wanted` may be an unmarked item, "(b)", of the section."""
    return len(label) == len(wanted) - 1 and is_within_section(wanted, label) and not wanted[-1].isdigit()


def _unit(label: str) -> str:
    first = re.match(r"(?!section\b|clause\b|item\b|paragraph\b)[A-Za-z]{4,}", label, re.IGNORECASE)
    return first[0].lower() if first else ""


def _words(view: RevisionView, section: Section) -> tuple[list[Passage], int]:
    """The passages of a section up to LONGEST, and the number of characters that are left."""
    end = section["end"]
    if end - section["start"] > LONGEST:
        end = view.text.rfind("\n", section["start"], section["start"] + LONGEST) + 1 or section["start"] + LONGEST
    shown = [without_number(view, part) for part in parts_of(view, section["start"], end)]
    return shown, section["end"] - end
