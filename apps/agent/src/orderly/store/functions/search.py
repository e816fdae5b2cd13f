"""Search in the documents of one matter.

`within`: ids of folders, documents and sections to search in; None: the whole matter.
`query_embedding`: a vector as text, "[0.1,…]".

SQL: supabase/schemas/05_matters.sql, 07_documents.sql, 09_search.sql.
"""

from __future__ import annotations

from typing import Literal, TypedDict, final

from orderly.models import Caller, DocumentStatus, Span
from orderly.store.base import Store
from orderly.store.functions.arguments import given
from orderly.store.functions.matters import MatterName
from orderly.store.functions.passages import Passage


@final
class KeywordHit(Passage):
    rank: float


@final
class EmbeddingHit(Passage):
    similarity: float


class Similarity(TypedDict):
    chunk_id: str
    similarity: float


class TextHit(TypedDict):
    """A span of a document without passages."""

    document_id: str
    document_name: str
    revision_id: str
    start: int
    end: int
    page: int
    paged: bool
    text: str
    rank: float


class NamedDocument(TypedDict):
    document_id: str
    document_name: str
    score: float


class SearchedDocument(TypedDict):
    id: str
    filename: str
    status: DocumentStatus
    status_reason: str
    chunk_count: int | None


class SearchedDocuments(TypedDict):
    matter: MatterName
    documents: list[SearchedDocument]


class ApartText(TypedDict):
    """Words that a reader kept out of the text."""

    kind: Literal["struck", "deletion", "move away", "hidden"]
    text: str
    place: str
    """Section, page or place in the file; empty where unknown."""


class DocumentText(TypedDict):
    document_id: str
    document_name: str
    revision_id: str
    paged: bool
    text: str
    spans: list[Span] | None
    """The spans that `within` names; None: the whole document."""
    apart: list[ApartText]


class MatterTexts(TypedDict):
    total: int
    """Number of documents in the scope."""
    next: int | None
    """Value of `after` for the next call; None after the last page."""
    documents: list[DocumentText]


async def search_chunks(
    store: Store, caller: Caller, matter_id: str, query: str, *, match_count: int | None = None, within: list[str] | None = None
) -> list[KeywordHit]:
    """Finds passages by full text, best first."""
    return await store.rpc(
        caller, "search_chunks", {"matter_id": matter_id, "query": query, **given(match_count=match_count, within=within)}
    )


async def match_document_embeddings(
    store: Store,
    caller: Caller,
    matter_id: str,
    *,
    query_embedding: str,
    model: str,
    match_count: int | None = None,
    within: list[str] | None = None,
) -> list[EmbeddingHit]:
    """Finds passages near a vector, nearest first."""
    return await store.rpc(
        caller,
        "match_document_embeddings",
        {
            "matter_id": matter_id,
            "query_embedding": query_embedding,
            "model": model,
            **given(match_count=match_count, within=within),
        },
    )


async def passage_similarities(
    store: Store, caller: Caller, matter_id: str, *, query_embedding: str, model: str, chunk_ids: list[str]
) -> list[Similarity]:
    """Returns the cosine of given passages to a vector, nearest first; passages without a vector of the model are omitted."""
    return await store.rpc(
        caller,
        "passage_similarities",
        {"matter_id": matter_id, "query_embedding": query_embedding, "model": model, "chunk_ids": chunk_ids},
    )


async def documents_without_vectors(
    store: Store, caller: Caller, matter_id: str, model: str, *, within: list[str] | None = None
) -> list[str]:
    """Lists ids of documents that have no vectors of a model."""
    return await store.rpc(
        caller, "documents_without_vectors", {"matter_id": matter_id, "model": model, **given(within=within)}
    )


async def search_revision_text(
    store: Store, caller: Caller, matter_id: str, query: str, *, match_count: int | None = None
) -> list[TextHit]:
    """Finds spans of documents that have text but no passages, best first."""
    return await store.rpc(
        caller, "search_revision_text", {"matter_id": matter_id, "query": query, **given(match_count=match_count)}
    )


async def named_documents(
    store: Store, caller: Caller, matter_id: str, words: str, *, match_count: int | None = None
) -> list[NamedDocument]:
    """Finds documents that have words in their name or at their start, best first."""
    return await store.rpc(
        caller, "named_documents", {"matter_id": matter_id, "words": words, **given(match_count=match_count)}
    )


async def searched_documents(
    store: Store, caller: Caller, matter_id: str, *, within: list[str] | None = None
) -> SearchedDocuments:
    """Lists the documents that a search covers, with the data that a search needs."""
    return await store.rpc(caller, "searched_documents", {"matter_id": matter_id, **given(within=within)})


async def matter_texts(
    store: Store,
    caller: Caller,
    matter_id: str,
    query: str,
    *,
    after: int | None = None,
    max_chars: int | None = None,
    within: list[str] | None = None,
) -> MatterTexts:
    """Reads the texts of a matter in the order of upload, up to `max_chars` at a time.

    `query`: for the audit record. `after`: `next` of the previous page.
    """
    return await store.rpc(
        caller,
        "matter_texts",
        {"matter_id": matter_id, "query": query, **given(after=after, max_chars=max_chars, within=within)},
    )
