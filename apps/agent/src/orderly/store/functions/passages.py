"""Passages, the units of search.

SQL: supabase/schemas/09_search.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller
from orderly.store.base import Store
from orderly.store.functions.arguments import given
from orderly.store.functions.revisions import Section


class Passage(TypedDict):
    chunk_id: str
    document_id: str
    document_name: str
    revision_id: str
    ordinal: int
    start: int
    end: int
    page_first: int
    page_last: int
    paged: bool
    section_id: str | None
    section_label: str | None
    section_title: str | None
    text: str


class CountedSection(Section):
    chunk_count: int


class Neighbourhood(TypedDict):
    anchor: int
    """Ordinal of the requested passage."""
    chunks: list[Passage]
    total: int
    """Number of passages in the document."""
    section: CountedSection | None


class PassagePage(TypedDict):
    chunks: list[Passage]
    total: int


async def neighbours(store: Store, caller: Caller, chunk_id: str, *, around: int | None = None) -> Neighbourhood:
    """Reads a passage with its neighbours.

    `around`: 1 to 10 on either side.
    """
    return await store.rpc(caller, "neighbours", {"chunk_id": chunk_id, **given(around=around)})


async def read_chunks(
    store: Store, caller: Caller, path_part_id: str, *, match_count: int | None = None, skip: int | None = None
) -> PassagePage:
    """Reads the passages of a document, a section or a passage, a page at a time."""
    return await store.rpc(caller, "read_chunks", {"path_part_id": path_part_id, **given(match_count=match_count, skip=skip)})
