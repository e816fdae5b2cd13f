from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.agent.tools.references import default_matter
from orderly.models import FEW_RESULTS


@document_tool
async def visual_search(
    query: str, config: RunnableConfig, matter_id: str | None = None, max_results: int = FEW_RESULTS
) -> tuple[str, Findings]:
    """Find pages by what they show: drawings, plans, photographs, tables, signatures, stamps.

    Look at a page that it finds with view_page. What is written is found with isaacus_search and search_keyword.

    Args:
        query: What to look for, e.g. "site plan", "signature page", "received stamp"
        matter_id: The UUID or the number of the matter, or "all" for every matter of the user (default: the bound matter)
        max_results: Pages, 1 to 10
    """
    services, caller = await services_and_caller(config)
    matter = await default_matter(matter_id, None, config)
    result = await services.visuals.search(caller, matter, query, max_results)
    return rendering.visual_results(result), []
