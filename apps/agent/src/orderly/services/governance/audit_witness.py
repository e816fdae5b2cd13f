"""Signed heads of the audit chains, stored outside the database, so that a rewrite of the database is detected.

Format: one JSON object per line with the heads of the chains that have grown, the hash of the previous line, and an Ed25519
signature. The installation's key is never in the database. Remaining risk: truncation of both the database and every copy of
the file. Store the folder on append-only storage, or copy it elsewhere.
"""

from __future__ import annotations

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


class Witness:
    """Writes and reads signed heads. All methods block."""

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
                "previous": hashlib.sha256(before.rstrip(b"\n")).hexdigest() if before else "",
            }
            line["signature"] = base64.b64encode(self._key.sign(_signed_part(line))).decode()
            data = (b"" if not before or before.endswith(b"\n") else b"\n") + json.dumps(line).encode() + b"\n"
            if os.write(file, data) != len(data):
                raise OSError("The file of signed heads could not be written to its end.")
            os.fsync(file)

    def read_heads(self) -> SignedHeads:
        """Reads and verifies the lines of all files."""
        found = SignedHeads()
        for path in sorted(self._folder.glob(FILES)):
            previous = ""
            for number, raw in enumerate(path.read_bytes().splitlines(keepends=True), 1):
                line = self._parse_line(raw)
                if line is None:
                    found.faults.append(f"Line {number} of {path.name} was changed, or is signed with another key.")
                elif line["previous"] != previous:
                    found.faults.append(f"Before line {number} of {path.name}, a line was removed or changed.")
                for head in line["heads"] if line else ():
                    found.heads.setdefault(head["chain"], {})[head["seq"]] = head["hash"]
                previous = hashlib.sha256(raw.rstrip(b"\n")).hexdigest()
        return found

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
