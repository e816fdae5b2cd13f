from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.errors import Invalid
from orderly.services.reviews import columns_to_ask

NOTHING_TO_ADD = "Give questions or sets that the review does not have yet."


@document_tool
async def add_review_columns(
    matter_id: str,
    review: str,
    config: RunnableConfig,
    questions: list[str] | None = None,
    sets: list[str] | None = None,
) -> tuple[str, Findings]:
    """Add columns to a review. A review that was run answers them at once. For editors of the matter.

    Args:
        matter_id: The matter of the review
        review: Name or id of the review
        questions: Questions that fit each document (e.g., "When does the lease end?"), a column each
        sets: Sets of ready-made columns (e.g., "leases"); the reply to an unknown name lists them
    """
    services, caller = await services_and_caller(config)
    found = await services.reviews.find(caller, matter_id, review)
    columns = await columns_to_ask(services.engine, questions or (), sets or (), found["columns"])
    if not columns:
        raise Invalid(NOTHING_TO_ADD)
    return rendering.review_text(await services.reviews.add_columns(caller, found["id"], columns)), []
