from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool


@document_tool
async def read(path_part_id: str, config: RunnableConfig, limit: int = 20, offset: int = 0) -> tuple[str, Findings]:
    """Read a document, a section or a passage; the answer sizes itself.

    A long document comes as its table of contents, with the id of each section to read next; a long section in pages.

    Args:
        path_part_id: A document, section or passage
        limit: Passages per page where the content is long, 1 to 100
        offset: Passages to pass over
    """
    services, caller = await services_and_caller(config)
    reading = await services.reader.read(caller, path_part_id, limit, offset)
    return rendering.reading(reading), [passage.record() for passage in reading.passages]
