"""Finds the names of the parties to an agreement."""

from __future__ import annotations

import re
from collections.abc import Iterator

REACH = 2_500
"""Characters searched after "between"."""
FARTHEST = 900
"""Characters between two names, which hold addresses and short forms."""
MOST = 12
"""Parties."""
SHORTEST = 4
"""Characters of a name; shorter capitalised words are sentence starts."""

_NUMBER = r"(?:\(?(?:\d|[ivx]{1,3}|[a-hA-H])[.)]\s*)?"
MADE_BY = r"(?:made|signed|entered into)\b[^.;\n]{0,60}?\bby(?! and)"
_BETWEEN = re.compile(
    rf"\b(?:{MADE_BY}|[Bb]etween|[Aa]mong(?:st)?|BETWEEN|AMONG(?:ST)?|P(?:arties|ARTIES)(?=[ \t]*:))\b"
    rf"(?:\s+and\s+among)?\s*:?\s*(?:[-–•*]\s+)?{_NUMBER}"
)
_NEXT = re.compile(
    rf"(?<=[,;)”\".])[\s,;.]*+(?:[-–]\s*)?(?:and|AND|And|&)\b\s*(?:[-–:]\s*)?(?:by\s+and\s+)?(?:between\s+|among\s+)?{_NUMBER}"
    rf"|\n[ \t]*(?:[-–]\s*)?(?:and|AND|And|&)(?:[ \t]*[-–])?:?[ \t]*(?:\n\s*|(?<=:)\s*|(?<=: ))(?:[-–]\s*)?{_NUMBER}"
    rf"|\b(?i:of\s+the\s+(?:one|first|second|third|other)\s+part)[,;]?\s+(?:and|AND|And)\s+{_NUMBER}"
    rf"|(?<=[;)”\"])[\s,;.]*+(?!(?:and|AND|And|or|OR)\b|[&–-]){_NUMBER}"
)
_FIRST_CLAUSE = re.compile(r"\n\s*1[.)]?\s*$")
"""The number of the first clause behind the parties: their list does not begin again."""
_WORD = (
    r"(?:plc\b|(?!(?:This|THIS|These|Dated|DATED|Exhibit|EXHIBIT|Each|It|In|(?i:whereas|witnesseth|parties|recitals?|preamble|introduction|definitions?|interpretation|background))\b)"
    r"(?!(?<=\n)\d{1,2}\.?\s)[A-Z0-9][\w.&'’™®/-]*)"
)
_JOINED = r"(?:(?:of|and|for|the|de|in|&|/|-|–|OF|AND|FOR|THE|DE|IN)\s+){0,2}"
_LOWER_BRAND = r"(?:(?!and\b|or\b|by\b)[a-z][\w-]*\s+(?=[A-Z]{2}))?"
_NAME = re.compile(
    rf"[“\"]?(?P<name>(?:[Tt]he\s+|THE\s+)?{_LOWER_BRAND}{_WORD}(?:,?\s{{1,3}}(?!(?<=\)\s)(?:[Aa]nd|AND|&)\s){_JOINED}\(?{_WORD}\)?)*)"
)
_TAIL = re.compile(
    r"(?<=\.)[ \t]*\n|[ \t]*\n[ \t]*\n|"
    r"[”\"]?\s*,?\s*(?:\(|an?\b|and\b|AND\b|&|whose\b|having\b|with\b|located\b|organi[sz]ed\b|incorporated\b|acting\b|"
    r"through\b|d/b/a\b|DBA\b|a/k/a\b|doing\b|hereinafter\b|hereafter\b|on\s+behalf\b|as\b|its\b|the\b|duly\b|existing\b|of\b|at\b|[;.,:]|$)"
)
SUFFIX = (
    r"\b(?:Inc|INC|Incorporated|INCORPORATED|Ltd|LTD|Limited|LIMITED|LLC|L\.L\.C|Corp|CORP|Corporation|CORPORATION|"
    r"Company|COMPANY|Co|CO|L\.?P|LLP|PLC|plc|GmbH|GMBH|KG|AG|S\.?A|N\.V|B\.V|S\.p\.A)\b\.?"
)
_LINE_OF_COMPANY = re.compile(
    rf"(?P<name>(?:(?!,\s+an?\s)[^\n(;]){{3,90}}?{SUFFIX})(?:[ \t]*\n(?!\s*[a-z&(])|,(?!\s*{SUFFIX})[^\n]{{0,40}}\d)"
)
_DEFINED_NAME = re.compile(r"[“\"][A-Z][^“”\"\n]{0,40}[”\"]")
"""A name that the agreement gives a party, as in: hereinafter called "Licensor"."""
_ABBREVIATED = re.compile(rf"{SUFFIX}$|\b\w\.\w\.$")
_AFTER_COMPANY = re.compile(rf"(?P<name>{SUFFIX}),?\s+(?:and|AND|&)\s+(?!Co\b)")
_AFTER_WORD = re.compile(r"(?P<name>\w[\w.,]*)\s+(?:and|AND|&)\s+")
_STOP = re.compile(
    r"\b(?:WHEREAS|Whereas|RECITALS?|Recitals|BACKGROUND|PREAMBLE|NOW,?\s+THEREFORE|SCHEDULE|OPERATIVE|as\s+follows"
    r"|W\s?I\s?T\s?N\s?E\s?S\s?S(?:\s?E\s?T\s?H)?|(?i:witnesseth))\b|\n(?:-{3,}|#{1,6}\s)|[“\"'](?:Party|Parties)\b"
)


def party_names(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of at least two names after "between" in the sentence at [start, end), else []."""
    opening = _BETWEEN.search(text, start, end)
    if opening is None:
        return []
    limit = min(len(text), opening.end() + REACH)
    recitals = _STOP.search(text, opening.end(), limit)
    stop = recitals.start() if recitals else limit
    first = _match_name(text, opening.end(), stop)
    if first is None:
        return []
    found = list(_split_names(text, *first, _AFTER_COMPANY))
    for gap in _NEXT.finditer(text, first[1], stop):
        before = found[-1][1]
        if gap.start() - before > FARTHEST or len(found) >= MOST or _FIRST_CLAUSE.search(gap[0]):
            break
        if gap.end() <= before or _in_brackets(text, before, gap.end()) or _DEFINED_NAME.match(text, gap.end() - 1):
            continue
        if (name := _match_name(text, gap.end(), stop)) and not ("\n" in gap[0] and text.startswith(":", name[1])):
            found += _split_names(text, *name, _AFTER_COMPANY)
    if len(found) == 1:
        found = list(_split_names(text, *found[0], _AFTER_WORD))
    return found if len(found) > 1 else []


def _match_name(text: str, at: int, stop: int) -> tuple[int, int] | None:
    """Span of the name that starts at `at`, if a text that follows party names comes after it."""
    name = _NAME.match(text, at, stop)
    if name is None:
        return None
    start, end = name.span("name")
    if (line := _LINE_OF_COMPANY.match(text, start, stop)) and line.end("name") <= end + 1:  # its address follows
        return line.span("name")
    return (start, end) if end - start >= SHORTEST and _TAIL.match(text, end, stop) else None


def _in_brackets(text: str, start: int, end: int) -> bool:
    return text.count("(", start, end) > text.count(")", start, end)


def ends_abbreviated(name: str) -> bool:
    """Whether the full stop at the end of a name belongs to it: "Acme Inc.", "Acme N.A."."""
    return _ABBREVIATED.search(name) is not None


def _split_names(text: str, start: int, end: int, border: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Splits a span into names at matches of `border`."""
    for match in border.finditer(text, start, end):
        yield start, match.end("name")
        start = match.end()
    ends_sentence = text[end - 1] == "." and not _ABBREVIATED.search(text, start, end)
    yield start, end - ends_sentence
