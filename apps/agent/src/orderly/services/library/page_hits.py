"""Pages that ColiVara finds, beside the passages of a search."""

from __future__ import annotations

from dataclasses import replace

from orderly.errors import SightFailed
from orderly.models import Caller
from orderly.services.search import SearchResult
from orderly.services.visuals import VisualResult, VisualSearch


async def search_pages(sight: VisualSearch, caller: Caller, matter_ref: str, query: str, limit: int) -> VisualResult | str:
    """Returns the pages found, or the reason for a failure."""
    try:
        return await sight.search(caller, matter_ref, query, limit)
    except SightFailed as error:
        return error.message


def with_pages(result: SearchResult, visual: VisualResult | str) -> SearchResult:
    """Adds the pages found, without those whose text the passages show, or the reason for a failure.

    A page without text is in no passage that spans it.
    """
    if isinstance(visual, str):
        return replace(result, sight_failed=visual)
    if not visual.by_sight:
        return result
    covered = {(p.document_id, page) for p in result.passages for page in range(p.page_first, p.page_last + 1)}
    hits = tuple(hit for hit in visual.hits if not hit.words or (hit.document_id, hit.page) not in covered)
    return replace(result, seen=replace(visual, hits=hits))
