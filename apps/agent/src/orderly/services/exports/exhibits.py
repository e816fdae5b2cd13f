"""Pictures of the pages that a report quotes, with the words marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from orderly.errors import Invalid, NotFound, NotReady, StorageFailed, Unreadable
from orderly.models import Caller
from orderly.services.documents import PageImages
from orderly.services.exports.short_names import short_names
from orderly.services.exports.table import ExportTable

MAX_EXHIBITS = 200
"""Pages of one report."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    number: int
    title: str
    png: bytes | None
    reason: str = ""
    """Why there is no picture."""


async def exhibits(pages: PageImages, caller: Caller, table: ExportTable) -> Mapping[str, Exhibit]:
    """One exhibit per quoted page, by citation id. Pages are drawn as the caller, who has to be able to see them.

    Of a document without pages there is nothing to see but its words, which the answers quote.
    """
    quoted: dict[tuple[str, int], list[str]] = {}
    names: dict[tuple[str, int], str] = {}
    for cell in table.cells():
        for citation in cell.quotations:
            if citation["paged"] and citation["page"] is not None:
                page = citation["revision_id"], citation["page"]
                quoted.setdefault(page, []).append(citation["id"])
                names[page] = cell.document["filename"]
    short = short_names(document["filename"] for document, _ in table.rows)
    found: dict[str, Exhibit] = {}
    for number, (page, citation_ids) in enumerate(islice(quoted.items(), MAX_EXHIBITS), 1):
        exhibit = await _exhibit(pages, caller, citation_ids, number, f"{short[names[page]]}, page {page[1]}")
        found |= dict.fromkeys(citation_ids, exhibit)
    return found


async def _exhibit(pages: PageImages, caller: Caller, citation_ids: Sequence[str], number: int, title: str) -> Exhibit:
    try:
        return Exhibit(number, title, await pages.draw(caller, citation_ids))
    except (NotFound, NotReady, Unreadable, Invalid, StorageFailed) as error:
        return Exhibit(number, title, None, error.message)
