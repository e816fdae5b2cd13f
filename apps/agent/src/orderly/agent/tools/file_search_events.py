"""Custom stream events of a search, named like OpenAI's file search events."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig

from orderly.agent.middleware.run_ledger import shown_argument
from orderly.agent.tools.context import stream_writer
from orderly.services.text import Passage

PREFIX = "response.file_search_call."


class FileSearch:
    """Emits the events of one search. A failed search has no `completed` event; its failure is in the tool's result."""

    def __init__(self, query: str, config: RunnableConfig | None) -> None:
        self._id = f"fs_{uuid.uuid4().hex}"
        self._query = shown_argument(query)
        self._write: Callable[[Any], None] = stream_writer(config)

    def begin(self) -> None:
        self._emit("in_progress")
        self._emit("searching")

    def complete(self, passages: Sequence[Passage]) -> None:
        self._emit("completed", results=[_result(p) for p in passages])

    def _emit(self, stage: str, **more: Any) -> None:
        self._write({"type": PREFIX + stage, "item_id": self._id, "queries": [self._query], **more})


def _result(passage: Passage) -> dict[str, Any]:
    """A result with the field names of chat workspaces (artifact_id, …) and of OpenAI (file_id, …)."""
    return {
        "artifact_id": passage.document_id,
        "filename": passage.document_name,
        "chunk_text": passage.text,
        "relevance_score": passage.similarity,
        "file_id": passage.document_id,
        "attributes": {"page": passage.page_first} if passage.page_first else {},
        "text": passage.text,
        "score": passage.score,
    }
