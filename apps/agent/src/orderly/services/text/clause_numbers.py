"""Values of clause numbers written in digits, letters or Roman numerals."""

from __future__ import annotations

import re

from orderly.services.words import NUMBERS

_UNITS = NUMBERS["units"][1:]
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
NUMBER_WORDS = {
    **{word: value for value, word in enumerate(_UNITS, 1)},
    **{word: value for value, word in enumerate(_ORDINALS, 1)},
    "twenty": 20,
    **{f"twenty-{word}": 20 + value for value, word in enumerate(_UNITS[:9], 1)},
    "thirty": 30,
}
"""Numbers of sections that are written in words: "Section Two"."""

_DIGITS = re.compile(r"\d+")
_LAST = re.compile(r"(?:\d+|[A-Za-z]+)$")
_ROMAN = re.compile(r"(?=.)(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_TENS = ("", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC")
_ROMAN_UNITS = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def leading_number(label: str) -> int:
    """0 where the label begins with no digit."""
    found = _DIGITS.match(label)
    return int(found[0]) if found else 0


def container_number(label: str) -> int:
    """The number of a schedule, article, part or division: 4 for "ARTICLE IV", 2 for "Schedule B"."""
    number = label.rsplit(maxsplit=1)[-1].strip('"')
    if number.lower() in NUMBER_WORDS:
        return NUMBER_WORDS[number.lower()]
    if number[0].isdigit():
        return leading_number(number)
    return parse_roman(number.lower()) or ord(number[0].lower()) - 96


def list_item_readings(inner: str) -> list[tuple[str, int]]:
    """(style, value) for each reading of a list item: "i" and "v" are letters and Roman numerals."""
    if inner[0].isdigit():
        return [("1", leading_number(inner))]  # "2A" stands between "2" and "3"
    lower = inner.lower()
    upper = inner.isupper()
    readings = []
    if len(set(lower)) == 1:
        readings.append(("A" if upper else "a", ord(lower[0]) - 96 + 26 * (len(lower) - 1)))
    if value := parse_roman(lower):
        readings.append(("I" if upper else "i", value))
    return readings


def write_roman(value: int) -> str:
    """The Roman numeral of a number below 100."""
    tens, units = divmod(value, 10)
    return _TENS[tens] + _ROMAN_UNITS[units] if 0 < value < 100 else ""


def parse_roman(lower: str) -> int:
    """0 where `lower` is no Roman numeral below 100."""
    if not _ROMAN.fullmatch(lower):
        return 0
    values = [_ROMAN_VALUES[sign] for sign in lower]
    return sum(-value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True))


def following_labels(label: str) -> list[str]:
    """The labels that may follow in a list: "II" and "J" after "I", "12.3" after "12.2", "ARTICLE V" after "ARTICLE IV"."""
    last = _LAST.search(label)
    if last is None:
        return []
    before, number = label[: last.start()], last[0]
    if number.isdigit():
        return [f"{before}{int(number) + 1}"]
    following = [chr(ord(number) + 1)] if len(number) == 1 and number not in "Zz" else []
    if value := parse_roman(number.lower()):
        following.append(write_roman(value + 1) if number.isupper() else write_roman(value + 1).lower())
    return [f"{before}{one}" for one in following]
