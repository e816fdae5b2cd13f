"""Numbers, periods and frequencies by words of their own: "a decade", "half a dozen", "half-yearly", "twice a month"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from orderly.services.values import ERAS, GROUPS, NUMBER_WORDS, Duration, parse_words

_COUNT = rf"(?:(?P<half>half(?:\s+(?:an?|of\s+an?))?)|(?P<count>an?|\d{{1,3}}|{NUMBER_WORDS}))[\s-]+"
_ERA = re.compile(rf"\b{_COUNT}(?P<unit>{'|'.join(ERAS)})\b", re.IGNORECASE)
_GROUP = re.compile(rf"\b{_COUNT}(?P<unit>{'|'.join(GROUPS)})\b", re.IGNORECASE)
_UNIT = r"(?:calendar\s+)?(?P<unit>annum|year|month|quarter|week|fortnight|day|hour)\b"
FREQUENCY = re.compile(
    rf"\b(?:(?P<twice>twice|two\s+times)\s+(?:per|an?|each|every)\s+{_UNIT}|"
    rf"every\s+(?P<second>other|second)\s+{_UNIT.replace('?P<unit>', '?P<over>')}|"
    r"(?P<halves>half[\s-]?yearly|semi-?annual(?:ly)?|bi-?annual(?:ly)?)\b)",
    re.IGNORECASE,
)
HALF_YEAR = "half-year"
HAS_MEASURE = re.compile(rf"\b(?:{'|'.join([*ERAS, *GROUPS])})\b", re.IGNORECASE)


def eras(text: str) -> list[Duration]:
    """Periods of decades and centuries."""
    return [
        Duration(*found.span(), ERAS[found["unit"].lower()] * 6, "M")
        if found["half"]
        else Duration(*found.span(), ERAS[found["unit"].lower()] * _counted(found["count"]), "Y")
        for found in _ERA.finditer(text)
    ]


def groups(text: str) -> Iterator[tuple[int, int, Decimal, bool]]:
    """Numbers by the dozen."""
    for found in _GROUP.finditer(text):
        size = Decimal(GROUPS[found["unit"].lower()])
        yield (*found.span(), size / 2 if found["half"] else size * _counted(found["count"]), True)


def frequency_of(found: re.Match[str]) -> str:
    """The frequency of a match of `FREQUENCY`, by a name that other wordings of it have too."""
    unit = (found["unit"] or found["over"] or "").lower()
    if found["halves"] or (found["twice"] and unit in ("year", "annum")):
        return HALF_YEAR
    return f"{'twice' if found['twice'] else 'second'} {unit}"


def _counted(written: str) -> int:
    return int(written) if written.isdigit() else parse_words(written) or 1
