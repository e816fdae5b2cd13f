"""What a caller may do with the documents of their matters. Every method checks access before anything else is read."""

from __future__ import annotations

import fnmatch
import tempfile
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orderly.errors import DocumentNotFound, Invalid, MatterNotFound, NotReady
from orderly.models import Caller
from orderly.services.answering import ClauseReport, ExtractionResult, extract_answer, find_clauses, read_revision
from orderly.services.coverage import Read, of_row
from orderly.services.document_processor import DocumentProcessor
from orderly.services.engine import LegalEngine
from orderly.services.nearby import passages_near
from orderly.services.passages import Passage
from orderly.services.reading import DocumentText, Part, select_parts
from orderly.services.resolving import Resolution, resolve_quotation
from orderly.services.searching import Mode, SearchResult, search_matter
from orderly.services.searching_everywhere import search_everywhere
from orderly.services.verification import Verifier
from orderly.store.base import Blobs, Store

ALL_MATTERS = "all"

MAX_QUERY = 10_000
"""Characters. Longer questions are documents, and are refused rather than cut."""


@dataclass(frozen=True, slots=True)
class DocumentList:
    matter: Mapping[str, Any]
    documents: Sequence[Mapping[str, Any]]
    filtered: bool
    """A name pattern or content type was asked for, so that "none" does not mean that the matter is empty."""


@dataclass(frozen=True, slots=True)
class Library:
    store: Store
    blobs: Blobs
    engine: LegalEngine
    processor: DocumentProcessor
    read_budget: int

    async def matters(self, caller: Caller) -> list[dict[str, Any]]:
        matters: list[dict[str, Any]] = await self.store.rpc(caller, "list_matters", {})
        return matters

    async def matter(self, caller: Caller, matter_ref: str) -> dict[str, Any]:
        matter: dict[str, Any] = await self.store.rpc(caller, "get_matter", {"matter_ref": _reference(matter_ref)})
        return matter

    async def workspace(self, caller: Caller, *, make: bool = False) -> dict[str, Any] | None:
        """The private matter of the caller's conversation, made on first use when `make`; None where there is none."""
        matter: dict[str, Any] | None = await self.store.rpc(caller, "chat_workspace", {"make": make})
        return matter

    async def relevant(self, caller: Caller, matter_id: str, message: str, limit: int, similarity: float) -> list[Passage]:
        """The passages of a matter that are nearest to a message, from a cosine `similarity` on: best first."""
        return await passages_near(self.store, self.engine, caller, matter_id, message, limit, similarity)

    async def documents(
        self, caller: Caller, matter_ref: str, filename_pattern: str | None = None, content_type: str | None = None
    ) -> DocumentList:
        """`filename_pattern`: a glob, without regard to case. `content_type`: a prefix such as "text/"."""
        listing = await self.store.rpc(caller, "list_documents", {"matter_ref": _reference(matter_ref)})
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
        query, limit = _question(query, "query"), min(max(max_results, 1), 100)
        if odd := [id for id in within or () if not id.isprintable()]:
            raise DocumentNotFound(odd[0])
        if matter_ref.strip().lower() != ALL_MATTERS:
            return await search_matter(self.store, self.engine, caller, _reference(matter_ref), query, limit, within, mode)
        if within is not None:
            raise Invalid("To search within documents or folders, name their matter.")
        return await search_everywhere(self.store, self.engine, caller, query, limit, mode)

    async def extract(self, caller: Caller, document_id: str, question: str) -> ExtractionResult:
        question = _question(question, "question")
        document_id = await self._document(caller, document_id)
        return await extract_answer(self.store, self.engine, caller, document_id, question)

    async def classify(self, caller: Caller, document_id: str, clause_types: Sequence[str] | None) -> ClauseReport:
        document_id = await self._document(caller, document_id)
        return await find_clauses(self.store, self.engine, caller, document_id, clause_types)

    async def _document(self, caller: Caller, id: str) -> str:
        """Takes the id of a document, or of a passage or section that a tool has named."""
        if not id.isprintable():
            raise DocumentNotFound(id)
        owner = await self.store.rpc(caller, "owning_document", {"document_id": id})
        return str(owner["document_id"])

    async def text(
        self, caller: Caller, document_id: str, first_page: int | None = None, last_page: int | None = None
    ) -> DocumentText:
        """The stored revision's text; where none is stored yet, the file is read now, and the result says so."""
        document_id = await self._document(caller, document_id)
        document = await self.store.rpc(caller, "get_document", {"document_id": document_id})
        if document["revision"] is None:
            return await self._read_file(document)
        view = await read_revision(self.store, caller, document_id)
        return select_parts(view, first_page, last_page, self.read_budget)

    async def _read_file(self, document: Mapping[str, Any]) -> DocumentText:
        if document["status"] in ("uploading", "deleted"):
            raise NotReady
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "file"
            await self.blobs.get(document["storage_key"], path)
            extracted = await self.processor.extract(path, document["filename"], content_type=document["content_type"])
        pages = [Part(p.number, extracted.text[p.start : p.end], p.flags) for p in extracted.pages]
        return DocumentText(
            name=document["filename"],
            status=document["status"],
            status_reason=document["status_reason"] or "",
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

    async def resolve(
        self, caller: Caller, id: str, quote: str, page: int | None = None, start: int | None = None
    ) -> Resolution:
        """The citation gate's decision on one quotation. `id`: of a document, section, passage or stored citation."""
        return await resolve_quotation(self.store, caller, id, quote, page, start)

    async def coverage(self, caller: Caller, matter_ref: str, within: Sequence[str] | None = None) -> list[Read]:
        """How each document of the matter was read, or each of those in `within`: what "not found" rests on."""
        params = {"matter_ref": _reference(matter_ref), "within": list(within) if within is not None else None}
        return [of_row(row) for row in await self.store.rpc(caller, "reading_coverage", params)]

    def verifier(self, caller: Caller) -> Verifier:
        """For the quotations of one answer."""
        return Verifier(self.store, caller)


def _reference(matter_ref: str) -> str:
    """What no id or number can be is not found, like any other that is not there."""
    if not matter_ref.isprintable():
        raise MatterNotFound(matter_ref)
    return matter_ref


def _question(text: str, name: str) -> str:
    if any(unicodedata.category(char) in ("Cc", "Cs") and not char.isspace() for char in text):
        raise Invalid(f"The {name} contains characters that are not text.")
    if not text.strip():
        raise Invalid(f"The {name} is empty.")
    if len(text) > MAX_QUERY:
        raise Invalid(f"The {name} is longer than {MAX_QUERY:,} characters.")
    return text.strip()
