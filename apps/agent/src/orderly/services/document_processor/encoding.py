"""Bytes -> text: the right encoding for what clients send."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from orderly.errors import Unsupported

_BOMS = (
    (codecs.BOM_UTF8, "utf-8", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16"),
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffe\uffff]")
_CP1252_SIGNS = frozenset(b"\x80\x82\x84\x85\x8b\x91\x92\x93\x94\x95\x96\x97\x99\x9b\xa0\xa3\xa7\xa9\xab\xae\xb0\xb6\xbb")
"""Quotes, dashes, section and currency signs: what English text in cp1252 has beyond ASCII."""

_UNUSED_IN_CP1252 = frozenset(b"\x81\x8d\x8f\x90\x9d")
_ACCENTED = re.compile(rb"(?<![\x80-\xff])[\xc0-\xff](?![\x80-\xff])")
_BINARY = "The file is not text, whatever its name says. Upload the document as PDF, DOCX, TXT or MD."


def decode(data: bytes, claimed: str | None = None) -> tuple[str, str]:
    """Text with line ends as line feeds, and the name of the encoding.

    Args:
        data: The bytes of a text file.
        claimed: The encoding that the file itself names; believed where the bytes agree.

    Raises:
        Unsupported: the bytes are no text.
    """
    text, encoding = _decode(data, claimed)
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def _decode(data: bytes, claimed: str | None) -> tuple[str, str]:
    for bom, codec, name in _BOMS:
        if data.startswith(bom):
            return _text(data[len(bom) :], codec), name
    if claimed and (text := _as_claimed(data, claimed)) is not None:
        return text, claimed.lower()
    encoding = _utf16_without_bom(data) or ("utf-8" if _is_utf8(data) else _eight_bit(data))
    return _text(data, encoding), encoding


def _text(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as exc:
        raise Unsupported(_BINARY) from exc
    if len(_CONTROLS.findall(text)) > len(text) / 100:
        raise Unsupported(_BINARY)
    return text


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _utf16_without_bom(data: bytes) -> str | None:
    """Text of Latin letters in UTF-16 has a zero in almost every second byte, and no other encoding has."""
    sample = data[:4096]
    if len(sample) < 4 or len(data) % 2:
        return None
    half = len(sample) // 2
    if sample[1::2].count(0) > 0.6 * half and sample[0::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if sample[0::2].count(0) > 0.6 * half and sample[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return None


def _eight_bit(data: bytes) -> str:
    """cp1252 where all that is not ASCII are the signs and letters of Western text; else what the detector finds."""
    beyond = [byte for byte in data if byte >= 0x80]
    if _western(data, beyond):
        return "cp1252"
    best = from_bytes(data).best()
    if best is None:
        raise Unsupported(_BINARY)
    return best.encoding


def _western(data: bytes, beyond: list[int]) -> bool:
    """Signs count; an accented letter counts only inside a Latin word, as two in a row are another alphabet."""
    if len(beyond) > 0.2 * len(data) or any(byte in _UNUSED_IN_CP1252 for byte in beyond):
        return False
    signs = sum(byte in _CP1252_SIGNS for byte in beyond)
    letters = len(_ACCENTED.findall(data))
    return signs + letters >= 0.9 * len(beyond)


def _as_claimed(data: bytes, claimed: str) -> str | None:
    try:
        # Browsers read "iso-8859-1" as cp1252, and so do those who write it.
        text = data.decode("cp1252" if claimed.lower() in ("iso-8859-1", "latin-1", "us-ascii", "ascii") else claimed)
    except (LookupError, UnicodeDecodeError):
        return None
    return None if _CONTROLS.search(text) else text
