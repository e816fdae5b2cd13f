"""Finds the law that governs an agreement."""

from __future__ import annotations

import re

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.wording import Wording
from orderly.services.values import Jurisdiction, find_jurisdictions

_WORDING = Wording("governing_law")

_UNNAMED = re.compile(
    r"\b(?:govern\w*|construed|interpreted|determined)\s[^.;]{0,60}?\b(?:by|under|with)\s+(?:the\s+)?(?:\w+\s+){0,2}laws?\s+"
    r"(?:of|in force in|applicable (?:in|at))\s+(?:the|that|such|its|his|her|each|whichever|any)\b(?!\s+agreement)",
    re.IGNORECASE,
)


def governing_law(text: str, sentences: list[Span]) -> Finding | None:
    best: Finding | None = None
    for start, end in sentences:
        words = text[start:end]
        cue = _WORDING["governed"].search(words)
        if cue is None or not _WORDING["law"].search(words):
            continue
        places = _places(words) or _meant_by_that_state(words)
        if not places:
            continue
        confidence = 0.6 + 0.2 * bool(re.search(r"govern", words, re.I)) + 0.15 * bool(_WORDING["subject"].search(words))
        confidence -= 0.35 * bool(
            re.search(r"\b(?:organized|incorporated|existing|compliance|comply|arbitrat\w+ act)\b", words, re.I)
        )
        value = "; ".join(dict.fromkeys(place.name for place in places))
        if best is None or confidence > best.confidence:
            best = Finding(value, ((start, end),), min(confidence, 0.95))
    return best if best is not None and best.confidence >= 0.5 else None


def names_no_place(words: str) -> bool:
    """Whether a sentence says which law governs without naming a place: "governed by the laws of that jurisdiction"."""
    return _UNNAMED.search(words) is not None


def _meant_by_that_state(words: str) -> list[Jurisdiction]:
    """The place named before "the laws of that State" in the same sentence."""
    said = _WORDING["that_state"].search(words)
    named = [place for place in find_jurisdictions(words) if said and place.end <= said.end()]
    return named[-1:]


def _places(words: str) -> list[Jurisdiction]:
    """Places whose law is said to govern."""
    tail = _WORDING["tail"].search(words)
    found: list[Jurisdiction] = []
    for place in find_jurisdictions(words):
        if tail and place.start > tail.start() and found:
            break
        joined = bool(found) and _WORDING["and"].match(words[found[-1].end : place.start]) is not None
        if (
            joined
            or _WORDING["laws_of"].search(words[max(0, place.start - 80) : place.start])
            or _WORDING["law_after"].search(words[place.end : place.end + 60])
        ):
            found.append(place)
    return found
