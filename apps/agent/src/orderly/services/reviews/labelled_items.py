"""Items that say something under a label of their own: "Rent: $96,000 a year", "Facility Limit means A$4,500,000"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from orderly.models import Span
from orderly.services.engines.local import stems
from orderly.services.questions import objects_of

CACHED_DOCUMENTS = 8

_MARKS = r"[ \t|*_#>•“\"]*+"
_NUMBER = (
    r"(?>(?:(?i:item)[ \t]*+\d{1,2}[ \t.):|]++|(?:\d{1,2}|[A-Z])[ \t]{2,}+"
    r"|(?:(?i:item|clause)[ \t]*+)?\(?(?:\d{1,2}(?:\.\d{1,2})*|[a-zA-Z]|[ivx]{1,4})[.):][ \t]++)?)"
)
_LABEL = rf"^{_MARKS}{_NUMBER}{_MARKS}(?P<label>(?!No[tn]?\b)[A-Z][^\n\t:|.;“”\"*()]{{2,48}}?)"
_BORDER = r"(?:[ \t]*\([^()\n]{1,40}\))?[”\"*_]*+(?:[ \t]*[:|\t][*_ \t|]*+|[ ]{2,}+(?=\S)|[ ]means\s++)"
_ITEM = re.compile(rf"{_LABEL}{_BORDER}(?P<words>[^\s:|](?:[^\n|]|\n(?=[a-z(])){{0,400}})", re.MULTILINE)
_ABOVE = re.compile(rf"{_LABEL}[*_]*+\n\n?(?P<words>(?!\d+\.|[A-Z\W\d]+\n)[^\s#>*|(][^\n:]{{0,80}}[^\n.;:,])\n", re.MULTILINE)
"""A title above one line."""
_BELOW = re.compile(
    rf"{_LABEL}(?:[ \t]*\([^()\n]{{1,40}}\))?[”\"*_]*+[ \t]*:[*_ \t]*\n[ \t]*"
    r"(?P<words>[^\s:|][^\n]*(?:\n(?!\s*\n|[ \t]*(?:item\b|\[page|\(?\w{1,3}[.)]\s))[^\n:]+)*)",
    re.MULTILINE | re.IGNORECASE,
)
"""A label with its colon above what it says."""
_GOES_ON = r"(?>(?:\n(?!\s*\n|\s*(?:\d{1,2}(?:\.\d{1,2})*[.)]?|\(?[a-z]{1,3}\))\s)[^\n]{1,200})*)"
"""Further lines of a paragraph."""
_CLAUSE = re.compile(
    rf"^{_MARKS}\d{{1,2}}[.)]?[ \t]++{_MARKS}(?P<label>[A-Z][^\n\t:|.;“”\"*()]{{2,48}}?)[*_]*+"
    r"(?:\.[*_]*+[ \t]++|[ \t]*\n\s*(?:\d{1,2}\.\d{1,2}\.?[ \t]++)?)"
    rf"(?P<words>[A-Z][^\n]{{20,1200}}+{_GOES_ON}(?:(?<=:)(?:\s*\n\s*\([a-z]{{1,4}}\)\s[^\n]+{_GOES_ON})+)?)",
    re.MULTILINE,
)
"""The title of a numbered clause, and the first paragraph below it with its list."""
_SAYS_NOTHING = re.compile(
    r"\W*$|[\[(<{_]|\W*(?:see|refer|as (?:set|specified|defined|described|stated)|has the|the meaning"
    r"|(?:collectively,? )?the (?:\w+ ){1,3}?(?:set (?:forth|out)|specified|described|defined|listed|stated))\b|\(?[a-z]\)",
    re.IGNORECASE,
)
"""A blank, or words that only point elsewhere."""
_QUALIFIERS = frozenset(stems("annual yearly monthly base basic initial total gross final current agreed date land amount sum"))
"""Words of a label that leave its subject what it is: "Base Salary"."""


def labelled_items(text: str, title: str, question: str) -> Iterator[tuple[Span, Span]]:
    """Items whose label names what a column asks about: the span of the item, and that of what it says."""
    asked = [
        objects
        for wording in (*re.split(r"\bor\b", title), *re.split(r",|\bor\b", question), question)
        if (objects := _objects(wording))
    ]
    return ((item, said) for label, item, said in _items(text) if label in asked)


@lru_cache(maxsize=CACHED_DOCUMENTS)
def _items(text: str) -> tuple[tuple[frozenset[str], Span, Span], ...]:
    """Every item of a document: what its label names, the span of the item, and that of what it says."""
    return tuple(
        (_objects(match["label"]), (match.start("label"), match.end("words")), match.span("words"))
        for pattern in (_ITEM, _BELOW, _ABOVE, _CLAUSE)
        for match in pattern.finditer(text)
        if not _SAYS_NOTHING.match(match["words"])
    )


def _objects(words: str) -> frozenset[str]:
    return frozenset(objects_of(words)) - _QUALIFIERS
