"""Finds the title of a clause behind its number."""

from __future__ import annotations

import re

BANNER = re.compile(
    r"confidential treatment|filed separately|\b(?:omitted|redacted)\b|execution (?:copy|version)|strictly confidential"
    r"|confidential and proprietary|commercial in confidence|conformed copy|^confidential$|table of contents|^page\b",
    re.IGNORECASE,
)
"""Words printed on pages beside the text."""

_SPACED_OUT = re.compile(r"[a-z,][ ]{2,}[a-z]")
_CAPITALS_TITLE = re.compile(
    r"[ \t]*+(?:[–—:-][ \t]*+)?(?P<title>(?!OF |AND |OR |TO |SHALL |IS )[A-Z][A-Z0-9,&'’/() -]{2,90}[A-Z)])"
    r"(?=\s+(?:[A-Z“\"][a-z“\"]|\d{1,2}\.|\([a-z1]\)|[“\"]))"
)
_SHORT_TITLE = 45
"""Characters. A printed line of prose is longer."""

_MAX_TITLE_WORDS = 14
_MIN_TITLE_CHARS = 2
_MAX_GAPS = 3
"""Wide gaps between words after a number; with more, gaps do not separate titles."""

LONG_TITLE = 160
_TITLE = re.compile(r"[“\"]?(?P<title>[A-Z][^\n.:;]{0,90})")
_BRACKETED = re.compile(r"\[(?P<title>[A-Z][^\n\[\].:;]{1,90})\](?=[.:]|[ \t]*(?:\n|$|[–—]))")
_TITLE_BREAK = re.compile(r"\s{2,}|\s+[-–—]\s|\s+(?=\(?[A-Za-z]\)\s+[A-Z“\"])|\s+(?=\d{1,2}\.\d{1,2}\b)")
_CLAUSE_AHEAD = re.compile(r"(?<=[A-Za-z])(?<!Section)(?<!Sections)(?<!Article)(?<!Clause)(?<!Page)[ \t](?=\d{1,2}\.\d{1,2}\b)")
_TITLE_BREAK_IN_SPACED_OUT_TEXT = re.compile(r"\s+[-–—]\s|\s+(?=\(?[A-Za-z]\)\s)|\s+(?=\d{1,2}\.\d{1,2}\b)")
_STOP = re.compile(r"[.:;](?=\s|\*\*|$)")
_SMALL_WORDS = frozenset(
    (
        "a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "under", "upon",
        "with", "without", "vs", "per", "non",
    )
)  # fmt: skip
PROVISION = re.compile(
    r"[ \t]*(?:sub)?(?:section|regulation|clause|article|paragraph|rule)s?[ \t]+\d[\d().,; A-Za-z–-]{0,30}(?=\n|$)",
    re.IGNORECASE,
)
"""Beside or below the name of a schedule: the provision that it belongs to."""

_UNFINISHED = frozenset(("a", "an", "and", "at", "by", "for", "from", "in", "of", "or", "the", "to", "that", "which", "with"))
"""Words after which a line goes on."""

_TITLE_ENDS = ")]}’'?!%*_®™—"
_ABBREVIATIONS = frozenset(("Dr", "Mr", "Mrs", "Ms", "Messrs", "Prof", "St", "No"))
_INITIAL = re.compile(r"(?<!\bClass)(?<!\bSeries)(?<!\bPart)(?<!\bSchedule)(?<!\bExhibit)(?<!\bAnnex)(?<!\bAppendix) [A-HJ-Z]$")
"""The initial of a name, whose full stop ends no title: "William L. Hutton"."""

_ENDED = re.compile(r"[.;:,][\s”’\"')\]]*$")
_SENTENCE = re.compile(r"\b(?:shall|will|may|must|is|are|was|were|has|have|agrees?|means?|hereby|been|be)\b")


def is_long_sentence(words: str) -> bool:
    """Whether a title would not have as many words."""
    return len(words) > 2 * LONG_TITLE or (len(words.split()) > _MAX_TITLE_WORDS and _ENDED.search(words) is not None)


def reads_as_sentence(words: str) -> bool:
    """Whether the words after a number are its clause rather than its title."""
    return is_long_sentence(words) or (_ENDED.search(words) is not None and _SENTENCE.search(words) is not None)


def find_title(text: str, start: int) -> str | None:
    """The words after the number up to a full stop, colon, dash, wide gap or line end, if they read like a title."""
    if bracketed := _BRACKETED.match(text, start):
        return bracketed["title"].strip()
    match = _TITLE.match(text, start)
    if match is None:
        return None
    end = match.end()
    if text[end : end + 1] == ";" and not match["title"].isupper():
        return None
    broken = _TITLE_BREAK.search(text, match.start("title"), end) or _CLAUSE_AHEAD.search(text, match.start("title"), end + 3)
    if broken and broken[0].isspace() and len(_SPACED_OUT.findall(text, start, start + 400)) > _MAX_GAPS:
        broken = _TITLE_BREAK_IN_SPACED_OUT_TEXT.search(text, match.start("title"), end)
    stop = _STOP.match(text, end)
    if broken is None and not (text[end : end + 1] in ("", "\n") or stop):
        return None
    if broken is None and stop and stop[0] == "." and _INITIAL.search(match["title"]):
        return None
    title = text[match.start("title") : broken.start() if broken else end].strip(' \t”"')
    words = title.split()
    if not _may_be_title(title):
        return None
    if all(word in _SMALL_WORDS or not word[0].islower() for word in words):
        return title
    return title if broken is None and len(words) <= 10 and _ends_title(text, end, title) else None


def _may_be_title(title: str) -> bool:
    words = title.split()
    whole = words[-1].lower() not in _UNFINISHED and (title[-1].isalnum() or title[-1] in _TITLE_ENDS) if words else False
    cut = title in _ABBREVIATIONS or len(title) < _MIN_TITLE_CHARS or title.count("(") != title.count(")")
    if not whole or cut or len(words) > _MAX_TITLE_WORDS:
        return False
    return not (_SENTENCE.search(title) or BANNER.search(title) or PROVISION.fullmatch(title))


def _ends_title(text: str, end: int, title: str) -> bool:
    """Whether a title in sentence case ends at `end`: before a blank line, or, if short, before a new sentence."""
    if text[end : end + 2] in ("\n\n", "\n", ""):
        return True
    return text[end] == "\n" and len(title) <= _SHORT_TITLE and (text[end + 1].isupper() or text[end + 1] in '(“"')


def find_dash_title(text: str, start: int) -> str | None:
    """The rest of the line after the dash, which in an Act is the section's title."""
    end = text.find("\n", start)
    line = text[start : len(text) if end < 0 else end].strip()
    return line if 1 < len(line) <= LONG_TITLE and not line.endswith((".", ",", ";", ":", "—")) else None


def find_capitals(text: str, start: int) -> str | None:
    """The words in capitals at `start`, before words in small letters."""
    match = _CAPITALS_TITLE.match(text, start)
    return match["title"].strip() if match else None
