from __future__ import annotations

from typing import Annotated

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import InjectedToolArg

from orderly.tools import rendering
from orderly.tools.calling import chosen_results, library_and_caller
from orderly.tools.document_tool import Findings, document_tool


@document_tool
async def isaacus_search(
    matter_id: str,
    query: str,
    config: RunnableConfig,
    max_results: Annotated[int, InjectedToolArg] = 10,
) -> tuple[str, Findings]:
    """Search documents in a matter using semantic similarity.

    Finds documents and excerpts that are semantically related to the query, even if they don't contain
    the same words. Each excerpt comes with its document, its place and its id.

    Args:
        matter_id: The UUID or the number of the matter to search within
        query: Natural language search query (e.g., "limitation period for contract claims")
        max_results: Maximum number of results to return (default: 10)
    """
    library, caller = await library_and_caller(config)
    wanted = chosen_results.get() or max_results
    result = await library.search(caller, matter_id, query, min(max(wanted, 1), 50))
    return rendering.search_results(result), [passage.record() for passage in result.passages]
