"""Takes the message out of opaquely signed S/MIME mail: PKCS#7 signed data (RFC 5652), in DER or BER."""

from __future__ import annotations

_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_SEQUENCE, _OCTETS, _CONSTRUCTED_OCTETS, _CONTENT = 0x30, 0x04, 0x24, 0xA0
_MAX_DEPTH = 20

Element = tuple[int, bytes]
"""Tag and contents. Only tags of one byte occur here."""


def signed_content(data: bytes) -> bytes | None:
    """The message inside the signature; None if the data is not signed data, is damaged, or is a signature alone."""
    try:
        kind, content = _children(_read(data, 0)[0][1])[:2]
        if kind[1] != _SIGNED_DATA:
            return None
        fields = _children(_children(content[1])[0][1])
        inner = next(children for tag, value in fields if tag == _SEQUENCE and (children := _children(value)))
        return _octets(_children(inner[1][1])[0]) if len(inner) > 1 and inner[1][0] == _CONTENT else None
    except (IndexError, ValueError, StopIteration):
        return None


def _read(data: bytes, at: int, depth: int = 0) -> tuple[Element, int]:
    """The element at `at`, and where the next one begins."""
    if depth > _MAX_DEPTH:
        raise ValueError("nested too deeply")
    tag, length, start = data[at], data[at + 1], at + 2
    if length == 0x80:
        end = start
        while data[end : end + 2] != b"\0\0":
            _, end = _read(data, end, depth + 1)
        return (tag, data[start:end]), end + 2
    if length > 0x80:
        size = length - 0x80
        length, start = int.from_bytes(data[start : start + size]), start + size
    if start + length > len(data):
        raise ValueError("cut off")
    return (tag, data[start : start + length]), start + length


def _children(data: bytes) -> list[Element]:
    found: list[Element] = []
    at = 0
    while at < len(data):
        element, at = _read(data, at)
        found.append(element)
    return found


def _octets(element: Element, depth: int = 0) -> bytes:
    """The bytes of a string of octets, which may stand in pieces."""
    tag, value = element
    if tag == _OCTETS:
        return value
    if tag != _CONSTRUCTED_OCTETS or depth > _MAX_DEPTH:
        raise ValueError("no octets")
    return b"".join(_octets(piece, depth + 1) for piece in _children(value))
