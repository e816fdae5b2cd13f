"""Figures that only illustrate what a document says: "a claim of $60,000 would be within the limit"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orderly.models import Span
from orderly.services.support.evidence import Evidence
from orderly.services.support.facts import Facts, read_facts

_EXAMPLE = re.compile(
    r"\b(?:for\s+(?:example|instance)|e\.g|say|suppose|imagine|assume|assuming|were\s+(?:[\w’'-]+\s+){1,4}to)\b[^;:]{0,80}\Z",
    re.IGNORECASE,
)
"""Words that introduce an example, before its figure."""
_SUPPOSED = re.compile(r"\b(?:an?|any|one|some(?:one|body)|any(?:one|body))\s[^;:]{0,60}\Z", re.IGNORECASE)
_WOULD = re.compile(r"\b(?:would|might\s+well|could\s+have)\b", re.IGNORECASE)
_OPENING = re.compile(
    r"\A\W*(?:an?|some(?:one|body)|any(?:one|body)|[a-z]{2,}ing|if|where|even\s+if|were)\s+"
    r"(?:(?!(?:must|shall|may|can|will|pays?|owes?)\b)[\w’'-]+\s+){0,9}?(?:an?\s+)?\Z",
    re.IGNORECASE,
)
"""A case as the beginning of a sentence: a thing of a size, somebody who does something, a condition."""
_MEASURE = re.compile(
    r"\b(?:(?:more|less|fewer|greater|higher|lower|later|longer)\s+than|above|over|below|under|exceed\w*|up\s+to|at\s+(?:least|most)|"
    r"minimum|maximum)\b",
    re.IGNORECASE,
)
"""Words of a limit, for which a sentence may give an example."""


def find_illustration(statement: str, evidence: Evidence) -> str | None:
    """The first figure of a statement that illustrates it, and that the evidence does not have."""
    return next((statement[slice(*span)] for span in _illustrations(statement, evidence)), None)


def without_illustrations(statement: str, evidence: Evidence) -> str:
    for start, end in _illustrations(statement, evidence):
        statement = statement[:start] + " " * (end - start) + statement[end:]
    return statement


def _illustrations(statement: str, evidence: Evidence) -> Iterator[Span]:
    has_would = _WOULD.search(statement) is not None
    for start, end in sorted(_figures(read_facts(statement))):
        before = statement[:start]
        supposed = has_would and _SUPPOSED.search(before) is not None
        measured = _OPENING.match(before) is not None and _MEASURE.search(evidence.text) is not None
        if (supposed or measured or _EXAMPLE.search(before)) and statement[
            start:end
        ].casefold() not in evidence.text.casefold():
            yield start, end


def _figures(facts: Facts) -> Iterator[Span]:
    yield from ((found.start, found.end) for found in facts.dates)
    yield from ((found.start, found.end) for found in facts.money)
    yield from ((found.start, found.end) for found in facts.percents)
    yield from ((found.start, found.end) for found in facts.durations)
    for start, end, _, _ in facts.numbers:
        yield start, end
