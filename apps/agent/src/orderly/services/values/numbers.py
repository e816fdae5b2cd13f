"""Finds numbers in digits and in English words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from orderly.services.words import NUMBERS

_UNITS: list[str] = NUMBERS["units"]
_TENS: list[str] = NUMBERS["tens"]
_SMALL: dict[str, int] = {word: n for n, word in enumerate(_UNITS)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_SMALL |= NUMBERS["spellings"]
_SCALES: dict[str, int] = NUMBERS["scales"]
_IRREGULAR: dict[str, int] = NUMBERS["ordinals"]
_ORDINALS = _IRREGULAR | {
    (word[:-1] + "ieth" if word.endswith("y") else word + "th"): n
    for word, n in _SMALL.items()
    if n and n not in _IRREGULAR.values()
}
PARTS: dict[str, int] = NUMBERS["parts"]
"""What a whole is divided by, by the word for the part."""

ERAS: dict[str, int] = NUMBERS["eras"]
"""Years, by the word for so many: "a decade"."""
GROUPS: dict[str, int] = NUMBERS["groups"]
"""Things, by the word for so many: "a dozen"."""


def _any_of(words: object) -> str:
    return "|".join(sorted(words, key=len, reverse=True))  # type: ignore[call-overload]


_JOIN = r"(?:[\s-]{1,40}|\s{1,40}and\s{1,40})"
_SCALE = rf"(?:hundred|{_any_of(_SCALES)})\b"
_DIGIT = rf"(?:{_any_of(_UNITS[1:10])})\b"
_BELOW_100 = rf"(?:(?:{_any_of([*_TENS, *NUMBERS['spellings']])})\b(?:[\s-]{{1,40}}{_DIGIT})?|(?:{_any_of(_UNITS)})\b)"
_SCALED = rf"(?:(?:an?\s+(?={_SCALE})|{_BELOW_100}{_JOIN}(?={_SCALE}))?{_SCALE})"
WORDS = rf"\b(?:{_SCALED}(?>(?:{_JOIN}{_SCALED}){{0,11}})(?:{_JOIN}{_BELOW_100})?|{_BELOW_100})"
"""Pattern of one cardinal in words: "two five-year terms" has two. Case must be ignored."""
YEAR_WORDS = rf"(?:\b(?:nineteen|twenty)[\s-]{{1,40}}{_BELOW_100}|{WORDS})"
"""Pattern of a year in words, also "nineteen ninety-nine"."""
ORDINAL_WORDS = rf"\b(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[\s-]+)?(?:{_any_of(_ORDINALS)})\b"
"""Pattern of an ordinal in words, up to ninety-ninth. Case must be ignored."""
DIGITS = r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w])|(?<![\w.,])\d+(?:\.\d+)?(?!\w)"
_NUMBER = re.compile(
    rf"(?P<words>{WORDS})(?:\s{{0,40}}\(\s{{0,40}}(?P<again>{DIGITS}|\d+)\s*%?\s*\))?|(?P<digits>{DIGITS})"
    rf"(?:\s{{0,40}}\(\s{{0,40}}(?P<spelt>{WORDS})\s*\))?",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Number:
    """`text[start:end]`. "ninety (90)" is one number."""

    start: int
    end: int
    value: Decimal
    """The number in words, where words and digits disagree."""
    agrees: bool = True
    """False if the number is written in words and in digits, and the two differ."""


def find_numbers(text: str) -> list[Number]:
    """Numbers in text order."""
    found = []
    for match in _NUMBER.finditer(text):
        words, digits = match["words"] or match["spelt"], match["again"] or match["digits"]
        spelt = parse_words(words) if words else None
        if words and spelt is None:
            continue
        written = Decimal(digits.replace(",", "")) if digits else None
        value = spelt if spelt is not None else written
        assert value is not None
        found.append(Number(*match.span(), Decimal(value), spelt is None or written is None or spelt == written))
    return found


def parse_words(words: str) -> int | None:
    """Value of a cardinal ("one hundred and twenty") or an ordinal ("twenty-first"); None for anything else."""
    total = group = 0
    seen = False
    for word in re.split(r"[\s-]+", words.lower().strip()):
        if word in ("and", "a", "an"):
            continue
        if (small := _SMALL.get(word, _ORDINALS.get(word))) is not None:
            group += small
        elif word == "hundred":
            group = max(group, 1) * 100
        elif word in _SCALES:
            total += max(group, 1) * _SCALES[word]
            group = 0
        else:
            return None
        seen = True
    return total + group if seen else None


def parse_year(words: str) -> int | None:
    """Year in words: "two thousand and nineteen", "nineteen ninety-nine", "twenty twenty"."""
    parts = re.split(r"[\s-]+", words.lower().strip())
    if parts[0] in ("nineteen", "twenty") and len(parts) > 1 and parts[1] not in ("hundred", *_SCALES):
        rest = parse_words(" ".join(parts[1:]))
        return None if rest is None or rest > 99 else _SMALL[parts[0]] * 100 + rest
    return parse_words(words)
