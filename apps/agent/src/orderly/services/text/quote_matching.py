"""Where a quotation stands in a text.

Equal means equal in code points, after these equivalences alone: runs of white space are one space, a hyphen at a line end
joins its word, typographic quotes and dashes are their plain forms, ligatures are their letters. Case, digits, words and
their order are never touched, and an occurrence begins and ends where words and numbers do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_FORMS = {"'": "'‘’‚‛′", '"': '"“”„‟″', "-": "-‐‑‒–—―−"}
"""Every form of a character that counts as the plain one."""

_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_PLAIN = str.maketrans({form: plain for plain, forms in _FORMS.items() for form in forms} | _LIGATURES | {"\u00ad": ""})
_TO_LIGATURE = {plain: form for form, plain in _LIGATURES.items()}
_LIGATURE = re.compile("ffi|ffl|ff|fi|fl|st")
_BREAK = r"(?:\u00ad|[-‐][ \t]*\n\s*)?"
"""What may stand inside a word of the source: a soft hyphen, or a hyphen at a line end."""

_DIVIDED = re.compile(r"(?<=[^\W\d_])[-‐][ \t]*\n\s*(?=[^\W\d_A-Z])")
"""A hyphen that divides a word at the end of a line of the quotation itself."""

_DIVISION = "\ue000"
"""Stands for such a hyphen, which may be the word's own. From the private use area, which no text file's words are in."""

_DASHES = re.escape(_FORMS["-"])
_LINE_END = r"[-‐][ \t]*\n\s*"
_BEGUN = re.compile(rf"(?:\w|\w[-‐‑]|[^\W\d_]{_LINE_END})\Z")
_BEGUN_NUMBER = re.compile(rf"(?:\w|\w[-‐‑]|\d[.,:/]|(?<!\w)[{_DASHES}])\Z")
"""What stands before a span that begins inside a word or a number, or behind the number's sign."""
_UNFINISHED = re.compile(rf"(?:\w|[-‐‑]\w|['’]s\b|{_LINE_END}[^\W\d_A-Z])")
_UNFINISHED_NUMBER = re.compile(r"(?:\w|[-‐‑]\w|[.,:/]\d|\s?%)")
"""What stands behind a span that ends inside a word or a number."""
_NEAR = 40
"""Characters before a span that are looked at."""


def plain(text: str) -> str:
    """One spelling for all equivalent forms."""
    return " ".join(text.translate(_PLAIN).split())


def pattern_of(quote: str) -> re.Pattern[str]:
    """Matches `quote` in a source in whichever equivalent form it stands there."""
    wanted = plain(_DIVIDED.sub(_DIVISION, quote))
    out: list[str] = []
    at = 0
    while at < len(wanted):
        ligature = _LIGATURE.match(wanted, at)
        unit = ligature[0] if ligature else wanted[at]
        out.append(_form(unit))
        at += len(unit)
        if at < len(wanted) and unit[-1].isalpha() and wanted[at].islower():
            out.append(_BREAK)
    return re.compile("".join(out))


def _form(unit: str) -> str:
    if unit == " ":
        return r"\s+"
    if unit == _DIVISION:
        return rf"(?:[{_DASHES}](?:[ \t]*\n\s*)?|\u00ad)?"
    if unit == "-":
        return rf"[{_DASHES}](?:[ \t]*\n\s*)?"
    if unit in _FORMS:
        return f"[{_FORMS[unit]}]"
    if len(unit) > 1:
        letters = _BREAK.join(re.escape(letter) for letter in unit)
        return f"(?:{_TO_LIGATURE[unit]}|{letters})" if unit not in ("ffi", "ffl") else _three(unit, letters)
    return re.escape(unit)


def _three(unit: str, letters: str) -> str:
    """The sign "ffi" may stand as one sign, as two ("ﬀi", "fﬁ") or as three letters."""
    parts = [_TO_LIGATURE[unit], _TO_LIGATURE["ff"] + unit[2], "f" + _TO_LIGATURE[unit[1:]], letters]
    return f"(?:{'|'.join(parts)})"


def occurrences(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Offsets of every place where `quote` stands as whole words and numbers."""
    return (span for span in _everywhere(quote, text) if not cuts_words(text, *span))


def _everywhere(quote: str, text: str) -> Iterator[tuple[int, int]]:
    if plain(quote):
        yield from (match.span() for match in pattern_of(quote).finditer(text))


def cut_occurrence(quote: str, text: str) -> tuple[int, int] | None:
    """The first place where `quote` stands only as part of words or numbers, such as "lawful use" in "unlawful use"."""
    return next((span for span in _everywhere(quote, text) if cuts_words(text, *span)), None)


def cuts_words(text: str, start: int, end: int) -> bool:
    """Whether a word, a compound with a hyphen, or a number goes on beyond the span."""
    first, last = text[start], text[end - 1]
    begun = _BEGUN_NUMBER if first.isdigit() else _BEGUN
    if first.isalnum() and begun.search(text, max(start - _NEAR, 0), start):
        return True
    if last in ".,:/" and text[max(end - 2, 0)].isdigit() and end - 2 >= start:
        return text[end : end + 1].isdigit()
    unfinished = _UNFINISHED_NUMBER if last.isdigit() else _UNFINISHED
    return last.isalnum() and bool(unfinished.match(text, end))


def find(quote: str, text: str, *, touching: tuple[int, int] | None = None) -> tuple[int, int] | None:
    """Offsets of the first occurrence of `quote` in `text`, optionally with a part in `touching`; None if there is none."""
    return next((s for s in occurrences(quote, text) if touching is None or touches(s, touching)), None)


def touches(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two spans have a character in common."""
    return one[0] < other[1] and other[0] < one[1]
