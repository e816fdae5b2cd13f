"""Finds the parts of a document that hold no clauses: tables of contents, signature blocks, numbers torn from their text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from orderly.models import Span

_MIN_CONTENTS_ROWS = 4
_CONTENTS_ROW_CHARS = 130
"""Characters of a row of a table of contents, with white space squeezed."""

_LINE_CHARS = 2000
"""Characters of a line in which rows may follow each other."""

_KEY_CHARS = 14
"""Characters of a row that identify its heading."""


_SIGNATURES = (
    re.compile(r"I[Nn] +W(?:ITNESS|itness) +[WTH](?:HEREOF|hereof|EREOF|ereof)\b"),
    re.compile(r"By(?:[ \t]*:[ \t]*(?:/s/|_{4}|(?:By|Name|Title)[ \t]*:)| signing (?:below|in the (?:place|space)s?))"),
    re.compile(r"S(?:igned|IGNED) for and on behalf\b"),
    re.compile(r"\b(?:Please|To) indicate your (?:agreement|acceptance|approval|consent)\b"),
    re.compile(
        r"\n[^\n]{0,60}\bAGREEMENT (?:is|has been|was) (?:executed|signed)\b(?! (?:by|and|pursuant|in)\b)", re.IGNORECASE
    ),
    re.compile(
        r"""
        \n[ \t]*(?:
          [(\[]?(?:Remainder[ ]of[ ](?:this[ ])?page|Signatures?[ ](?:pages?[ ])?(?:to[ ])?(?:follows?|on|appear))[^\n]{0,80}$
        | (?:(?-i:A)(?:greed|ccepted|cknowledged)(?:[ ,]+(?:and|to|agreed|accepted))*[ \t]*(?:by)?[ \t]*(?::|$)
          | (?-i:[ES])(?:xecuted|igned)[ ](?:as[ ]an?|by|for|and|this)\b)
        | [^\n]{0,60}\b(?:understood|accepted|acknowledged)[ ]and[ ]agreed(?:[ ]to)?(?:[ ]by)?[ \t]*:?[ \t]*$
        | (?-i:[AES])(?:greed|ccepted|xecuted|igned)[ ][^\n]{0,60}\b(?:signator(?:y|ies)|representatives?)\b[^\n]{0,20}$
        | \W{0,3}(?:[\w'’]+[ ]){0,3}SIGNATURES?\b[ \w'’()/]{0,30}:[ \t*_]*$
        | By[ \t]*:?[ \t]*(?:/s/|_{3}|$)
        | /s/
        | _{20,}
        | -{3,}[ ]*(?:Original|Forwarded)[ ]Message[ ]*-{3,}
        | From:[^\n]+\n[ \t]*(?:Sent|Date|To):
        | (?:(?:Kind|Best|Warm)[ ])?Regards,?[ \t]*$
        | (?:Yours[ ](?:sincerely|faithfully|truly)|Sincerely(?:[ ]yours)?|Very[ ]truly[ ]yours),?[ \t]*$
        )
        """,
        re.VERBOSE | re.MULTILINE | re.IGNORECASE,
    ),
)
_WORDS_OF_AGREEMENT = re.compile(r"\n[ \t]*(?:NOW,? *)?(?:THEREFORE|Now,? [Tt]herefore)\b")
_TORN = re.compile(r"^[ \t]*\d{1,2}\.(?>(?:\d++\.?+)*)(?:\s++\d{1,2}\.(?>(?:\d++\.?+)*)){3,}[ \t]*$", re.MULTILINE)
_ROW_END = re.compile(r"(?:[ .…]{2,}|\s)(?:\d{1,3}|[ivx]{1,5}|[A-Z]-\d{1,2})$|\.{4,}|(?:\. ){4,}")
_ROWS_IN_LINE = re.compile(r"\s\d{1,3}\s+(?:Section\s+)?\d{1,2}\.\d{1,2}\s")
_LAST_ROW = re.compile(r"[^\n]{5,110}?\s(?:\d{1,3}|[ivx]{1,5})(?:[ ]{2,}|\s*\n)")


def find_signatures(text: str) -> Iterator[int]:
    """Yields the offsets where signature blocks begin."""
    for pattern in _SIGNATURES:
        for match in pattern.finditer(text):
            start = match.start()
            while text[start].isspace():
                start += 1
            yield start


def find_recital_ends(text: str) -> Iterator[int]:
    """Yields the offsets of "NOW, THEREFORE", which ends the recitals."""
    for match in _WORDS_OF_AGREEMENT.finditer(text):
        yield match.start() + 1


def find_torn_numbers(text: str) -> Iterator[Span]:
    """Yields blocks of clause numbers that stand apart from the clauses."""
    for match in _TORN.finditer(text):
        yield match.start(), match.end()


def find_contents(text: str, starts: Sequence[int]) -> Iterator[Span]:
    """Yields the spans of tables of contents.

    A table is a run of short rows; each ends in a page number, or its heading stands again further on.

    Args:
        text: The whole text.
        starts: Offsets of numbers that may be headings, in order.
    """
    keys = [_key(text, start) for start in starts]
    last = {key: start for key, start in zip(keys, starts, strict=True)}
    run: list[int] = []
    missed = False
    for at, start in enumerate(starts):
        end = starts[at + 1] if at + 1 < len(starts) else min(start + _CONTENTS_ROW_CHARS, len(text))
        row = " ".join(text[start : min(end, start + _LINE_CHARS)].split())
        short = len(row) <= _CONTENTS_ROW_CHARS or len(row) <= _CONTENTS_ROW_CHARS * (1 + len(_ROWS_IN_LINE.findall(row)))
        if run and _LAST_ROW.match(text, start) and not (short and _ROW_END.search(row)):
            run.append(at)
        elif short and (_ROW_END.search(row) or last[keys[at]] > start):
            run.append(at)
            missed = False
        elif run and short and not missed:
            missed = True
        else:
            yield from _contents(starts, run)
            # The row before the body has a page number too, and the text after it belongs to the body.
            run, missed = [], False
    yield from _contents(starts, run)


def _contents(starts: Sequence[int], run: Sequence[int]) -> Iterator[Span]:
    if len(run) >= _MIN_CONTENTS_ROWS:
        yield starts[run[0]], starts[run[-1]] + 1


def _key(text: str, start: int) -> str:
    return "".join(filter(str.isalnum, text[start : start + 3 * _KEY_CHARS]))[:_KEY_CHARS].lower()
