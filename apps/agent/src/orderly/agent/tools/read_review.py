from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.agent.tools.references import default_matter
from orderly.services.reviews import read_table, row_passages

MOST_ROWS = 100
"""Documents of one page."""


@document_tool
async def read_review(
    config: RunnableConfig,
    matter_id: str | None = None,
    review: str | None = None,
    where: list[str] | None = None,
    columns: list[str] | None = None,
    count_by: str | None = None,
    limit: int = 20,
    offset: int = 0,
) -> tuple[str, Findings]:
    """Read a review: a table of a matter's documents with answered columns, to filter and count it.

    For questions about many documents at once that a review has columns for (e.g., "Which renew automatically and end
    before July?"). Without a review: lists the matter's reviews with their columns.

    Args:
        matter_id: The matter of the review (default: the bound matter)
        review: Name or id of the review
        where: Filters that must all hold: "Expiry < 2026-07-01", "Notice >= 30 days", "Renews = yes", "Law ~ Wales"
            (contains), "Cap missing", "Cap present", "Cap open" (not answered for certain)
        columns: Titles of the columns to show; default: all
        count_by: Title of a column: also count the documents by its values
        limit: Documents per page, 1 to 100
        offset: Documents to pass over
    """
    services, caller = await services_and_caller(config)
    matter = await default_matter(matter_id, None, config)
    if review is None:
        return rendering.review_list(await services.reviews.of_matter(caller, matter)), []
    found = await services.reviews.find(caller, matter, review)
    table = await services.reviews.table(caller, found)
    reading = read_table(table, where or (), columns or (), count_by, min(limit, MOST_ROWS), offset)
    passages = [passage for row in reading.rows for passage in row_passages(row, reading.columns)]
    return rendering.review_reading(reading), [passage.record() for passage in passages]
