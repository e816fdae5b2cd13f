from __future__ import annotations

from typing import Literal

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool


@document_tool
async def find(
    name: str,
    config: RunnableConfig,
    kind: Literal["FOLDER", "DOCUMENT"] | None = None,
    limit: int = 20,
    offset: int = 0,
) -> tuple[str, Findings]:
    """Find matters, folders and documents by name, in every matter of the user.

    For what is written inside documents use isaacus_search (meaning) or search_keyword (exact words).

    Args:
        name: The name or a part of it, in any case
        kind: "FOLDER" (matters count as folders) or "DOCUMENT" (default: both)
        limit: Items per page, 1 to 100
        offset: Items to pass over
    """
    services, caller = await services_and_caller(config)
    found = await services.navigation.find(caller, name, kind, limit, offset)
    return rendering.found_by_name(found, name, kind), []
