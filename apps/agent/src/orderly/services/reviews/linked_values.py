"""Finds the value that sentences give to what a column asks about: "Your salary is $96,000", "four weeks of annual leave"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orderly.models import Span
from orderly.services.engines.local import is_alike, stem
from orderly.services.questions import speaks, words_of
from orderly.services.reviews.stated_values import FINDERS
from orderly.services.reviews.typed_values import read_value
from orderly.store.functions.review_cells import AnswerType, CellValue

LINKED_TYPES: frozenset[AnswerType] = frozenset({"money", "duration", "date"})
"""Other types have rules of their own, or no words that link them."""
LONGEST = 600
"""Characters of a sentence."""
_WORD = re.compile(r"[^\W\d_]+")
_STATES = re.compile(
    r"[^.;:]{0,60}\b(?:(?:is|are|be|equals?|means|lasts?)\b[^.;:]{0,30}|(?:of|at|on|by|before|until)\s)\Z", re.I
)
"""From the thing to its value: "salary is", "a bond in the amount of"."""
_IS_STATED = re.compile(
    r"[’']?\s(?:(?:is|are|will be|shall be) )?(?:(?:of|an?|the|your|paid|written|prior|full) ){0,4}\Z", re.I
)
"""From the value to its thing: "six months are a", "four weeks of paid"."""
_CONDITION = re.compile(r"\b(?:if|unless|late|overdue|fail\w*|penalt\w+|increase\w*|up to)\b", re.I)
"""Words of a sentence about another value of the thing: a fee for late rent."""


def linked_values(
    text: str, answer_type: AnswerType, asked: Sequence[tuple[str, ...]]
) -> tuple[dict[str, CellValue], list[Span]]:
    """The values that sentences link to what is asked about, by their words, and these sentences.

    Args:
        text: The document.
        answer_type: Type of the value.
        asked: Stems of the words for the thing, one tuple per wording.
    """
    found = [(value, span) for objects in asked for span, value in _values(text, answer_type, objects)]
    return {value["text"]: value for value, _ in found}, list(dict.fromkeys(span for _, span in found))


def _values(text: str, answer_type: AnswerType, objects: tuple[str, ...]) -> Iterator[tuple[Span, CellValue]]:
    known = words_of(text)
    for span, own in zip(known.spans, known.own, strict=True):
        words = text[slice(*span)]
        if len(words) > LONGEST or not all(speaks(o, own) for o in objects) or _CONDITION.search(words):
            continue
        things = [m.span() for m in _WORD.finditer(words) if _names(stem(m[0].lower()), objects)]
        for stated in FINDERS[answer_type](words):
            value = read_value(answer_type, words[stated.start : stated.end])
            if value is not None and "conflict" not in value and _is_linked(words, (stated.start, stated.end), things):
                yield span, value


def _names(word: str, objects: tuple[str, ...]) -> bool:
    """Whether a stem is a word for the thing itself, in any form: prices are no payments."""
    return word in objects or any(is_alike(o, frozenset([word])) for o in objects)


def _is_linked(words: str, value: Span, things: Sequence[Span]) -> bool:
    return any(
        _STATES.match(words[end : value[0]]) if end <= value[0] else _IS_STATED.match(words[value[1] : start])
        for start, end in things
        if end <= value[0] or start >= value[1]
    )
