from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import firm_zone, services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool


@document_tool
async def get_info(path_part_id: str, config: RunnableConfig) -> tuple[str, Findings]:
    """Say what an id is and where it stands: path, parent, size, status.

    For a document also its outline, how well it could be read, and what is struck out, deleted or hidden in it.

    Args:
        path_part_id: Any id that a tool printed: matter, folder, document, section, passage or citation
    """
    services, caller = await services_and_caller(config)
    info = await services.navigation.info(caller, path_part_id)
    return rendering.info(info, await firm_zone()), []
