"""Makes Outlook messages: compound files ([MS-CFB]) with the properties of [MS-OXMSG] that readers use."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

SECTOR, CUTOFF = 512, 4096
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
SUBJECT, SENDER, BODY, MESSAGE_CLASS = 0x0037, 0x0042, 0x1000, 0x001A
RTF = 0x1009
FILE_NAME, MIME_TYPE, DATA = 0x3707, 0x370E, 0x3701

Folder = Mapping[str, Any]
"""Streams (bytes) and storages (folders) by name."""


@dataclass(frozen=True)
class Letter:
    subject: str
    sender: str
    body: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    letters: Sequence[Letter] = ()
    mime_type: str = "text/plain"
    """MIME type of the attached files."""
    message_class: str = "IPM.Note"
    rtf: bytes = b""
    """Formatted form of the body."""


def message_file(letter: Letter) -> bytes:
    return _compound_file(_message(letter, bytes(32)))


def _message(letter: Letter, head: bytes) -> Folder:
    texts = {SUBJECT: letter.subject, SENDER: letter.sender, BODY: letter.body, MESSAGE_CLASS: letter.message_class}
    parts = [_file(name, letter.mime_type, data) for name, data in letter.files.items()]
    parts += [_attached(inner) for inner in letter.letters]
    return {
        **_properties(texts, {RTF: letter.rtf} if letter.rtf else {}, head),
        **{f"__attach_version1.0_#{n:08X}": part for n, part in enumerate(parts)},
    }


def _file(name: str, mime_type: str, data: bytes) -> Folder:
    return {**_properties({FILE_NAME: name, MIME_TYPE: mime_type}, {DATA: data}, bytes(8))}


def _attached(letter: Letter) -> Folder:
    """Returns an embedded message object; its property header is eight bytes shorter than that of a message file."""
    return {**_properties({}, {}, bytes(8)), "__substg1.0_3701000D": _message(letter, bytes(24))}


def _properties(texts: Mapping[int, str], data: Mapping[int, bytes], head: bytes) -> Folder:
    values = {(pid, 0x1F): text.encode("utf-16-le") for pid, text in texts.items()}
    values |= {(pid, 0x0102): blob for pid, blob in data.items()}
    entries = b"".join(struct.pack("<HHIII", kind, pid, 6, len(value), 0) for (pid, kind), value in values.items())
    streams = {f"__substg1.0_{pid:04X}{kind:04X}": value for (pid, kind), value in values.items()}
    return {"__properties_version1.0": head + entries, **streams}


class _Chains:
    """Sectors of one size and their allocation table."""

    def __init__(self, size: int) -> None:
        self.size, self.table, self.content = size, [], b""

    def store(self, content: bytes) -> int:
        """Stores `content` and returns the number of its first sector."""
        count, first = -(-len(content) // self.size), len(self.table)
        if not count:
            return END
        self.content += content.ljust(count * self.size, b"\0")
        self.table += [*range(first + 1, first + count), END]
        return first


def _compound_file(root: Folder) -> bytes:
    entries: list[list[Any]] = []  # [name, kind, next sibling, first child, content]

    def add(name: str, content: Any) -> int:
        folder, number = not isinstance(content, bytes), len(entries)
        entries.append([name, 5 if not number else 1 if folder else 2, FREE, FREE, b"" if folder else content])
        if folder:
            kids = [add(*kid) for kid in content.items()]
            for kid, following in pairwise(kids):
                entries[kid][2] = following
            entries[number][3] = kids[0]
        return number

    add("Root Entry", root)
    large, small = _Chains(SECTOR), _Chains(64)
    starts = [(large if len(content) >= CUTOFF else small).store(content) for *_, content in entries]
    entries[0][4], starts[0] = small.content, large.store(small.content)
    directory = b""
    for (name, kind, following, child, content), start in zip(entries, starts, strict=True):
        coded = name.encode("utf-16-le")
        directory += struct.pack(
            "<64sHBBIII16sIQQIQ", coded, len(coded) + 2, kind, 1, FREE, following, child, b"", 0, 0, 0, start, len(content)
        )
    home = large.store(directory)
    minor = large.store(_table(small.table))
    tables, first = -(-(len(large.table) + 8) * 4 // SECTOR), len(large.table)
    places = range(first, first + tables)
    head = struct.pack(
        "<8s16sHHHHH6xIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, 0, tables, home, 0, CUTOFF,
        minor, -(-len(small.table) * 4 // SECTOR), END, 0,
    )  # fmt: skip
    known = _table([*large.table, *[FAT] * tables]).ljust(tables * SECTOR, b"\xff")
    return head + struct.pack("<109I", *places, *[FREE] * (109 - tables)) + large.content + known


def _table(numbers: Sequence[int]) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers).ljust(-(-len(numbers) * 4 // SECTOR) * SECTOR, b"\xff")
