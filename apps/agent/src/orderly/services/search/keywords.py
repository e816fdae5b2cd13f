"""Keyword and regular expression search: counts all matches in all documents, within a time limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from orderly.errors import DocumentNotFound, Invalid
from orderly.models import Caller
from orderly.services.documents import ALL_MATTERS, find_matters, page_bounds
from orderly.services.isolation import RegexMatcher, TooSlow
from orderly.services.search.keyword_queries import (
    DocumentMatches,
    KeywordMode,
    KeywordQuery,
    KeywordResult,
    Place,
    compile_keywords,
)
from orderly.services.text import Passage, Snippet, cut_snippets, validate_query
from orderly.store.base import Store
from orderly.store.functions.documents import list_documents
from orderly.store.functions.matters import Matter
from orderly.store.functions.revisions import SpanPlace, locate_spans
from orderly.store.functions.search import DocumentText, matter_texts, search_chunks

SLOW_DOCUMENT = 10.0
"""Timeout in seconds for one document."""

RESERVE = 1.5
"""Seconds of the time limit reserved for building the result."""

GRACE = 0.5
"""Seconds of `RESERVE` in which a late match is stopped."""

MAX_RANKED = 1_000
"""Passages per matter in a full text search."""

MAX_CONTEXT = 20


@dataclass(frozen=True, slots=True)
class MatchedText:
    """A document's text with its matches."""

    row: DocumentText
    matter_number: str
    count: int
    spans: Sequence[tuple[int, int]]
    groups: int
    """Number of the query's terms that matched."""


@dataclass(frozen=True, slots=True)
class KeywordSearch:
    store: Store
    matcher: RegexMatcher
    seconds: float
    """Time limit of a search. A partial result names the documents that were not searched."""

    async def search(self, caller: Caller, matter_ref: str, query: KeywordQuery) -> KeywordResult:
        """Searches a matter, or all matters for "all".

        Raises:
            Invalid: the regular expression is invalid.
            NotFound: the matter, or an id in `within`, is missing or not accessible.
        """
        query = _validate(query, matter_ref)
        matters = await find_matters(self.store, caller, matter_ref)
        ends = time.monotonic() + self.seconds - RESERVE
        listings = [await list_documents(self.store, caller, m["id"]) for m in matters]
        result = KeywordResult(
            query=query.query,
            mode=query.mode,
            matter=matters[0]["number"] if len(matters) == 1 else ALL_MATTERS,
            documents=[d for listing in listings for d in listing["documents"]],
            offset=query.offset,
        )
        keywords = compile_keywords(query.query) if query.mode == "keyword" else None
        pattern = keywords.pattern if keywords else query.query
        needed = len(keywords.terms) if keywords else 0
        async for row, number in self._texts(caller, matters, query, result, ends):
            found = await self._match(pattern, query, row, number, result, ends)
            if found is not None and found.groups >= needed:
                await self._add(caller, found, query, result)
        if keywords and not (result.count or query.case_sensitive or result.out_of_time):
            return await self._word_forms(caller, matters, query, result)
        return result

    async def _texts(
        self,
        caller: Caller,
        matters: Sequence[Matter],
        query: KeywordQuery,
        result: KeywordResult,
        ends: float,
    ) -> AsyncIterator[tuple[DocumentText, str]]:
        """Yields texts and matter numbers until the time limit."""
        for matter in matters:
            after: int | None = 0
            while after is not None:
                try:
                    async with asyncio.timeout(ends - time.monotonic()):
                        page = await matter_texts(
                            self.store, caller, matter["id"], query.query, after=after, within=_within(query)
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
        self, pattern: str, query: KeywordQuery, row: DocumentText, number: str, result: KeywordResult, ends: float
    ) -> MatchedText | None:
        """Searches a text. None without matches, or if the search was stopped, which `result` records."""
        seconds = min(SLOW_DOCUMENT, max(ends - time.monotonic(), 0.1))
        try:
            async with asyncio.timeout(ends + GRACE - time.monotonic()):
                matches = await self.matcher.match(
                    pattern, row["text"], row["spans"], ignore_case=not query.case_sensitive, seconds=seconds
                )
        except TooSlow:
            result.too_slow.append(row["document_name"])
            return None
        except TimeoutError:  # other searches occupied the processes
            result.out_of_time = True
            return None
        result.searched += 1
        if not matches.count:
            return None
        return MatchedText(row, number, matches.count, matches.spans, matches.groups)

    async def _add(self, caller: Caller, found: MatchedText, query: KeywordQuery, result: KeywordResult) -> None:
        """Adds a document's matches to the result, with the places that belong to the requested page."""
        row = found.row
        document = DocumentMatches(row["document_id"], row["document_name"], found.matter_number, found.count)
        result.by_document.append(document)
        context = min(max(query.context_lines, 0), MAX_CONTEXT)
        places = await asyncio.to_thread(cut_snippets, row["text"], found.spans, context)
        first = max(result.offset - result.place_count, 0)
        room = query.limit - len(result.places)
        result.place_count += len(places)
        if shown := places[first : first + room]:
            spans = [[s.first_match, s.last_match] for s in shown]
            located = await locate_spans(self.store, caller, row["document_id"], revision_id=row["revision_id"], spans=spans)
            result.places += [_place(found, snippet, where, query.mode) for snippet, where in zip(shown, located, strict=True)]

    async def _word_forms(
        self, caller: Caller, matters: Sequence[Matter], query: KeywordQuery, exact: KeywordResult
    ) -> KeywordResult:
        """Searches by full text, interleaving the matters, as their ranks are not comparable."""
        ranked: list[list[Place]] = []
        result = replace(exact, by_document=[], places=[], word_forms=True)
        for matter in matters:
            rows = await search_chunks(
                self.store, caller, matter["id"], query.query, match_count=MAX_RANKED, within=_within(query)
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
        result.places = places[query.offset : query.offset + query.limit]
        return result


def _validate(query: KeywordQuery, matter_ref: str) -> KeywordQuery:
    if query.within is not None and matter_ref.strip().lower() == ALL_MATTERS:
        raise Invalid("To search within documents or folders, name their matter.")
    if malformed := [id for id in query.within or () if not id.isprintable()]:
        raise DocumentNotFound(malformed[0])
    limit, offset = page_bounds(query.limit, query.offset)
    return replace(query, query=validate_query(query.query, "query"), limit=limit, offset=offset)


def _within(query: KeywordQuery) -> list[str] | None:
    return None if query.within is None else list(query.within)


def _place(found: MatchedText, snippet: Snippet, where: SpanPlace, mode: KeywordMode) -> Place:
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
