"""Reviews of a matter: creation, columns, runs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, cast

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from orderly.api.bodies import Body
from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.api.routes.matters import MatterRef
from orderly.services.engines import LegalEngine
from orderly.services.reviews import propose_column
from orderly.store.functions.review_cells import AnswerType
from orderly.store.functions.reviews import ColumnChanges, ColumnQuestion, ReviewChanges, ReviewStatus

router = APIRouter(prefix="/api/matters/{matter}/reviews", tags=["reviews"], responses=error_responses(403, 404))

ReviewId = Annotated[str, Path(description="Id or name of a review.", max_length=200)]
ColumnId = Annotated[str, Path(max_length=100)]


class Column(BaseModel):
    id: str
    title: str
    question: str
    answer_type: AnswerType
    options: list[str]
    subject: str | None
    edition: int = Field(description="Grows when the question changes.")
    states: dict[str, int] = Field(description="Number of cells by state.")
    verdicts: int


class Review(BaseModel):
    id: str
    matter_id: str
    matter_number: str
    name: str
    status: ReviewStatus
    chosen: bool = Field(description="About chosen documents, not about every document of the matter.")
    made_by: str | None
    created_at: datetime
    documents: int
    waiting: int = Field(description="Cells that are queued or stale.")
    changed: int
    columns: list[Column]


class NewColumn(Body):
    question: str = Field(min_length=1, max_length=1000)
    title: str | None = Field(default=None, min_length=1, max_length=200, description="Default: as the question suggests.")
    answer_type: AnswerType | None = Field(default=None, description="Default: as the question suggests.")
    options: list[str] = Field(default_factory=list, max_length=50, description="Of a choice: at least two.")
    subject: str | None = Field(
        default=None, max_length=500, description="What to look for, such as a type of clause; default: the question."
    )
    document_ids: list[str] | None = Field(
        default=None, min_length=1, max_length=100, description="Try it on these documents; running the review asks the others."
    )

    async def given(self, engine: LegalEngine) -> ColumnQuestion:
        """The column as given; what is left out as the question suggests, unless an answer type is named.

        A question may ask for a ready-made column in other words; then that column's own question is put.
        """
        chosen = self.model_dump(exclude_unset=True, exclude_none=True)
        proposed = await propose_column(engine, self.question)
        if self.answer_type is not None:
            proposed = {"title": proposed["title"], "question": self.question, "answer_type": self.answer_type}
        elif "subject" not in chosen:
            del chosen["question"]
        return cast(ColumnQuestion, {**proposed, **chosen})


class NewReview(Body):
    name: str = Field(min_length=1, max_length=200)
    columns: list[NewColumn] = Field(default_factory=list, max_length=100)
    document_ids: list[str] | None = Field(
        default=None, max_length=10_000, description="Default: every document of the matter, also later ones."
    )
    run: bool = Field(default=False, description="Run it at once.")


class NewColumns(Body):
    columns: list[NewColumn] = Field(min_length=1, max_length=100)


class ColumnChange(Body):
    """Omitted fields stay unchanged. Unless only the title changes, the column is answered again."""

    title: str = Field(default="", min_length=1, max_length=200)
    question: str = Field(default="", min_length=1, max_length=1000)
    answer_type: AnswerType = "text"
    options: list[str] = Field(default_factory=list, max_length=50)
    subject: str | None = Field(default=None, max_length=500)

    def given(self) -> ColumnChanges:
        return cast(ColumnChanges, self.model_dump(include=self.model_fields_set))


class ReviewChange(Body):
    """Omitted fields stay unchanged."""

    name: str = Field(default="", min_length=1, max_length=200)
    columns: list[str] = Field(default_factory=list, max_length=1000, description="Ids of all columns, in their new order.")

    def given(self) -> ReviewChanges:
        return cast(ReviewChanges, self.model_dump(include=self.model_fields_set))


class Run(Body):
    again: bool = Field(default=False, description="Also cells that are answered and have no verdict.")


class Deleted(BaseModel):
    id: str
    name: str


@router.get("")
async def list_reviews(matter: MatterRef, caller: SignedIn, services: CurrentServices) -> list[Review]:
    """List the reviews of a matter, newest first."""
    return [Review.model_validate(r) for r in await services.reviews.of_matter(caller, matter)]


@router.post("", status_code=201, responses=error_responses(409))
async def create_review(matter: MatterRef, body: NewReview, caller: SignedIn, services: CurrentServices) -> Review:
    """Create a review; for editors."""
    columns = [await column.given(services.engine) for column in body.columns]
    made = await services.reviews.create(caller, matter, body.name, columns, document_ids=body.document_ids, run=body.run)
    return Review.model_validate(made)


@router.get("/{review_id}")
async def get_review(matter: MatterRef, review_id: ReviewId, caller: SignedIn, services: CurrentServices) -> Review:
    return Review.model_validate(await services.reviews.find(caller, matter, review_id))


@router.patch("/{review_id}", responses=error_responses(409))
async def edit_review(
    matter: MatterRef, review_id: ReviewId, body: ReviewChange, caller: SignedIn, services: CurrentServices
) -> Review:
    """Rename a review, or put its columns into another order; for editors."""
    found = await services.reviews.find(caller, matter, review_id)
    return Review.model_validate(await services.reviews.edit(caller, found["id"], body.given()))


@router.delete("/{review_id}")
async def delete_review(matter: MatterRef, review_id: ReviewId, caller: SignedIn, services: CurrentServices) -> Deleted:
    """Delete a review with its cells and verdicts; for editors."""
    found = await services.reviews.find(caller, matter, review_id)
    return Deleted.model_validate(await services.reviews.delete(caller, found["id"]))


@router.post("/{review_id}/columns", status_code=201)
async def add_columns(
    matter: MatterRef, review_id: ReviewId, body: NewColumns, caller: SignedIn, services: CurrentServices
) -> Review:
    """Add columns; for editors. A review that was run answers them at once."""
    found = await services.reviews.find(caller, matter, review_id)
    columns = [await column.given(services.engine) for column in body.columns]
    return Review.model_validate(await services.reviews.add_columns(caller, found["id"], columns))


@router.patch("/{review_id}/columns/{column_id}", responses=error_responses(409))
async def edit_column(
    matter: MatterRef,
    review_id: ReviewId,
    column_id: ColumnId,
    body: ColumnChange,
    caller: SignedIn,
    services: CurrentServices,
) -> Review:
    """Change a column; for editors. It is answered again, and no other column is."""
    await services.reviews.find(caller, matter, review_id)
    return Review.model_validate(await services.reviews.edit_column(caller, column_id, body.given()))


@router.delete("/{review_id}/columns/{column_id}")
async def delete_column(
    matter: MatterRef, review_id: ReviewId, column_id: ColumnId, caller: SignedIn, services: CurrentServices
) -> Review:
    """Delete a column with its cells and verdicts; for editors."""
    await services.reviews.find(caller, matter, review_id)
    return Review.model_validate(await services.reviews.delete_column(caller, column_id))


@router.post("/{review_id}/run")
async def run_review(matter: MatterRef, review_id: ReviewId, body: Run, caller: SignedIn, services: CurrentServices) -> Review:
    """Answer the cells that are missing, stale or failed; for editors. The server's workers do the work."""
    found = await services.reviews.find(caller, matter, review_id)
    return Review.model_validate(await services.reviews.run(caller, found["id"], again=body.again))


@router.post("/{review_id}/cancel")
async def cancel_review(matter: MatterRef, review_id: ReviewId, caller: SignedIn, services: CurrentServices) -> Review:
    """Stop the work; what is answered stays. For editors."""
    found = await services.reviews.find(caller, matter, review_id)
    return Review.model_validate(await services.reviews.cancel(caller, found["id"]))
