"""Plain text of e-mails: paragraphs that were divided into lines for sending (RFC 3676), and notices of sending programs."""

from __future__ import annotations

import binascii
import re

_QUOTES = re.compile(r">*")
_WORD = re.compile(r"\w+")
_UUENCODED = re.compile(r"^begin [0-7]{3,4} (\S[^\n]*)\n((?:[ -`]{1,64}\n)*)end[ \t]*$", re.MULTILINE)
"""A file inside plain text, as programs sent them before MIME."""

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
    words = _words(formatted)
    missing = words - _words(plain)
    return len(missing) > max(_FEW, _FEW_SHARE * len(words)) or any(any(map(str.isdigit, word)) for word in missing)


def has_other_words(plain: str, formatted: str) -> bool:
    """Whether the plain text has words that the formatted text lacks."""
    return bool(_words(plain) - _words(formatted))


def _words(text: str) -> set[str]:
    # A long text has few different words, so most are met only by `split`, which is faster than the expression.
    return set(_WORD.findall(" ".join(set(text.lower().split()))))


def take_uuencoded(text: str) -> tuple[str, list[tuple[str, bytes]]]:
    """Takes files in uuencode out of a plain text: the text that is left, and the files by name."""
    files: list[tuple[str, bytes]] = []

    def take(found: re.Match[str]) -> str:
        try:
            data = b"".join(binascii.a2b_uu(line) for line in found[2].splitlines())
        except binascii.Error:
            return found[0]
        files.append((found[1].strip(), data))
        return ""

    return (_UUENCODED.sub(take, text) if "\nend" in text else text), files
