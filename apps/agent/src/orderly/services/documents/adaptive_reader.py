"""Reads a document within a token budget: in full, as a table of contents, or in pages of passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from orderly.models import Caller
from orderly.services.documents.answer_extraction import read_revision
from orderly.services.documents.contents import ContentsRow, build_contents, estimate_tokens
from orderly.services.documents.ids import (
    WITH_TEXT,
    Node,
    current_revision,
    find_node,
    require_current,
    require_readable,
    wrong_kind_error,
)
from orderly.services.documents.navigation import page_bounds
from orderly.services.text import Passage
from orderly.store.base import Store
from orderly.store.functions.passages import Passage as StoredPassage
from orderly.store.functions.passages import neighbours, read_chunks
from orderly.store.functions.revisions import Section, document_contents

READ_TOKENS = 6_000
"""Estimated tokens (4 characters each) of one answer."""

FETCH_BATCH = 200
"""Passages fetched per call."""

RAW_PIECE_CHARS = 1_500
"""Characters of one piece of a text without passages."""

OPENING_SHARE = 4
"""The text before the first section may use 1 / OPENING_SHARE of the budget."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Passages in text order without overlaps. `offset`: passages before the first one."""

    node: Node
    passages: Sequence[Passage]
    offset: int
    total: int
    budget: int
    """Tokens of one answer."""
    raw: bool = False
    """The document has text but no passages yet: `passages` are pieces of text with the id of the node."""
    contents: Sequence[ContentsRow] | None = None
    """The sections of a document that is too long for one answer. `passages` is then its opening."""
    opening: int = 0
    """Number of passages before the first section; `passages` are the first of them."""
    left_out: int = 0
    """Sections omitted after the last row of `contents`."""
    resume: int | None = None
    """Index of the first passage of the first omitted section."""

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
    """Index of the requested passage in `passages`."""
    first: int
    """Number of passages of the document before `passages`."""
    total: int
    section: Section | None
    whole_section: bool


@dataclass(frozen=True, slots=True)
class AdaptiveReader:
    store: Store
    budget: int = READ_TOKENS

    async def read(self, caller: Caller, id: str, limit: int = 20, offset: int = 0) -> Reading:
        """Reads a document, section or passage.

        Raises:
            NotFound, NotReady, Unreadable: the document is missing, not read yet, or not readable.
            Invalid: the id names a matter, folder or citation, or an earlier version.
        """
        node = await find_node(self.store, caller, id)
        if node.kind not in WITH_TEXT or node.document is None:
            raise wrong_kind_error(node, "a document, section or passage")
        require_readable(node.document)
        require_current(node)
        limit, offset = page_bounds(limit, offset)
        if not current_revision(node)["chunk_count"]:
            return await self._raw(caller, node, limit, offset)
        if node.kind == "passage":
            return await self._page(caller, node, 1, 0)
        if estimate_tokens(_count_characters(node)) <= self.budget and offset == 0:
            return await self._page(caller, node, None, 0)
        if node.kind == "document" and offset == 0:
            return await self._contents(caller, node, limit)
        return await self._page(caller, node, limit, offset)

    async def around(self, caller: Caller, chunk_id: str, window: int = 1) -> Around:
        """Reads a passage with its neighbours. `window`: passages before and after, 1 to 10."""
        node = await find_node(self.store, caller, chunk_id)
        if node.kind != "passage":
            raise wrong_kind_error(node, "a passage")
        require_current(node)
        found = await neighbours(self.store, caller, node.id, around=min(max(window, 1), 10))
        rows, section = found["chunks"], found["section"]
        inside = [row for row in rows if section and row["start"] < section["end"] and row["end"] > section["start"]]
        return Around(
            node=node,
            passages=tuple(_without_overlaps(rows, 0, None)),
            anchor=next(n for n, row in enumerate(rows) if row["ordinal"] == found["anchor"]),
            first=rows[0]["ordinal"],
            total=found["total"],
            section=section,
            whole_section=section is not None and len(inside) == section["chunk_count"],
        )

    async def _page(self, caller: Caller, node: Node, limit: int | None, offset: int) -> Reading:
        """Reads up to `limit` passages from `offset`, at least one, within the budget. `limit` None: all, without a budget."""
        span = node.row["span"] if node.kind == "section" else None
        rows: list[StoredPassage] = []
        total, wanted = 0, limit
        while wanted is None or len(rows) < wanted:
            count = FETCH_BATCH if wanted is None else min(FETCH_BATCH, wanted - len(rows))
            page = await read_chunks(self.store, caller, node.id, match_count=count, skip=offset + len(rows))
            rows += page["chunks"]
            total = page["total"]
            if offset + len(rows) >= total or not page["chunks"]:
                break
        start, end = (span["start"], span["end"]) if span else (0, None)
        passages = tuple(_without_overlaps(rows, start, end))
        return Reading(node, passages if limit is None else self._cut_to_budget(passages), offset, total, self.budget)

    def _cut_to_budget(self, passages: Sequence[Passage]) -> Sequence[Passage]:
        used = 0
        for n, passage in enumerate(passages):
            used += estimate_tokens(len(passage.text))
            if n and used > self.budget:
                return passages[:n]
        return passages

    async def _contents(self, caller: Caller, node: Node, limit: int) -> Reading:
        """Returns a table of contents; for a document without sections, the first passages."""
        found = await document_contents(self.store, caller, node.id)
        if not found["sections"]:
            return await self._page(caller, node, limit, 0)
        rows, left_out, resume = build_contents(found["sections"], found["passages"], self.budget)
        before = sum(1 for _, end in found["passages"] if end <= found["sections"][0]["start"])
        opening: Sequence[Passage] = ()
        if before:
            opening_reader = replace(self, budget=self.budget // OPENING_SHARE)
            opening = (await opening_reader._page(caller, node, min(before, FETCH_BATCH), 0)).passages
        total = len(found["passages"])
        return Reading(node, opening, 0, total, self.budget, contents=rows, opening=before, left_out=left_out, resume=resume)

    async def _raw(self, caller: Caller, node: Node, limit: int, offset: int) -> Reading:
        assert node.document is not None
        view = await read_revision(self.store, caller, node.document["id"])
        span = node.row["span"]
        start, end = (span["start"], span["end"]) if span else (0, len(view.text))
        pieces = list(_split(view.text, start, end))
        passages = [view.passage(first, last, id=node.id) for first, last in pieces[offset : offset + limit]]
        return Reading(node, self._cut_to_budget(passages), offset, len(pieces), self.budget, raw=True)


def _count_characters(node: Node) -> int:
    span = node.row["span"] if node.kind == "section" else None
    return span["char_count"] if span else current_revision(node)["char_count"]


def _without_overlaps(rows: Sequence[StoredPassage], start: int, end: int | None) -> Iterator[Passage]:
    """Cuts passages so that they do not overlap, as parts of a long clause do, and clips them to [start, end)."""
    covered = start
    for row in rows:
        first, last = max(row["start"], covered), row["end"] if end is None else min(row["end"], end)
        if first < last:
            text = row["text"][first - row["start"] : last - row["start"]]
            yield Passage.from_row({**row, "start": first, "end": last, "text": text})
            covered = last


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields spans of at most RAW_PIECE_CHARS characters, cut at a line end in the second half if there is one."""
    while start < end:
        limit = min(start + RAW_PIECE_CHARS, end)
        cut = limit if limit == end else text.rfind("\n", start + RAW_PIECE_CHARS // 2, limit) + 1 or limit
        if text[start:cut].strip():
            yield start, cut
        start = cut
