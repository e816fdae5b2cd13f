"""Decodes text files by detecting their encoding."""

from __future__ import annotations

import codecs
import re
import unicodedata

from charset_normalizer import from_bytes

from orderly.errors import Unsupported
from orderly.services.document_processor.scripts import mixes_scripts

_BOMS = (
    (codecs.BOM_UTF8, "utf-8", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16"),
)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffe\uffff]")
_CP1252_SIGNS = frozenset(b"\x80\x82\x84\x85\x8b\x91\x92\x93\x94\x95\x96\x97\x99\x9b\xa0\xa3\xa7\xa9\xab\xae\xb0\xb6\xbb")
"""Non-ASCII characters of English text in cp1252: quotes, dashes, section and currency signs."""

_UNUSED_IN_CP1252 = frozenset(b"\x81\x8d\x8f\x90\x9d")
_ACCENTED = re.compile(rb"(?<![\x80-\xff])[\xc0-\xff](?![\x80-\xff])")
_PLAIN = re.compile(r"[\t\n\r -~\u3000-\u3002\uff0c]")
_SAMPLE = 4096
_BINARY = "The file is not text, whatever its name says. Upload the document as PDF, DOCX, TXT or MD."


def decode(data: bytes, claimed: str | None = None) -> tuple[str, str]:
    """Decodes bytes. Returns the text, with line feeds as line ends, and the name of the encoding.

    Args:
        data: The bytes of a text file.
        claimed: The encoding declared by the file, used if the bytes are valid in it.

    Raises:
        Unsupported: the bytes are not text.
    """
    text, encoding = _decode(data, claimed)
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def _decode(data: bytes, claimed: str | None) -> tuple[str, str]:
    for bom, codec, name in _BOMS:
        if data.startswith(bom):
            return _decode_strict(data[len(bom) :], codec), name
    if encoding := detect_utf16(data):
        # Whatever is claimed: "utf-16" does not say in which order, and other encodings have no zero bytes.
        return _decode_strict(data[: len(data) // 2 * 2], encoding), encoding
    data = data.removesuffix(b"\x1a")  # the end of a file in DOS
    if claimed and (text := _decode_as_claimed(data, claimed)) is not None:
        return text, claimed.lower()
    encoding = "utf-8" if _is_utf8(data) else _detect_eight_bit(data)
    return _decode_strict(data, encoding), encoding


def _decode_strict(data: bytes, encoding: str) -> str:
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


def detect_utf16(data: bytes) -> str | None:
    """Detects UTF-16 without a byte order mark: its spaces and line ends have a zero byte, and all else is text, too."""
    sample = data[:_SAMPLE]
    if len(data) < 4 or 0 not in sample or (len(data) % 2 and data[-1] not in b"\0\t\n\r "):
        return None
    found = max(("utf-16-le", "utf-16-be"), key=lambda encoding: len(_plain_signs(sample, encoding)))
    return found if _plain_signs(sample, found) and _is_text(sample, found) else None


def _plain_signs(sample: bytes, encoding: str) -> list[str]:
    """The spaces, line ends and ASCII characters of the sample."""
    return _PLAIN.findall(sample[: len(sample) // 2 * 2].decode(encoding, "replace"))


def _is_text(sample: bytes, encoding: str) -> bool:
    # The sample may end inside a character of two units.
    text = sample[: len(sample) // 2 * 2].decode(encoding, "replace").removesuffix("\ufffd")
    odd = sum(unicodedata.category(sign) in ("Cn", "Co", "Cs") or sign == "\ufffd" for sign in text)
    return odd <= len(text) / 100 and not _CONTROLS.search(text) and not mixes_scripts(text)


def _detect_eight_bit(data: bytes) -> str:
    """cp1252 if all non-ASCII bytes fit Western text, else the encoding found by charset-normalizer."""
    non_ascii = [byte for byte in data if byte >= 0x80]
    if _is_western(data, non_ascii):
        return "cp1252"
    best = from_bytes(data).best()
    if best is None:
        raise Unsupported(_BINARY)
    return best.encoding


def _is_western(data: bytes, non_ascii: list[int]) -> bool:
    """Whether the bytes fit Western text. Accented letters count only singly, since consecutive ones mean another alphabet."""
    if len(non_ascii) > 0.2 * len(data) or any(byte in _UNUSED_IN_CP1252 for byte in non_ascii):
        return False
    signs = sum(byte in _CP1252_SIGNS for byte in non_ascii)
    letters = len(_ACCENTED.findall(data))
    return signs + letters >= 0.9 * len(non_ascii)


def _decode_as_claimed(data: bytes, claimed: str) -> str | None:
    try:
        # By the WHATWG Encoding Standard "iso-8859-1" and "us-ascii" mean cp1252. Text that calls itself ASCII and is not
        # was often sent as UTF-8 by a program that knows no other name.
        if claimed.lower() in ("us-ascii", "ascii") and _is_utf8(data):
            claimed = "utf-8"
        text = data.decode("cp1252" if claimed.lower() in ("iso-8859-1", "latin-1", "us-ascii", "ascii") else claimed)
    except (LookupError, UnicodeDecodeError):
        return None
    return None if _CONTROLS.search(text) else text
