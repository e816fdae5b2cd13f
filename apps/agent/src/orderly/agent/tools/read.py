from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.errors import Invalid

MOST_AT_ONCE = 8


@document_tool
async def read(path_part_id: str, config: RunnableConfig, limit: int = 20, offset: int = 0) -> tuple[str, Findings]:
    """Read a document, a section or a passage; the answer sizes itself.

    A long document comes as its table of contents, with the id of each section to read next; a long section in pages.

    Args:
        path_part_id: A document, section or passage; several with commas between; or "D1, clause 7.2"
        limit: Passages per page where the content is long, 1 to 100
        offset: Passages to pass over
    """
    services, caller = await services_and_caller(config)
    ids = list(dict.fromkeys(part.strip() for part in path_part_id.split(",")))
    if len(ids) > MOST_AT_ONCE:
        raise Invalid(f"Read at most {MOST_AT_ONCE} at once.")
    readings = [await services.reader.read(caller, id, limit, offset) for id in ids]
    return "\n\n".join(map(rendering.reading, readings)), [p.record() for reading in readings for p in reading.passages]
