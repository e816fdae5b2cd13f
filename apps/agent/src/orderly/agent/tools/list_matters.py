from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import library_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool


@document_tool
async def list_matters(config: RunnableConfig) -> tuple[str, Findings]:
    """List the matters that the user may see, with number, title, id and how many documents each holds."""
    library, caller = await library_and_caller(config)
    matters = await library.matters(caller)
    if not matters:
        return "You have no matters yet.", []
    return rendering.matter_list(matters), []
