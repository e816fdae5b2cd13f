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


_CUT = re.compile(r"^\s*(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*|\s*(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*$")
_OPENING, _CLOSING = "“«„", "”»"
_BLOCK = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|$))+", re.MULTILINE)
_SINGLE = re.compile(r"(?<![\w’'])‘(?P<text>[^‘\n]+)’(?!\w)")
_BRACKET = re.compile(
    r"""[\s.,;:–—-]* \(?
    (?P<bracket> \[ (?P<square>[^\[\]]* (?:\[[^\[\]]*\][^\[\]]*)*) \] | \( (?P<round>[^()]* (?:\([^()]*\)[^()]*)*) \) )""",
    re.VERBOSE,
)
_NAMED_TYPE = r"\.(?:pdf|docx?|txt|md|html?|eml|msg|rtf|xlsx|pptx)\b"
_PLACE = re.compile(rf"\b(?:Pages?|Section|Clause|Schedule|Article)\s+\S|{_NAMED_TYPE}", re.IGNORECASE)
"""What makes a bracket behind a quotation a citation, and not a remark."""

_PAGE = re.compile(r"\bPages?\s+(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quoted string inside an answer, with the citation behind it, if there is one."""

    start: int
    end: int
    """With the quotation marks."""
    text: str
    """Without them, and without a mark of omission at either end."""
    citation: tuple[int, int] | None
    """Where the citation stands, with its brackets."""
    cited: str
    """What the citation says: "Lease.pdf, Page 3, Section 2"."""

    @property
    def page(self) -> int | None:
        match = _PAGE.search(self.cited)
        return int(match[1]) if match else None


def quotations(answer: str) -> list[Quotation]:
    """Every quotation that claims something: long enough, or with a citation behind it.

    A quotation inside another belongs to it. One that is never closed runs to the end of its paragraph. A mark of omission
    in the middle stays: such a quotation joins two places and is not found as one.
    """
    found = []
    for start, end, text in _spans(answer):
        inner = _CUT.sub("", _CUT.sub("", text)).strip()
        bracket = _BRACKET.match(answer, end)
        cited = (bracket["square"] or bracket["round"] or "") if bracket else ""
        citation = bracket.span("bracket") if bracket and _PLACE.search(cited) else None
        if inner and (citation or len(inner) >= MIN_QUOTE):
            found.append(Quotation(start, end, inner, citation, cited if citation else ""))
    return found


def _spans(answer: str) -> list[tuple[int, int, str]]:
    spans = [(m.start(), m.end(), re.sub(r"^[ \t]*>[ \t]?", "", m[0], flags=re.MULTILINE)) for m in _BLOCK.finditer(answer)]
    spans += [(start, end, answer[start + 1 : end].rstrip(_CLOSING + '"')) for start, end in _marked(answer)]
    spans += [(m.start(), m.end(), m["text"]) for m in _SINGLE.finditer(answer)]
    outermost: list[tuple[int, int, str]] = []
    for span in sorted(spans, key=lambda s: (s[0], -s[1])):
        if not outermost or span[0] >= outermost[-1][1]:
            outermost.append(span)
    return outermost


def _marked(answer: str) -> Iterator[tuple[int, int]]:
    """Spans between double marks, outermost only."""
    depth, start = 0, 0
    for at, char in enumerate(answer):
        if char in _OPENING or (char == '"' and _opens(answer, at, depth)):
            start = at if depth == 0 else start
            depth += 1
        elif depth and (char in _CLOSING or (char == '"' and answer[start] == '"')):
            depth -= 1
            if depth == 0:
                yield start, at + 1
        elif depth and answer.startswith("\n\n", at):
            yield start, at
            depth = 0
    if depth:
        yield start, len(answer)


def _opens(answer: str, at: int, depth: int) -> bool:
    """A straight mark opens before a word and behind a gap: the one in `6" wide` does not. Inside curly ones it is text."""
    if depth and answer[:at].rfind('"') < max(answer[:at].rfind(mark) for mark in _OPENING):
        return False
    before, after = answer[at - 1 : at], answer[at + 1 : at + 2]
    return (not before or before.isspace() or before in "([*_") and bool(after) and not after.isspace()


UNVERIFIED = "[quotation removed: these words are not in the documents read]"
ASKED_ONLY = " [your words; not found in the documents read]"


@dataclass(frozen=True, slots=True)
class Verdict:
    quotation: Quotation
    stands: bool
    place: str | None = None
    """Where it stands, where that is not what the citation says."""


def judge(answer: str, verdicts: Sequence[Verdict], asked: Sequence[str] = ()) -> str:
    """The answer as it may be shown.

    Quotations that do not stand are removed, with a plain mark in their place; a quotation of the user's own words stays
    readable, marked as theirs. A citation that names the wrong place is put right.
    """
    question = plain(" ".join(asked))
    for verdict in sorted(verdicts, key=lambda v: -v.quotation.start):
        quotation = verdict.quotation
        if verdict.stands:
            if verdict.place and quotation.citation:
                answer = answer[: quotation.citation[0]] + f"[{verdict.place}]" + answer[quotation.citation[1] :]
            continue
        mark = UNVERIFIED
        if plain(quotation.text) in question:
            mark = answer[quotation.start : quotation.end] + ASKED_ONLY
        answer = answer[: quotation.start] + mark + answer[quotation.end :]
    return answer
