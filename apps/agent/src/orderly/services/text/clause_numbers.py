"""What the number of a clause is worth, in digits, letters or Roman signs."""

from __future__ import annotations

import re

_ROMAN = re.compile(r"(?=.)(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def digits(label: str) -> int:
    found = re.match(r"\d+", label)
    return int(found[0]) if found else 0


def value_of_name(label: str) -> int:
    number = label.rsplit(maxsplit=1)[-1].strip('"')
    if number[0].isdigit():
        return digits(number)
    return roman(number.lower()) or ord(number[0].lower()) - 96


def readings_of(inner: str) -> list[tuple[str, int]]:
    """How "(i)" or "(v)" may be meant: as a letter and as a Roman number."""
    if inner.isdigit():
        return [("1", int(inner))]
    lower = inner.lower()
    upper = inner.isupper()
    readings = []
    if len(set(lower)) == 1:
        readings.append(("A" if upper else "a", ord(lower[0]) - 96 + 26 * (len(lower) - 1)))
    if value := roman(lower):
        readings.append(("I" if upper else "i", value))
    return readings


def roman(lower: str) -> int:
    """0 for what is no Roman number below 100."""
    if not _ROMAN.fullmatch(lower):
        return 0
    values = [_ROMAN_VALUES[sign] for sign in lower]
    return sum(-value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True))
