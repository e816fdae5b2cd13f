"""Messages between a process pool and its children: length, a flag, MessagePack. Never pickle.

A hostile file may take over the child that reads it, so replies are plain values of bounded size, which the pool's callers
check against the types of models.py.
"""

from __future__ import annotations

import struct
from dataclasses import asdict
from typing import IO, Any

import ormsgpack

from orderly.services.text import sanitise_text

LARGEST = 1 << 30
"""Maximum length of a message, in bytes."""

_HEAD = struct.Struct(">I?")


class Broken(Exception):
    """The other process has ended, or has sent something that is not a message."""


def pack(value: object) -> bytes:
    """Packs a value. Dataclasses become mappings, and tuples become lists."""
    try:
        return ormsgpack.packb(value, default=_plain)
    except TypeError:
        # Text of a damaged file can contain half a surrogate pair, which cannot be packed.
        return ormsgpack.packb(_packable(value))


def _plain(value: object) -> object:
    if isinstance(value, tuple):  # a named one
        return tuple(value)
    raise TypeError(type(value).__name__)


def _packable(value: Any) -> Any:
    if isinstance(value, str):
        return sanitise_text(value)
    if isinstance(value, dict):
        return {_packable(key): _packable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_packable(item) for item in value]
    return _packable(asdict(value)) if hasattr(value, "__dataclass_fields__") else value


def unpack(data: bytes) -> Any:
    """Unpacks a message. Raises ValueError."""
    return ormsgpack.unpackb(data)


def send(stream: IO[bytes], data: bytes, *, last: bool = False) -> None:
    """`last`: the sender ends afterwards. Raises Broken if the receiver has ended, MemoryError for more than `LARGEST`."""
    if len(data) > LARGEST:
        raise MemoryError
    try:
        stream.write(_HEAD.pack(len(data), last))
        stream.write(data)
        stream.flush()
    except (OSError, ValueError) as exc:
        raise Broken from exc


def receive(stream: IO[bytes]) -> tuple[bytes, bool]:
    """Returns the next message, and whether it is the sender's last. Raises Broken at the end of the stream."""
    length, last = _HEAD.unpack(_exactly(stream, _HEAD.size))
    if length > LARGEST:
        raise Broken
    return _exactly(stream, length), last


def _exactly(stream: IO[bytes], length: int) -> bytes:
    try:
        data = stream.read(length)
    except (OSError, ValueError) as exc:
        raise Broken from exc
    if len(data) != length:
        raise Broken
    return data
