from __future__ import annotations

from typing import Literal

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.errors import Changed
from orderly.services.reviews import find_cell, named_column
from orderly.store.functions.review_cells import CellValue

SAYS_OTHER = "The cell says “{value}”, not “{seen}”. Read it again, then decide."


@document_tool
async def judge_cell(  # noqa: PLR0913, PLR0917  # what a verdict consists of
    matter_id: str,
    review: str,
    document: str,
    column: str,
    verdict: Literal["accepted", "corrected", "rejected", "none"],
    seen: str,
    config: RunnableConfig,
    value: str | None = None,
    note: str = "",
) -> tuple[str, Findings]:
    """Give the user's verdict on a cell of a review, only as the user decided it. For editors of the matter.

    The verdict is recorded in the user's name. Without it, an answer is the machine's.

    Args:
        matter_id: The matter of the review
        review: Name or id of the review
        document: Name or id of the document
        column: Title of the column
        verdict: "none" withdraws a verdict
        seen: What the cell says, as `read_review` shows it before the square bracket (e.g., "5 years", "nothing found")
        value: Of a correction: the right value
        note: A remark, kept with the verdict
    """
    services, caller = await services_and_caller(config)
    found = await services.reviews.find(caller, matter_id, review)
    asked = named_column(column, found["columns"])
    cell = find_cell(await services.reviews.table(caller, found), document, asked)
    if " ".join(seen.split()).casefold() != " ".join((says := rendering.cell_words(cell)).split()).casefold():
        raise Changed(SAYS_OTHER.format(value=says, seen=seen))
    corrected: CellValue | None = None if value is None else {"type": asked["answer_type"], "text": value}
    judged = await services.reviews.judge(caller, cell["id"], verdict, seen=cell["edition"], value=corrected, note=note)
    return f"{asked['title']}: {rendering.cell_text(judged)}", []
