"""Finds a quotation whose words are those of the document but whose case, punctuation, markup or brackets differ.

The place found is shown in the document's own words, so a difference that is overlooked here is never shown.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from itertools import pairwise

from orderly.models import Span

MIN_WORDS = 3
MAX_INSERTED = 8
"""Words of the document that one bracketed insertion of a writer, “[Slinger Bag]”, may replace."""

_TOKEN = re.compile(r"\d(?:[\d.,:/]*\d)?|[^\W\d_]+(?:(?:['’]|\u00ad|[-‐][ \t]*\n\s*(?=[^\W\d_A-Z]))[^\W\d_]+)*|[$€£¥%]")
_INSIDE_WORD = re.compile(r"\u00ad|[-‐]\s*|['’]")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]{0,40}>|\\(?=[^\w\s])|[*_`~]+|^[ \t]*(?:>[ \t]?)+|^[ \t]*#{1,6}[ \t]", re.MULTILINE)
_LETTER = re.compile(r"\[(\w{1,4})\](?=\w)|(?<=\w)\[(\w{1,4})\]")
_ALONE = re.compile(r"\[([A-Za-z]{1,12})\](?=\s)")
_INSERTED = re.compile(r"\[[^\[\]]{0,80}\]")
_NUMBERED = re.compile(
    r"\s*(?:\(\w{1,4}\)|\d{1,3}(?:\.\d{1,3})*[.)]|\d{1,3}(?:\.\d{1,3})*(?=\s+[A-Z])(?!\s+(?i:business|calendar|working|day|week|month|year|per|hour))|[-•])\s+"
)
"""The number of a clause before its words. A number before a word in small letters is part of the words: "2 years"."""
_ITEM_TOKENS = re.compile(r"(?:(?<=\n)|(?<=\s)|\A)[ \t]*(?:\([a-zA-Z]{1,4}\)|\(\d{1,2}\)|(?:\d{1,3}\.)+\d{0,3})(?=\s)")


def _fold(token: str) -> str:
    return unicodedata.normalize("NFKC", _INSIDE_WORD.sub("", token)).casefold()


class StoredWords:
    """An index of the words of one text."""

    def __init__(self, text: str) -> None:
        self._all = _Words(text, ())
        numbers = [match.span() for match in _ITEM_TOKENS.finditer(text)]
        self._unnumbered = _Words(text, numbers) if numbers else self._all

    def find(self, quote: str) -> Span | None:
        """Span of the words of `quote`, without regard to case, punctuation, markup, brackets and clause numbers."""
        plain = _LETTER.sub(lambda m: m[1] or m[2], _MARKUP.sub("", quote))
        forms = [_ALONE.sub(r"\1", plain), plain] if _ALONE.search(plain) else [plain]
        if number := _NUMBERED.match(plain):
            forms.append(plain[number.end() :])
        for form in forms:
            parts = [[_fold(m[0]) for m in _TOKEN.finditer(part)] for part in _INSERTED.split(form)]
            if sum(map(len, parts)) < MIN_WORDS:
                continue
            if span := self._all.find(parts) or self._unnumbered.find(_without_numbers(form)):
                return span
        return None


def _without_numbers(form: str) -> list[list[str]]:
    kept = [_ITEM_TOKENS.sub(" ", part) for part in _INSERTED.split(form)]
    return [[_fold(m[0]) for m in _TOKEN.finditer(part)] for part in kept]


class _Words:
    def __init__(self, text: str, without: list[Span] | tuple[()]) -> None:
        starts = [start for start, _ in without]
        self._spans: list[Span] = []
        folded: list[str] = []
        for match in _TOKEN.finditer(text):
            n = bisect_right(starts, match.start()) - 1
            if n >= 0 and match.end() <= without[n][1]:
                continue
            self._spans.append(match.span())
            folded.append(_fold(match[0]))
        self._offsets = [0]
        for word in folded:
            self._offsets.append(self._offsets[-1] + len(word) + 1)
        self._joined = "\n" + "\n".join(folded) + "\n"

    def find(self, parts: list[list[str]]) -> Span | None:
        wanted = [part for part in parts if part]
        if not wanted:
            return None
        first = "\n" + "\n".join(wanted[0]) + "\n"
        at = self._joined.find(first)
        while at >= 0:
            if (last := self._follow(wanted, at, len(first))) is not None:
                return self._spans[bisect_right(self._offsets, at) - 1][0], self._spans[last][1]
            at = self._joined.find(first, at + 1)
        return None

    def _follow(self, wanted: list[list[str]], at: int, length: int) -> int | None:
        """Index of the last word if the other parts follow, each within a few words."""
        end = at + length - 1
        for _, part in pairwise(wanted):
            text = "\n" + "\n".join(part) + "\n"
            found = self._joined.find(text, end, end + len(text) + 16 * MAX_INSERTED)
            if found < 0 or self._joined.count("\n", end, found) > MAX_INSERTED:
                return None
            end = found + len(text) - 1
        return bisect_right(self._offsets, end - 1) - 1
