"""Pages by what they show."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from orderly.errors import OrderlyError
from orderly.models import Caller
from orderly.services.documents import ALL_MATTERS, PageImages, find_matters
from orderly.services.policy import permitted, policy_of, refusal
from orderly.services.text import question
from orderly.services.visuals.colivara import ColiVara
from orderly.services.visuals.index import EMBEDDED
from orderly.store.base import Store
from orderly.store.functions.page_images import open_page
from orderly.store.functions.visuals import search_visuals, visual_status

if TYPE_CHECKING:
    from orderly.services.visuals.descriptions import VisionModel

MOST_RESULTS = 10
MOST_DESCRIBED = 3

OVERSHOOT = 3
"""Pages asked of the outside service for each one wanted: it also holds documents that the caller may not see."""


@dataclass(frozen=True, slots=True)
class VisualHit:
    document_id: str
    document_name: str
    revision_id: str
    matter_number: str
    page: int
    kinds: Sequence[str] = ()
    """What was found on the page; empty where the page was found by sight."""
    caption: str = ""
    words: str = ""
    """Written in or beside what was found, or the beginning of the page's text."""
    score: float | None = None
    """By sight: 0 to 1. The embedded index gives an order and no score."""
    description: str = ""
    """By the vision model, of a page whose text says nothing. Not a quotation."""


@dataclass(frozen=True, slots=True)
class VisualResult:
    query: str
    matter: str
    """Its number, or "all"."""
    hits: Sequence[VisualHit]
    by_sight: bool
    """False: by the embedded index of figures, drawings, tables, signatures and stamps."""
    not_looked_at: Sequence[tuple[str, str]]
    """Documents, and why."""
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

    async def search(self, caller: Caller, matter_ref: str, query: str, max_results: int = 5) -> VisualResult:
        """`matter_ref` "all": every matter of the caller. `max_results`: 1 to 10.

        Raises:
            NotFound: the matter is none of the caller's.
            SightFailed: the outside service gave no answer.
        """
        query, wanted = question(query, "query"), min(max(max_results, 1), MOST_RESULTS)
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
                hits.append(await self._in(sight, caller, matter, query, wanted, status))
                sights.append(sight is not None)
        found = _merged(hits, wanted)
        described = [await self._described(caller, query, hit, n) for n, hit in enumerate(_blank_first(found))]
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

    async def _in(
        self,
        sight: ColiVara | None,
        caller: Caller,
        matter: Mapping[str, Any],
        query: str,
        wanted: int,
        status: Sequence[Mapping[str, Any]],
    ) -> list[VisualHit]:
        if not status:
            return []
        if sight is None:
            rows = await search_visuals(self.store, caller, matter["id"], query, match_count=wanted)
            return [_embedded_hit(row, matter["number"]) for row in rows]
        readable = {row["revision_id"]: row for row in status if row["status"] == "ready"}
        pages = await sight.search(matter["id"], query, wanted * OVERSHOOT)
        # The service knows nothing of who may see what: only what the store gave this caller is shown.
        mine = [page for page in pages if page.metadata.get("revision_id") in readable][:wanted]
        return await asyncio.gather(
            *(self._seen(caller, readable[p.metadata["revision_id"]], p.page, p.score, matter["number"]) for p in mine)
        )

    async def _seen(self, caller: Caller, row: Mapping[str, Any], page: int, score: float, number: str) -> VisualHit:
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

    async def _described(self, caller: Caller, query: str, hit: VisualHit, n: int) -> tuple[VisualHit, str]:
        """One of the first few without any words gets a description. The second value: what failed."""
        if self.vision is None or n >= MOST_DESCRIBED or hit.caption or hit.words:
            return hit, ""
        try:
            async with policy_of(self.store, caller, document_id=hit.document_id):
                if not permitted("vision"):
                    return hit, refusal("vision")
            image = await self.pages.view(caller, hit.document_id, hit.page)
            return replace(hit, description=await self.vision.describe(image.png, query)), ""
        except OrderlyError as error:
            return hit, error.message


def _embedded_hit(row: Mapping[str, Any], number: str) -> VisualHit:
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


def _merged(hits: Sequence[Sequence[VisualHit]], wanted: int) -> list[VisualHit]:
    """By score where there is one; else the best of every matter, then the second best, and so on."""
    depth = max(map(len, hits), default=0)
    pooled = [found[n] for n in range(depth) for found in hits if n < len(found)]
    return sorted(pooled, key=lambda hit: -(hit.score or 0.0))[:wanted]


def _blank_first(hits: Sequence[VisualHit]) -> list[VisualHit]:
    """Those without any words first: they are the ones to describe."""
    return sorted(hits, key=lambda hit: bool(hit.caption or hit.words))
