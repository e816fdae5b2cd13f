"""Reads the periods and amounts that answers state, and sorts by them and by dates where a question asks for an order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from orderly.services.questions.presence import DocumentAnswer
from orderly.services.questions.quantities import wanted_quantity
from orderly.services.values import Money, find_durations, find_money

Order = Literal["ascending", "descending"]

_ORDERS: tuple[tuple[Order, re.Pattern[str]], ...] = (
    (
        "descending",
        re.compile(
            r"\b(?:latest|longest|newest|most recent|descending|most expensive)\b"
            r"|\b(?:highest|largest|biggest|greatest|dearest|higher|larger|bigger|greater|dearer|longer|later)\b(?! than)"
            r"|\b(?:expires?|ends?|starts?|signed) last\b",
            re.IGNORECASE,
        ),
    ),
    (
        "ascending",
        re.compile(
            r"\b(?:earliest|soonest|shortest|oldest|ascending|lowest|smallest|cheapest|least expensive)\b"
            r"|\b(?:lower|smaller|cheaper|shorter|earlier|sooner)\b(?! than)"
            r"|\b(?:chronolog\w+|timeline|by (?:date|amount|price|value|size)|next to (?:expire|end))\b"
            r"|\b(?:in (?:date )?order|rank(?:ed)?(?: \w+){0,3} by|sort(?:ed)?(?: \w+){0,3} by|order(?:ed)?(?: \w+){0,3} by)\b"
            r"|\b(?:expires?|ends?|starts?|signed|runs? out|lapses?|commences?) first\b",
            re.IGNORECASE,
        ),
    ),
)
_AMOUNTS = re.compile(
    r"\b(?:high|larg|bigg|great|dear|low|small|cheap)e(?:r|st)\b(?! than)|\b(?:most|least) expensive\b"
    r"|\bby (?:[\w-]+ ){0,3}(?:amount|cap|deposit|fee|limit|payment|price|rent|royalty|salary|size|sum|value)s?\b",
    re.IGNORECASE,
)
"""Words of a question that orders by amounts of money."""
_PERIODS_ASKED = re.compile(
    r"\bhow (?:long|many (?:\w+ )?(?P<unit>day|week|month|year)s)\b|\b(?:notice|period|duration|length|longest|shortest)\b",
    re.IGNORECASE,
)
"""Words of a question that asks for periods of time."""
_MONEY = re.compile(r"(?:(?P<currency>[A-Z]{3}) |\$)(?P<amount>\d[\d,]*(?:\.\d+)?)\Z")
_PERIOD = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?\Z")
_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}\Z")


def order_of(question: str) -> Order | None:
    """The order that a question asks for; None if it asks for none."""
    return next((order for order, pattern in _ORDERS if pattern.search(question)), None)


def orders_by_amounts(question: str) -> bool:
    return _AMOUNTS.search(question) is not None


def with_figures(answers: Sequence[DocumentAnswer], question: str) -> list[DocumentAnswer]:
    """The answers with the period or amount that their first passage states, if the question asks for one.

    Where the question orders by amounts, the largest of several counts; otherwise a passage that states several has none. A
    period that stands in the document is shown rather than the date at its end.
    """
    if orders_by_amounts(question):
        return [a if a.value or (found := _largest(a)) is None else replace(a, value=_written(found)) for a in answers]
    if wanted_quantity(question) == "money":
        return [a if a.value else replace(a, value=_only_amount(a)) for a in answers]
    if asks := _PERIODS_ASKED.search(question):
        unit = (asks["unit"] or "")[:1].upper()
        stated = [_only_period(a, unit) for a in answers]
        return [replace(a, value=iso, computed=False) if iso else a for a, iso in zip(answers, stated, strict=True)]
    return list(answers)


def _only_amount(answer: DocumentAnswer) -> str:
    found = {_written(money) for passage in answer.passages[:1] for money in find_money(passage.text)}
    return found.pop() if len(found) == 1 else ""


def _only_period(answer: DocumentAnswer, unit: str) -> str:
    """`unit`: D, W, M or Y; "" for any."""
    periods = [period for passage in answer.passages[:1] for period in find_durations(passage.text)]
    found = {period.iso for period in periods if period.unit == unit} or {period.iso for period in periods}
    return found.pop() if len(found) == 1 else ""


def _largest(answer: DocumentAnswer) -> Money | None:
    stated = (find_money(passage.text) for passage in answer.passages)
    return max(next(filter(None, stated), []), key=lambda money: money.amount, default=None)


def _written(money: Money) -> str:
    digits = f"{money.amount:,.2f}".removesuffix(".00")
    return f"{money.currency} {digits}" if money.currency else f"${digits}"


def in_order(answers: Sequence[DocumentAnswer], order: Order) -> list[DocumentAnswer]:
    """The answers by value; those without a date, period or amount last; one currency after the other, in the order given."""
    valued = [(key, a) for a in answers if (key := _key(a.value)) is not None]
    valued.sort(key=lambda pair: pair[0], reverse=order == "descending")
    return [a for _, a in valued] + [a for a in answers if _key(a.value) is None]


def _key(value: str) -> tuple[int, str, float] | None:
    if _DATE.match(value):
        return 0, value, 0.0
    if money := _MONEY.match(value):
        return 2, money["currency"] or "", float(money["amount"].replace(",", ""))
    period = _PERIOD.match(value)
    if period is None or not any(period.groups()):
        return None
    years, months, weeks, days = (int(part or 0) for part in period.groups())
    return 1, "", years * 365.25 + months * 30.44 + weeks * 7 + days
