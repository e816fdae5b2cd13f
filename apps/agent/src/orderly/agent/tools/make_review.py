from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.services.reviews import columns_to_ask


@document_tool
async def make_review(
    name: str,
    matter_id: str,
    config: RunnableConfig,
    questions: list[str] | None = None,
    sets: list[str] | None = None,
    document_ids: list[str] | None = None,
) -> tuple[str, Findings]:
    """Make a review: a table with a row per document of a matter and a column per question.

    Its cells are empty until `run_review`. For editors of the matter.

    Args:
        name: Name of the review
        matter_id: The matter
        questions: Questions that fit each document (e.g., "When does the lease end?"), a column each
        sets: Sets of ready-made columns (e.g., "leases"); the reply to an unknown name lists them
        document_ids: Documents of the matter; default: all, also those that are added later
    """
    services, caller = await services_and_caller(config)
    columns = await columns_to_ask(services.engine, questions or (), sets or ())
    made = await services.reviews.create(caller, matter_id, name, columns, document_ids=document_ids)
    return rendering.review_text(made), []
