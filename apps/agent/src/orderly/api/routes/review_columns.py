"""Ready-made columns of reviews, and a column proposed from a question."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.services.columns import column_sets
from orderly.services.reviews import propose_column, ready_columns
from orderly.store.functions.review_cells import AnswerType

router = APIRouter(prefix="/api/review-columns", tags=["reviews"], responses=error_responses(403))


class ReadyColumn(BaseModel):
    title: str
    question: str
    answer_type: AnswerType
    options: list[str] = Field(default_factory=list)
    subject: str | None = None


class ColumnSet(BaseModel):
    name: str
    title: str
    columns: list[ReadyColumn]


@router.get("/sets")
async def list_sets(caller: SignedIn) -> list[ColumnSet]:
    """List the ready-made columns, in sets for kinds of documents."""
    return [
        ColumnSet(name=name, title=found.title, columns=[ReadyColumn.model_validate(column) for column in ready_columns(name)])
        for name, found in column_sets().items()
    ]


@router.get("/proposal")
async def propose(
    caller: SignedIn, services: CurrentServices, question: Annotated[str, Query(min_length=1, max_length=1000)]
) -> ReadyColumn:
    """Propose title and type of a column for a question; a ready-made column where one asks the same."""
    return ReadyColumn.model_validate(await propose_column(services.engine, question))
