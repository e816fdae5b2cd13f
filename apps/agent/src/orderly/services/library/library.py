"""The documents of a caller's matters: listing, search, reading, extraction. Every method checks access first."""

from __future__ import annotations

import asyncio
import fnmatch
import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from orderly.errors import DocumentNotFound, Invalid, MatterNotFound
from orderly.models import Caller
from orderly.services.citations import Resolution, resolve_quotation
from orderly.services.documents import (
    ALL_MATTERS,
    ClauseReport,
    DocumentText,
    ExtractionResult,
    Opening,
    PartRange,
    StoredFiles,
    explain_kind,
    explain_scope,
    extract_answer,
    find_clauses,
    parts_of_file,
    parts_of_revision,
    read_openings,
    read_revision,
)
from orderly.services.engines import LegalEngine, engine_seconds
from orderly.services.library.page_hits import search_pages, with_pages
from orderly.services.policy import (
    matter_usage,
    policy_of,
    require_document_in_scope,
    restrict_matters,
    restrict_within,
)
from orderly.services.questions import (
    respelt,
)
from orderly.services.search import Mode, SearchQuery, SearchResult, passages_near, search_all_matters, search_matter
from orderly.services.text import Passage, sanitise_text, validate_query
from orderly.services.visuals import VisualSearch
from orderly.store.base import Store
from orderly.store.functions.conversations import chat_workspace, run_opening
from orderly.store.functions.deletion import ListedReceipt, list_receipts
from orderly.store.functions.documents import Document, get_document, list_documents, owning_document
from orderly.store.functions.firm import withheld_tools
from orderly.store.functions.health import HealthReport, get_health, hidden_text
from orderly.store.functions.matters import Matter, get_matter, list_matters
from orderly.store.functions.record import CitedSpan, record_answer

MAX_CLAUSE_TYPES = 50
MAX_CLAUSE_TYPE = 500
"""Characters."""


@dataclass(frozen=True, slots=True)
class DocumentList:
    matter: Matter
    documents: Sequence[Document]
    filtered: bool
    """Whether a filter was applied, so that an empty list does not mean an empty matter."""


@dataclass(frozen=True, slots=True)
class RunStart:
    """Data that a run loads at its start."""

    matters: list[Matter]
    workspace: Matter | None
    withheld: frozenset[str]


@dataclass(frozen=True, slots=True)
class Library:
    store: Store
    files: StoredFiles
    engine: LegalEngine
    engine_seconds: float
    """Time limit for the calls to Isaacus of one question."""
    sight: VisualSearch | None = None
    """None if no service for visual search is configured."""

    async def matters(self, caller: Caller) -> list[Matter]:
        return restrict_matters(caller, await list_matters(self.store, caller))

    async def matter(self, caller: Caller, matter_ref: str) -> Matter:
        return await get_matter(self.store, caller, _validate_matter_ref(matter_ref))

    async def workspace(self, caller: Caller, *, make: bool = False) -> Matter | None:
        """Returns the conversation's private matter. `make` creates it on first use; without it, None if there is none."""
        if caller.thread_id is None and not make:
            return None
        return await chat_workspace(self.store, caller, make=make or None)

    async def withheld_tools(self, caller: Caller, client_id: str) -> frozenset[str]:
        """Returns the tools that the caller's firm withholds from a client ("orderly", "mcp")."""
        return frozenset(await withheld_tools(self.store, caller, client_id))

    async def run_start(self, caller: Caller, client_id: str) -> RunStart:
        """Loads all the caller's matters (ignoring the run's scope), the workspace and the withheld tools in one call."""
        found = await run_opening(self.store, caller, client_id)
        return RunStart(found["matters"], found["workspace"], frozenset(found["withheld"]))

    async def hidden_text(self, caller: Caller, document_ids: Sequence[str]) -> dict[str, int]:
        """Counts the hidden texts withheld from documents, by document id; only documents that have any."""
        return await hidden_text(self.store, caller, list(document_ids))

    async def relevant(self, caller: Caller, matter_id: str, message: str, limit: int, similarity: float) -> list[Passage]:
        """Returns the passages nearest to a message, with a cosine of at least `similarity`, best first."""
        async with policy_of(self.store, caller, matter_ref=matter_id):
            with engine_seconds(self.engine_seconds):
                return await passages_near(self.store, self.engine, caller, matter_id, message, limit, similarity)

    async def documents(
        self, caller: Caller, matter_ref: str, filename_pattern: str | None = None, content_type: str | None = None
    ) -> DocumentList:
        """Lists documents. `filename_pattern`: a case-insensitive glob. `content_type`: a prefix such as "text/"."""
        async with explain_kind(self.store, caller, matter_ref, "matter"):
            listing = await list_documents(self.store, caller, _validate_matter_ref(matter_ref))
        documents = [d for d in listing["documents"] if caller.documents is None or d["id"] in caller.documents]
        if filename_pattern:
            wanted = filename_pattern.lower()
            documents = [d for d in documents if fnmatch.fnmatchcase(d["filename"].lower(), wanted)]
        if content_type:
            documents = [d for d in documents if d["content_type"].lower().startswith(content_type.lower())]
        return DocumentList(listing["matter"], documents, bool(filename_pattern or content_type))

    async def search(
        self,
        caller: Caller,
        matter_ref: str,
        query: str,
        max_results: int,
        within: Sequence[str] | None = None,
        mode: Mode = "hybrid",
    ) -> SearchResult:
        """Searches a matter, or all matters for "all". `within`: ids of documents, folders and sections; None or none: all."""
        within = restrict_within(caller, within)
        if self.sight is None or mode != "hybrid" or within:
            return await self._search(caller, matter_ref, query, max_results, within, mode)
        result, visual = await asyncio.gather(
            self._search(caller, matter_ref, query, max_results, None, mode),
            search_pages(self.sight, caller, matter_ref, query, max_results),
        )
        return with_pages(result, visual)

    async def _search(
        self, caller: Caller, matter_ref: str, query: str, max_results: int, within: Sequence[str] | None, mode: Mode
    ) -> SearchResult:
        with engine_seconds(self.engine_seconds):
            return await self._search_in_time(caller, matter_ref, query, max_results, within, mode)

    async def _search_in_time(
        self, caller: Caller, matter_ref: str, query: str, max_results: int, within: Sequence[str] | None, mode: Mode
    ) -> SearchResult:
        wanted = SearchQuery(validate_query(query, "query"), min(max(max_results, 1), 100), within, mode)
        if malformed := [id for id in within or () if not id.isprintable()]:
            raise DocumentNotFound(malformed[0])
        if matter_ref.strip().lower() != ALL_MATTERS:
            async with (
                explain_kind(self.store, caller, matter_ref, "matter"),
                explain_scope(self.store, caller, within),
            ):
                matter_ref = _validate_matter_ref(matter_ref)
                async with (
                    policy_of(self.store, caller, matter_ref=matter_ref),
                    matter_usage.charge_matter(self.store, caller, matter_ref),
                ):
                    return await search_matter(self.store, self.engine, self.files, caller, matter_ref, wanted)
        async with policy_of(self.store, caller), matter_usage.charge_caller(self.store, caller):
            return await search_all_matters(self.store, self.engine, self.files, caller, wanted)

    async def extract(self, caller: Caller, document_id: str, question: str) -> ExtractionResult:
        question = validate_query(question, "question")
        document_id = await self.document_of(caller, document_id)
        async with self.engine_scope(caller, document_id):
            return await extract_answer(self.store, self.engine, caller, document_id, question)

    async def classify(self, caller: Caller, document_id: str, clause_types: Sequence[str] | None) -> ClauseReport:
        clause_types = [respelt(kind)[0] for kind in _clause_types(clause_types or ())]
        document_id = await self.document_of(caller, document_id)
        async with self.engine_scope(caller, document_id):
            return await find_clauses(self.store, self.engine, caller, document_id, clause_types)

    @asynccontextmanager
    async def engine_scope(self, caller: Caller, document_id: str) -> AsyncIterator[None]:
        async with (
            policy_of(self.store, caller, document_id=document_id),
            matter_usage.charge_document(self.store, caller, document_id),
        ):
            with engine_seconds(self.engine_seconds):
                yield

    async def document_of(self, caller: Caller, id: str) -> str:
        """Returns the document of an id, which can also name a passage or section."""
        if not id.isprintable():
            raise DocumentNotFound(id)
        async with explain_kind(self.store, caller, id, "document"):
            owner = await owning_document(self.store, caller, id)
        require_document_in_scope(caller, owner["document_id"])
        return owner["document_id"]

    async def text(
        self, caller: Caller, document_id: str, first_page: int | None = None, last_page: int | None = None
    ) -> DocumentText:
        """Returns the current revision's text. Without a revision, reads the stored file; `revision_id` is then None."""
        document_id = await self.document_of(caller, document_id)
        document = await get_document(self.store, caller, document_id)
        wanted = PartRange(first_page, last_page)
        if document["revision"] is None:
            async with policy_of(self.store, caller, document_id=document_id):
                return parts_of_file(document, await self.files.read(caller, document, ocr=True), wanted)
        return parts_of_revision(await read_revision(self.store, caller, document_id), wanted)

    async def health(self, caller: Caller, document_id: str) -> HealthReport:
        """Reports how a document was read."""
        document_id = await self.document_of(caller, document_id)
        return await get_health(self.store, caller, document_id)

    async def openings(self, caller: Caller, matter_ref: str, offset: int, limit: int) -> list[Opening]:
        """Returns parties and first dates that the openings of a matter's documents name."""
        documents = (await self.documents(caller, matter_ref)).documents
        return await read_openings(self.store, caller, documents[offset : offset + limit])

    async def receipts(self, caller: Caller, matter_ref: str) -> list[ListedReceipt]:
        """Lists the receipts of deletions from a matter, newest first."""
        return await list_receipts(self.store, caller, _validate_matter_ref(matter_ref))

    async def resolve(
        self,
        caller: Caller,
        id: str,
        quote: str,
        page: int | None = None,
        start: int | None = None,
        section: str | None = None,
    ) -> Resolution:
        """Returns the citation gate's decision on one quotation. `id`: a document, section, passage or citation."""
        if caller.documents is not None:
            id = await self.document_of(caller, id)
        return await resolve_quotation(self.store, caller, id, quote, page, start, section)

    async def record_answer(
        self, caller: Caller, question: str, model: str, answer: str, citations: Sequence[Mapping[str, Any]]
    ) -> bool:
        """Records an answer's hash and its cited spans, after verifying the spans again in the stored text.

        No text is recorded, as a purge could not remove it from the record.
        Returns False if the conversation has been closed.
        """
        places: list[CitedSpan] = [
            {
                "document_id": c["document_id"],
                "revision_id": c["revision_id"],
                "start": c["start"],
                "end": c["end"],
                "text_sha256": _sha256(c["text"]),
            }
            for c in citations
        ]
        recorded = await record_answer(
            self.store, caller, question=sanitise_text(question), model=model, answer_sha256=_sha256(answer), citations=places
        )
        return not recorded["closed"]

    async def support(self, caller: Caller, document_id: str, statement: str, quotations: Sequence[str]) -> float | None:
        """The engine's score of whether quotations of a document support a statement; None if it gives none."""
        async with self.engine_scope(caller, document_id):
            return await self.engine.support(statement, quotations)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _validate_matter_ref(matter_ref: str) -> str:
    """Raises MatterNotFound for a malformed id or number."""
    if not matter_ref.isprintable():
        raise MatterNotFound(matter_ref)
    return matter_ref


def _clause_types(given: Sequence[str]) -> list[str]:
    """Normalises clause types. Each is a query over the whole document, so their number is limited."""
    types = [" ".join(validate_query(t, "clause type", MAX_CLAUSE_TYPE).split()) for t in given if t.strip()]
    if len(types) > MAX_CLAUSE_TYPES:
        raise Invalid(f"Ask for at most {MAX_CLAUSE_TYPES} clause types at a time.")
    return types
