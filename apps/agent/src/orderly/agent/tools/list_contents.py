from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool


@document_tool
async def list_contents(
    config: RunnableConfig, path_part_id: str | None = None, limit: int = 20, offset: int = 0
) -> tuple[str, Findings]:
    """List the folders and documents of a matter or folder.

    Without an id: the user's matters, which are the top of everything.

    Args:
        path_part_id: Id of the matter or folder (a matter also by its number)
        limit: Items per page, 1 to 100
        offset: Items to pass over
    """
    services, caller = await services_and_caller(config)
    listing = await services.navigation.contents(caller, path_part_id, limit, offset)
    return rendering.contents(listing), []
