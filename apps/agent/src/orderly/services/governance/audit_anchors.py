"""Anchors: where the files of signed heads ended, stored outside the installation, so that nobody shortens both unnoticed.

The name of an anchor says it all: the file, the number of its lines, and the SHA-256 of the last one. A later verification
finds a file that lost lines, or has others, even if database, files and key were in one hand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from orderly.errors import OrderlyError
from orderly.services.governance.audit_witness import FileEnd, Witness

GRACE = timedelta(hours=3)
"""Age of signed heads from which an anchor of them must exist. Workers anchor every hour."""

_NAME = re.compile(r"(heads-.+\.jsonl)\.(\d{1,12})\.([0-9a-f]{64})")


class AnchorStore(Protocol):
    """A place outside the installation. Methods raise OrderlyError."""

    place: str
    """Names the place in messages."""

    async def put(self, name: str) -> None: ...

    async def names(self) -> list[str]: ...


def name_of(end: FileEnd) -> str:
    return f"{end.file}.{end.lines}.{end.digest}"


async def anchor_heads(witness: Witness, stores: Sequence[AnchorStore]) -> int:
    """Anchors the ends of the files that are not anchored yet. Returns the number of new anchors.

    Raises:
        OrderlyError: a place cannot be reached; the others have their anchors.
    """
    ends = await witness.ends()
    failed: OrderlyError | None = None
    written = 0
    for store in stores:
        try:
            known = set(await store.names())
            for end in ends:
                if name_of(end) not in known:
                    await store.put(name_of(end))
                    written += 1
        except OrderlyError as error:
            failed = error
    if failed is not None:
        raise failed
    return written


async def check_anchors(witness: Witness, stores: Sequence[AnchorStore]) -> list[str]:
    """Returns one sentence per fault."""
    return [fault for store in stores for fault in await _check(witness, store)]


async def _check(witness: Witness, store: AnchorStore) -> list[str]:
    try:
        anchors = [_parsed(name) for name in await store.names()]
    except OrderlyError as error:
        return [f"The anchors at {store.place} could not be checked: {error.message}"]
    faults = []
    for anchor in anchors:
        digest = await witness.digest(anchor.file, anchor.lines)
        if digest is None:
            faults.append(f"{anchor.file} had {anchor.lines} lines when it was anchored at {store.place}, and has fewer.")
        elif digest != anchor.digest:
            faults.append(f"Line {anchor.lines} of {anchor.file} is not the one that was anchored at {store.place}.")
    overdue = await witness.lines_before(datetime.now(UTC) - GRACE)
    for file, lines in overdue.items():
        if max((anchor.lines for anchor in anchors if anchor.file == file), default=0) < lines:
            faults.append(f"{file} was not anchored at {store.place} since more than {GRACE.seconds // 3600} hours.")
    return faults


def _parsed(name: str) -> FileEnd:
    found = _NAME.fullmatch(name)
    return FileEnd(found[1], int(found[2]), found[3]) if found else FileEnd(name, 1, "not an anchor")
