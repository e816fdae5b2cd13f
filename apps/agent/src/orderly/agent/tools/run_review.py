from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool


@document_tool
async def run_review(matter_id: str, review: str, config: RunnableConfig, again: bool = False) -> tuple[str, Findings]:
    """Answer the cells of a review that are missing, stale or failed. For editors of the matter.

    Returns at once: workers answer, and `read_review` shows how far they are.

    Args:
        matter_id: The matter of the review
        review: Name or id of the review
        again: Also cells that are answered and have no verdict
    """
    services, caller = await services_and_caller(config)
    found = await services.reviews.find(caller, matter_id, review)
    return rendering.review_text(await services.reviews.run(caller, found["id"], again=again)), []
