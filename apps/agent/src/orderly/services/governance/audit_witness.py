"""What the database said of its own record, signed and kept outside it: whoever rules the database cannot rewrite it unseen.

A file of lines, each with the heads of the chains that grew since the last one, the hash of the line before, and an Ed25519
signature. The key is the installation's, and never in the database. What stays possible: to cut away, in the database and in
every copy of the file, all that is newer than some line. Keep the folder where lines can only be added, or copy it away.
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
class Testimony:
    """All that the files say."""

    heads: dict[str, dict[int, str]] = field(default_factory=dict)
    """By chain: the hash that its entry of that number had."""
    faults: list[str] = field(default_factory=list)
    """Sentences: lines that were changed, removed or signed by somebody else."""


class Witness:
    """Every method blocks on files."""

    def __init__(self, folder: Path, key: Ed25519PrivateKey, node: str) -> None:
        """`node`: names the file of this machine, so that several may share the folder."""
        self._folder, self._key = folder, key
        self._file = folder / f"heads-{node}.jsonl"

    @property
    def public_key(self) -> str:
        """Base64, as auditors take it."""
        return base64.b64encode(self._key.public_key().public_bytes_raw()).decode()

    def sign(self, heads: Sequence[Head]) -> None:
        """On disk when this returns."""
        with self._opened() as file:
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

    def testimony(self) -> Testimony:
        found = Testimony()
        for path in sorted(self._folder.glob(FILES)):
            previous = ""
            for number, raw in enumerate(path.read_bytes().splitlines(keepends=True), 1):
                line = self._line(raw)
                if line is None:
                    found.faults.append(f"Line {number} of {path.name} was changed, or is signed with another key.")
                elif line["previous"] != previous:
                    found.faults.append(f"Before line {number} of {path.name}, a line was removed or changed.")
                for head in line["heads"] if line else ():
                    found.heads.setdefault(head["chain"], {})[head["seq"]] = head["hash"]
                previous = hashlib.sha256(raw.rstrip(b"\n")).hexdigest()
        return found

    def _line(self, raw: bytes) -> dict[str, Any] | None:
        """None for what this installation's key has not signed."""
        try:
            line = json.loads(raw)
            self._key.public_key().verify(base64.b64decode(line["signature"], validate=True), _signed_part(line))
        except (ValueError, KeyError, TypeError, InvalidSignature):
            return None
        return dict(line)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(self._file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)


@contextmanager
def nobody_signs(folder: Path) -> Iterator[dict[Path, int]]:
    """Meanwhile. The files of signed heads and their lengths: what is added to them later does not change what was there."""
    with ExitStack() as stack:
        lengths = {}
        # What may not be listed raises, where a glob would find nothing.
        for path in sorted(p for p in folder.iterdir() if p.match(FILES)) if folder.exists() else ():
            file = stack.enter_context(path.open("rb"))
            fcntl.flock(file, fcntl.LOCK_SH)
            lengths[path] = os.fstat(file.fileno()).st_size
        yield lengths


def _signed_part(line: Mapping[str, Any]) -> bytes:
    part = {name: value for name, value in line.items() if name != "signature"}
    return json.dumps(part, sort_keys=True, separators=(",", ":")).encode()


def _last_line(file: int) -> bytes:
    """With its line break; lines may be long, so it is looked for backwards."""
    end, size = os.lseek(file, 0, os.SEEK_END), 1 << 16
    while True:
        start = max(end - size, 0)
        tail = os.pread(file, end - start, start)
        cut = tail.rfind(b"\n", 0, max(len(tail) - 1, 0))
        if cut >= 0 or start == 0:
            return tail[cut + 1 :]
        size *= 8
