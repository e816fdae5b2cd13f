from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import firm_zone, library_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.agent.tools.references import default_matter


@document_tool
async def list_matter_documents(
    config: RunnableConfig,
    matter_id: str | None = None,
    filename_pattern: str | None = None,
    content_type: str | None = None,
) -> tuple[str, Findings]:
    """List all documents in a matter.

    With type, size, status and upload date.

    Args:
        matter_id: The matter to list documents for (default: the bound matter)
        filename_pattern: Glob, e.g. "*.pdf"
        content_type: Prefix, e.g. "text/"
    """
    library, caller = await library_and_caller(config)
    matter = await default_matter(matter_id, None, config)
    listing = await library.documents(caller, matter, filename_pattern, content_type)
    if listing.documents:
        return rendering.document_list(listing.matter, listing.documents, await firm_zone()), []
    if listing.filtered:
        return "No documents in this matter match that filter.", []
    return "No documents found in this matter.", []
