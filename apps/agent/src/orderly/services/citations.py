"""The citation gate: a quotation passes only if it stands in the stored text.

Equal means equal in code points, after these equivalences alone: runs of white space are one space, a hyphen at a line end
joins its word, typographic quotes and dashes are their plain forms, ligatures are their letters. Case, digits, words and
their order are never touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MIN_QUOTE = 12
"""Characters. Shorter strings stand in any contract by chance and prove nothing."""

_PLAIN = {
    "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'",
    "“": '"', "”": '"', "„": '"', "‟": '"', "″": '"',
    "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-",
    "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
    "\u00ad": "",
}  # fmt: skip
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Normalised:
    """`text` with, for each of its characters, the offset in the original it came from."""

    text: str
    offsets: tuple[int, ...]


def normalise(text: str, *, keep_hyphens: bool = False) -> Normalised:
    """Apply the equivalences and remember where everything stood.

    A hyphen at a line end divides a word ("termi-nation") or belongs to it ("non-compete"); `keep_hyphens` chooses.
    """
    out: list[str] = []
    offsets: list[int] = []
    at, length = 0, len(text)
    while at < length:
        char = text[at]
        if _SPACE.match(char):
            if out and out[-1] != " ":
                out.append(" ")
                offsets.append(at)
            at += 1
            continue
        if char in "-‐‑\u00ad" and (after := _line_break(text, at)) is not None:
            if keep_hyphens:
                out.append("-")
                offsets.append(at)
            at = after
            continue
        for plain in _PLAIN.get(char, char):
            out.append(plain)
            offsets.append(at)
        at += 1
    return Normalised("".join(out), tuple(offsets))


def _line_break(text: str, hyphen: int) -> int | None:
    """Where a word goes on after a hyphen at a line end, or None if the hyphen does not divide a word."""
    if hyphen == 0 or not text[hyphen - 1].isalpha():
        return None
    at = hyphen + 1
    while at < len(text) and text[at] in " \t":
        at += 1
    if at >= len(text) or text[at] != "\n":
        return None
    while at < len(text) and text[at].isspace():
        at += 1
    return at if at < len(text) and text[at].islower() else None


class Source:
    """A text to look quotations up in. Normalising a long revision once serves any number of look-ups."""

    def __init__(self, text: str) -> None:
        joined, kept = normalise(text), normalise(text, keep_hyphens=True)
        self._readings = (joined,) if joined.text == kept.text else (joined, kept)

    def find(self, quote: str, *, touching: tuple[int, int] | None = None) -> tuple[int, int] | None:
        """Offsets of the first occurrence in the original text, optionally with a part in `touching`; None if there is none."""
        wanted = normalise(quote.strip()).text.strip()
        if not wanted:
            return None
        return next((span for reading in self._readings for span in _occurrences(reading, wanted, touching)), None)


def _occurrences(source: Normalised, wanted: str, touching: tuple[int, int] | None) -> Iterator[tuple[int, int]]:
    at = source.text.find(wanted)
    while at >= 0:
        span = source.offsets[at], source.offsets[at + len(wanted) - 1] + 1
        if touching is None or (span[0] < touching[1] and touching[0] < span[1]):
            yield span
        at = source.text.find(wanted, at + 1)


_QUOTED = re.compile(r"“([^“”]+)”|\"([^\"]+)\"", re.DOTALL)
_CUT = re.compile(r"^\s*(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*|\s*(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*$")


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quoted string inside an answer. `start`, `end` include the quotation marks; `text` does not."""

    start: int
    end: int
    text: str


def quotations(answer: str) -> list[Quotation]:
    """Every quotation long enough to claim something, without a mark of omission at either end.

    A mark of omission in the middle stays: such a quotation joins two places and is not found as one.
    """
    found = []
    for match in _QUOTED.finditer(answer):
        text = _CUT.sub("", _CUT.sub("", match.group(1) or match.group(2)))
        if len(text.strip()) >= MIN_QUOTE:
            found.append(Quotation(match.start(), match.end(), text.strip()))
    return found


UNVERIFIED = "[quotation removed: these words are not in the documents read]"
ASKED_ONLY = " [your words; not found in the documents read]"


@dataclass(frozen=True, slots=True)
class Verdict:
    quotation: Quotation
    stands: bool


def judge(answer: str, verdicts: Sequence[Verdict], asked: Sequence[str] = ()) -> str:
    """The answer as it may be shown: quotations that do not stand are removed, with a plain mark in their place.

    A quotation of the user's own words stays readable, marked as theirs.
    """
    question = normalise(" ".join(asked)).text
    for verdict in sorted(verdicts, key=lambda v: -v.quotation.start):
        if verdict.stands:
            continue
        quotation = verdict.quotation
        mark = UNVERIFIED
        if normalise(quotation.text).text in question:
            mark = answer[quotation.start : quotation.end] + ASKED_ONLY
        answer = answer[: quotation.start] + mark + answer[quotation.end :]
    return answer
