"""Plain text of e-mails: paragraphs that were divided into lines for sending (RFC 3676), and notices of sending programs."""

from __future__ import annotations

import re

_QUOTES = re.compile(r">*")
_WORD = re.compile(r"\w+")
_SIGNATURE = "-- "
_FEW = 2
_FEW_SHARE = 0.1
"""Words of the formatted text that the plain text may lack, such as a heading of its own."""


def unflow(text: str, *, delete_space: bool) -> str:
    """Joins the lines of "format=flowed". `delete_space` ("delsp"): the space at a line's end is none of the text."""
    lines: list[str] = []
    depth, open_line = 0, False
    for line in text.split("\n"):
        level = _QUOTES.match(line)
        assert level is not None
        words = line[level.end() :].removeprefix(" ")
        goes_on = words.endswith(" ") and words != _SIGNATURE
        if goes_on and delete_space:
            words = words[:-1]
        if open_line and len(level[0]) == depth and words != _SIGNATURE:
            lines[-1] += words
        else:
            lines.append(f"{level[0]} {words}" if level[0] else words)
        depth, open_line = len(level[0]), goes_on
    return "\n".join(lines)


def is_stub(plain: str, formatted: str) -> bool:
    """Whether the plain text lacks figures or many words of the formatted text, as a notice of a sending program does."""
    words = set(_WORD.findall(formatted.lower()))
    missing = words - set(_WORD.findall(plain.lower()))
    return len(missing) > max(_FEW, _FEW_SHARE * len(words)) or any(any(map(str.isdigit, word)) for word in missing)


def has_other_words(plain: str, formatted: str) -> bool:
    """Whether the plain text has words that the formatted text lacks."""
    return bool(set(_WORD.findall(plain.lower())) - set(_WORD.findall(formatted.lower())))
