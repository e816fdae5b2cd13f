from __future__ import annotations

import json

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import chosen_results, library_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.agent.tools.file_search_events import FileSearch
from orderly.models import FEW_RESULTS
from orderly.services.search import SearchResult
from orderly.services.text import Passage

NO_FILES = "No documents found in this conversation. Upload documents first."


@document_tool
async def file_search(query: str, config: RunnableConfig, max_results: int = FEW_RESULTS) -> tuple[str, Findings]:
    """Search the files that the user has uploaded to this conversation.

    Gives a JSON array, the best first: filename, chunk_text, relevance_score (cosine similarity of query and text, null where
    none could be computed) and artifact_id, which every tool that takes a document's id accepts.

    Args:
        query: What to look for in the files
        max_results: Maximum number of results to return (default: 5)
    """
    library, caller = await library_and_caller(config)
    workspace = await library.workspace(caller)
    if workspace is None:
        return NO_FILES, []
    search = FileSearch(query, config)
    search.begin()
    limit = min(max(max_results, 1), chosen_results.get() or 50, 50)
    result = await library.search(caller, workspace["id"], query, limit)
    search.complete(result.passages)
    return _format_result(result), [passage.record() for passage in result.passages]


def _format_result(result: SearchResult) -> str:
    """A JSON array of passages, or a sentence that says why there are none."""
    if not result.passages or result.engine_failed:
        return rendering.search_results(result)
    return json.dumps([_row(passage) for passage in result.passages], ensure_ascii=False, indent=1)


def _row(passage: Passage) -> dict[str, object]:
    return {
        "filename": passage.document_name,
        "chunk_text": passage.text,
        "relevance_score": None if passage.similarity is None else round(passage.similarity, 4),
        "artifact_id": passage.document_id,
    }
