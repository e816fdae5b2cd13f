"""Matters and documents as OpenAI's vector stores and files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from orderly.models import PENDING_STATUSES
from orderly.services.text import Passage
from orderly.store.functions.documents import Document
from orderly.store.functions.matters import Matter

READ = ("ready", "partial")


def vector_store(matter: Matter, documents: Sequence[Document]) -> dict[str, Any]:
    """A matter with those of its documents that the caller may read."""
    states = [_store_status(document) for document in documents]
    counts = {state: states.count(state) for state in ("in_progress", "completed", "failed")}
    return {
        "id": matter["id"],
        "object": "vector_store",
        "created_at": _seconds(matter["created_at"]),
        "last_active_at": _seconds(matter["created_at"]),
        "name": matter["title"],
        "usage_bytes": sum(document["size_bytes"] for document in documents),
        "file_counts": {**counts, "cancelled": 0, "total": len(states)},
        "status": "in_progress" if counts["in_progress"] else "completed",
        "expires_after": None,
        "expires_at": None,
        "metadata": {"number": matter["number"], "slug": matter["slug"]},
    }


def store_file(document: Document, matter_id: str, asked_id: str | None = None) -> dict[str, Any]:
    """A document of a matter. `asked_id`: the id by which the client knows the same content."""
    state = _store_status(document)
    code = "unsupported_file" if document["status"] == "unsupported" else "invalid_file"
    return {
        "id": asked_id or document["id"],
        "object": "vector_store.file",
        "created_at": _seconds(document["created_at"]),
        "vector_store_id": matter_id,
        "status": state,
        "last_error": {"code": code, "message": document["status_reason"]} if state == "failed" else None,
        "usage_bytes": document["size_bytes"],
        "attributes": attributes_of(document),
        "chunking_strategy": {"type": "other"},
    }


def attributes_of(document: Document) -> dict[str, str | int]:
    """The attributes that filters compare."""
    created = _seconds(document["created_at"])
    return {"filename": document["filename"], "document_id": document["id"], "created_at": created}


def file_object(document: Document) -> dict[str, Any]:
    state = _store_status(document)
    return {
        "id": document["id"],
        "object": "file",
        "bytes": document["size_bytes"],
        "created_at": _seconds(document["created_at"]),
        "filename": document["filename"],
        "purpose": "assistants",
        "status": {"in_progress": "uploaded", "completed": "processed", "failed": "error"}[state],
        "status_details": document["status_reason"] or None,
    }


def search_results(query: str, passages: Sequence[Passage]) -> dict[str, Any]:
    """Results of a search. `score` is the cosine, or 0 where a document has no vectors of the engine in use."""
    data = [
        {
            "file_id": passage.document_id,
            "filename": passage.document_name,
            "score": max(passage.similarity or 0.0, 0.0),
            "attributes": {"page": passage.page_first, "chunk_id": passage.id},
            "content": [{"type": "text", "text": passage.text}],
        }
        for passage in passages
    ]
    page = {"object": "vector_store.search_results.page", "search_query": [query], "has_more": False, "next_page": None}
    return {**page, "data": data}


def _store_status(document: Document) -> str:
    if document["status"] in PENDING_STATUSES:
        return "in_progress"
    return "completed" if document["status"] in READ else "failed"


def _seconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp())
