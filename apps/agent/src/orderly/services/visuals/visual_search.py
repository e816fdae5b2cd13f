"""Searches pages by their visuals, in the embedded index or at ColiVara."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from orderly.errors import OrderlyError
from orderly.models import FEW_RESULTS, Caller
from orderly.services.documents import ALL_MATTERS, PageImages, find_matters
from orderly.services.policy import permitted, policy_of, refusal
from orderly.services.text import validate_query
from orderly.services.visuals.colivara import ColiVara
from orderly.services.visuals.index import EMBEDDED
from orderly.store.base import Store
from orderly.store.functions.matters import Matter
from orderly.store.functions.page_images import open_page
from orderly.store.functions.visuals import VisualHit as StoredHit
from orderly.store.functions.visuals import VisualStatus, search_visuals, visual_status

if TYPE_CHECKING:
    from orderly.services.visuals.descriptions import VisionModel

MAX_RESULTS = 10
MAX_DESCRIBED = 3

OVERFETCH = 3
"""Pages requested from the external service per page wanted, since it also finds documents hidden from the caller."""


@dataclass(frozen=True, slots=True)
class VisualHit:
    document_id: str
    document_name: str
    revision_id: str
    matter_number: str
    page: int
    kinds: Sequence[str] = ()
    """Kinds of visuals found on the page; empty for hits of the external service."""
    caption: str = ""
    words: str = ""
    """Text in or beside the visual, or the beginning of the page's text."""
    score: float | None = None
    """0 to 1, from the external service; None for hits of the embedded index."""
    description: str = ""
    """By the vision model, for a page without text. Not a quotation."""


@dataclass(frozen=True, slots=True)
class VisualResult:
    query: str
    matter: str
    """The matter's number, or "all"."""
    hits: Sequence[VisualHit]
    by_sight: bool
    """True if the external service searched every matter; otherwise the embedded index was used."""
    not_looked_at: Sequence[tuple[str, str]]
    """(document name, reason) of documents not or not fully indexed."""
    document_count: int
    described_by: str = ""
    failures: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class VisualSearch:
    store: Store
    pages: PageImages
    colivara: ColiVara | None
    vision: VisionModel | None

    @property
    def by_sight(self) -> bool:
        return self.colivara is not None

    async def search(self, caller: Caller, matter_ref: str, query: str, max_results: int = FEW_RESULTS) -> VisualResult:
        """Searches one matter, or all of the caller's matters for `matter_ref` "all". `max_results`: 1 to 10.

        Raises:
            NotFound: the caller has no such matter.
            SightFailed: the external service gave no answer.
        """
        query, wanted = validate_query(query, "query"), min(max(max_results, 1), MAX_RESULTS)
        matters = await find_matters(self.store, caller, matter_ref)
        hits: list[list[VisualHit]] = []
        unseen: list[tuple[str, str]] = []
        documents = 0
        sights: list[bool] = []
        for matter in matters:
            async with policy_of(self.store, caller, matter_ref=matter["id"]):
                sight = self.colivara if permitted("colivara") else None
                engine = sight.name if sight else EMBEDDED
                status = await visual_status(self.store, caller, matter["id"], engine)
                documents += len(status)
                unseen += [(row["document_name"], row["reason"]) for row in status if row["status"] != "ready" or row["reason"]]
                hits.append(await self._search_matter(sight, caller, matter, query, wanted, status))
                sights.append(sight is not None)
        found = _merge_hits(hits, wanted)
        described = [await self._describe(caller, query, hit, n) for n, hit in enumerate(_wordless_first(found))]
        order = {(hit.revision_id, hit.page): n for n, hit in enumerate(found)}
        described.sort(key=lambda pair: order[pair[0].revision_id, pair[0].page])
        return VisualResult(
            query=query,
            matter=matters[0]["number"] if len(matters) == 1 else ALL_MATTERS,
            hits=tuple(hit for hit, _ in described),
            by_sight=bool(sights) and all(sights),
            not_looked_at=tuple(unseen),
            document_count=documents,
            described_by=self.vision.name if self.vision and any(hit.description for hit, _ in described) else "",
            failures=tuple(dict.fromkeys(failure for _, failure in described if failure)),
        )

    async def _search_matter(
        self,
        sight: ColiVara | None,
        caller: Caller,
        matter: Matter,
        query: str,
        wanted: int,
        status: Sequence[VisualStatus],
    ) -> list[VisualHit]:
        if not status:
            return []
        if sight is None:
            rows = await search_visuals(self.store, caller, matter["id"], query, match_count=wanted)
            return [_embedded_hit(row, matter["number"]) for row in rows]
        readable = {row["revision_id"]: row for row in status if row["status"] == "ready"}
        pages = await sight.search(matter["id"], query, wanted * OVERFETCH)
        # The external service has no access control: keep only revisions that the store lists for this caller.
        visible = [page for page in pages if page.metadata.get("revision_id") in readable][:wanted]
        return await asyncio.gather(
            *(self._page_hit(caller, readable[p.metadata["revision_id"]], p.page, p.score, matter["number"]) for p in visible)
        )

    async def _page_hit(self, caller: Caller, row: VisualStatus, page: int, score: float, number: str) -> VisualHit:
        view = await open_page(self.store, caller, row["document_id"], page_number=page)
        return VisualHit(
            document_id=row["document_id"],
            document_name=row["document_name"],
            revision_id=row["revision_id"],
            matter_number=number,
            page=page,
            words=" ".join(view["text"]["text"].split()),
            score=score,
        )

    async def _describe(self, caller: Caller, query: str, hit: VisualHit, n: int) -> tuple[VisualHit, str]:
        """Adds a description to one of the first hits without words. Second value: an error message, or empty."""
        if self.vision is None or n >= MAX_DESCRIBED or hit.caption or hit.words:
            return hit, ""
        try:
            async with policy_of(self.store, caller, document_id=hit.document_id):
                if not permitted("vision"):
                    return hit, refusal("vision")
            image = await self.pages.view(caller, hit.document_id, hit.page)
            return replace(hit, description=await self.vision.describe(image.png, query)), ""
        except OrderlyError as error:
            return hit, error.message


def _embedded_hit(row: StoredHit, number: str) -> VisualHit:
    return VisualHit(
        document_id=row["document_id"],
        document_name=row["document_name"],
        revision_id=row["revision_id"],
        matter_number=number,
        page=row["page"],
        kinds=tuple(row["kinds"]),
        caption=row["caption"],
        words=row["words"],
    )


def _merge_hits(hits: Sequence[Sequence[VisualHit]], wanted: int) -> list[VisualHit]:
    """Orders by score; hits without a score alternate between matters by rank."""
    depth = max(map(len, hits), default=0)
    pooled = [found[n] for n in range(depth) for found in hits if n < len(found)]
    return sorted(pooled, key=lambda hit: -(hit.score or 0.0))[:wanted]


def _wordless_first(hits: Sequence[VisualHit]) -> list[VisualHit]:
    """Moves hits without words, which need a description, to the front."""
    return sorted(hits, key=lambda hit: bool(hit.caption or hit.words))
