"""Figures that follow from others anywhere in an answer or its provisions, whatever the words say.

The fewer digits a figure has, the fewer steps are tried, because more steps meet it by chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import date, timedelta
from itertools import combinations, permutations
from operator import itemgetter

from orderly.services.calculation.business_days import add_period
from orderly.services.support import Figure, are_same, figures
from orderly.services.values import DateValue

MOST, MOST_SUMMED = 16, 12
"""Operands of a kind; of these, the nearest of which any may be left out of a sum."""
PRECISE, LONG, FRIDAY = 6, 4, 4
"""Digits of a figure for which two steps are tried, and for which one step from any sum that was read."""
_RATIOS = (2.0, 3.0, 4.0, 6.0, 7.0, 12.0, 30.0, 52.0, 100.0, 365.0)
"""Divisors of rates: days, weeks and months of a year, days of a week, halves and quarters."""
_PARTS_OF_YEAR = (2.0, 4.0, 12.0)
_ABOUT = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|some|over|under|more|less|below|above|just)\b[^.;]{0,14}\Z",
    re.IGNORECASE,
)
_DECIMALS = re.compile(r"\.(\d+)")


def is_derived(figure: Figure, sentence: str, texts: Sequence[str], everywhere: Sequence[Figure] = ()) -> bool:
    """Whether a figure follows from the figures of texts, in one step, or in two if it is precise.

    Args:
        figure: A figure of the sentence.
        sentence: Words that say whether it is rounded.
        texts: The nearest first; of each kind the first operands count.
        everywhere: Sums of money of which an even part, or with one near by a sum, also counts.
    """
    known = [other for text in texts for other in figures(text) if not are_same(other, figure)]
    if figure.kind == "date":
        return _is_derived_date(figure.value, known)
    if figure.kind == "period":
        return figure.unit == "day" and any(
            abs((a - b).days) == figure.value.count * (7 if figure.value.unit == "W" else 1)
            for a, b in combinations(_days(known), 2)
        )
    size = _amount(figure)
    if size is None:
        return False
    near = 0.06 * abs(size) if _ABOUT.search(sentence[: figure.start]) else _half_digit(figure)
    amounts = [a for other in known if (a := _amount(other)) is not None and other.kind != "period" and a != 0]
    counts = [float(other.value.count) for other in known if other.kind == "period"]
    if figure.kind == "money" and any(abs(abs(a - b) - abs(size)) <= near for a, b in combinations(dict.fromkeys(amounts), 2)):
        return True
    if _is_part(figure, size, dict.fromkeys(amounts), {float(f.value.amount) for f in everywhere}):
        return True
    amounts, counts = list(dict.fromkeys(amounts))[:MOST], list(dict.fromkeys(counts))[:MOST]
    if figure.kind == "share":
        return any(
            abs(100 * a / b - size) <= max(near, 0.5 * (figure.words[:1].isalpha())) for a, b in permutations(amounts, 2) if b
        ) or _sums(size, near, [a for a in amounts if a <= 100])
    is_precise = len(re.sub(r"\D|0+\Z", "", figure.words)) >= PRECISE
    if is_precise and _is_sum_of_some(size, near, amounts[:MOST_SUMMED]):
        return True
    return any(abs(value - size) <= near for value in _steps(amounts, counts, is_precise=is_precise)) or _sums(
        size, near, amounts
    )


def _is_part(figure: Figure, size: float, near: Iterable[float], everywhere: Set[float]) -> bool:
    """Whether a sum is an even part of another, or exactly the sum or difference of one near by and another."""
    if any(size * parts in everywhere for parts in _PARTS_OF_YEAR):
        return True
    is_long = len(re.sub(r"\D|0+\Z", "", figure.words)) >= LONG
    return is_long and any(abs(size - a) in everywhere or size + a in everywhere for a in near)


def _steps(amounts: Sequence[float], counts: Sequence[float], *, is_precise: bool) -> Iterator[float]:
    one = [
        value
        for a, b in permutations([*amounts, *counts], 2)
        for value in (a - b, a * b, a / b, a * b / 100, a * (1 + b / 100), a * (1 - b / 100))
    ]
    yield from one
    yield from (a + b for a, b in combinations(amounts, 2))
    yield from (value for a in amounts for ratio in _PARTS_OF_YEAR for value in (a / ratio, a * ratio))
    if is_precise:
        yield from (value for a in amounts for ratio in _RATIOS for value in (a / ratio, a * ratio))
        for a, b in permutations(amounts, 2):
            yield from (value for c in amounts for value in (a + b - c, a - b - c, (a - b) * c / 100, c * (a + b) / 100))
        yield from (a * b / ratio for a in amounts for b in [*counts, *amounts] for ratio in _RATIOS)
        yield from (value / ratio for value in one for ratio in (100.0, 36500.0))


def _is_sum_of_some(size: float, near: float, amounts: Sequence[float]) -> bool:
    sums = [0.0]
    for amount in amounts:
        sums += [total + amount for total in sums]
    return any(abs(total - size) <= near for total in sums)


def _sums(size: float, near: float, amounts: Sequence[float]) -> bool:
    """Whether neighbours in a text add up to a figure."""
    for first in range(len(amounts)):
        total = amounts[first]
        for other in amounts[first + 1 : first + MOST]:
            total += other
            if abs(total - size) <= near:
                return True
    return False


def _is_derived_date(said: DateValue, known: Sequence[Figure]) -> bool:
    """Whether a date lies one or two periods from a date, a day more or less, or is the working day beside a weekend."""
    wanted = _day(said)
    if wanted is None:
        return False
    periods = list(dict.fromkeys(f.value.iso for f in known if f.kind == "period"))[:MOST]
    for start in _days(known):
        apart = (wanted - start).days
        if abs(apart) == 1 or (start.weekday() > FRIDAY and wanted.weekday() in (0, FRIDAY) and abs(apart) <= 2):
            return True
        for iso in periods:
            for end in (_moved(start, iso), _moved(_moved(start, iso), iso), _moved(start, iso, back=True)):
                if end is not None and wanted in (end, end - timedelta(days=1)):
                    return True
    return False


def _moved(start: date | None, iso: str, *, back: bool = False) -> date | None:
    if start is None:
        return None
    try:
        return add_period(start, -int(iso[1:-1]) if back else int(iso[1:-1]), iso[-1])
    except (ValueError, OverflowError):
        return None


def _days(known: Sequence[Figure]) -> list[date]:
    years = {f.value.year for f in known if f.kind == "date" and f.value.year}
    year = next(iter(years)) if len(years) == 1 else None
    return list(dict.fromkeys(d for f in known if f.kind == "date" and (d := _day(f.value, year)) is not None))[:MOST]


def _day(value: DateValue, year: int | None = None) -> date | None:
    year = value.year or year
    if year is None or value.month is None or value.day is None:
        return None
    try:
        return date(year, value.month, value.day)
    except ValueError:
        return None


def _amount(figure: Figure) -> float | None:
    if figure.kind == "money":
        return float(figure.value.amount)
    if figure.kind == "share":
        return float(figure.value.percent)
    return float(itemgetter(2)(figure.value)) if figure.kind == "number" else None


def _half_digit(figure: Figure) -> float:
    """Half a unit of the last digit that is written."""
    decimals = _DECIMALS.search(figure.words)
    return 0.5 * 10.0 ** -len(decimals[1]) + 1e-9 if decimals else 0.5
