"""Finds the law that governs an agreement."""

from __future__ import annotations

import re

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.wording import load
from orderly.services.values import Jurisdiction, find_jurisdictions

_WORDING = load("governing_law")
_GOVERNED = _WORDING["governed"]
_LAW = _WORDING["law"]
_SUBJECT = _WORDING["subject"]
_TAIL = _WORDING["tail"]
_LAWS_OF = _WORDING["laws_of"]
_LAW_AFTER = _WORDING["law_after"]
_AND = _WORDING["and"]

_UNNAMED = re.compile(
    r"\b(?:govern\w*|construed|interpreted|determined)\s[^.;]{0,60}?\b(?:by|under|with)\s+(?:the\s+)?(?:\w+\s+){0,2}laws?\s+"
    r"(?:of|in force in|applicable (?:in|at))\s+(?:the|that|such|its|his|her|each|whichever|any)\b(?!\s+agreement)",
    re.IGNORECASE,
)


def governing_law(text: str, sentences: list[Span]) -> Finding | None:
    best: Finding | None = None
    for start, end in sentences:
        words = text[start:end]
        cue = _GOVERNED.search(words)
        if cue is None or not _LAW.search(words):
            continue
        places = _places(words)
        if not places:
            continue
        confidence = 0.6 + 0.2 * bool(re.search(r"govern", words, re.I)) + 0.15 * bool(_SUBJECT.search(words))
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


def _places(words: str) -> list[Jurisdiction]:
    """Places whose law is said to govern."""
    tail = _TAIL.search(words)
    found: list[Jurisdiction] = []
    for place in find_jurisdictions(words):
        if tail and place.start > tail.start() and found:
            break
        joined = bool(found) and _AND.match(words[found[-1].end : place.start]) is not None
        if (
            joined
            or _LAWS_OF.search(words[max(0, place.start - 80) : place.start])
            or _LAW_AFTER.search(words[place.end : place.end + 60])
        ):
            found.append(place)
    return found
