"""Days that follow from others: periods, ends of months, business days by public holidays.

A month ends on the corresponding date, or on the last day of a shorter month (Dodds v Walker [1981] 1 WLR 1027). Clear days and
clear months leave out their first and their last day.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from itertools import product

from orderly.services.words import MONTHS

CALENDARS = {
    "New South Wales": ("AU", "NSW", "New South Wales|NSW|Sydney"),
    "Victoria": ("AU", "VIC", "Victorian?|VIC|Melbourne"),
    "Queensland": ("AU", "QLD", "Queensland|QLD|Brisbane"),
    "Western Australia": ("AU", "WA", "Western Australian?|WA|Perth"),
    "South Australia": ("AU", "SA", "South Australian?|SA|Adelaide"),
    "Tasmania": ("AU", "TAS", "Tasmanian?|TAS|Hobart"),
    "the Australian Capital Territory": ("AU", "ACT", "Australian Capital Territory|ACT|Canberra"),
    "the Northern Territory": ("AU", "NT", "Northern Territory|NT|Darwin"),
    "England and Wales": ("GB", "ENG", "England|English|(?<!South )Wales|London|United Kingdom|UK|[Bb]ank [Hh]olidays?"),
    "New Zealand": ("NZ", "", "New Zealand|NZ"),
    "Auckland": ("NZ", "AUK", "Auckland"),
    "Wellington": ("NZ", "WGN", "Wellington"),
    "the United States": ("US", "", r"United States|U\.S\.|USA?|New York|Delaware|California|Texas|Florida|Washington"),
}
"""Country and part of it, as the library `holidays` names them, and the words that mean it."""
_NAMES, _WEEKENDS = tuple(CALENDARS), "weekends only"
_ADDED = {"NSW": (date(2026, 4, 27), date(2027, 4, 26)), "ACT": (date(2026, 4, 27),)}
"""Mondays after Anzac Day that were made holidays after version 0.86 of the library."""
_PLACE = re.compile("|".join(rf"\b(?P<p{n}>{forms})(?!\w)" for n, (_, _, forms) in enumerate(CALENDARS.values())))
DAYS = {"Y": 365.25, "M": 30.44, "W": 7.0, "D": 1.0}
_DAY, _WEEKDAYS = timedelta(days=1), ("monday", "tuesday", "wednesday", "thursday", "friday")


@lru_cache(maxsize=512)
def calendars_in(text: str) -> tuple[str, ...]:
    """The calendars that a text names. Without any: all, and the one that knows weekends only."""
    named = dict.fromkeys(_NAMES[int((found.lastgroup or "p0")[1:])] for found in _PLACE.finditer(text))
    if named:
        return (*named, _WEEKENDS) if "Saturday" in text and "oliday" not in text else tuple(named)
    return (_WEEKENDS, *_NAMES)


@lru_cache(maxsize=256)
def _holidays(name: str, year: int) -> frozenset[date]:
    """The public holidays of a year. The first call loads the library, which takes 0.8 seconds."""
    if name == _WEEKENDS:
        return frozenset()
    from holidays import country_holidays  # noqa: PLC0415

    country, part, _ = CALENDARS[name]
    return frozenset(country_holidays(country, subdiv=part or None, years=year)).union(_ADDED.get(part, ()))


def is_business_day(day: date, name: str) -> bool:
    return day.weekday() < 5 and day not in _holidays(name, day.year)


def add_business_days(day: date, count: int, name: str) -> date:
    """The business day that is `count` after a day, before it where `count` is negative."""
    one = _DAY if count > 0 else -_DAY
    for _ in range(abs(count)):
        day += one
        while not is_business_day(day, name):
            day += one
    return day


def add_period(day: date, count: int, unit: str) -> date:
    """The day that is so many days (D), weeks (W), months (M) or years (Y) later, earlier where `count` is negative."""
    if unit in "WD":
        return day + count * (7 if unit == "W" else 1) * _DAY
    year, month = divmod(day.year * 12 + day.month - 1 + count * (12 if unit == "Y" else 1), 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def months_between(first: date, last: date) -> int:
    """Whole months. Whole years are a twelfth of them: an age."""
    months = (last.year - first.year) * 12 + last.month - first.month
    return months - (add_period(first, months, "M") > last)


@dataclass(frozen=True, slots=True)
class Step:
    """A period to count, backwards where `count` is negative."""

    count: int
    unit: str
    is_business: bool = False
    is_sure: bool = False
    """Whether the text says in which direction to count."""
    cues: frozenset[str] = frozenset()
    """Of the clause that it stands in."""

    @property
    def days(self) -> float:
        """About how many days it takes."""
        return self.count * (1.4 if self.is_business else DAYS[self.unit])

    def ends(self, start: date, cues: frozenset[str], places: tuple[str, ...]) -> Iterator[tuple[date, str]]:
        """The days on which it may end, by its cues, those of the sentence and each calendar."""
        one, cues = 1 if self.count > 0 else -1, self.cues | cues
        unit = {"Y": "years", "M": "months", "W": "weeks", "D": "days"}[self.unit]
        how = f" {'plus' if one > 0 else 'less'} {abs(self.count)} {'business ' * self.is_business}{unit}"
        if self.is_business:
            for name, more in product(places, (one,) if "CLEAR" in cues else (0, one) if "LEAST" in cues else (0,)):
                yield add_business_days(start, self.count + more, name), f"{how}, calendar of {name} assumed"
            return
        end = add_period(start, self.count, self.unit)
        if "CLEAR" not in cues or "END" in cues:
            yield end, how
        if "CLEAR" in cues or "LEAST" in cues:
            yield end + one * _DAY, f"{how}, clear"
        if one > 0 and ("INCLUSIVE" in cues or ("END" in cues and self.unit in "MY")):
            yield end - _DAY, f"{how}, the first day included"
        yield from ((day, how + rule) for day, rule in landings(end, cues, places))


def landings(day: date, cues: frozenset[str], places: tuple[str, ...]) -> Iterator[tuple[date, str]]:
    """What cues make of a day: the one beside it, an end of its month or quarter, the next business day, a weekday."""
    if "NEIGHBOUR" in cues:
        yield from ((day + _DAY, ", the day after"), (day - _DAY, ", the day before"))
    for cue, months in (("month", 1), ("quarter", 3)):
        if "EDGE" in cues and (cue in cues or (months == 1 and "quarter" not in cues)):
            end = add_period(day.replace(day=1), -day.month % months + 1, "M") - _DAY
            yield from (
                (end, f", end of the {cue}"),
                (end + _DAY, f", start of the next {cue}"),
                (day.replace(day=1), ", first day"),
            )
    for name in places if "ROLL" in cues else ():
        if not is_business_day(day, name):
            yield add_business_days(day, -1 if "preceding" in cues else 1, name), f", moved, calendar of {name} assumed"
    for number, name in enumerate(_WEEKDAYS):
        if f"following_{name}" in cues or f"next_{name}" in cues:
            yield day + ((number - day.weekday() - 1) % 7 + 1) * _DAY, f", the {name.capitalize()} after"


def show(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
