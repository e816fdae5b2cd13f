"""Numbers of lists and notes in the forms of Word, which stores the form and not what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_MAX_NON_DECIMAL = 5_000
"""Larger numbers are written in decimal: letters and Roman numerals grow with the number and could exhaust memory."""

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_NOTE_SIGNS = "*†‡§"
_ENCLOSED = 20
"""Most numbers in a circle, in brackets or with a full stop that are one sign."""
_UNITS = (
    "", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = {1: "first", 2: "second", 3: "third", 5: "fifth", 8: "eighth", 9: "ninth", 12: "twelfth"}
"""Those that are no number with "th"."""


def write_number(value: int, form: str) -> str:
    """Formats `value` in the number format `form` (ST_NumberFormat); unknown formats in decimal."""
    if form == "none":
        return ""
    write = _FORMS.get(form)
    return write(value) if write and 0 < value <= _MAX_NON_DECIMAL else str(value)


def _letters(value: int) -> str:
    # Word repeats the letter after z: aa, bb.
    return chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)


def _roman(value: int) -> str:
    written = ""
    for size, sign in _ROMAN:
        written += sign * (value // size)
        value %= size
    return written


def _ordinal(value: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{'th' if value % 100 in (11, 12, 13) else ending}"


def _in_words(value: int) -> str:
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if value >= size:
            return f"{_in_words(value // size)} {name} {_in_words(value % size)}".strip()
    tens, unit = divmod(value, 10)
    return _UNITS[value] if value < 20 else f"{_TENS[tens]}-{_UNITS[unit]}".rstrip("-")


def _ordinal_in_words(value: int) -> str:
    rest = value % 100 if value % 100 < 20 else value % 10
    before = _in_words(value - rest)
    if not rest:
        return f"{before.removesuffix('y')}ieth" if before.endswith("y") else f"{before}th"
    last = _ORDINALS.get(rest, f"{_UNITS[rest]}th")
    return f"{before}{'-' if before.endswith('y') else ' '}{last}".strip()


def _note_sign(value: int) -> str:
    return _NOTE_SIGNS[(value - 1) % len(_NOTE_SIGNS)] * ((value - 1) // len(_NOTE_SIGNS) + 1)


def _enclosed(first: str) -> Callable[[int], str]:
    return lambda value: chr(ord(first) + value - 1) if value <= _ENCLOSED else str(value)


_FORMS: Mapping[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda value: _letters(value).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda value: _roman(value).upper(),
    "decimalZero": lambda value: f"{value:02d}",
    "ordinal": _ordinal,
    "cardinalText": lambda value: _in_words(value).capitalize(),
    "ordinalText": lambda value: _ordinal_in_words(value).capitalize(),
    "chicago": _note_sign,
    "decimalEnclosedCircle": _enclosed("①"),
    "decimalEnclosedParen": _enclosed("⑴"),
    "decimalEnclosedFullstop": _enclosed("⒈"),
    "numberInDash": lambda value: f"- {value} -",
    "hex": lambda value: f"{value:X}",
}
