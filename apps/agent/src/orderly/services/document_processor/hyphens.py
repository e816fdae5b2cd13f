"""Words that a line's end divides. The stored text has them whole, so that search finds what a person types."""

from __future__ import annotations

import re

from orderly.services.document_processor import english_words

HYPHENS = frozenset("-\u2010\u00ad")

_LAST = re.compile(r"([^\W\d_]+)[-\u2010\u00ad]$")
_FIRST = re.compile(r"[^\W\d_]+")


def joined(line: str, following: str) -> str | None:
    """`line` as it stands directly before `following`: "termi-" as "termi", "non-" as it is. None: a new line begins.

    Only what the dictionary decides is joined. For the rest a quotation is found either way.
    """
    if line.endswith("\u00ad"):
        return line[:-1]
    last, first = _LAST.search(line), _FIRST.match(following)
    if last is None or first is None or not first[0].islower():
        return None
    one, other = last[1].lower(), first[0]
    if english_words.knows(one + other):
        return line[:-1]
    return line if english_words.knows(one) and english_words.knows(other) else None
