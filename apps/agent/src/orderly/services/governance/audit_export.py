"""The record of a matter, entry by entry, for its owners."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, Literal

from orderly.models import Caller
from orderly.store.base import Store
from orderly.store.functions.record import AuditEntry, list_audit

PAGE = 5_000
Field = Literal[
    "seq", "at", "email", "action", "document_name", "document_id", "run", "thread", "detail", "previous_hash", "hash"
]
FIELDS: tuple[Field, ...] = (
    "seq",
    "at",
    "email",
    "action",
    "document_name",
    "document_id",
    "run",
    "thread",
    "detail",
    "previous_hash",
    "hash",
)

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula; a file's name may begin so."""


async def entries_of(store: Store, caller: Caller, matter_ref: str) -> AsyncIterator[AuditEntry]:
    """Each page is itself an entry, of which the last is not among them."""
    after = 0
    while True:
        page = await list_audit(store, caller, matter_ref, after_seq=after, row_count=PAGE)
        for entry in page:
            yield entry
        if len(page) < PAGE:
            return
        after = page[-1]["seq"]


def row_of(entry: AuditEntry) -> list[str]:
    """The FIELDS of an entry, as a spreadsheet may open them."""
    return [_cell(entry[field]) for field in FIELDS]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if text.startswith(_FORMULA) else text
