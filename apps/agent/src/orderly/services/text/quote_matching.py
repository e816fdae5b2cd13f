"""Finds quotations in a text.

A match is equal in code points except for: white space (any run equals one space), hyphens at line ends (they join a word),
typographic quotes and dashes (equal to the plain forms) and ligatures (equal to their letters). Case, digits, words and word
order must agree, and a match begins and ends at boundaries of words and numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

_FORMS = {"'": "'‘’‚‛′", '"': '"“”„‟″', "-": "-‐‑‒–—―−"}
"""Plain characters, each with all equivalent forms."""

_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_PLAIN_FORMS = str.maketrans({form: plain for plain, forms in _FORMS.items() for form in forms} | _LIGATURES | {"\u00ad": ""})
_TO_LIGATURE = {plain: form for form, plain in _LIGATURES.items()}
_LIGATURE = re.compile("ffi|ffl|ff|fi|fl|st")
_BREAK = r"(?:\u00ad|[-‐][ \t]*\n\s*)?"
"""Allowed inside a word of the source: a soft hyphen, or a hyphen at a line end."""

_LINE_END_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐][ \t]*\n\s*(?=[^\W\d_A-Z])")
"""A hyphen that divides a word at a line end inside the quotation."""

_HYPHEN_MARKER = "\ue000"
"""Placeholder for such a hyphen, which may belong to the word. A private-use code point, absent from words."""

_DASHES = re.escape(_FORMS["-"])
_LINE_END = r"[-‐][ \t]*\n\s*"
_WORD_BEFORE = re.compile(rf"(?:\w|\w[-‐‑]|[^\W\d_]{_LINE_END})\Z")
_NUMBER_BEFORE = re.compile(rf"(?:\w|\w[-‐‑]|\d[.,:/]|(?<!\w)[{_DASHES}])\Z")
"""Matches before a span that begins inside a word or number, or after a number's sign."""
_WORD_AFTER = re.compile(rf"(?:\w|[-‐‑]\w|['’]s\b|{_LINE_END}[^\W\d_A-Z])")
_NUMBER_AFTER = re.compile(r"(?:\w|[-‐‑]\w|[.,:/]\d|\s?%)")
"""Matches after a span that ends inside a word or number."""
_LOOKBACK_CHARS = 40
"""Characters searched before a span."""


def normalise_text(text: str) -> str:
    """Replaces equivalent forms by the plain one and runs of white space by one space."""
    return " ".join(text.translate(_PLAIN_FORMS).split())


_DIVISION = re.compile(r"\u00ad|[-‐][ \t]*\n\s*|[ﬀﬁﬂﬃﬄﬅﬆ]")
_LINE_END_BREAK = re.compile(r"\u00ad|[-‐][ \t]*\n\s*")
_LETTERS_BEFORE, _LETTERS_AFTER = re.compile(r"\w*\Z"), re.compile(r"(?:\w|\u00ad|[-‐][ \t]*\n\s*)*")


@lru_cache(maxsize=32)
def _divided_words(text: str) -> frozenset[str]:
    """The words of a text, joined, that are divided or have ligatures. Only these need a pattern with all forms of a word."""
    words = set()
    for match in _DIVISION.finditer(text):
        before = _LETTERS_BEFORE.search(text, max(match.start() - _LOOKBACK_CHARS, 0), match.start())
        after = _LETTERS_AFTER.match(text, match.start(), match.end() + _LOOKBACK_CHARS)
        assert before is not None and after is not None
        words |= set(re.findall(r"\w+", _LINE_END_BREAK.sub("", before[0] + (after[0] or match[0])).translate(_PLAIN_FORMS)))
    return frozenset(words)


def _pattern_for(quote: str, text: str) -> re.Pattern[str]:
    """A pattern that matches `quote` wherever `text` has it. That of whole words compiles ten times as fast."""
    words = re.findall(r"\w+", normalise_text(quote))
    divided = _divided_words(text)
    needs_all = _LINE_END_HYPHEN.search(quote) is not None or not divided.isdisjoint(words)
    if words and not needs_all:  # the quotation may end inside a word
        needs_all = any(word.endswith(words[0]) or word.startswith(words[-1]) for word in divided)
    return compile_quote_pattern(quote) if needs_all else _compile_whole_words(quote)


@lru_cache(maxsize=256)
def _compile_whole_words(quote: str) -> re.Pattern[str]:
    units = (
        re.escape(unit) if unit.isalnum() else _unit_pattern(unit) for unit in re.findall(r"[^\W_]+|.", normalise_text(quote))
    )
    return re.compile("".join(units))


def compile_quote_pattern(quote: str) -> re.Pattern[str]:
    """Compiles a pattern that matches `quote` in all equivalent forms."""
    wanted = normalise_text(_LINE_END_HYPHEN.sub(_HYPHEN_MARKER, quote))
    out: list[str] = []
    at = 0
    while at < len(wanted):
        ligature = _LIGATURE.match(wanted, at)
        unit = ligature[0] if ligature else wanted[at]
        out.append(_unit_pattern(unit))
        at += len(unit)
        if at < len(wanted) and unit[-1].isalpha() and wanted[at].islower():
            out.append(_BREAK)
    return re.compile("".join(out))


def _unit_pattern(unit: str) -> str:
    if unit == " ":
        return r"\s+"
    if unit == _HYPHEN_MARKER:
        return rf"(?:[{_DASHES}](?:[ \t]*\n\s*)?|\u00ad)?"
    if unit == "-":
        return rf"[{_DASHES}](?:[ \t]*\n\s*)?"
    if unit in _FORMS:
        return f"[{_FORMS[unit]}]"
    if len(unit) > 1:
        letters = _BREAK.join(re.escape(letter) for letter in unit)
        return f"(?:{_TO_LIGATURE[unit]}|{letters})" if unit not in ("ffi", "ffl") else _three_letter_pattern(unit, letters)
    return re.escape(unit)


def _three_letter_pattern(unit: str, letters: str) -> str:
    """Matches "ffi" or "ffl" written as one ligature, as a ligature and a letter ("ﬀi", "fﬁ"), or as three letters."""
    parts = [_TO_LIGATURE[unit], _TO_LIGATURE["ff"] + unit[2], "f" + _TO_LIGATURE[unit[1:]], letters]
    return f"(?:{'|'.join(parts)})"


def find_occurrences(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Spans of all occurrences of `quote` as whole words and numbers."""
    return (span for span in _find_matches(quote, text) if not cuts_words(text, *span))


def _find_matches(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Finds the first words by a pattern and compares the others: to compile a long pattern takes longer than to match it."""
    wanted = normalise_text(_LINE_END_HYPHEN.sub(_HYPHEN_MARKER, quote))
    if not wanted:
        return
    head = _HEAD.match(wanted)
    first = head[0] if head else wanted
    others = wanted[len(first) + 1 :].split(" ") if head else []
    pattern = compile_quote_pattern(first) if _HYPHEN_MARKER in first else _pattern_for(first, text)
    at = 0
    while (match := pattern.search(text, at)) is not None:
        end = _end_of_words(others, text, match.end())
        if end is not None:
            yield match.start(), end
        at = end or match.start() + 1


_HEAD = re.compile(r".{12,}?[^\W_](?= )")
"""The first words of a quotation."""
_GAP = re.compile(r"\s+")
_DIVIDED = re.compile(_BREAK)
_LINE_BREAK = re.compile(r"(?:[ \t]*\n\s*)?")
_MARKED_HYPHEN = re.compile(rf"(?:[{_DASHES}](?:[ \t]*\n\s*)?|\u00ad)?")


def _end_of_words(words: Sequence[str], text: str, at: int) -> int | None:
    """The end of the words that stand behind `at`, in any equivalent form, each after white space; None if others do."""
    for word in words:
        gap = _GAP.match(text, at)
        if gap is None:
            return None
        end = gap.end() + len(word) if text.startswith(word, gap.end()) else _end_of_word(word, text, gap.end())
        if end is None:
            return None
        at = end
    return at


def _end_of_word(word: str, text: str, at: int) -> int | None:
    n = 0
    while n < len(word):
        char = word[n]
        if char == _HYPHEN_MARKER:
            at, n = _end_of(_MARKED_HYPHEN, text, at), n + 1
            continue
        if n and word[n - 1].isalpha() and char.islower():
            at = _end_of(_DIVIDED, text, at)
        letters = _LIGATURES.get(text[at : at + 1])
        if letters and word.startswith(letters, n):
            at, n = at + 1, n + len(letters)
            continue
        if text[at : at + 1] not in (_FORMS.get(char) or char) or at >= len(text):
            return None
        at, n = at + 1, n + 1
        if char == "-" and n < len(word):
            at = _end_of(_LINE_BREAK, text, at)
    return at


def _end_of(optional: re.Pattern[str], text: str, at: int) -> int:
    match = optional.match(text, at)
    assert match is not None
    return match.end()


def find_cut_occurrence(quote: str, text: str) -> tuple[int, int] | None:
    """First span where `quote` is part of longer words or numbers: "lawful use" in "unlawful use"."""
    return next((span for span in _find_matches(quote, text) if cuts_words(text, *span)), None)


def cuts_words(text: str, start: int, end: int) -> bool:
    """Whether a word, hyphenated compound or number continues beyond the span."""
    first, last = text[start], text[end - 1]
    begun = _NUMBER_BEFORE if first.isdigit() else _WORD_BEFORE
    if first.isalnum() and begun.search(text, max(start - _LOOKBACK_CHARS, 0), start):
        return True
    if last in ".,:/" and text[max(end - 2, 0)].isdigit() and end - 2 >= start:
        return text[end : end + 1].isdigit()
    unfinished = _NUMBER_AFTER if last.isdigit() else _WORD_AFTER
    return last.isalnum() and bool(unfinished.match(text, end))


def spans_overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two half-open spans share a character."""
    return one[0] < other[1] and other[0] < one[1]
