"""Exports the audit record of a matter for its owners."""

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
"""Prefixes that a spreadsheet interprets as a formula. File names can start with them."""


async def audit_entries(store: Store, caller: Caller, matter_ref: str) -> AsyncIterator[AuditEntry]:
    """Yields the audit entries. Reading a page adds an entry; the one for the last page is not included."""
    after = 0
    while True:
        page = await list_audit(store, caller, matter_ref, after_seq=after, row_count=PAGE)
        for entry in page:
            yield entry
        if len(page) < PAGE:
            return
        after = page[-1]["seq"]


def csv_row(entry: AuditEntry) -> list[str]:
    """Converts the FIELDS of an entry to text, with formulas escaped for spreadsheets."""
    return [_escape_cell(entry[field]) for field in FIELDS]


def _escape_cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if text.startswith(_FORMULA) else text
