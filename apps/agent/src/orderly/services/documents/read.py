"""Reading that sizes itself: whole where it fits the budget, a table of contents or pages of passages where it does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from orderly.models import Caller
from orderly.services.documents.browse import page_bounds
from orderly.services.documents.contents import ContentsRow, contents_rows, tokens
from orderly.services.documents.extraction import read_revision
from orderly.services.documents.ids import READABLE, Node, current_revision, node_of, only_current, only_readable, wrong_kind
from orderly.services.text import Passage
from orderly.store.base import Store
from orderly.store.functions.passages import Passage as StoredPassage
from orderly.store.functions.passages import neighbours, read_chunks
from orderly.store.functions.revisions import Section, document_contents

AT_ONCE = 200
"""Passages fetched in one call."""

RAW_PIECE = 1_500
"""Characters of one piece of a text that has no passages."""

OPENING_SHARE = 4
"""A table of contents may spend one part in this many of the budget on what stands before the first section."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Passages in the order of the text, each character once. `offset`: passages before the first one shown."""

    node: Node
    passages: Sequence[Passage]
    offset: int
    total: int
    budget: int
    """Tokens of one answer."""
    raw: bool = False
    """The document has text but no passages yet: these are pieces of its text, and have no ids of their own."""
    contents: Sequence[ContentsRow] | None = None
    """Set where the document is too long for one answer: its sections instead. `passages` is then its opening."""
    opening: int = 0
    """Passages before the first section, of which `passages` are the first."""
    left_out: int = 0
    """Sections that `contents` has no room for, after its last row."""
    resume: int | None = None
    """Passage with which the first section that was left out begins."""

    @property
    def next_offset(self) -> int | None:
        after = self.offset + len(self.passages)
        return after if after < self.total else None


@dataclass(frozen=True, slots=True)
class Around:
    """A passage and its neighbours."""

    node: Node
    passages: Sequence[Passage]
    anchor: int
    """Where in `passages` the one asked for stands."""
    first: int
    """Passages of the document before the first one shown."""
    total: int
    section: Section | None
    whole_section: bool


@dataclass(frozen=True, slots=True)
class AdaptiveReader:
    store: Store
    budget: int
    """Tokens of one answer, as `tokens` estimates them."""

    async def read(self, caller: Caller, id: str, limit: int = 20, offset: int = 0) -> Reading:
        """A document, section or passage.

        Raises:
            NotFound, NotReady, Unreadable: as the document is.
            Invalid: the id is of something that is listed, or of an earlier version.
        """
        node = await node_of(self.store, caller, id)
        if node.kind not in READABLE or node.document is None:
            raise wrong_kind(node, "a document, section or passage")
        only_readable(node.document)
        only_current(node)
        limit, offset = page_bounds(limit, offset)
        if not current_revision(node)["chunk_count"]:
            return await self._raw(caller, node, limit, offset)
        if node.kind == "passage":
            return await self._page(caller, node, 1, 0)
        if tokens(_characters(node)) <= self.budget and offset == 0:
            return await self._page(caller, node, None, 0)
        if node.kind == "document" and offset == 0:
            return await self._contents(caller, node, limit)
        return await self._page(caller, node, limit, offset)

    async def around(self, caller: Caller, chunk_id: str, window: int = 1) -> Around:
        """`window`: passages before and after, 1 to 10."""
        node = await node_of(self.store, caller, chunk_id)
        if node.kind != "passage":
            raise wrong_kind(node, "a passage")
        only_current(node)
        found = await neighbours(self.store, caller, node.id, around=min(max(window, 1), 10))
        rows, section = found["chunks"], found["section"]
        inside = [row for row in rows if section and row["start"] < section["end"] and row["end"] > section["start"]]
        return Around(
            node=node,
            passages=tuple(_once(rows, 0, None)),
            anchor=next(n for n, row in enumerate(rows) if row["ordinal"] == found["anchor"]),
            first=rows[0]["ordinal"],
            total=found["total"],
            section=section,
            whole_section=section is not None and len(inside) == section["chunk_count"],
        )

    async def _page(self, caller: Caller, node: Node, limit: int | None, offset: int) -> Reading:
        """At most `limit` passages from `offset` on, as many as the budget holds, but at least one. None: all there are."""
        span = node.row["span"] if node.kind == "section" else None
        rows: list[StoredPassage] = []
        total, wanted = 0, limit
        while wanted is None or len(rows) < wanted:
            ask = AT_ONCE if wanted is None else min(AT_ONCE, wanted - len(rows))
            page = await read_chunks(self.store, caller, node.id, match_count=ask, skip=offset + len(rows))
            rows += page["chunks"]
            total = page["total"]
            if offset + len(rows) >= total or not page["chunks"]:
                break
        start, end = (span["start"], span["end"]) if span else (0, None)
        passages = tuple(_once(rows, start, end))
        return Reading(node, passages if limit is None else self._fitting(passages), offset, total, self.budget)

    def _fitting(self, passages: Sequence[Passage]) -> Sequence[Passage]:
        used = 0
        for n, passage in enumerate(passages):
            used += tokens(len(passage.text))
            if n and used > self.budget:
                return passages[:n]
        return passages

    async def _contents(self, caller: Caller, node: Node, limit: int) -> Reading:
        """The sections with their sizes; a document without sections comes page by page."""
        found = await document_contents(self.store, caller, node.id)
        if not found["sections"]:
            return await self._page(caller, node, limit, 0)
        rows, left_out, resume = contents_rows(found["sections"], found["passages"], self.budget)
        before = sum(1 for _, end in found["passages"] if end <= found["sections"][0]["start"])
        opening: Sequence[Passage] = ()
        if before:
            small = replace(self, budget=self.budget // OPENING_SHARE)
            opening = (await small._page(caller, node, min(before, AT_ONCE), 0)).passages
        total = len(found["passages"])
        return Reading(node, opening, 0, total, self.budget, contents=rows, opening=before, left_out=left_out, resume=resume)

    async def _raw(self, caller: Caller, node: Node, limit: int, offset: int) -> Reading:
        assert node.document is not None
        view = await read_revision(self.store, caller, node.document["id"])
        span = node.row["span"]
        start, end = (span["start"], span["end"]) if span else (0, len(view.text))
        pieces = list(_pieces(view.text, start, end))
        passages = [view.passage(first, last, id=node.id) for first, last in pieces[offset : offset + limit]]
        return Reading(node, self._fitting(passages), offset, len(pieces), self.budget, raw=True)


def _characters(node: Node) -> int:
    span = node.row["span"] if node.kind == "section" else None
    return span["char_count"] if span else current_revision(node)["char_count"]


def _once(rows: Sequence[StoredPassage], start: int, end: int | None) -> Iterator[Passage]:
    """Passages as slices that do not overlap: a long clause's parts begin again a little before the cut.

    A passage may hold a neighbour of the section asked for: only what lies between `start` and `end` is kept.
    """
    behind = start
    for row in rows:
        first, last = max(row["start"], behind), row["end"] if end is None else min(row["end"], end)
        if first < last:
            text = row["text"][first - row["start"] : last - row["start"]]
            yield Passage.from_row({**row, "start": first, "end": last, "text": text})
            behind = last


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Stretches of at most RAW_PIECE characters, ended at a line where there is one in the second half."""
    while start < end:
        limit = min(start + RAW_PIECE, end)
        cut = limit if limit == end else text.rfind("\n", start + RAW_PIECE // 2, limit) + 1 or limit
        if text[start:cut].strip():
            yield start, cut
        start = cut
