from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool


@document_tool
async def read_around(chunk_id: str, config: RunnableConfig, window: int = 1) -> tuple[str, Findings]:
    """Read what stands before and after a passage that a search found.

    Args:
        chunk_id: Id of the passage, as a search printed it
        window: Passages before and after it, 1 to 10
    """
    services, caller = await services_and_caller(config)
    around = await services.reader.around(caller, chunk_id, window)
    return rendering.around(around), [passage.record() for passage in around.passages]
