"""Keyword and regular expression search: counts all matches in all documents, within a time limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from orderly.errors import DocumentNotFound
from orderly.models import Caller
from orderly.services.documents import (
    ALL_MATTERS,
    ReadCoverage,
    StoredFiles,
    StoredText,
    coverage_of_file,
    explain_scope,
    find_matters,
    group_by_matter,
    load_coverage,
    page_bounds,
)
from orderly.services.isolation import RegexMatcher, TooSlow
from orderly.services.policy import restrict_within
from orderly.services.search.keyword_queries import (
    MAX_APART,
    DocumentMatches,
    KeywordMode,
    KeywordQuery,
    KeywordResult,
    Place,
    compile_keywords,
    join_apart,
    matches_apart,
)
from orderly.services.search.raw_text import NO_TIME, read_files, without_passages
from orderly.services.text import Passage, Snippet, cut_snippets, validate_query
from orderly.store.base import Store
from orderly.store.functions.matters import Matter
from orderly.store.functions.revisions import SpanPlace, locate_spans
from orderly.store.functions.search import ApartText, DocumentText, matter_texts, search_chunks, searched_documents

SLOW_DOCUMENT = 10.0
"""Longest time limit in seconds for one document."""

SHORTEST_SHARE = 0.5
"""Shortest time limit in seconds for one document. Between the two, the remaining time is shared by the remaining documents."""

RESERVE = 1.5
"""Seconds of the time limit reserved for building the result."""

GRACE = 0.5
"""Seconds of `RESERVE` in which a late match is stopped."""

MAX_RANKED = 1_000
"""Passages per matter in a full text search."""

MAX_CONTEXT = 20

Scope = tuple[Matter, list[str] | None]
"""A matter, and the ids in it to keep to; None: all of it."""


@dataclass(frozen=True, slots=True)
class KeywordText:
    """A text to search: of a revision, or of a stored file that has none."""

    document_id: str
    document_name: str
    matter_number: str
    text: str
    spans: Sequence[Sequence[int]] | None
    """The parts to search; None: all."""
    apart: Sequence[ApartText] = ()
    """Words kept out of the text."""
    revision_id: str = ""
    stored: StoredText | None = None


@dataclass(frozen=True, slots=True)
class MatchedText:
    """A text with its matches."""

    source: KeywordText
    count: int
    spans: Sequence[tuple[int, int]]
    groups: int
    """Number of the query's terms that matched."""


@dataclass(frozen=True, slots=True)
class KeywordSearch:
    store: Store
    files: StoredFiles
    matcher: RegexMatcher
    seconds: float
    """Time limit of a search. A partial result names the documents that were not searched."""

    async def search(self, caller: Caller, matter_ref: str, query: KeywordQuery) -> KeywordResult:
        """Searches a matter, or all matters for "all".

        Raises:
            Invalid: the regular expression is invalid.
            NotFound: the matter, or an id in `within`, is missing or not accessible.
        """
        query = replace(_validate(query), within=restrict_within(caller, query.within))
        ends = time.monotonic() + self.seconds - RESERVE
        async with explain_scope(self.store, caller, query.within):
            scopes = await self._scopes(caller, matter_ref, query)
            listings = [await searched_documents(self.store, caller, m["id"], within=ids) for m, ids in scopes]
        result = KeywordResult(
            query=query.query,
            mode=query.mode,
            matter=scopes[0][0]["number"] if len(scopes) == 1 else ALL_MATTERS,
            documents=[d for listing in listings for d in listing["documents"]],
            scoped=bool(query.within),
            offset=query.offset,
        )
        keywords = compile_keywords(query.query) if query.mode == "keyword" else None
        pattern = keywords.pattern if keywords else query.query
        needed = len(keywords.terms) if keywords else 0
        remaining = sum(d["chunk_count"] is not None for d in result.documents)
        async for text in self._texts(caller, scopes, query, result, ends):
            found = await self._match(pattern, query, text, result, ends, max(remaining, 1))
            await self._match_apart(pattern, needed, query, text, result)
            remaining -= 1
            if found is not None and found.groups >= needed:
                await self._add(caller, found, query, result)
        if result.count:
            return replace(result, read=[])
        if keywords and not (query.case_sensitive or result.out_of_time):
            result = await self._word_forms(caller, scopes, query, result)
        return replace(result, read=[*await self._coverage(caller, scopes, result), *result.read])

    async def _scopes(self, caller: Caller, matter_ref: str, query: KeywordQuery) -> list[Scope]:
        """Returns the matters to search, each with the ids to keep to."""
        if query.within and matter_ref.strip().lower() == ALL_MATTERS:
            return [*await group_by_matter(self.store, caller, query.within)]
        within = list(query.within) if query.within else None
        return [(matter, within) for matter in await find_matters(self.store, caller, matter_ref)]

    async def _texts(
        self, caller: Caller, scopes: Sequence[Scope], query: KeywordQuery, result: KeywordResult, ends: float
    ) -> AsyncIterator[KeywordText]:
        """Yields the texts of revisions, then those of files without a revision, until the time limit."""
        for matter, within in scopes:
            after: int | None = 0
            while after is not None:
                try:
                    async with asyncio.timeout(ends - time.monotonic()):
                        page = await matter_texts(self.store, caller, matter["id"], query.query, after=after, within=within)
                except TimeoutError:
                    result.out_of_time = True
                    return
                for row in page["documents"]:
                    if time.monotonic() >= ends:
                        result.out_of_time = True
                        return
                    yield _text_of_row(row, matter["number"])
                after = page["next"]
            async for text in self._file_texts(caller, matter, within, result, ends):
                yield text

    async def _file_texts(
        self, caller: Caller, matter: Matter, within: list[str] | None, result: KeywordResult, ends: float
    ) -> AsyncIterator[KeywordText]:
        listing = await searched_documents(self.store, caller, matter["id"], within=within)
        waiting = without_passages(listing["documents"])
        if not waiting:
            return
        read = await read_files(self.store, self.files, caller, waiting, ends - time.monotonic())
        result.raw_unread = {**result.raw_unread, **read.unread}
        for document in waiting:
            if (stored := read.texts.get(document["id"])) is None:
                continue
            if time.monotonic() >= ends:
                result.raw_unread = {**result.raw_unread, document["id"]: NO_TIME}
                continue
            yield KeywordText(document["id"], document["filename"], matter["number"], stored.text, None, stored=stored)

    async def _match(
        self, pattern: str, query: KeywordQuery, source: KeywordText, result: KeywordResult, ends: float, remaining: int
    ) -> MatchedText | None:
        """Searches a text. None without matches, or if the search was stopped, which `result` records.

        `remaining`: documents that are still to be searched, with this one.
        """
        left = max(ends - time.monotonic(), 0.1)
        seconds = min(left, SLOW_DOCUMENT, max(left / remaining, SHORTEST_SHARE))
        try:
            async with asyncio.timeout(ends + GRACE - time.monotonic()):
                matches = await self.matcher.match(
                    pattern, source.text, source.spans, ignore_case=not query.case_sensitive, seconds=seconds
                )
        except TooSlow:
            result.too_slow.append(source.document_name)
            return None
        except TimeoutError:  # other searches occupied the processes
            result.out_of_time = True
            return None
        result.searched.append(source.document_id)
        if source.stored is not None:
            result.raw_searched.append(source.document_id)
            result.read.append(coverage_of_file(source.document_name, source.stored))
        if not matches.count:
            return None
        return MatchedText(source, matches.count, matches.spans, matches.groups)

    async def _match_apart(
        self, pattern: str, needed: int, query: KeywordQuery, source: KeywordText, result: KeywordResult
    ) -> None:
        """Searches the words that were kept out of a document's text, until enough are found."""
        if not source.apart or len(result.apart) >= MAX_APART:
            return
        words = join_apart(source.apart)
        try:
            async with asyncio.timeout(SLOW_DOCUMENT):
                found = await self.matcher.match(
                    pattern, words, None, ignore_case=not query.case_sensitive, seconds=SHORTEST_SHARE
                )
        except (TooSlow, TimeoutError):
            result.too_slow.append(f"{source.document_name} (words kept out of its text)")
            return
        if found.count and found.groups >= needed:
            matches = matches_apart(source.document_id, source.document_name, source.apart, found.spans)
            result.apart += [*matches][: MAX_APART - len(result.apart)]

    async def _add(self, caller: Caller, found: MatchedText, query: KeywordQuery, result: KeywordResult) -> None:
        """Adds a document's matches to the result, with the places that belong to the requested page."""
        source = found.source
        document = DocumentMatches(source.document_id, source.document_name, source.matter_number, found.count)
        result.by_document.append(document)
        context = min(max(query.context_lines, 0), MAX_CONTEXT)
        places = await asyncio.to_thread(cut_snippets, source.text, found.spans, context)
        first = max(result.offset - result.place_count, 0)
        room = query.limit - len(result.places)
        result.place_count += len(places)
        if shown := places[first : first + room]:
            located = await self._locate(caller, source, shown)
            result.places += [_place(source, snippet, where, query.mode) for snippet, where in zip(shown, located, strict=True)]

    async def _locate(self, caller: Caller, source: KeywordText, snippets: Sequence[Snippet]) -> Sequence[SpanPlace]:
        if source.stored is not None:
            return [_place_in_file(source.stored, snippet) for snippet in snippets]
        spans = [[s.first_match, s.last_match] for s in snippets]
        return await locate_spans(self.store, caller, source.document_id, revision_id=source.revision_id, spans=spans)

    async def _coverage(self, caller: Caller, scopes: Sequence[Scope], result: KeywordResult) -> list[ReadCoverage]:
        """Reports how the indexed documents that were searched were read."""
        coverage: dict[str, ReadCoverage] = {}
        for matter, within in scopes:
            coverage |= await load_coverage(self.store, caller, matter["id"], within)
        searched = set(result.searched) - set(result.raw_searched)
        return [read for id, read in coverage.items() if id in searched]

    async def _word_forms(
        self, caller: Caller, scopes: Sequence[Scope], query: KeywordQuery, exact: KeywordResult
    ) -> KeywordResult:
        """Searches by full text, interleaving the matters, as their ranks are not comparable."""
        ranked: list[list[Place]] = []
        result = replace(exact, by_document=[], places=[], word_forms=True)
        for matter, within in scopes:
            rows = await search_chunks(self.store, caller, matter["id"], query.query, match_count=MAX_RANKED, within=within)
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


def _validate(query: KeywordQuery) -> KeywordQuery:
    if malformed := [id for id in query.within or () if not id.isprintable()]:
        raise DocumentNotFound(malformed[0])
    limit, offset = page_bounds(query.limit, query.offset)
    return replace(query, query=validate_query(query.query, "query"), limit=limit, offset=offset)


def _text_of_row(row: DocumentText, matter_number: str) -> KeywordText:
    return KeywordText(
        row["document_id"],
        row["document_name"],
        matter_number,
        row["text"],
        row["spans"],
        apart=row["apart"],
        revision_id=row["revision_id"],
    )


def _place_in_file(stored: StoredText, snippet: Snippet) -> SpanPlace:
    return SpanPlace(
        start=snippet.first_match,
        end=snippet.last_match,
        page_first=stored.page_at(snippet.first_match),
        page_last=stored.page_at(snippet.last_match - 1),
        paged=stored.paged,
        section_id=None,
        section_label=None,
        section_title=None,
        chunk_id=None,
    )


def _place(source: KeywordText, snippet: Snippet, where: SpanPlace, mode: KeywordMode) -> Place:
    passage = Passage(
        document_id=source.document_id,
        document_name=source.document_name,
        revision_id=source.revision_id,
        id=where["chunk_id"] or where["section_id"] or source.document_id,
        start=snippet.start,
        end=snippet.end,
        text=source.text[snippet.start : snippet.end],
        paged=where["paged"],
        page_first=where["page_first"],
        page_last=where["page_last"],
        section_label=where["section_label"],
        section_title=where["section_title"],
    )
    matched = dict.fromkeys(source.text[start:end] for start, end in snippet.matches) if mode == "regex" else {}
    return Place(passage, len(snippet.matches), source.matter_number, tuple(matched), raw=source.stored is not None)
