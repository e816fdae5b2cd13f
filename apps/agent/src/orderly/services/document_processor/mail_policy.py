"""Parses e-mails, and mends header fields as mail programs do: divided encoded words, and bytes beyond ASCII."""

from __future__ import annotations

import base64
import binascii
import email
import quopri
import re
from collections.abc import Sequence
from email.message import EmailMessage
from email.policy import EmailPolicy
from typing import Any

_WORD = re.compile(r"=\?([^?*\s]+)(?:\*[^?]*)?\?([bqBQ])\?([^?\s]*)\?=")
_WESTERN = ("iso-8859-1", "latin-1", "us-ascii", "ascii")
"""Names that stand for the Western encoding of Windows in practice."""
_WORDS = re.compile(rf"{_WORD.pattern}(?:\s+{_WORD.pattern})+")


class MailPolicy(EmailPolicy):
    """The standard policy. Only what is read is mended: a message that is written again keeps its own bytes."""

    raw_charset = "cp1252"
    """Encoding of bytes beyond ASCII that are no UTF-8."""
    _parsed: dict[tuple[str, str, str], Any]
    """Fields of a message that were asked for: the library parses a field anew for each question to a part."""

    def __init__(self, **stated: Any) -> None:
        super().__init__(**stated)
        object.__setattr__(self, "_parsed", {})  # a policy refuses to be changed

    def header_source_parse(self, sourcelines: Sequence[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(list(sourcelines))
        return name, join_words(value.rstrip(" \t"))  # a space after the name of an encoding hides it from the library

    def header_fetch_parse(self, name: str, value: Any) -> Any:
        if hasattr(value, "name"):  # it is parsed
            return value
        key = (name, value, self.raw_charset)
        if key not in self._parsed:
            self._parsed[key] = super().header_fetch_parse(name, decode_bytes(value, self.raw_charset))
        return self._parsed[key]


def parse_mail(data: bytes) -> EmailMessage:
    """Parses a message or a part of one."""
    message = email.message_from_bytes(data, policy=MailPolicy())
    assert isinstance(message, EmailMessage)
    if charset := next(filter(None, (part.get_content_charset() for part in message.walk())), None):
        # Mail programs take the encoding of the text.
        message.policy = message.policy.clone(raw_charset=charset)  # type: ignore[call-arg]
    return message


def join_words(value: str) -> str:
    """Joins adjacent encoded words of one encoding: programs divide them in the middle of a letter, or of an escape."""
    return _WORDS.sub(lambda found: _joined(found[0]), value) if "=?" in value else value


def _joined(run: str) -> str:
    words = [found.groups() for found in _WORD.finditer(run)]
    charset = words[0][0]
    if any(other.lower() != charset.lower() for other, _, _ in words):
        return run
    try:
        data = b"".join(_decode_pieces(words))
        data.decode(charset)
    except (binascii.Error, LookupError, ValueError):
        return run
    return f"=?{charset}?b?{base64.b64encode(data).decode()}?="


def _decode_pieces(words: Sequence[tuple[str, ...]]) -> list[bytes]:
    """The bytes of the words. Base64 is also divided between its groups of four signs, which then has no padding."""
    kinds = {kind.lower() for _, kind, _ in words}
    if kinds == {"b"} and any(len(text) % 4 for _, _, text in words):
        whole = "".join(text.rstrip("=") for _, _, text in words)
        return [base64.b64decode(whole + "=" * (-len(whole) % 4), validate=True)]
    if kinds == {"q"}:
        return [quopri.decodestring("".join(text for _, _, text in words).encode(), header=True)]
    return [
        base64.b64decode(text, validate=True) if kind in "bB" else quopri.decodestring(text.encode(), header=True)
        for _, kind, text in words
    ]


def decode_bytes(value: str, charset: str = "cp1252") -> str:
    """Decodes bytes beyond ASCII, which the parser keeps as surrogates: UTF-8, else the encoding stated."""
    if value.isascii():
        return value
    data = value.encode("utf-8", "surrogateescape")
    for encoding in ("utf-8", charset, "cp1252"):
        try:
            return data.decode("cp1252" if encoding in _WESTERN else encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("latin-1")
