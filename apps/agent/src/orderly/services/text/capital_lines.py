"""Finds headings without numbers: lines in capitals between paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orderly.services.text.heading_candidates import Candidate
from orderly.services.text.heading_titles import BANNER

_CAPS_LINE = re.compile(r"^[ \t]*(?P<title>[A-Z][A-Z0-9 ,&'’/()–-]{2,70}[A-Z)])[ \t]*[.:?]?[ \t]*$", re.MULTILINE)

_PROSE = re.compile(r"^.*[a-z].{80,}$", re.MULTILINE)
_NO_HEADING = re.compile(
    rf"{BANNER.pattern}|^(?:WHEREAS|WITNESSETH|BETWEEN|AND|NOW)\b"
    r"|\b(?:INC|LLC|L\.L\.C|LTD|LIMITED|CORP|CORPORATION|COMPANY|CO|L\.?P|LLP|PLC|GMBH|N\.V|B\.V|S\.A)\b\.?\W*$",
    re.IGNORECASE,
)
"""Lines in capitals that are no headings: banners, words of recitals, companies that sign."""


def find_capital_lines(text: str) -> Iterator[Candidate]:
    """Finds unnumbered headings: lines in capitals between paragraphs. The title of the document is none."""
    for match in _CAPS_LINE.finditer(text, _end_of_title(text)):
        title = match["title"].strip()
        above = text[text.rfind("\n", 0, max(match.start() - 1, 0)) + 1 : max(match.start() - 1, 0)]
        if above.isupper():
            continue  # a notice in capitals goes on
        if text[match.end() : match.end() + 2].strip() == "" and not _NO_HEADING.search(title):
            yield Candidate(match.start("title"), "caps", "", title, True)


def _end_of_title(text: str) -> int:
    """Where the first lines in capitals end, unless text follows the first of them at once."""
    first = _CAPS_LINE.search(text)
    if first is None:
        return 0
    second = _CAPS_LINE.search(text, first.end())
    title_only = second is not None and not text[first.end() : second.start()].strip()
    return 0 if not title_only else (found.start() if (found := _PROSE.search(text)) else len(text))
