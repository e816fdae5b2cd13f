"""The figures of a sentence: what each measures, whether two are the same, and where a text has one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import Any, Literal

from orderly.services.support.facts import read_facts
from orderly.services.support.words import content_stems, stem
from orderly.services.values import DateValue, Duration, Money
from orderly.services.words import ANY_MONTH, MONTHS

Kind = Literal["date", "period", "money", "share", "number"]
_MONTHS = {"Y": 12, "M": 1}
_DAYS = {"W": 7, "D": 1}
_DOLLARS = {None, "AUD", "USD", "CAD", "NZD", "HKD", "SGD", "FJD", "TWD"}
_NOUN = re.compile(r"[\s-]+(?:(?:of|the|other|full|clear|separate|further|such)\s+)*(?P<noun>[^\W\d_]{3,})")
_NAME_BEHIND = re.compile(r" (?P<name>[A-Z][a-z]{2,})\b")
_MONTH_BEHIND = re.compile(rf"(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{ANY_MONTH})\b")
MONTHS_BY_NAME = {name[:3].lower(): n for n, name in enumerate(MONTHS, 1)}
_DIGITS = re.compile(r"\d+(?:[,.]\d+)*")
_WINDOW = 70
"""Characters around a number in a long text that are read for a figure."""
_MOST_READ = 60
"""Places of a long text that are read for one figure."""
SMALL = 12
"""The largest number that may count what an answer speaks of: "two conditions"."""


@dataclass(frozen=True, slots=True)
class Figure:
    """`text[start:end]` of the text it was read in."""

    kind: Kind
    start: int
    end: int
    words: str
    value: Any
    """A DateValue, Duration, Money, Share, or (start, end, Decimal, agrees)."""
    unit: str
    """What it measures, so that two of one unit may contradict each other: "date", "day", "month", "money", "share", "hour"."""
    named: str = ""
    """A number with the name behind it that it belongs to: "12 Tanner Row" of an address."""

    @property
    def number(self) -> str:
        """Its number in digits, as a text may write it."""
        if self.kind == "date":
            return str(self.value.day or self.value.year or "")
        if self.kind == "number":
            return f"{self.value[2]:f}"
        amount = (
            self.value.count if self.kind == "period" else self.value.amount if self.kind == "money" else self.value.percent
        )
        return f"{amount:f}" if self.kind != "period" else str(amount)

    @property
    def is_count(self) -> bool:
        """Whether it may count what the answer itself speaks of."""
        return self.kind == "number" and self.value[2] <= SMALL


@lru_cache(maxsize=1_024)
def figures(text: str) -> tuple[Figure, ...]:
    """The figures of a text, in order. Those inside references to sections and statutes are none."""
    facts = read_facts(text)
    found = [
        *(Figure("date", d.start, d.end, text[d.start : d.end], d, "date") for d in facts.dates),
        *(Figure("period", p.start, p.end, text[p.start : p.end], p, _unit(p)) for p in facts.durations),
        *(Figure("money", m.start, m.end, text[m.start : m.end], m, "money") for m in facts.money),
        *(Figure("share", s.start, s.end, text[s.start : s.end], s, "share") for s in facts.percents),
        *(
            _day(text, *n) or Figure("number", n[0], n[1], text[n[0] : n[1]], n, _noun(text, n[1]), _named(text, *n[:2]))
            for n in facts.numbers
        ),
    ]
    return tuple(sorted((f for f in found if f.words.strip()), key=lambda f: f.start))


def _unit(period: Duration) -> str:
    return "business day" if period.business_days else "day" if period.unit in _DAYS else "month"


def _noun(text: str, end: int) -> str:
    found = _NOUN.match(text, end)
    return stem(found["noun"]) if found else ""


def _day(text: str, start: int, end: int, value: Decimal, _: bool) -> Figure | None:
    """A day and month without a year."""
    found = _MONTH_BEHIND.match(text, end)
    if found is None or not 1 <= value <= 31:
        return None
    date = DateValue(start, found.end(), None, MONTHS_BY_NAME[found["month"][:3].lower()], int(value))
    return Figure("date", start, found.end(), text[start : found.end()], date, "date")


def _named(text: str, start: int, end: int) -> str:
    found = _NAME_BEHIND.match(text, end)
    return f"{text[start:end].strip()} {found['name']}" if found and text[start:end].strip().isdigit() else ""


def are_same(one: Figure, other: Figure) -> bool:
    """Whether two figures say the same, in any form: a fortnight and 14 days, 4 % and four per cent."""
    if one.kind != other.kind:
        return False
    if one.kind == "date":
        return same_date(one.value, other.value)
    if one.kind == "period":
        return same_period(one.value, other.value)
    if one.kind == "money":
        return same_money(one.value, other.value)
    if one.kind == "share":
        return bool(abs(one.value.percent - other.value.percent) <= (one.value.percent % 1 != 0) * 4 / 10)
    return bool(one.value[2] == other.value[2]) and one.named == other.named


def same_date(said: DateValue, known: DateValue) -> bool:
    if said.ambiguous and (said.year, said.day, said.month) == (known.year, known.month, known.day):
        return True
    pairs = ((said.year, known.year), (said.month, known.month), (said.day, known.day))
    return all(a is None or b is None or a == b for a, b in pairs)


def same_period(said: Duration, known: Duration) -> bool:
    for units in (_MONTHS, _DAYS):
        if said.unit in units and known.unit in units:
            return said.count * units[said.unit] == known.count * units[known.unit]
    return False


def same_money(said: Money, known: Money) -> bool:
    """None is a dollar of any country."""
    one, other = said.currency, known.currency
    return said.amount == known.amount and (one == other or (None in (one, other) and {one, other} <= _DOLLARS))


def has_figure(figure: Figure, text: str) -> bool:
    """Whether a text has a figure, in any form. Of a long text only the places with its number are read."""
    if len(text) <= 2_000:
        return _has(figure, text)
    return any(_has(figure, text[max(at - _WINDOW, 0) : at + _WINDOW]) for at in _places(figure, text))


def _has(figure: Figure, text: str) -> bool:
    facts = read_facts(text)
    if not figure.named and any(are_same(figure, other) for other in figures(text)):
        return True
    if figure.kind == "number" and figure.named:
        return re.search(rf"(?<!\w){re.escape(figure.named)}(?!\w)", " ".join(text.split())) is not None
    if figure.kind == "number":
        words = re.escape(figure.words.strip(" .,"))
        return figure.value[2] in facts.values or re.search(rf"(?<![\w.]){words}(?!\w|\.\d)", text, re.IGNORECASE) is not None
    if figure.kind == "date" and figure.value.month is None:
        return figure.value.year in facts.values
    if figure.kind == "date":  # "3 and 4 May", "25 March" of a list
        return figure.value.year is None and figure.words.casefold() in text.casefold()
    if figure.kind == "money":
        return figure.value.amount in facts.values
    if figure.kind == "period":
        return not facts.durations and figure.value.count in facts.values
    return False


def _places(figure: Figure, text: str) -> Iterator[int]:
    words = figure.words.casefold()
    number = figure.number.rstrip("0").rstrip(".") if "." in figure.number else figure.number
    grouped = f"{int(float(number)):,}" if number.replace(".", "").isdigit() and float(number) >= 1_000 else number
    folded = text.casefold()
    seen = 0
    for form in dict.fromkeys(filter(None, (words, number, grouped, *_spelt(number)))):
        at = folded.find(form)
        while at >= 0 and seen < _MOST_READ:
            seen += 1
            yield at
            at = folded.find(form, at + len(form))


_SPELT = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty"
).split()
_TENS = {
    20: "twenty",
    30: "thirty",
    40: "forty",
    45: "forty",
    50: "fifty",
    60: "sixty",
    70: "seventy",
    80: "eighty",
    90: "ninety",
}


def _spelt(number: str) -> Sequence[str]:
    if not number.isdigit():
        return ()
    value = int(number)
    if value < len(_SPELT):
        return (_SPELT[value],)
    return (_TENS[value // 10 * 10],) if value < 100 else ()


def around(text: str, figure: Figure, reach: int = 9) -> set[str]:
    """Stems of the words around a figure, within its sentence."""
    before, after = text[: figure.start].split()[-reach:], text[figure.end :].split()[:reach]
    for n in range(len(before) - 1, -1, -1):
        if before[n].endswith((".", ";", ":")) and len(before[n]) > 3:
            before = before[n + 1 :]
            break
    for n, word in enumerate(after):
        if word.endswith((".", ";")) and len(word) > 3:
            after = after[: n + 1]
            break
    return content_stems(" ".join(chain(before, after)))
