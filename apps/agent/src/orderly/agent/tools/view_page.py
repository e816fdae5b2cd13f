from __future__ import annotations

import base64
from dataclasses import replace

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import brief_results, services_and_caller
from orderly.agent.tools.document_tool import Content, Findings, document_tool
from orderly.models import Caller
from orderly.services.documents import PageImage
from orderly.wiring.services import Services

UNSEEN = "This model cannot see pictures. The words of the page, without what is drawn, stamped or written by hand:"


@document_tool
async def view_page(
    document_id: str, config: RunnableConfig, page_number: int | None = None, highlight: str | None = None
) -> tuple[Content, Findings]:
    """Show a page as it looks, with the cited words marked.

    Use it for signatures, stamps, drawings, tables and handwriting, or to check a scan. A passage or citation id alone
    gives the page on which it begins, with its words marked. Word and text files give a picture of the section.

    Args:
        document_id: Id of the document; or of a section, passage or citation, which needs no page number
        page_number: Page to show, from 1
        highlight: Id of a citation, passage or section of the document to mark
    """
    services, caller = await services_and_caller(config)
    image = await services.pages.view(caller, document_id, page_number, highlight)
    if image.page is not None and brief_results.get() and not services.settings.model_sees:
        return await _words(services, caller, image)
    picture = {"type": "image", "base64": base64.b64encode(image.png).decode("ascii"), "mime_type": "image/png"}
    return [{"type": "text", "text": rendering.page_image(image)}, picture], [image.record()]


async def _words(services: Services, caller: Caller, image: PageImage) -> tuple[str, Findings]:
    """The page for a model that cannot see it: its words."""
    text = await services.library.text(caller, image.document_id, image.page, image.page)
    words = "\n\n".join(part.text for part in text.parts)
    return f"{rendering.page_image(replace(image, link=None))}\n{UNSEEN}\n\n{words}", [image.record()]
