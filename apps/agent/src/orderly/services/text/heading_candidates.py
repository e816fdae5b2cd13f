"""Finds places that look like the start of a clause. `clause_order` accepts or rejects them by their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

Kind = Literal[
    "schedule", "article", "part", "division", "number", "dotted", "letter", "paren", "paragraph", "file", "caps"
]  # fmt: skip
_KINDS: tuple[Kind, ...] = get_args(Kind)

_ATTACHED = "SCHEDULE|ANNEXURE|ANNEX|APPENDIX|ATTACHMENT|EXHIBIT"
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"

_NOT_A_WORD = r"(?![\w.]*\w)"

_CLAUSE = re.compile(
    rf"""
    ^[ \t]*(?=[A-Z0-9§\[(])(?:
      (?P<schedule>(?:{_ATTACHED}|{_ATTACHED.title()})
        [ \t]+["“]?(?:\d{{1,2}}[A-Z]?|[A-Z](?:-?\d{{1,2}})?)["”]?{_NOT_A_WORD})
    | (?P<article>(?:ARTICLE|Article)[ \t]+(?:[IVXLC]{{1,7}}|\d{{1,2}})\b)
    | (?P<part>(?:CHAPTER|Chapter|PART|Part)[ \t]+(?:\d{{1,3}}[A-Z]{{0,2}}|[IVXLC]{{1,7}}|[A-Z])\b)
    | (?P<division>(?:SUBDIVISION|Subdivision|DIVISION|Division)[ \t]+(?:\d{{1,3}}[A-Z]{{0,2}}|[A-Z])\b)
    | (?P<word>(?:SECTION|Section|CLAUSE|Clause|Sec\.|§)[ \t]*)?
      (?P<number>(?:1\d{{3}}[A-Z]|\d{{1,3}}[A-Z]{{0,3}})(?:\.\d{{1,3}}){{0,4}})
      (?P<stop>[.:)]?)(?=[ \t\n—]|$)(?![ \t]+{_MONTH})
    | (?P<paragraph>\[\d{{1,4}}\])(?=[ \t\n])
    | (?P<paren>\((?:[a-z]{{1,5}}|[A-Z]{{1,3}}|\d{{1,2}})\))
    | (?P<letter>[IVXLC]{{1,7}}|[A-Z])\.(?=[ \t]+[A-Z“"])
    )[.:]?[ \t]*(?P<dash>[—–][ \t]*(?=[A-Z“"]))?
    """,
    re.VERBOSE | re.MULTILINE,
)

# For text without line ends ("… hereof.  12. TERM  12.1 Initial Term. The …"): numbers set off by gaps or capitals.
_INLINE = re.compile(
    rf"""
    (?:(?<=[ \t]{{2}})|(?<=[.;:)][ ])|(?<=[A-Z]{{4}}[ ])
      |(?<=\s)(?=\d{{1,2}}\.[ \t]+[A-Z]{{4}}))(?:
      (?P<schedule>(?:{_ATTACHED})[ ]["“]?(?:\d{{1,2}}|[A-Z](?:-?\d{{1,2}})?)["”]?{_NOT_A_WORD})
    | (?P<article>ARTICLE[ ](?:[IVXLC]{{1,7}}|\d{{1,2}})\b)
    | (?P<part>PART[ ](?:\d{{1,3}}|[IVXLC]{{1,7}}|[A-Z])\b)
    | (?P<word>(?:SECTION|Section)[ ]+)?
      (?P<number>\d{{1,2}}(?:\.\d{{1,2}}){{0,3}})(?P<stop>[.:]?)(?:[ \t]+|(?<=[.:])\n)(?=[A-Z“"])(?!{_MONTH})
    | (?<=[ ]{{2}})(?P<paren>\((?:[a-z]{{1,4}}|[A-Z]|\d{{1,2}})\))[ \t]
    )[.:]?[ \t]*
    """,
    re.VERBOSE,
)
_SHORT_TITLE = 45
"""Characters. A printed line of prose is longer."""

_LONG_TITLE = 160
_LONG_LINE = re.compile(r"^.{400,}$", re.MULTILINE)

_CAPS_LINE = re.compile(r"^[ \t]*(?P<title>[A-Z][A-Z0-9 ,&'’/()–-]{2,70}[A-Z)])[ \t]*[.:]?[ \t]*$", re.MULTILINE)

_TITLE = re.compile(r"[“\"]?(?P<title>[A-Z][^\n.:;]{0,90})")
_TITLE_BREAK = re.compile(r"\s{2,}|\s+[-–—]\s|\s+(?=\(?[A-Za-z]\)\s)")
_STOP = re.compile(r"[.:](?=\s|$)")
_CONTENTS = re.compile(r"(?:\.[ .]{3,}\d{0,3}|…+ *\d{0,3}|(?:\t|[ ]{2,})[ \t]*\d{1,3}|\t[ivx]{1,6})[ \t]*$")
_BELOW = re.compile(r"[ \t]*\n\s*(?P<line>[A-Z][^\n]{2,80})(?:\n|$)")
_QUOTES = str.maketrans("", "", '"“”')
_SMALL_WORDS = frozenset(
    (
        "a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "under", "upon",
        "with", "without", "vs", "per", "non",
    )
)  # fmt: skip
_SENTENCE = re.compile(r"\b(?:shall|will|may|must|is|are|was|were|has|have|agrees?|means?|hereby|been|be)\b")


@dataclass(frozen=True, slots=True)
class Candidate:
    start: int
    kind: Kind
    label: str
    """As written, without "Section" and the full stop: "12.1", "(a)", "ARTICLE IV"."""
    title: str | None
    strong: bool
    """Looks like a heading rather than a numbered sentence or a cross-reference."""
    inline: bool = False
    """Found inside a line."""
    level: int = 0
    """Outline level of a heading marked by the file, from 1; 0 otherwise."""
    act: bool = False
    """Written like a section of an Act: "52A—Misleading conduct". Repeals leave gaps in such numbers."""


def find_at_line_starts(text: str) -> Iterator[Candidate]:
    for match in _CLAUSE.finditer(text):
        found = _candidate(text, match, inline=False)
        if found:
            yield found


def find_inside_lines(text: str, *, long_ones_only: bool) -> Iterator[Candidate]:
    """For text whose line ends are lost or misplaced. `long_ones_only`: search lines of 400 characters or more."""
    lines = (line.span() for line in _LONG_LINE.finditer(text)) if long_ones_only else ((0, len(text)),)
    for start, end in lines:
        for match in _INLINE.finditer(text, start + 1, end):
            found = _candidate(text, match, inline=True)
            if found:
                yield found


def find_capital_lines(text: str) -> Iterator[Candidate]:
    """Finds unnumbered headings: lines in capitals."""
    for match in _CAPS_LINE.finditer(text):
        if text[match.end() : match.end() + 2].strip() == "":
            yield Candidate(match.start("title"), "caps", "", match["title"].strip(), True)


def _candidate(text: str, match: re.Match[str], *, inline: bool) -> Candidate | None:
    kind = _kind(match)
    start, after = match.start("word" if match["word"] else kind), match.end()
    if not inline and _is_contents_row(text, after):
        return None
    label = match[kind].translate(_QUOTES)
    title = _dash_title(text, after) if _has_dash(match) else _title(text, after)
    if kind == "number":
        return _numbered_candidate(text, match, Candidate(start, kind, label, title, title is not None, inline))
    if kind == "paragraph":
        return Candidate(start, kind, label, None, True, inline)
    if kind == "paren" and title is not None and title.endswith("—"):
        return Candidate(start, kind, label, None, True, inline)  # introduces a list: "In this Act—"
    if kind in ("paren", "letter"):
        return Candidate(start, kind, label, title, title is not None, inline)
    below = None if title else _title_below(text, after)
    if title is None and below is None and text[after : after + 1].strip():
        return None
    if inline or below or _begins_block(text, start):
        return Candidate(start, kind, label, title or below, True, inline)
    return None


def _kind(match: re.Match[str]) -> Kind:
    groups = match.groupdict()
    return next((name for name in _KINDS if groups.get(name)), "number")


def _is_contents_row(text: str, start: int) -> bool:
    """Whether the line ends in a page number after dots or a gap, as rows of a table of contents do."""
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    return _CONTENTS.search(text, max(start, end - 12), end) is not None


def _numbered_candidate(text: str, match: re.Match[str], found: Candidate) -> Candidate | None:
    following = text[match.end() : match.end() + 1]
    named, stop = bool(match["word"]), bool(match["stop"])
    if following.islower() and (named or not stop):
        return None
    kind: Kind = "dotted" if "." in found.label else "number"
    if match["stop"] == ")" and kind == "number":
        return replace(found, kind="paren", label=f"({found.label})")
    if not following.strip() and kind == "number" and not (stop or named):
        return None  # a page number
    if not following.strip():
        below = _title_below(text, match.end())
        return replace(found, kind=kind, title=below, strong=below is not None) if below or stop or named else None
    if found.title is None and not stop and (named or kind == "number"):
        return None
    return replace(found, kind=kind, strong=found.strong or named, act=_has_dash(match) and found.title is not None)


def _begins_block(text: str, start: int) -> bool:
    """Whether no unfinished sentence precedes; one does before a cross-reference at a line start ("as set out in")."""
    before = text[max(start - 200, 0) : start].rstrip(" \t")
    return not before or before.endswith("\n\n") or before.rstrip().endswith((".", ";", ":", "]", ")"))


def _title(text: str, start: int) -> str | None:
    """The words after the number up to a full stop, colon, dash, wide gap or line end, if they read like a title."""
    match = _TITLE.match(text, start)
    if match is None:
        return None
    end = match.end()
    broken = _TITLE_BREAK.search(match["title"])
    if broken is None and not (text[end : end + 1] in ("", "\n") or _STOP.match(text, end)):
        return None
    title = (match["title"][: broken.start()] if broken else match["title"]).strip(' \t”"')
    words = title.split()
    if len(words) > 14 or len(title) < 2 or _SENTENCE.search(title):
        return None
    if all(word in _SMALL_WORDS or not word[0].islower() for word in words):
        return title
    return title if broken is None and len(words) <= 10 and _ends_title(text, end, title) else None


def _ends_title(text: str, end: int, title: str) -> bool:
    """Whether a title in sentence case ends at `end`: before a blank line, or, if short, before a new sentence."""
    if text[end : end + 2] in ("\n\n", "\n", ""):
        return True
    return text[end] == "\n" and len(title) <= _SHORT_TITLE and (text[end + 1].isupper() or text[end + 1] in '(“"')


def _has_dash(match: re.Match[str]) -> bool:
    return "dash" in match.re.groupindex and match["dash"] is not None


def _dash_title(text: str, start: int) -> str | None:
    """The rest of the line after the dash, which in an Act is the section's title."""
    end = text.find("\n", start)
    line = text[start : len(text) if end < 0 else end].strip()
    return line if 1 < len(line) <= _LONG_TITLE and not line.endswith((".", ",", ";", ":", "—")) else None


def _title_below(text: str, start: int) -> str | None:
    match = _BELOW.match(text, start)
    if match is None or _CLAUSE.match(text, match.start("line")):
        return None
    title = _title(text, match.start("line"))
    return title if title is not None and text[match.end("line") - 1] not in ",;" else None
