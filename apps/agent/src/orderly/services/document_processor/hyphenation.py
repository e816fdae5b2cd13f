"""Joins words hyphenated at line ends, so that search finds them."""

from __future__ import annotations

import re

from orderly.services.document_processor import english_words

HYPHENS = frozenset("-\u2010\u00ad")

_LAST = re.compile(r"(?<![^\W\d_])([^\W\d_]++)[-\u2010\u00ad]$")
_FIRST = re.compile(r"[^\W\d_]+")


def join_line(line: str, following: str) -> str | None:
    """Prepares `line` for joining with `following`: "termi-" becomes "termi", "non-" stays. None: the lines are not joined.

    Joins only words decided by the dictionary. Quotations match either way.
    """
    if line.endswith("\u00ad"):
        return line[:-1]
    last, first = _LAST.search(line), _FIRST.match(following)
    if last is None or first is None or not first[0].islower():
        return None
    one, other = last[1].lower(), first[0]
    if english_words.is_word(one + other):
        return line[:-1]
    return line if english_words.is_word(one) and english_words.is_word(other) else None
