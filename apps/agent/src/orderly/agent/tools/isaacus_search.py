from __future__ import annotations

from typing import Literal

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import brief_results, chosen_results, library_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.agent.tools.file_search_events import FileSearch
from orderly.agent.tools.references import default_matter
from orderly.models import RESULTS


@document_tool
async def isaacus_search(
    query: str,
    config: RunnableConfig,
    matter_id: str | None = None,
    mode: Literal["hybrid", "semantic"] = "hybrid",
    within: list[str] | None = None,
    max_results: int = RESULTS,
) -> tuple[str, Findings]:
    """Search documents in a matter using semantic similarity.

    Finds excerpts that are related to the query, even if they don't contain the same words.

    Args:
        query: Natural language (e.g., "limitation period for contract claims")
        matter_id: The matter to search within, or "all" (default: the bound matter)
        mode: "hybrid" (meaning and words together) or "semantic" (meaning alone)
        within: Documents, folders or sections to keep to
        max_results: 1 to 50 (default: 10)
    """
    library, caller = await library_and_caller(config)
    matter = await default_matter(matter_id, within, config)
    wanted = chosen_results.get() or max_results
    search = FileSearch(query, config)
    search.begin()
    result = await library.search(caller, matter, query, min(max(wanted, 1), 50), within, mode)
    search.complete(result.passages)
    return rendering.search_results(result, brief=brief_results.get()), [passage.record() for passage in result.passages]
