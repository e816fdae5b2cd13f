"""Tokens of RTF: groups, control words with a number, hexadecimal bytes, plain bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?"
    rb"|\\'(?P<hex>[0-9a-fA-F]{2})"
    rb"|\\(?P<sign>[^a-zA-Z'])"
    rb"|(?P<brace>[{}])"
    rb"|[\r\n]+"
    rb"|(?P<text>[^\\{}\r\n]+)",
    re.DOTALL,
)

_BREAKS = (b"\r", b"\n")


class Token(NamedTuple):
    kind: Literal["open", "close", "word", "sign", "hex", "text"]
    value: bytes = b""
    number: int | None = None


def tokens(data: bytes) -> Iterator[Token]:
    at = 0
    while match := _TOKEN.search(data, at):
        at = match.end()
        kind = match.lastgroup
        if kind in ("word", "number"):
            number = int(match["number"]) if match["number"] else None
            if match["word"] == b"bin" and number:
                at += max(number, 0)  # skip raw bytes, which may contain braces
                continue
            yield Token("word", match["word"], number)
        elif kind == "hex":
            yield Token("hex", bytes.fromhex(match["hex"].decode()))
        elif kind == "sign":
            # A line break after a backslash ends a paragraph: TextEdit writes no other end.
            yield Token("word", b"par") if match["sign"] in _BREAKS else Token("sign", match["sign"])
        elif kind == "brace":
            yield Token("open" if match["brace"] == b"{" else "close")
        elif kind == "text":
            yield Token("text", match["text"])
