"""Sorts answers by the dates or periods that they state, where a question asks for an order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from orderly.services.questions.presence import DocumentAnswer

Order = Literal["ascending", "descending"]

_ORDERS: tuple[tuple[Order, re.Pattern[str]], ...] = (
    (
        "descending",
        re.compile(
            r"\b(?:latest|longest|newest|most recent|descending)\b|\b(?:expires?|ends?|starts?|signed) last\b", re.IGNORECASE
        ),
    ),
    (
        "ascending",
        re.compile(
            r"\b(?:earliest|soonest|shortest|oldest|ascending|chronolog\w+|timeline|by date|next to (?:expire|end))\b"
            r"|\b(?:in (?:date )?order|sort(?:ed)? by|order(?:ed)? by)\b"
            r"|\b(?:expires?|ends?|starts?|signed|runs? out|lapses?|commences?) first\b",
            re.IGNORECASE,
        ),
    ),
)
_PERIOD = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?\Z")
_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}\Z")


def order_of(question: str) -> Order | None:
    """The order that a question asks for; None if it asks for none."""
    return next((order for order, pattern in _ORDERS if pattern.search(question)), None)


def in_order(answers: Sequence[DocumentAnswer], order: Order) -> list[DocumentAnswer]:
    """The answers by value; those without a date or period last, in the order given."""
    valued = [(key, a) for a in answers if (key := _key(a.value)) is not None]
    valued.sort(key=lambda pair: pair[0], reverse=order == "descending")
    return [a for _, a in valued] + [a for a in answers if _key(a.value) is None]


def _key(value: str) -> tuple[int, str, float] | None:
    if _DATE.match(value):
        return 0, value, 0.0
    period = _PERIOD.match(value)
    if period is None or not any(period.groups()):
        return None
    years, months, weeks, days = (int(part or 0) for part in period.groups())
    return 1, "", years * 365.25 + months * 30.44 + weeks * 7 + days
