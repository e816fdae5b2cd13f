"""Pictures of the pages that a report quotes, with the words marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orderly.errors import Invalid, NotFound, NotReady, StorageFailed
from orderly.models import Caller
from orderly.services.documents import PageImages
from orderly.services.exports.table import ExportTable, place

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
    """One exhibit per quoted passage, by citation id. Pages are drawn as the caller, who has to be able to see them."""
    found: dict[str, Exhibit] = {}
    by_words: dict[tuple[str, int, int], Exhibit] = {}
    for cell in table.cells():
        for citation in cell.quotations:
            words = citation["revision_id"], citation["start"], citation["end"]
            if words not in by_words and len(by_words) < MAX_EXHIBITS:
                title = f"{cell.document['filename']}, {place(citation)}"
                by_words[words] = await _exhibit(pages, caller, citation["id"], len(by_words) + 1, title)
            if words in by_words:
                found[citation["id"]] = by_words[words]
    return found


async def _exhibit(pages: PageImages, caller: Caller, citation_id: str, number: int, title: str) -> Exhibit:
    try:
        image = await pages.view(caller, citation_id)
    except (NotFound, NotReady, Invalid, StorageFailed) as error:
        return Exhibit(number, title, None, error.message)
    return Exhibit(number, title, image.png)
