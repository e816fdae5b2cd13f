"""Places that a sentence names: sections, pages, laws, and the numbers of items and grounds."""

from __future__ import annotations

import re

from orderly.services.support.evidence import Evidence
from orderly.services.support.facts import Facts

_OF_LAW = re.compile(r"\s+(?:Acts?|[Ss]tatute|Regulations?|Code|Rules|Convention)\b")
_LAW_OF = re.compile(r"\b(?:Act|[Ss]tatute|Regulations?|Code|Convention)\s+of\s+\Z")
_LAW_OF_YEAR = re.compile(r"\b(?:Act|Regulations?|Code|Rules|Convention)\W{1,3}(?:1[89]|20)\d\d\b")
"""A law whose year a sentence may alter: "the 1975 Act"."""
_LABEL_KIND = re.compile(r"\b(?:ss?|cll?|under)\.?\s*\Z", re.IGNORECASE)


def _is_reference(text: str, start: int, end: int, evidence: Evidence) -> bool:
    """Whether a number names a provision that the evidence names: "under 17.4(b)"."""
    number = text[start:end].strip()
    is_label = "." in number or text[end : end + 1] == "(" or _LABEL_KIND.search(text[:start]) is not None
    return is_label and re.search(rf"(?<![\w.]){re.escape(number)}(?!\w|\.\d)", evidence.text) is not None


_NAMED_BEFORE = re.compile(r"\b[A-Z][a-z]+\s+\Z")


def _is_named_beside(text: str, start: int, number: str, evidence: Evidence) -> bool:
    """Whether a number belongs to a name that stands right beside the evidence: "Ground 5", "Option 2"."""
    if re.search(rf"(?<![\w.]){re.escape(number)}\W{{0,3}}\Z", evidence.before):
        return True  # the number of the item that is quoted
    named = _NAMED_BEFORE.search(text, max(start - 30, 0), start)
    return (
        named is not None
        and re.search(rf"\b{re.escape(named[0].strip().casefold())}\s+{re.escape(number)}(?!\w)", evidence.near) is not None
    )


def names_place(text: str, start: int, end: int, evidence: Evidence) -> bool:
    """Whether a number of a sentence is that of a provision, item or law, and no figure."""
    return (
        _is_of_law(text, start, end, evidence)
        or _is_reference(text, start, end, evidence)
        or _is_named_beside(text, start, text[start:end].strip(), evidence)
    )


def _is_of_law(text: str, start: int, end: int, evidence: Evidence) -> bool:
    """Whether a year tells a law apart, "the 1975 Act", beside evidence that gives no law's year."""
    is_year = _OF_LAW.match(text, end) or _LAW_OF.search(text[:start])
    return is_year is not None and _LAW_OF_YEAR.search(evidence.text) is None


def wrong_reference(facts: Facts, evidence: Evidence) -> str | None:
    known_laws = evidence.facts.law_references
    for start, end, label in facts.law_references:
        if known_laws and all(label != other for _, _, other in known_laws):
            return facts.text[start:end]
    for start, end, kind, label in facts.references:
        if kind in ("page", "pages", "p"):
            if evidence.pages and label.isdigit() and not evidence.pages[0] <= int(label) <= evidence.pages[1]:
                return facts.text[start:end]
        elif evidence.section and not _is_named(label, evidence):
            return facts.text[start:end]
    return None


def _is_named(label: str, evidence: Evidence) -> bool:
    """Whether a label is that of a section of the evidence, of one around or within it, or stands in the quoted words."""
    said = re.findall(r"\w+", label.casefold())
    for section in (evidence.section or "").split("\n"):
        known = [part for part in re.findall(r"\w+", section.casefold()) if part not in _KINDS]
        if known[: len(said)] == said or said[: len(known)] == known:
            return True
    return (
        re.search(rf"(?<![\w.]){re.escape(label)}(?![\w]|\.\d)", f"{evidence.text} {evidence.labels}", re.IGNORECASE)
        is not None
    )


_KINDS = {"clause", "section", "article", "schedule", "part", "annexure", "exhibit", "item", "paragraph", "appendix"}
