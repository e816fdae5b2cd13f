"""Chooses extracted passages that can answer: with an event for "what happens if …?", with a figure for "how much?"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from orderly.services.documents import ExtractionResult
from orderly.services.engines.local import content_words
from orderly.services.questions.quantities import may_state, wanted_quantity
from orderly.services.text import Passage

_ASKS_WHAT_FOLLOWS = re.compile(
    r"\bwhat (?:happens|follows|is the (?:effect|result|consequence)|are the (?:effects|results|consequences))\b"
    r"[^?]*?\b(?:if|when|where|once|on|upon|after|of)\b|\bwhat if\b",
    re.IGNORECASE,
)
_EVENTS = "happening|occurrence|termination|expiry|breach|failure|non-?payment|insolvency|death|receipt"
_STATES_AN_EVENT = re.compile(
    r"\b(?:if|where|when(?:ever)?|once|unless|until|after|fail\w*|default\w*|breach\w*|late|overdue|not paid|terminat\w+"
    rf"|expir\w+|ends?|ceases?|in the (?:event|case)|should|(?:on|upon) (?:the |an? |any )?(?:{_EVENTS}))\b",
    re.IGNORECASE,
)
"""Words of a condition, an event or a failure."""

_ASKS_FOR_A_VALUE = re.compile(
    r"\A\W*(?:(?:and|but|so) )?(?:when|who|whom|whose|which|where|how|what(?:['’]s| (?:is|are|was|were)\b)"
    r"|(?:on|by|in|at|from|to|until) (?:what|which|whom))\b|\b(?:date|day|name|number|address|amount|price|sum)\b",
    re.IGNORECASE,
)
FEWEST_WORDS = 3
"""Words with content of a passage that says what somebody does; a date alone has fewer."""


def fitting(result: ExtractionResult, question: str) -> ExtractionResult:
    """The result with passages alone that can answer the question. Where none states a figure, it stays as it is."""
    if _ASKS_WHAT_FOLLOWS.search(question):
        held = held_to(lambda p: _STATES_AN_EVENT.search(p.text) is not None, result)
        return held or replace(result, answers=(), confidence=0.0)
    if not _ASKS_FOR_A_VALUE.search(question):
        result = held_to(_says_something, result) or result
    if quantity := wanted_quantity(question):
        return held_to(lambda p: may_state(quantity, p.text), result) or result
    return result


def _says_something(passage: Passage) -> bool:
    return sum(word.isalpha() for word in content_words(passage.text)) >= FEWEST_WORDS


def held_to(fits: Callable[[Passage], bool], result: ExtractionResult) -> ExtractionResult | None:
    """The result with the answers that fit, else with the best other passage that does, at its own score; None if none does."""
    answers = tuple(filter(fits, result.answers))
    if answers or (not result.answers and (result.nearest is None or fits(result.nearest))):
        return replace(result, answers=answers)
    other = max(filter(fits, result.candidates), key=lambda p: p.score or 0.0, default=None)
    return replace(result, answers=(), nearest=other, confidence=other.score or 0.0) if other else None
