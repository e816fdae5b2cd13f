"""Whether a quotation states a proposed value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from orderly.services.citations import find_unsupported
from orderly.services.reviews.typed_values import date_value, read_value
from orderly.services.values import find_dates, find_durations, find_jurisdictions, find_money, find_numbers
from orderly.store.functions.review_cells import AnswerType, CellValue

FINDERS: dict[AnswerType, Callable[[str], Sequence[Any]]] = {
    "date": find_dates,
    "duration": find_durations,
    "money": find_money,
    "number": find_numbers,
    "jurisdiction": find_jurisdictions,
}
"""What finds the values of a type in words."""
_MEANING = ("iso", "amount", "number", "jurisdiction", "choice")
"""Keys by which values of a type are compared, the first that both have."""
_ISO_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_NAME_OR_NUMBER = re.compile(r"(?<=\s)[A-Z][\w&'’-]*|\b\w*\d[\w.,]*\w|\d")


def proposed_value(answer_type: AnswerType, words: str, proposed: str, options: Sequence[str] = ()) -> tuple[CellValue, bool]:
    """The value as the quotation states it and True; else the value as proposed and False.

    Args:
        answer_type: Type of the column.
        words: The quotation, as it stands in the document.
        proposed: The value as a model wrote it.
        options: Answers of a choice.
    """
    if answer_type == "text":
        return {"type": "text", "text": proposed}, bool(proposed) and _has_facts(words, proposed)
    if answer_type == "parties":
        names = [name.strip() for name in proposed.split(";") if name.strip()]
        value: CellValue = {
            "type": "parties",
            "text": "; ".join(names),
            "parties": [{"name": n, "defined": None} for n in names],
        }
        return value, bool(names) and all(_folded(name) in _folded(words) for name in names)
    if answer_type == "yes_no":
        yes = proposed.lower().startswith("y")
        return {"type": "yes_no", "text": "yes" if yes else "no", "yes": yes}, False  # a person decides what the words mean
    wanted = _read(answer_type, proposed, options)
    if wanted is None:
        return {"type": answer_type, "text": proposed}, False
    for stated in _stated(answer_type, words, options):
        if _same(stated, wanted):
            return stated, "conflict" not in stated and "partial" not in stated
    return wanted, False


def _read(answer_type: AnswerType, text: str, options: Sequence[str]) -> CellValue | None:
    if answer_type == "date" and _ISO_DATE.fullmatch(text):
        try:
            return date_value(text)
        except (ValueError, IndexError):
            return None
    return read_value(answer_type, text, options)


def _stated(answer_type: AnswerType, words: str, options: Sequence[str]) -> list[CellValue]:
    spans = [(0, len(words))] if answer_type == "choice" else [(f.start, f.end) for f in FINDERS[answer_type](words)]
    texts = [words[start:end] for start, end in spans]
    return [value for text in texts if (value := read_value(answer_type, text, options)) is not None]


def _same(one: CellValue, other: CellValue) -> bool:
    a, b = dict(one), dict(other)
    key = next((key for key in _MEANING if a.get(key) is not None and b.get(key) is not None), None)
    return key is not None and a[key] == b[key]


def _has_facts(words: str, text: str) -> bool:
    """Whether the numbers, dates and names of `text` stand in the quotation."""
    known = _folded(words)
    return find_unsupported(text, words) is None and all(_folded(m[0]) in known for m in _NAME_OR_NUMBER.finditer(text))


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
