"""Finds places that look like the start of a clause. `clause_order` accepts or rejects them by their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

from orderly.services.text.clause_numbers import NUMBER_WORDS, following_labels
from orderly.services.text.contents_rows import has_leaders, is_contents_row
from orderly.services.text.heading_surroundings import NOT_READ, begins_block, follows_capitals, is_no_heading, line_above
from orderly.services.text.heading_titles import PROVISION, find_capitals, find_dash_title, find_title
from orderly.services.words import ANY_MONTH

Kind = Literal[
    "schedule", "article", "part", "division", "number", "dotted", "letter", "paren", "paragraph", "file", "caps", "close"
]  # fmt: skip
_KINDS: tuple[Kind, ...] = get_args(Kind)

_ATTACHED = "SCHEDULE|ANNEXURE|ANNEX|APPENDIX|ATTACHMENT|EXHIBIT"
MONTH = (
    rf"(?:(?:{ANY_MONTH})\b"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?[ ]\d{4}\b)"
)
_IN_WORDS = "|".join(sorted((form for word in NUMBER_WORDS for form in (word.upper(), word.title())), key=len, reverse=True))

_NOT_A_WORD = r"(?![\w.]*\w)"

_CLAUSE = re.compile(
    rf"""
    ^[ \t]*(?:\*\*)?(?=[A-Z0-9§\[(]|[a-z]{{1,5}}[.)])(?:
      (?P<schedule>(?:{_ATTACHED}|{_ATTACHED.title()})
        [ \t]+["“]?(?:\d{{1,2}}[A-Z]?|[A-Z](?:-?\d{{1,2}})?)["”]?{_NOT_A_WORD}
        |(?:SCHEDULE|Schedule)(?=[—–])|(?:SCHEDULE|APPENDIX|Appendix|ANNEXURE|Annexure)(?=[ \t]*\n[ \t]*\n))
    | (?P<article>(?:ARTICLE|Article)[ \t]+(?:[IVXLC]{{1,7}}|\d{{1,2}})\b
        |(?:ARTICLE|Article|SECTION|Section|CLAUSE|Clause)[ \t]+(?:{_IN_WORDS})\b)
    | (?P<roman>[IVX]{{1,5}})(?=[ \t]+[–—-][ \t]+[A-Z]{{3}})
    | (?P<part>(?:CHAPTER|Chapter|PART|Part)[ \t]+(?:\d{{1,3}}[A-Z]{{0,2}}|[IVXLC]{{1,7}}|[A-Z])\b)
    | (?P<division>(?:SUBDIVISION|Subdivision|DIVISION|Division)[ \t]+(?:\d{{1,3}}[A-Z]{{0,2}}|[A-Z])\b)
    | (?P<word>(?:SECTION|Section|CLAUSE|Clause|Sec\.|§)[ \t]*)?
      (?P<number>(?:1\d{{3}}[A-Z]|\d{{1,3}}[A-Z]{{0,3}})(?:\.\d{{1,3}}){{0,4}}|[A-Z](?:\.\d{{1,2}}){{1,5}})
      (?P<stop>[.:)]?)(?=[ \t\n—]|$|(?:(?<=\d\.)|(?<=\d\.\d)|(?<=\d\.\d\d))[“"]?[A-Z][A-Za-z]{{2}})
      (?![ \t]+{MONTH})
    | (?P<paragraph>\[\d{{1,4}}\])(?=[ \t\n])
    | (?P<paren>\((?:[a-z]{{1,5}}|[A-Z]{{1,3}}|\d{{1,2}}(?:[a-z]|[A-Z]{{1,2}})?)\))
    | (?P<half>[a-z]{{1,4}}|[A-Z])\)(?=[ \t]+\S)
    | (?P<letter>[IVXLC]{{1,7}}|[A-Z])\.(?=[ \t]+[A-Z“"])
    | (?P<small>[ivx]{{1,5}}|[a-z])\.(?=[ \t]+[A-Z“"])
    )[.:]?[ \t]*(?P<dash>[—–][ \t]*(?=[A-Z“"]))?
    """,
    re.VERBOSE | re.MULTILINE,
)

# For text without line ends ("… hereof.  12. TERM  12.1 Initial Term. The …"): numbers set off by gaps or capitals.
_INLINE = re.compile(
    rf"""
    (?:(?<=[ \t]{{2}})|(?<=[.;:)\]][ ])|(?<=[A-Z]{{4}}[ ])
      |(?<=\s)(?=\d{{1,2}}\.[ \t]+[A-Z]{{4}}))(?:
      (?P<schedule>(?:{_ATTACHED})[ ]["“]?(?:\d{{1,2}}|[A-Z](?:-?\d{{1,2}})?)["”]?{_NOT_A_WORD})
    | (?P<article>ARTICLE[ ](?:[IVXLC]{{1,7}}|\d{{1,2}})\b|(?:ARTICLE|SECTION)[ ](?:{_IN_WORDS})\b)
    | (?P<part>PART[ ](?:\d{{1,3}}|[IVXLC]{{1,7}}|[A-Z])\b)
    | (?P<word>(?:SECTION|Section)[ ]+)?
      (?P<number>\d{{1,2}}[A-Z]?(?:\.\d{{1,2}}){{0,3}})(?P<stop>[.:]?)(?:[ \t]+|(?<=[.:])\n)(?=[A-Z“"\[])(?!{MONTH})
    | (?<=[ ]{{2}})(?P<letter>[IVX]{{1,5}}|[A-Z])\.(?=[ ]+[A-Z“"])
    | (?P<paren>\((?:[a-z]{{1,4}}|[A-Z]|\d{{1,2}})\))[ \t]
    )[.:]?[ \t]*
    """,
    re.VERBOSE,
)
# The first clause after its chapter's title, in text without line ends: "4. Duties 4.1 The Reseller shall".
_AFTER_TITLE = re.compile(r"(?<=\w[ ])(?P<number>\d{1,2}(?:\.\d{1,2}){1,3})(?P<stop>\.?)[ \t]+(?=[A-Z“\"])")
_PLACE = re.compile(rf"[ \t](?=\d|\([a-zA-Z\d]|(?:[IVX]{{1,5}}|[A-Z])\.[ ]|Section|SECTION|ARTICLE|PART|{_ATTACHED})")
_LAST_WORD = re.compile(r"(\S+)\s+\Z")
_REFERRING = frozenset(
    (
        "section", "sections", "clause", "clauses", "article", "articles", "paragraph", "paragraphs", "and", "or", "to", "in",
        "of", "under", "with", "by", "through", "per", "item", "items", "sub-clause", "sub-clauses", "subsection",
        "subsections", "version", "schedule", "exhibit", "appendix", "annex", "rule", "rules", "no.", "part",
    )
)  # fmt: skip
"""Words before a number that is a cross-reference."""

_LONG_LINE = re.compile(r"^.{140,}$", re.MULTILINE)

_IN_LIST = re.compile(
    rf"[^\n]{{0,80}}(?:\n[ \t]*(?:{_ATTACHED}|{_ATTACHED.title()})[ \t]+[\"“]?(?:\d|[A-Z])"
    rf"|[ ](?:{_ATTACHED}|{_ATTACHED.title()})[ ](?:\d+|[A-Z])[ ][–—-][ ])"
)
"""The line of a schedule's name when the next schedule's name follows in it, or begins the next line."""

_TORN = re.compile(r"[ \t]*\n\s*\(?\w{0,4}(?:\.\w{1,3}){0,4}[.)]+[ \t]*(?:\n|$)")
"""The next number, also alone in its line: both are torn from their text."""

_GAP_CHARS = 9
"""Characters from a number that stands alone to the words below it."""

_ROW_CHARS = 160
"""Characters from a schedule's name to the next one's in a list of them that has no lines."""

_BELOW = re.compile(r"[ \t]*\n\s*(?P<line>[A-Z][^\n]{2,80})(?:\n|$)")
_HYPHEN = re.compile(r"[ \t]*--?[ \t]*(?=[A-Z“\"\[])")
_NAMED_KINDS = ("schedule", "article", "part", "division")
_QUOTES = str.maketrans("", "", '"“”')


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
    introduced: bool = False
    """Follows a colon, or an article: "A device is a"."""
    tentative: bool = False
    """Found inside a line by its number alone."""
    indent: int = 0
    """White space before it in its line."""
    opens: bool = False
    """Of a list item: no unfinished sentence precedes it."""
    doubtful: bool = False
    """Begins a line with the number that a list lacks, but is not written like the headings of the list."""
    act: bool = False
    """Written like a section of an Act: "52A—Misleading conduct". Repeals leave gaps in such numbers."""


def find_at_line_starts(text: str) -> Iterator[Candidate]:
    for match in _CLAUSE.finditer(text):
        found = _candidate(text, match, inline=False)
        page_number = text[match.end() : match.end() + 20].lstrip().startswith(NOT_READ)  # above a footer
        if found and not page_number:
            yield found if found.start == match.start() else replace(found, indent=found.start - match.start())


def find_inside_lines(text: str, *, long_ones_only: bool) -> Iterator[Candidate]:
    """For text whose line ends are lost or misplaced. `long_ones_only`: search lines of 140 characters or more."""
    lines = (line.span() for line in _LONG_LINE.finditer(text)) if long_ones_only else ((0, len(text)),)
    for start, end in lines:
        taken = start
        for place in _PLACE.finditer(text, start, end):
            if place.end() < taken:
                continue
            match = _INLINE.match(text, place.end(), end)
            found = _candidate(text, match, inline=True) if match else _after_title(text, place.end(), end)
            if found and found.kind == "paren" and text[found.start - 2] not in " \t":
                found = replace(found, tentative=True) if found.strong else None
            if found and not refers(text, found.start):
                taken = match.end() if match else taken
                yield found


def _after_title(text: str, start: int, end: int) -> Candidate | None:
    match = _AFTER_TITLE.match(text, start, end)
    if match is None:
        return None
    title = find_title(text, match.end())
    return Candidate(match.start(), "dotted", match["number"], title, title is not None, True, tentative=True)


def _candidate(text: str, match: re.Match[str], *, inline: bool) -> Candidate | None:
    group, kind = _kind(match)
    start, after = match.start("word" if match["word"] else group), match.end()
    if has_leaders(text, after) or (
        not inline and (is_contents_row(text, after) or _is_listed(text, kind, match[group], after))
    ):
        return None
    written = {"half": f"({match[group]})", "roman": f"Article {match[group]}"}
    label = written.get(group, match[group].translate(_QUOTES))
    hyphen = _HYPHEN.match(text, after) if kind in _NAMED_KINDS else None
    after = hyphen.end() if hyphen else after
    after = reference.end() if kind == "schedule" and (reference := PROVISION.match(text, after)) else after
    title = find_dash_title(text, after) if _has_dash(match) else find_title(text, after)
    if kind == "number":
        found = Candidate(start, kind, label, title, title is not None, inline, introduced=_is_introduced(text, start))
        return _numbered_candidate(text, match, found)
    if kind == "paragraph":
        return Candidate(start, kind, label, None, True, inline)
    if kind == "paren" and title is not None and title.endswith("—"):
        return Candidate(start, kind, label, None, True, inline)  # introduces a list: "In this Act—"
    if kind in ("paren", "letter"):
        opens = not inline and begins_block(text, start)
        return Candidate(start, kind, label, title, title is not None, inline, opens=opens)
    below = None if title else _title_below(text, after)
    if title is None and below is None and label[:2].isupper():
        below = find_capitals(text, after)
    if title is None and below is None and text[after : after + 1].strip():
        return None
    capitals = title is not None and title.isupper() and (kind == "article" or hyphen is not None)
    alone = label[:2].isupper() and not text[after : after + 1].strip() and not line_above(text, start).strip(" \t*_=-")
    if inline or below or capitals or alone or begins_block(text, start):
        return Candidate(start, kind, label, title or below, True, inline)
    return None


def _kind(match: re.Match[str]) -> tuple[str, Kind]:
    """The group that matched, and the kind of heading it stands for."""
    groups = match.groupdict()
    if groups.get("half"):
        return "half", "paren"
    if groups.get("small"):
        return "small", "letter"
    if groups.get("roman"):
        return "roman", "article"
    kind: Kind = next((name for name in _KINDS if groups.get(name)), "number")
    return kind, kind


def refers(text: str, start: int) -> bool:
    """Whether the number at `start` is part of a cross-reference: "as set out in Section 4.2"."""
    word = _LAST_WORD.search(text, max(start - 40, 0), start)
    return word is not None and word[1].lower().strip("(,") in _REFERRING


def _is_introduced(text: str, start: int) -> bool:
    return text[max(start - 20, 0) : start].rstrip().endswith((":", "—", " a", " an", " the"))


def _is_listed(text: str, kind: Kind, label: str, start: int) -> bool:
    """Whether the next schedule is named in the same line or begins the next one, as in a list of schedules."""
    if kind != "schedule" or _IN_LIST.match(text, start):
        return kind == "schedule"
    for following in following_labels(label.translate(_QUOTES)):
        for match in re.compile(rf"(?<=[^,;][ \t]){following}\b(?=[ \t]*[–—:-]|[ \t]+[A-Z])").finditer(
            text, start, start + _ROW_CHARS
        ):
            if "\n" not in text[start : match.start()] and not refers(text, match.start()):
                return True
    return False


def _numbered_candidate(text: str, match: re.Match[str], found: Candidate) -> Candidate | None:
    following = text[match.end() : match.end() + 1]
    named, stop = bool(match["word"]), bool(match["stop"])
    kind: Kind = "dotted" if "." in found.label else "number"
    if following.islower() and (named or not stop):
        goes_on = kind == "dotted" and not (named or found.inline) and begins_block(text, found.start)
        return replace(found, kind=kind, strong=False, tentative=True) if goes_on else None
    if kind == "number" and not (stop or named) and (found.inline or is_no_heading(text, match.end(), found.title)):
        return None
    if match["stop"] == ")" and kind == "number":
        return replace(found, kind="paren", label=f"({found.label})")
    if not following.strip() and kind == "number" and not (stop or named):
        return None  # a page number
    if not following.strip():
        below = _title_below(text, match.end())
        if below and not (below.isupper() or begins_block(text, found.start) or follows_capitals(text, found.start)):
            below = None  # the number of another column stands between the words of a sentence
        goes_on = text[match.end() : match.end() + _GAP_CHARS].lstrip()[:1].islower()
        torn = _TORN.match(text, match.end()) is not None
        return (
            replace(found, kind=kind, title=below, strong=below is not None)
            if below or ((stop or named) and not (goes_on or torn)) or _opens_list(text, kind, match.end())
            else None
        )
    if found.title is None and not stop and kind == "number":
        return None
    if found.title is None and not stop and named:
        begins = following.isupper() and (begins_block(text, found.start) or follows_capitals(text, found.start))
        return replace(found, kind=kind, strong=False) if begins else None
    return replace(found, kind=kind, strong=found.strong or named, act=_has_dash(match) and found.title is not None)


def _has_dash(match: re.Match[str]) -> bool:
    return "dash" in match.re.groupindex and match["dash"] is not None


def _title_below(text: str, start: int) -> str | None:
    match = _BELOW.match(text, start)
    if match is None or _CLAUSE.match(text, match.start("line")):
        return None
    title = find_title(text, match.start("line"))
    return title if title is not None and text[match.end("line") - 1] not in ",;" else None


def _opens_list(text: str, kind: Kind, start: int) -> bool:
    """Whether the line after a dotted number that stands alone begins with "(a)"."""
    return kind == "dotted" and text[start : start + 9].lstrip().startswith("(a)")
