from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import library_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool


@document_tool
async def resolve_citation(
    document_id: str, quote: str, config: RunnableConfig, page: int | None = None, section: str | None = None
) -> tuple[str, Findings]:
    """Check that a quotation stands word for word in a document, before you rely on it.

    Returns a stable citation id with page, section, offsets and rectangles; or, where the quotation is refused,
    exactly how it differs and what the document says instead.

    Args:
        document_id: The id of the document, of a section of it, or of an earlier citation
        quote: The exact words claimed, without quotation marks; at least 12 characters
        page: The page on which they are said to stand
        section: The section in which they are said to stand, such as "Section 10.2(a)"
    """
    library, caller = await library_and_caller(config)
    resolved = await library.resolve(caller, document_id, quote, page, section=section)
    return rendering.resolution(resolved), [dict(resolved.citation)] if resolved.citation else []
