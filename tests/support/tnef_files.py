"""Makes messages in Outlook's own format (winmail.dat, TNEF, [MS-OXTNEF])."""

from __future__ import annotations

import struct


def attribute(identifier: int, data: bytes, level: int = 1) -> bytes:
    """An attribute of the message (level 1) or of a file (level 2)."""
    return struct.pack("<BII", level, identifier, len(data)) + data + struct.pack("<H", sum(data) & 0xFFFF)


def properties(*found: tuple[int, int, bytes]) -> bytes:
    """A list of properties: kind, number, value."""
    written = (struct.pack("<HHII", kind, key, 1, len(data)) + data + b"\0" * (-len(data) % 4) for kind, key, data in found)
    return struct.pack("<I", len(found)) + b"".join(written)


def outlook(*attributes: bytes) -> bytes:
    """A message of these attributes."""
    return b"\x78\x9f\x3e\x22\x01\x00" + b"".join(attributes)
