from __future__ import annotations

import base64
from typing import Literal

from langchain_core.runnables import RunnableConfig

from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Content, Findings, document_tool
from orderly.services.exports import MEDIA_TYPES


@document_tool
async def export_review(
    matter_id: str, review: str, config: RunnableConfig, format: Literal["xlsx", "csv", "docx"] = "xlsx"
) -> tuple[Content, Findings]:
    """Export a review as a file.

    Args:
        matter_id: The matter of the review
        review: Name or id of the review
        format: "xlsx": a workbook. "csv": a line per cell. "docx": a report with pictures of the quoted pages
    """
    services, caller = await services_and_caller(config)
    found = await services.reviews.find(caller, matter_id, review)
    content = await services.exports.export(caller, found, format)
    name = f"{found['name']}.{format}"
    file = {
        "type": "file",
        "base64": base64.b64encode(content).decode(),
        "mime_type": MEDIA_TYPES[format],
        "extras": {"filename": name},
    }
    return [{"type": "text", "text": f"{name}: {len(content):,} bytes."}, file], []
