"""Opens winmail.dat: a message in Outlook's own format (TNEF, [MS-OXTNEF]), with its text and files."""

from __future__ import annotations

import codecs
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

SIGNATURE = b"\x78\x9f\x3e\x22"

_SUBJECT, _BODY, _PROPERTIES = 0x8004, 0x800C, 0x9003
_FILE_STARTS, _FILE_NAME, _FILE_DATA, _FILE_PROPERTIES, _CODE_PAGE = 0x9002, 0x8010, 0x800F, 0x9005, 0x9007
_MAPI_SUBJECT, _MAPI_BODY, _MAPI_HTML, _MAPI_RTF = 0x0037, 0x1000, 0x1013, 0x1009
_MAPI_DATA, _MAPI_LONG_NAME, _MAPI_SHORT_NAME, _MAPI_DISPLAY_NAME = 0x3701, 0x3707, 0x3704, 0x3001
_STRING8, _UNICODE, _OBJECT, _BINARY = 0x1E, 0x1F, 0x0D, 0x102
_SIZES = {2: 4, 3: 4, 4: 4, 10: 4, 11: 4, 5: 8, 6: 8, 7: 8, 20: 8, 64: 8, 72: 16}
"""Bytes of the values of fixed size, padded to four."""
_MULTIPLE = 0x1000
_INTERFACE = 16
"""Bytes of the identifier before an embedded object."""

Values = dict[int, bytes | str]


@dataclass(slots=True)
class TnefFile:
    name: str = ""
    data: bytes = b""
    message: bytes = b""
    """A message inside, in the same format."""


@dataclass(slots=True)
class TnefMessage:
    subject: str = ""
    plain: str = ""
    html: str | bytes = ""
    rtf: bytes = b""
    """Compressed."""
    files: list[TnefFile] = field(default_factory=list)


def read_tnef(data: bytes) -> TnefMessage:
    """Reads a message. Raises ValueError for data in another format, or that ends in the middle."""
    if not data.startswith(SIGNATURE):
        raise ValueError("no TNEF")
    message = TnefMessage()
    encoding = "cp1252"
    try:
        for attribute, value in _attributes(data):
            if attribute == _CODE_PAGE:
                encoding = _known(f"cp{int.from_bytes(value[:4], 'little')}")
            else:
                _take(message, attribute, value, encoding)
    except (struct.error, IndexError) as exc:
        raise ValueError("cut off") from exc
    return message


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 6
    while at + 9 <= len(data):
        identifier, length = struct.unpack_from("<II", data, at + 1)
        start, at = at + 9, at + 9 + length + 2
        if start + length > len(data):
            raise ValueError("cut off")
        yield identifier & 0xFFFF, data[start : start + length]


def _take(message: TnefMessage, attribute: int, value: bytes, encoding: str) -> None:
    if attribute == _SUBJECT:
        message.subject = _text(value, encoding)
    elif attribute == _BODY:
        message.plain = _text(value, encoding)
    elif attribute == _PROPERTIES:
        _take_properties(message, _values(value, encoding), encoding)
    elif attribute == _FILE_STARTS:
        message.files.append(TnefFile())
    elif message.files:
        _take_file(message.files[-1], attribute, value, encoding)


def _take_properties(message: TnefMessage, found: Values, encoding: str) -> None:
    message.subject = str(found.get(_MAPI_SUBJECT) or message.subject)
    message.plain = str(found.get(_MAPI_BODY) or message.plain)
    message.html = found.get(_MAPI_HTML, message.html)
    packed = found.get(_MAPI_RTF, b"")
    message.rtf = packed if isinstance(packed, bytes) else b""


def _take_file(file: TnefFile, attribute: int, value: bytes, encoding: str) -> None:
    if attribute == _FILE_NAME:
        file.name = file.name or _text(value, encoding)
    elif attribute == _FILE_DATA:
        file.data = value
    elif attribute == _FILE_PROPERTIES:
        found = _values(value, encoding)
        names = (found.get(key) for key in (_MAPI_LONG_NAME, _MAPI_SHORT_NAME, _MAPI_DISPLAY_NAME))
        file.name = next((str(name) for name in names if name), file.name)
        data = found.get(_MAPI_DATA, b"")
        if isinstance(data, bytes) and data[_INTERFACE:].startswith(SIGNATURE):
            file.message = data[_INTERFACE:]
        elif isinstance(data, bytes) and data and not file.data:
            file.data = data


def _values(data: bytes, encoding: str) -> Values:
    """The text and binary properties of a list."""
    found: Values = {}
    (count,) = struct.unpack_from("<I", data, 0)
    at = 4
    for _ in range(min(count, len(data) // 8)):
        kind, key = struct.unpack_from("<HH", data, at)
        at = _after_name(data, at + 4) if key >= 0x8000 else at + 4
        base, multiple = kind & ~_MULTIPLE, bool(kind & _MULTIPLE)
        if base in _SIZES:
            times = struct.unpack_from("<I", data, at)[0] if multiple else 1
            at += 4 * multiple + times * _SIZES[base]
            continue
        if base not in (_STRING8, _UNICODE, _OBJECT, _BINARY):
            return found  # of unknown size: what follows cannot be found
        (times,) = struct.unpack_from("<I", data, at)
        at += 4
        for _ in range(min(times, len(data) // 4)):
            (length,) = struct.unpack_from("<I", data, at)
            found.setdefault(key, _value(base, data[at + 4 : at + 4 + length], encoding))
            at += 4 + length + -length % 4
    return found


def _after_name(data: bytes, at: int) -> int:
    """Where a property goes on after the name that it has in place of a number."""
    (kind,) = struct.unpack_from("<I", data, at + 16)
    if kind == 0:
        return at + 24
    (length,) = struct.unpack_from("<I", data, at + 20)
    return int(at + 24 + length + -length % 4)


def _value(kind: int, data: bytes, encoding: str) -> bytes | str:
    if kind == _UNICODE:
        return data[: len(data) // 2 * 2].decode("utf-16-le", "replace").rstrip("\0")
    return _text(data, encoding) if kind == _STRING8 else data


def _text(data: bytes, encoding: str) -> str:
    return data.rstrip(b"\0").decode(encoding, "replace")


def _known(encoding: str) -> str:
    try:
        return codecs.lookup("utf-8" if encoding == "cp65001" else encoding).name
    except LookupError:
        return "cp1252"
