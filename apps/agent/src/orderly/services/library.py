"""What a caller may do with the documents of their matters. Every method checks access before anything else is read."""

from __future__ import annotations

import asyncio
import fnmatch
import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from orderly.errors import DocumentNotFound, Invalid, MatterNotFound, NotReady, SightFailed
from orderly.models import Caller
from orderly.services.citations import Resolution, Verifier, resolve_quotation
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents import (
    ALL_MATTERS,
    ClauseReport,
    DocumentText,
    ExtractionResult,
    Part,
    Read,
    explained,
    extract_answer,
    find_clauses,
    of_row,
    read_revision,
    select_parts,
)
from orderly.services.engines import LegalEngine
from orderly.services.files import temporary_folder
from orderly.services.policy import kept, matter_usage, only_kept, policy_of
from orderly.services.search import Mode, SearchResult, passages_near, search_everywhere, search_matter
from orderly.services.text import Passage, sanitise_text
from orderly.services.text import validate_query as checked_question
from orderly.services.visuals import VisualResult, VisualSearch
from orderly.store.base import CallersBlobs, Store
from orderly.store.functions.conversations import chat_workspace, run_opening
from orderly.store.functions.deletion import ListedReceipt, list_receipts
from orderly.store.functions.documents import Document, FullDocument, get_document, list_documents, owning_document
from orderly.store.functions.firm import withheld_tools
from orderly.store.functions.health import HealthReport, get_health, hidden_text, reading_coverage
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
    """A name pattern or content type was asked for, so that "none" does not mean that the matter is empty."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What a run asks when it begins."""

    matters: list[Matter]
    workspace: Matter | None
    withheld: frozenset[str]


@dataclass(frozen=True, slots=True)
class Library:
    store: Store
    blobs: CallersBlobs
    engine: LegalEngine
    processor: DocumentProcessor
    read_budget: int
    sight: VisualSearch | None = None
    """Where a service that sees pages is set up."""

    async def matters(self, caller: Caller) -> list[Matter]:
        return kept(caller, await list_matters(self.store, caller))

    async def matter(self, caller: Caller, matter_ref: str) -> Matter:
        return await get_matter(self.store, caller, _reference(matter_ref))

    async def workspace(self, caller: Caller, *, make: bool = False) -> Matter | None:
        """The private matter of the caller's conversation, made on first use when `make`; None where there is none."""
        if caller.thread_id is None and not make:
            return None
        return await chat_workspace(self.store, caller, make=make or None)

    async def withheld_tools(self, caller: Caller, client_id: str) -> frozenset[str]:
        """Names of the tools that the caller's firm does not grant to a client ("orderly", "mcp")."""
        return frozenset(await withheld_tools(self.store, caller, client_id))

    async def opening(self, caller: Caller, client_id: str) -> Opening:
        """`matters` (all, whatever a question is kept to), `workspace` and `withheld_tools` in one call."""
        found = await run_opening(self.store, caller, client_id)
        return Opening(found["matters"], found["workspace"], frozenset(found["withheld"]))

    async def hidden_text(self, caller: Caller, document_ids: Sequence[str]) -> dict[str, int]:
        """In how many places hidden text was kept out of a document's text, by id; only documents with any."""
        return await hidden_text(self.store, caller, list(document_ids))

    async def relevant(self, caller: Caller, matter_id: str, message: str, limit: int, similarity: float) -> list[Passage]:
        """The passages of a matter that are nearest to a message, from a cosine `similarity` on: best first."""
        async with policy_of(self.store, caller, matter_ref=matter_id):
            return await passages_near(self.store, self.engine, caller, matter_id, message, limit, similarity)

    async def documents(
        self, caller: Caller, matter_ref: str, filename_pattern: str | None = None, content_type: str | None = None
    ) -> DocumentList:
        """`filename_pattern`: a glob, without regard to case. `content_type`: a prefix such as "text/"."""
        async with explained(self.store, caller, matter_ref, "matter"):
            listing = await list_documents(self.store, caller, _reference(matter_ref))
        only_kept(caller, listing["matter"])
        documents = listing["documents"]
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
        """`matter_ref` "all": every matter of the caller. `within`: ids of documents, folders and sections to keep to."""
        if self.sight is None or mode != "hybrid" or within is not None:
            result = await self._search(caller, matter_ref, query, max_results, within, mode)
        else:
            result, sighted = await asyncio.gather(
                self._search(caller, matter_ref, query, max_results, within, mode),
                _sighted(self.sight, caller, matter_ref, query, max_results),
            )
            if isinstance(sighted, str):
                result = replace(result, sight_failed=sighted)
            elif sighted.by_sight:
                result = replace(result, seen=_unread(sighted, result))
        if result.passages or not result.documents:
            return result
        return replace(result, read=tuple(await self.coverage(caller, matter_ref, within, result.named)))

    async def _search(
        self, caller: Caller, matter_ref: str, query: str, max_results: int, within: Sequence[str] | None, mode: Mode
    ) -> SearchResult:
        query, limit = checked_question(query, "query"), min(max(max_results, 1), 100)
        if odd := [id for id in within or () if not id.isprintable()]:
            raise DocumentNotFound(odd[0])
        if matter_ref.strip().lower() != ALL_MATTERS:
            async with explained(self.store, caller, matter_ref, "matter"):
                matter_ref = _reference(matter_ref)
                async with (
                    policy_of(self.store, caller, matter_ref=matter_ref),
                    matter_usage.on_matter(self.store, caller, matter_ref),
                ):
                    return await search_matter(self.store, self.engine, caller, matter_ref, query, limit, within, mode)
        if within is not None:
            raise Invalid("To search within documents or folders, name their matter.")
        async with policy_of(self.store, caller), matter_usage.on_caller(self.store, caller):
            return await search_everywhere(self.store, self.engine, caller, query, limit, mode)

    async def extract(self, caller: Caller, document_id: str, question: str) -> ExtractionResult:
        question = checked_question(question, "question")
        document_id = await self._document(caller, document_id)
        async with self._charged_and_permitted(caller, document_id):
            return await extract_answer(self.store, self.engine, caller, document_id, question)

    async def classify(self, caller: Caller, document_id: str, clause_types: Sequence[str] | None) -> ClauseReport:
        clause_types = _clause_types(clause_types or ())
        document_id = await self._document(caller, document_id)
        async with self._charged_and_permitted(caller, document_id):
            return await find_clauses(self.store, self.engine, caller, document_id, clause_types)

    @asynccontextmanager
    async def _charged_and_permitted(self, caller: Caller, document_id: str) -> AsyncIterator[None]:
        async with (
            policy_of(self.store, caller, document_id=document_id),
            matter_usage.on_matter_of(self.store, caller, document_id),
        ):
            yield

    async def _document(self, caller: Caller, id: str) -> str:
        """Takes the id of a document, or of a passage or section that a tool has named."""
        if not id.isprintable():
            raise DocumentNotFound(id)
        async with explained(self.store, caller, id, "document"):
            owner = await owning_document(self.store, caller, id)
        return owner["document_id"]

    async def text(
        self, caller: Caller, document_id: str, first_page: int | None = None, last_page: int | None = None
    ) -> DocumentText:
        """The stored revision's text; where none is stored yet, the file is read now, and the result says so."""
        document_id = await self._document(caller, document_id)
        document = await get_document(self.store, caller, document_id)
        if document["revision"] is None:
            async with policy_of(self.store, caller, document_id=document_id):
                return await self._read_file(caller, document)
        view = await read_revision(self.store, caller, document_id)
        return select_parts(view, first_page, last_page, self.read_budget)

    async def _read_file(self, caller: Caller, document: FullDocument) -> DocumentText:
        if document["status"] in ("uploading", "deleted"):
            raise NotReady
        async with temporary_folder() as folder:
            path = folder / "file"
            await self.blobs.of(caller).get(document["storage_key"], path)
            extracted = await self.processor.extract(path, document["filename"], content_type=document["content_type"])
        pages = [Part(p.number, extracted.text[p.start : p.end], p.flags) for p in extracted.pages]
        return DocumentText(
            name=document["filename"],
            status=document["status"],
            status_reason=document["status_reason"],
            paged=extracted.paged,
            total=len(pages),
            parts=tuple(pages),
            complete=True,
            outline=(),
            character_count=len(extracted.text),
            notes=extracted.notes,
            document_id=document["id"],
            revision_id=None,
        )

    async def health(self, caller: Caller, document_id: str) -> HealthReport:
        """How a document was read."""
        document_id = await self._document(caller, document_id)
        return await get_health(self.store, caller, document_id)

    async def receipts(self, caller: Caller, matter_ref: str) -> list[ListedReceipt]:
        """What was deleted from a matter, newest first."""
        return await list_receipts(self.store, caller, _reference(matter_ref))

    async def resolve(
        self,
        caller: Caller,
        id: str,
        quote: str,
        page: int | None = None,
        start: int | None = None,
        section: str | None = None,
    ) -> Resolution:
        """The citation gate's decision on one quotation. `id`: of a document, section, passage or stored citation."""
        return await resolve_quotation(self.store, caller, id, quote, page, start, section)

    async def coverage(
        self, caller: Caller, matter_ref: str, within: Sequence[str] | None = None, names: Sequence[str] = ()
    ) -> list[Read]:
        """How each document was read: what "not found" rests on.

        Of those whose ids are in `within` (places inside documents, and folders, keep to nothing here), and of those with one
        of the `names`, where there are any.
        """
        refs = [_reference(matter_ref)]
        if matter_ref.strip().lower() == ALL_MATTERS:
            refs = [matter["id"] for matter in await self.matters(caller)]
        rows = [row for ref in refs for row in await reading_coverage(self.store, caller, ref)]
        kept = [row for row in rows if row["document_id"] in (within or ())] or rows
        return [of_row(row) for row in kept if not names or row["filename"] in names]

    async def record_answer(
        self, caller: Caller, question: str, model: str, answer: str, citations: Sequence[Mapping[str, Any]]
    ) -> bool:
        """Places are recorded, and the answer's hash: a purge could not take a document's words out of the record again.

        False where the conversation is closed meanwhile.
        """
        places: list[CitedSpan] = [
            {"document_id": c["document_id"], "revision_id": c["revision_id"], "start": c["start"], "end": c["end"]}
            for c in citations
        ]
        recorded = await record_answer(
            self.store,
            caller,
            question=sanitise_text(question),
            model=model,
            answer_sha256=hashlib.sha256(answer.encode(errors="surrogatepass")).hexdigest(),
            citations=places,
        )
        return not recorded["closed"]

    def verifier(self, caller: Caller) -> Verifier:
        """For the quotations of one answer."""
        return Verifier(self.store, caller)


async def _sighted(sight: VisualSearch, caller: Caller, matter_ref: str, query: str, limit: int) -> VisualResult | str:
    """What was found by sight, or why nothing could be."""
    try:
        return await sight.search(caller, matter_ref, query, limit)
    except SightFailed as error:
        return error.message


def _unread(sighted: VisualResult, result: SearchResult) -> VisualResult:
    """Without the pages that a passage of the result comes from."""
    read = {(p.document_id, page) for p in result.passages for page in range(p.page_first, p.page_last + 1)}
    return replace(sighted, hits=tuple(hit for hit in sighted.hits if (hit.document_id, hit.page) not in read))


def _reference(matter_ref: str) -> str:
    """What no id or number can be is not found, like any other that is not there."""
    if not matter_ref.isprintable():
        raise MatterNotFound(matter_ref)
    return matter_ref


def _clause_types(given: Sequence[str]) -> list[str]:
    """Each is a question to the whole document, so their number is bounded."""
    types = [" ".join(checked_question(t, "clause type", MAX_CLAUSE_TYPE).split()) for t in given if t.strip()]
    if len(types) > MAX_CLAUSE_TYPES:
        raise Invalid(f"Ask for at most {MAX_CLAUSE_TYPES} clause types at a time.")
    return types
