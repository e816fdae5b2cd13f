"""Reads the sum, day or time that a clause states about a known subject, or that it leaves to an item or a definition."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.references import referred, with_label
from orderly.services.columns.wording import Wording
from orderly.services.values import find_dates, find_durations, find_money

_WORDING, _TITLED = Wording("value_clauses"), Wording("titled")
_FINDERS: dict[str, Callable[[str], Sequence[Any]]] = {"date": find_dates, "duration": find_durations, "money": find_money}
TITLE = 300
"""Characters. The title stands at the start."""
CONFIDENCE = 0.75
SEVERAL = "The clause states more than one value."


def is_value_clause(subject: str, answer_type: str) -> bool:
    """Whether wording tells which clause states a value of this subject and type."""
    return answer_type in _FINDERS and subject.replace(" ", "_") in _WORDING


def value_clause(subject: str, answer_type: str, text: str, sentences: Sequence[Span]) -> Finding | None:
    """The value of the first clause about the subject that has one."""
    name = subject.replace(" ", "_")
    stated = [_WORDING[name]]
    if name in _TITLED and _TITLED[name].search(text, 0, TITLE):
        stated.append(_WORDING[f"of_titled_{name}"])
    return next((found for states in stated if (found := _first(states, name, answer_type, text, sentences))), None)


def _first(states: re.Pattern[str], name: str, answer_type: str, text: str, sentences: Sequence[Span]) -> Finding | None:
    other = _WORDING.get(f"other_than_{name}")
    for span in sentences:
        matches = () if other and other.search(text[slice(*span)]) else states.finditer(text, *span)
        for match in matches:
            if values := _values(answer_type, text, (match.start(), span[1]), match.end()):
                return _finding(answer_type, text, values, (span,))
            for place in referred(text, *match.span()):
                if values := _values(answer_type, text, place, place[1]):
                    return _finding(answer_type, text, values, (with_label(text, place), span))
    return None


def _values(answer_type: str, text: str, within: Span, until: int) -> list[tuple[Any, Span]]:
    """The values that begin before `until`, with their places."""

    def found() -> Iterator[tuple[Any, Span]]:
        for value in _FINDERS[answer_type](text[slice(*within)]):
            if within[0] + value.start < until and getattr(value, "iso", "") is not None:
                yield value, (within[0] + value.start, within[0] + value.end)

    return list(found())


def _finding(answer_type: str, text: str, values: Sequence[tuple[Any, Span]], quotations: tuple[Span, ...]) -> Finding:
    value, place = values[0]
    said = text[slice(*place)] if answer_type == "money" else value.iso
    alike = len({_meaning(value) for value, _ in values}) == 1
    certain = alike and getattr(value, "agrees", True) and not getattr(value, "ambiguous", False)
    return Finding(said, quotations, CONFIDENCE, certain, "" if alike else SEVERAL)


def _meaning(value: Any) -> object:
    return value.iso if hasattr(value, "iso") else (value.amount, value.currency)
