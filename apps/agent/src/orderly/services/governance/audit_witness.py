"""Signed heads of the audit chains, stored outside the database, so that a rewrite of the database is detected.

Format: one JSON object per line with the heads of the chains that have grown, the hash of the previous line, and an Ed25519
signature. The installation's key is never in the database. Truncation of both the database and the files is found by anchors
outside (`audit_anchors`).
"""

from __future__ import annotations

import asyncio
import base64
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from orderly.store.functions.chains import Head

FILES = "heads-*.jsonl"


@dataclass(slots=True)
class SignedHeads:
    """Content of all files."""

    heads: dict[str, dict[int, str]] = field(default_factory=dict)
    """Chain -> sequence number -> hash of the entry."""
    faults: list[str] = field(default_factory=list)
    """One sentence per line that was changed, removed, or signed with another key."""


@dataclass(frozen=True, slots=True)
class FileEnd:
    """The length and last line of a file of signed heads at some time."""

    file: str
    lines: int
    digest: str
    """SHA-256 of the last line."""


class Witness:
    """Writes and reads signed heads. All methods that are not coroutines block."""

    def __init__(self, folder: Path, key: Ed25519PrivateKey, node: str) -> None:
        """`node`: names this machine's file, so that several machines can share the folder."""
        self._folder, self._key = folder, key
        self._file = folder / f"heads-{node}.jsonl"

    @property
    def public_key(self) -> str:
        """The public key in base64, for auditors."""
        return base64.b64encode(self._key.public_key().public_bytes_raw()).decode()

    def sign(self, heads: Sequence[Head]) -> None:
        """Appends a signed line and syncs it to disk."""
        with self._open_exclusive() as file:
            before = _last_line(file)
            line = {
                "at": datetime.now(UTC).isoformat(),
                "heads": [{"chain": h["chain"], "seq": h["seq"], "hash": h["hash"]} for h in heads],
                "previous": _digest(before) if before else "",
            }
            line["signature"] = base64.b64encode(self._key.sign(_signed_part(line))).decode()
            data = (b"" if not before or before.endswith(b"\n") else b"\n") + json.dumps(line).encode() + b"\n"
            if os.write(file, data) != len(data):
                raise OSError("The file of signed heads could not be written to its end.")
            os.fsync(file)

    def read_heads(self) -> SignedHeads:
        """Reads and verifies the lines of all files."""
        found = SignedHeads()
        for path, lines in self._lines():
            previous = ""
            for number, raw in enumerate(lines, 1):
                line = self._parse_line(raw)
                if line is None:
                    found.faults.append(f"Line {number} of {path.name} was changed, or is signed with another key.")
                elif line["previous"] != previous:
                    found.faults.append(f"Before line {number} of {path.name}, a line was removed or changed.")
                for head in line["heads"] if line else ():
                    found.heads.setdefault(head["chain"], {})[head["seq"]] = head["hash"]
                previous = _digest(raw)
        return found

    async def ends(self) -> list[FileEnd]:
        """The end of each file."""
        files = await asyncio.to_thread(self._digests)
        return [FileEnd(file, len(digests), digests[-1]) for file, digests in sorted(files.items()) if digests]

    async def digest(self, file: str, line: int) -> str | None:
        """SHA-256 of a line; None if the file has fewer lines."""
        digests = (await asyncio.to_thread(self._digests)).get(file, [])
        return digests[line - 1] if 0 < line <= len(digests) else None

    async def lines_before(self, moment: datetime) -> dict[str, int]:
        """The number of lines of each file that were signed before a moment."""
        return await asyncio.to_thread(self._lines_before, moment.isoformat())

    def _digests(self) -> dict[str, list[str]]:
        """SHA-256 of each line, by file."""
        return {path.name: [_digest(raw) for raw in lines] for path, lines in self._lines()}

    def _lines_before(self, moment: str) -> dict[str, int]:
        found = {}
        for path, lines in self._lines():
            old = [n for n, raw in enumerate(lines, 1) if (line := self._parse_line(raw)) and line["at"] < moment]
            if old:
                found[path.name] = old[-1]
        return found

    def _lines(self) -> Iterator[tuple[Path, list[bytes]]]:
        for path in sorted(self._folder.glob(FILES)):
            yield path, path.read_bytes().splitlines(keepends=True)

    def _parse_line(self, raw: bytes) -> dict[str, Any] | None:
        """Returns None if the line is not signed with this installation's key."""
        try:
            line = json.loads(raw)
            self._key.public_key().verify(base64.b64decode(line["signature"], validate=True), _signed_part(line))
        except (ValueError, KeyError, TypeError, InvalidSignature):
            return None
        return dict(line)

    @contextmanager
    def _open_exclusive(self) -> Iterator[int]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self._file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)


@contextmanager
def block_signing(folder: Path) -> Iterator[dict[Path, int]]:
    """Holds a shared lock on the files of signed heads, and yields their lengths. Later lines are only appended."""
    with ExitStack() as stack:
        lengths = {}
        # iterdir raises if the folder is not readable; glob would return nothing.
        for path in sorted(p for p in folder.iterdir() if p.match(FILES)) if folder.exists() else ():
            file = stack.enter_context(path.open("rb"))
            fcntl.flock(file, fcntl.LOCK_SH)
            lengths[path] = os.fstat(file.fileno()).st_size
        yield lengths


def _signed_part(line: Mapping[str, Any]) -> bytes:
    part = {name: value for name, value in line.items() if name != "signature"}
    return json.dumps(part, sort_keys=True, separators=(",", ":")).encode()


def _digest(line: bytes) -> str:
    return hashlib.sha256(line.rstrip(b"\n")).hexdigest()


def _last_line(file: int) -> bytes:
    """Reads the last line with its line break, searching backwards as lines can be long."""
    end, size = os.lseek(file, 0, os.SEEK_END), 1 << 16
    while True:
        start = max(end - size, 0)
        tail = os.pread(file, end - start, start)
        cut = tail.rfind(b"\n", 0, max(len(tail) - 1, 0))
        if cut >= 0 or start == 0:
            return tail[cut + 1 :]
        size *= 8
