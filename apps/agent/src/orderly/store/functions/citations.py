"""Citations: spans of published revisions that answers quote.

SQL: supabase/schemas/11_citations.sql.
"""

from __future__ import annotations

from typing import TypedDict

from orderly.models import Caller
from orderly.store.base import Store
from orderly.store.functions.arguments import given
from orderly.store.functions.revisions import PageLines


class Citation(TypedDict):
    id: str
    document_id: str
    document_name: str
    matter_id: str
    revision_id: str
    current: bool
    """Whether the revision is still the document's current one."""
    start: int
    end: int
    quote: str
    page: int
    paged: bool
    section_id: str | None
    section_label: str | None
    section_title: str | None
    created_at: str


async def save_citation(
    store: Store, caller: Caller, document_id: str, revision_id: str, *, start: int, end: int, page: int | None = None
) -> Citation:
    """Stores a citation; the same span is the same citation.

    `page`: optional check. Raises Invalid if the span does not begin on this page.
    """
    return await store.rpc(
        caller,
        "save_citation",
        {"document_id": document_id, "revision_id": revision_id, "start": start, "end": end, **given(page=page)},
    )


async def get_citation(store: Store, caller: Caller, citation_id: str) -> Citation:
    """Finds a citation by its id."""
    return await store.rpc(caller, "get_citation", {"citation_id": citation_id})


async def citation_lines(store: Store, caller: Caller, citation_id: str) -> list[PageLines]:
    """Lists the lines that a citation covers, page by page."""
    return await store.rpc(caller, "citation_lines", {"citation_id": citation_id})
