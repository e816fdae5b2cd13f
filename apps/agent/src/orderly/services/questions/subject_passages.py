"""Passages that can state the value of a known subject, where rules read none: a notice to end a lease states no term of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from orderly.services.documents import ExtractionResult
from orderly.services.questions.fitting_passages import held_to
from orderly.services.text import Passage
from orderly.services.values import find_jurisdictions

_TERM = re.compile(
    r"\b(?:term|period of(?! time)|duration|expir\w+|continu\w+|ends?|ending|commenc\w+|begins?|starts?|until|remains?|in force"
    r"|in effect|anniversary|perpetual\w*|indefinite\w*)\b",
    re.IGNORECASE,
)
_GOVERNS = re.compile(r"\b(?:governed|construed|interpreted|read)\s[^.;]{0,60}?\b(?:by|under|with)\b", re.IGNORECASE)


def stating(subject: str, result: ExtractionResult, strange: Sequence[str] = ()) -> ExtractionResult:
    """The result with passages alone that can state the value, if that is all that is asked for.

    Args:
        subject: Name of the subject; of those without a rule here, every passage can state the value.
        result: What was extracted.
        strange: What is asked about beside the subject: "how long until my data is deleted?" asks for no term.
    """
    fits = {"term and expiry": _speaks_of_term, "governing law": _names_law}.get(subject)
    if fits is None or strange:
        return result
    return held_to(fits, result) or replace(result, answers=(), nearest=None, confidence=0.0)


def _speaks_of_term(passage: Passage) -> bool:
    return _TERM.search(passage.text) is not None


def _names_law(passage: Passage) -> bool:
    return bool(find_jurisdictions(passage.text)) or _GOVERNS.search(passage.text) is not None
