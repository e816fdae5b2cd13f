"""The citation gate: a quotation passes only if it stands in the stored text.

Equal means equal in code points, after these equivalences alone: runs of white space are one space, a hyphen at a line end
joins its word, typographic quotes and dashes are their plain forms, ligatures are their letters. Case, digits, words and
their order are never touched.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MIN_QUOTE = 12
"""Characters. Shorter strings stand in any contract by chance and prove nothing."""

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


def plain(text: str) -> str:
    """One spelling for all equivalent forms."""
    return " ".join(text.translate(_PLAIN).split())


def pattern_of(quote: str) -> re.Pattern[str]:
    """Matches `quote` in a source in whichever equivalent form it stands there."""
    wanted = plain(_DIVIDED.sub("", quote))
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
    if unit == "-":
        return rf"[{re.escape(_FORMS[unit])}](?:[ \t]*\n\s*)?"
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


def find(quote: str, text: str, *, touching: tuple[int, int] | None = None) -> tuple[int, int] | None:
    """Offsets of the first occurrence of `quote` in `text`, optionally with a part in `touching`; None if there is none."""
    if not plain(quote):
        return None
    spans = (match.span() for match in pattern_of(quote).finditer(text))
    return next((s for s in spans if touching is None or (s[0] < touching[1] and touching[0] < s[1])), None)


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
    question = plain(" ".join(asked))
    for verdict in sorted(verdicts, key=lambda v: -v.quotation.start):
        if verdict.stands:
            continue
        quotation = verdict.quotation
        mark = UNVERIFIED
        if plain(quotation.text) in question:
            mark = answer[quotation.start : quotation.end] + ASKED_ONLY
        answer = answer[: quotation.start] + mark + answer[quotation.end :]
    return answer
