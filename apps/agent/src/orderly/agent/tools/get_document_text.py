from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import library_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool


@document_tool
async def get_document_text(
    document_id: str, config: RunnableConfig, first_page: int | None = None, last_page: int | None = None
) -> tuple[str, Findings]:
    """Retrieve the full text content of a document.

    Returns the text with page markers. A document too long for one answer comes up to a stated page, with its
    outline and how to read on.

    Args:
        document_id: The UUID of the document to retrieve
        first_page: First page to return (default: the first)
        last_page: Last page to return (default: the last)
    """
    library, caller = await library_and_caller(config)
    text = await library.text(caller, document_id, first_page, last_page)
    return rendering.document_text(text), [text.whole()] if text.revision_id else []
