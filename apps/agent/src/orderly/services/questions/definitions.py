"""Answers a question for the meaning of a term by the sentence that defines it."""

from __future__ import annotations

import re
from dataclasses import replace

from orderly.models import Span
from orderly.services.engines.local import sentences
from orderly.services.questions.presence import MOST_PLACES, DocumentAnswer, apart, found_at
from orderly.services.text import RevisionView

_OF = r"(?:the\s+)?(?:terms?\s+|words?\s+|expressions?\s+|phrases?\s+)?"
_TERM = r"(?P<term>.{2,60}?)"
_END = r"(?:\s+(?:in|under|of)\s+(?:the|this|that)\b.*|\s+(?:mean|means|say|says|here)\b.*)?\W*$"
_ASKS = (
    re.compile(rf"\b(?:definition|meaning)s?\s+(?:of|for)\s+{_OF}{_TERM}{_END}", re.I),
    re.compile(rf"^\W*(?:please\s+|can\s+you\s+)?define\s+{_OF}{_TERM}{_END}", re.I),
    re.compile(rf"\bhow\s+(?:is|are)\s+{_OF}{_TERM}\s+defined\b", re.I),
    re.compile(rf"\bhow\s+do(?:es)?\b.{{0,40}}\bdefine\s+{_OF}{_TERM}{_END}", re.I),
    re.compile(rf"\bwhat\s+(?:do|does)\s+{_OF}{_TERM}\s+(?:mean|include)\b", re.I),
    re.compile(rf"^\W*what(?:\s+is|\s+are|['’]?s)\s+(?:meant\s+by\s+)?{_OF}{_TERM}{_END}", re.I),
)
"""The last may ask for anything else too: "what is the rent?"."""
_ADDED = re.compile(r"\s+(?:in|under|for|after|before|following|as|at|on|from)\b.*", re.I)
"""What may follow a term, or belong to it: "Date for Completion"."""
_ARTICLE = re.compile(r"^(?:an?|the)\s+", re.I)
_MARKS = "\"'“”‘’ "
_MEANS = r"(?:means?|(?:has|have)\s+the\s+(?:same\s+)?meaning)\b"
_SAYS = rf"(?:{_MEANS}|(?:refers?\s+to|is\s+defined\s+(?:as|in)|is\s+not\s+limited\s+to|(?:does\s+not\s+)?includes?)\b)"
_IS = r"(?:is|are|(?:shall|will)\s+be|equals)\b(?!\s+(?:not\s+)?defined)"
"""What may follow a term in quotation marks at once: "The “Rate” is 5%"."""
_LINE = r"^[ \t]*(?:[•*-][ \t]+|(?:Item[ \t]+)?\d{1,3}(?:\.\d{1,3})*[.)]?[ \t]+)?"
"""The beginning of a line that may hold a definition or an item of a schedule: "Item 6  Rent: $84,000"."""
_QUALIFIED = r",[ \t](?:in|of|for)\b[^.;:\n]{1,80},"
"""What may stand between a term and its meaning: "adjudicator, in relation to an application, means"."""
_ELSEWHERE = r"[ \t]?(?:—|–|--?)[ \t]?see\b"
"""What refers to the meaning of a term: "construction work—see section 5"."""

_NEXT = re.compile(
    rf"\s*\n[ \t]*(?:[\"“‘]|(?:[•*-][ \t]+)?[A-Za-z][\w '’-]{{1,60}}?(?:(?:{_QUALIFIED})?\s{_SAYS}|{_ELSEWHERE}))"
)
"""Where the next definition begins."""

_INTRODUCES = ("—", "–", ":")
_ITEMS = re.compile(r"(?:\s*\n[ \t]*(?:[•*-][ \t]+)?\([A-Za-z0-9]{1,4}\)[^\n]*+)+")
"""The items of a list whose introduction is the definition."""


def asked_term(question: str) -> tuple[str, bool]:
    """The term whose meaning may be asked for, and whether nothing else is; an empty term if none is."""
    for ask in _ASKS:
        if match := ask.search(question.strip()):
            return _ARTICLE.sub("", match["term"].strip(_MARKS)).strip(_MARKS), ask is not _ASKS[-1]
    return "", False


def with_definition(answer: DocumentAnswer, view: RevisionView, question: str) -> DocumentAnswer:
    """The answer with the definition of the term that is asked for first, or with the term, where it has none."""
    term, only = asked_term(question)
    if not term or (answer.value and not only):
        return answer
    span = definition_of(view.text, term) or definition_of(view.text, _ADDED.sub("", term))
    if span is None:
        return replace(answer, undefined=term) if only else answer
    beside = answer.passages if answer.presence == "answer" and not only else ()
    return found_at(view, apart((view.passage(*span), *beside))[:MOST_PLACES])


def definition_of(text: str, term: str) -> Span | None:
    """The sentence that defines a term, from the term on; else the one in which it stands in brackets."""
    words = r"\s+".join(map(re.escape, term.split()))
    named = re.sub(r"s\Z", "", words) + "(?:s|es)?"
    quoted = rf"[\"“‘']\s?{named}\s?[\"”’',]+"
    found = re.compile(
        rf"(?P<own>{quoted}(?:[^.;\n]{{0,60}}?[\s,(]{_SAYS}|\s{_IS}|:\s)"
        rf"|{_LINE}(?:(?:an?|the)[ \t]+)?{named}(?:\s+(?:of|for|in\s+relation\s+to)\b[^.;:\n]{{1,60}}?|{_QUALIFIED})?"
        rf"(?:\s+{_SAYS}|:[ \t]+(?=\S)|{_ELSEWHERE})"
        rf"|(?<![\w-]){named}(?:{_QUALIFIED})?\s+{_MEANS})"
        rf"|\((?:[^()\n]{{0,80}}?\s)?{quoted}[^()\n]{{0,60}}\)",
        re.IGNORECASE | re.MULTILINE,
    )
    match = min(found.finditer(text), key=lambda m: (m["own"] is None, m.start()), default=None)
    if match is None:
        return None
    first = match.start() + len(match[0]) - len(match[0].lstrip("•*- \t\n"))
    around = next(s for s in sentences(text) if s.start <= first < s.end)
    items = _ITEMS.match(text, around.end)
    end = items.end() if items and text[around.start : around.end].endswith(_INTRODUCES) else around.end
    following = _NEXT.search(text, match.end(), end)
    return (first if match["own"] else around.start), following.start() if following else end
