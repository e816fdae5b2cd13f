"""Splits a text into sentences with exact offsets and into stems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_ABBREVIATED = (
    "inc corp co ltd llc lp plc pty no nos sec art cl para reg sch vs v e.g i.e etc mr mrs ms dr prof st jr sr "
    "u.s u.k u.s.a a.m p.m p.a d.b.a dept est approx vol fig ext attn messrs hon cth n.a s.a n.v b.v l.p l.l.c"
)
ABBREVIATIONS = frozenset(_ABBREVIATED.split())
LONGEST = 700
"""Characters; a longer sentence is split at its list items."""

LONGEST_TITLE, LONGEST_SENTENCE_TITLE, BEFORE_TITLE = 90, 7, 120
"""Characters of a title, words of one that ends like a sentence, and characters before a title that end what precedes it."""

_BREAK = re.compile(
    r"[.!?][\"”’')\]]*(?=\s+[\"“(\[]?[A-Z0-9])"  # end of a sentence
    r"|\n[ \t]*(?=\n)"  # blank line
    r"|\n(?=[ \t]*(?:\([a-zA-Z0-9]{1,4}\)|\d+(?:\.\d+)*[.)]?[ \t]+[A-Z\"“]"  # list item or numbered clause
    r"|(?:ARTICLE|Article|SECTION|Section|SCHEDULE|Schedule)\b))"
    r"|\n(?=[^\n\t]*\S\t[^\n]*\S|[ ]*\|[^\n]*\|)"  # row of a table
    r"|\n(?=[A-Z][^\n]{1,40}?[^\s.,;:][ ]{3,}+\S)"  # row of aligned columns
    r"|(?<=\S)[^\S\n]{3,}+(?=\(?\d+(?:\.\d+)+\)?\.?\s+[A-Z\"“]|\([a-z]{1,3}\)\s)"  # clause number after a wide gap
)
_ITEM = re.compile(r"[;:,](?=\s+(?:and\s+|or\s+)?\([a-zA-Z0-9]{1,4}\))|;(?=\s)")
_MARKS = r"(?:#{1,6}[ \t]+)?[*_]{0,3}"
"""Marks of Markdown before a heading."""
_LAST_WORD = re.compile(r"[\w.]*$")
_CLAUSE_NUMBER = re.compile(
    rf"(?:^|\b(?:section|article|clause|part|item|schedule|paragraph)\s+|\n\s*){_MARKS}\d+(?:\.\d+)*$", re.IGNORECASE
)
_HEADING = re.compile(
    rf"\s*{_MARKS}" + r"(?:(?:ARTICLE|Article|SECTION|Section|CLAUSE|Clause)\s+)?"
    r"(?:\(?(?:\d+[A-Z]{0,2}|[IVXLC]+)(?![A-Za-z])(?:\.\d+)*[.):]?\s*[-–—]?\s*|\([a-zA-Z]\)\s*)?"
    r"(?P<title>[A-Z][^.;:\n]{2,70}?)[.:]?[\s*_=–—-]*$"
)
_OWN_LINE = re.compile(
    rf"(?<=\n){_MARKS}" + r"(?P<number>(?:[Bb]y-?law[ ]|[Cc]lause[ ]|[Pp]art[ ])?\d{1,3}[A-Z]{0,2}[.)]?[ \t]+)?"
    r"(?P<title>[A-Z][\w’'&/()-]*(?:,?[ ][\w’'&/()-]+){0,8}\??)(?=[ \t]*\n)"
)
"""A title of any letters in a line of its own: "Who we share it with", "3. Rent increases"."""
_SALUTATION = re.compile(r"(?:Dear|Sir|Madam|Yours|By (?:email|post|hand|courier)|Attention|Our ref|Your ref)\b", re.IGNORECASE)
"""Begins a line of a letter that is no title; what follows has none."""
_SAID = re.compile(r"(?:[.:;!?,—–-][\"”’')\]]*|(?:\A|\n)[A-Z][\w ]{1,30}:[ \t][^\n]*)[ \t]*\n\s*\n\s*\Z")
"""The end of a sentence, or a labelled line as "Site: Lot 7", before a blank line."""
_BLANK_BELOW = re.compile(r"[ \t]*\n[ \t]*\n")
_SPEAKS = re.compile(r"\s*(?:(?:\d{1,3}[A-Z]{0,2}\.1\.?|\((?:1|a|i)\))[ \t]+[\"“(\[]?[A-Z][^\n]{10,}|[\"“(\[]?[A-Z][^\n]{40,})")
"""What stands below a title: a sentence, or the first part of the clause."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_STOPPED = (
    "a an the of to in on at by for from with as is are was were be been being it its this that these those and "
    "or nor not no any all each such so if then than there here which who whom whose what when where why how do "
    "does did doing shall will would should may might must can could has have had having i we you he she they "
    "them their our your his her into upon under over between per hereof hereto herein hereby hereunder thereof "
    "thereto therein thereunder other said same also only one s"
)
STOP_WORDS = frozenset(_STOPPED.split())
_SUFFIXES = (
    "izations", "ization", "ations", "ation", "ments", "ment", "ingly", "edly", "ities", "ances", "ences", "ators", "ings",
    "ance", "ence", "able", "ible", "ator", "ions", "ally", "ity", "ing", "ies", "ied", "ion", "ers", "ors", "ive", "ate",
    "ed", "es", "er", "or", "al", "ly", "s", "e", "y",
)  # fmt: skip
SHORTEST_STEM = 4
"""Characters."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """`text[start:end]`. `heading`: the last title at or before the sentence, "" if none was recognised."""

    start: int
    end: int
    heading: str = ""


def sentences(text: str) -> list[Sentence]:
    """Stripped sentences, list items and headings in order. Together they contain every visible character."""
    found: list[Sentence] = []
    heading = ""
    for start, end in _pieces(text):
        if _SALUTATION.match(text, start, end) and end - start <= LONGEST_TITLE:
            heading = ""
        else:
            heading = _title(text[start:end]) or _own_line(text, start, end) or heading
        found.append(Sentence(start, end, heading))
    return found


def _own_line(text: str, start: int, end: int) -> str:
    """The title in a line of its own between sentences, of any letters, whether or not the piece goes on below it; else ""."""
    line = _OWN_LINE.match(text, start)
    if line is None or line.end() > end or line.end() - start > LONGEST_TITLE:
        return ""
    stands_alone = _SAID.search(text, max(0, start - BEFORE_TITLE), start) and _BLANK_BELOW.match(text, end)
    return line["title"] if (line["number"] or stands_alone) and _SPEAKS.match(text, line.end()) else ""


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _BREAK.finditer(text):
        if text[match.start()] == "." and _is_abbreviation(text, start, match.start()):
            continue
        yield from _parts(text, start, match.end())
        start = match.end()
    yield from _parts(text, start, len(text))


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stripped piece; a piece longer than LONGEST in parts that end at list items."""
    if end - start > LONGEST:
        for match in _ITEM.finditer(text, start, end):
            if match.end() - start >= LONGEST // 4:
                yield from trimmed(text, start, match.end())
                start = match.end()
    yield from trimmed(text, start, end)


def trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span without white space at its ends; nothing if there is nothing else."""
    piece = text[start:end]
    left, right = len(piece) - len(piece.lstrip()), len(piece.rstrip())
    if left < right:
        yield start + left, start + right


def _is_abbreviation(text: str, start: int, dot: int) -> bool:
    """Whether the full stop at `dot` belongs to an abbreviation, an initial or a clause number."""
    before = text[max(start, dot - 40) : dot]
    match = _LAST_WORD.search(before)
    word = match.group().lower() if match else ""
    return word in ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or _CLAUSE_NUMBER.search(before) is not None


def _title(piece: str) -> str:
    """The title, if the piece looks like a heading: short and with capitalised words. Else ""."""
    if len(piece) > LONGEST_TITLE or _SALUTATION.match(piece):
        return ""
    match = _HEADING.match(piece)
    if match is None:
        return ""
    title = match["title"]
    if piece.endswith(".") and len(title.split()) > LONGEST_SENTENCE_TITLE:
        return ""
    words = [word for word in title.split() if len(word) > 3]
    capitalised = bool(words) and all(word[0].isupper() or not word[0].isalpha() for word in words)
    return title if capitalised else ""


def is_heading(piece: str) -> bool:
    """Whether the piece is only a title or holds no word."""
    return _title(piece.strip()) != "" or _WORD.search(piece) is None


def content_words(text: str) -> list[str]:
    """Distinct lower-case words without stop words, in order."""
    return list(dict.fromkeys(word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS))


def stems(text: str) -> list[str]:
    """Stems without stop words, in order."""
    return [stem(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


def all_stems(text: str) -> list[str]:
    """Stems including stop words, in order; every number becomes "0"."""
    return ["0" if word.isdigit() else stem(word) for word in _WORD.findall(text.lower())]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A light stem: "terminated", "termination" and "terminating" have the same stem."""
    word = word.split("'", maxsplit=1)[0].split("’", maxsplit=1)[0]
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= SHORTEST_STEM:
            return word[: -len(suffix)]
    return word


def fold_case(text: str) -> str:
    """Lower case of the same length, so offsets remain valid."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
