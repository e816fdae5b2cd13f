"""Exact words and regular expressions, in every document of a matter: all matches counted, no limit but time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from orderly.errors import DocumentNotFound, Invalid
from orderly.models import Caller
from orderly.services.documents import ALL_MATTERS, matters_called, page_bounds
from orderly.services.isolation import RegexMatcher, TooSlow
from orderly.services.search.keyword_query import keyword_query
from orderly.services.search.keyword_results import DocumentMatches, KeywordMode, KeywordQuestion, KeywordResult, Place
from orderly.services.text import Passage, Snippet, cut_snippets, validate_query
from orderly.store.base import Store
from orderly.store.functions.documents import list_documents
from orderly.store.functions.matters import Matter
from orderly.store.functions.revisions import SpanPlace, locate_spans
from orderly.store.functions.search import DocumentText, matter_texts, search_chunks

SLOW_DOCUMENT = 10.0
"""Seconds for one document, after which the others get their turn."""

RESERVE = 1.5
"""Seconds of the time limit kept for putting the answer together."""

GRACE = 0.5
"""Seconds past the time limit for a match that started late to be stopped, out of `RESERVE`."""

MOST_RANKED = 1_000
"""Passages that the full text search of one matter gives."""

MAX_CONTEXT = 20


@dataclass(frozen=True, slots=True)
class Found:
    """A document with matches, its text still at hand."""

    row: DocumentText
    matter_number: str
    count: int
    spans: Sequence[tuple[int, int]]
    groups: int
    """How many of the query's terms matched."""


@dataclass(frozen=True, slots=True)
class KeywordSearch:
    store: Store
    matcher: RegexMatcher
    seconds: float
    """For one search. What was found until then is given, and what was not searched is named."""

    async def search(self, caller: Caller, matter_ref: str, asked: KeywordQuestion) -> KeywordResult:
        """`matter_ref` "all": every matter of the caller.

        Raises:
            Invalid: the expression is none.
            NotFound: the matter, or an id in `within`, is none of the caller's.
        """
        asked = _checked(asked, matter_ref)
        matters = await matters_called(self.store, caller, matter_ref)
        ends = time.monotonic() + self.seconds - RESERVE
        listings = [await list_documents(self.store, caller, m["id"]) for m in matters]
        result = KeywordResult(
            query=asked.query,
            mode=asked.mode,
            matter=matters[0]["number"] if len(matters) == 1 else ALL_MATTERS,
            documents=[d for listing in listings for d in listing["documents"]],
            offset=asked.offset,
        )
        wanted = keyword_query(asked.query) if asked.mode == "keyword" else None
        pattern = wanted.pattern if wanted else asked.query
        needed = len(wanted.terms) if wanted else 0
        async for row, number in self._texts(caller, matters, asked, result, ends):
            found = await self._match(pattern, asked, row, number, result, ends)
            if found is not None and found.groups >= needed:
                await self._take(caller, found, asked, result)
        if wanted and not (result.count or asked.case_sensitive or result.out_of_time):
            return await self._word_forms(caller, matters, asked, result)
        return result

    async def _texts(
        self,
        caller: Caller,
        matters: Sequence[Matter],
        asked: KeywordQuestion,
        result: KeywordResult,
        ends: float,
    ) -> AsyncIterator[tuple[DocumentText, str]]:
        """Text by text, until the time is up."""
        for matter in matters:
            after: int | None = 0
            while after is not None:
                try:
                    async with asyncio.timeout(ends - time.monotonic()):
                        page = await matter_texts(
                            self.store, caller, matter["id"], asked.query, after=after, within=_within(asked)
                        )
                except TimeoutError:
                    result.out_of_time = True
                    return
                for row in page["documents"]:
                    if time.monotonic() >= ends:
                        result.out_of_time = True
                        return
                    yield row, matter["number"]
                after = page["next"]

    async def _match(
        self, pattern: str, asked: KeywordQuestion, row: DocumentText, number: str, result: KeywordResult, ends: float
    ) -> Found | None:
        """None also where the document was not searched to its end, which `result` then says."""
        seconds = min(SLOW_DOCUMENT, max(ends - time.monotonic(), 0.1))
        try:
            async with asyncio.timeout(ends + GRACE - time.monotonic()):
                matches = await self.matcher.match(
                    pattern, row["text"], row["spans"], ignore_case=not asked.case_sensitive, seconds=seconds
                )
        except TooSlow:
            result.too_slow.append(row["document_name"])
            return None
        except TimeoutError:  # other searches kept the processes busy
            result.out_of_time = True
            return None
        result.searched += 1
        if not matches.count:
            return None
        return Found(row, number, matches.count, matches.spans, matches.groups)

    async def _take(self, caller: Caller, found: Found, asked: KeywordQuestion, result: KeywordResult) -> None:
        """Count a document's matches, and keep its places that fall on the page asked for."""
        row = found.row
        document = DocumentMatches(row["document_id"], row["document_name"], found.matter_number, found.count)
        result.by_document.append(document)
        context = min(max(asked.context_lines, 0), MAX_CONTEXT)
        places = await asyncio.to_thread(cut_snippets, row["text"], found.spans, context)
        first = max(result.offset - result.place_count, 0)
        room = asked.limit - len(result.places)
        result.place_count += len(places)
        if shown := places[first : first + room]:
            spans = [[s.first_match, s.last_match] for s in shown]
            located = await locate_spans(self.store, caller, row["document_id"], revision_id=row["revision_id"], spans=spans)
            result.places += [_place(found, snippet, where, asked.mode) for snippet, where in zip(shown, located, strict=True)]

    async def _word_forms(
        self, caller: Caller, matters: Sequence[Matter], asked: KeywordQuestion, exact: KeywordResult
    ) -> KeywordResult:
        """By full text: one after the other from each matter, as ranks of two matters do not compare."""
        ranked: list[list[Place]] = []
        result = replace(exact, by_document=[], places=[], word_forms=True)
        for matter in matters:
            rows = await search_chunks(
                self.store, caller, matter["id"], asked.query, match_count=MOST_RANKED, within=_within(asked)
            )
            ranked.append([Place(Passage.from_row(row), 1, matter["number"]) for row in rows])
        depth = max(map(len, ranked), default=0)
        places = [places[n] for n in range(depth) for places in ranked if n < len(places)]
        for place in places:
            passage = place.passage
            known = next((d for d in result.by_document if d.document_id == passage.document_id), None)
            if known is None:
                known = DocumentMatches(passage.document_id, passage.document_name, place.matter_number, 0)
                result.by_document.append(known)
            known.count += 1
        result.place_count = len(places)
        result.places = places[asked.offset : asked.offset + asked.limit]
        return result


def _checked(asked: KeywordQuestion, matter_ref: str) -> KeywordQuestion:
    if asked.within is not None and matter_ref.strip().lower() == ALL_MATTERS:
        raise Invalid("To search within documents or folders, name their matter.")
    if odd := [id for id in asked.within or () if not id.isprintable()]:
        raise DocumentNotFound(odd[0])
    limit, offset = page_bounds(asked.limit, asked.offset)
    return replace(asked, query=validate_query(asked.query, "query"), limit=limit, offset=offset)


def _within(asked: KeywordQuestion) -> list[str] | None:
    return None if asked.within is None else list(asked.within)


def _place(found: Found, snippet: Snippet, where: SpanPlace, mode: KeywordMode) -> Place:
    row = found.row
    passage = Passage(
        document_id=row["document_id"],
        document_name=row["document_name"],
        revision_id=row["revision_id"],
        id=where["chunk_id"] or where["section_id"] or row["document_id"],
        start=snippet.start,
        end=snippet.end,
        text=row["text"][snippet.start : snippet.end],
        paged=where["paged"],
        page_first=where["page_first"],
        page_last=where["page_last"],
        section_label=where["section_label"],
        section_title=where["section_title"],
    )
    matched = dict.fromkeys(row["text"][start:end] for start, end in snippet.matches) if mode == "regex" else {}
    return Place(passage, len(snippet.matches), found.matter_number, tuple(matched))
