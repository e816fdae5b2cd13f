"""Stored citations, and verification of quotations."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from orderly.api.bodies import Body
from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.api.routes.document_pages import Rectangle
from orderly.services.citations import MAX_QUOTE, format_citation, format_passage_citation, stored_record
from orderly.store.functions import citations

router = APIRouter(prefix="/api", tags=["citations"], responses=error_responses(404, 425))


class Citation(BaseModel):
    """A verified quotation. `start`, `end`: code points of the revision's text, half-open."""

    model_config = ConfigDict(extra="ignore")

    id: str
    document_id: str
    document_name: str
    revision_id: str
    current: bool
    """False: the citation is of an earlier revision of the document."""
    quote: str
    start: int
    end: int
    paged: bool
    page_first: int
    page_last: int
    section_label: str | None
    section_title: str | None
    rectangles: list[Rectangle]
    citation: str
    """The citation as written in answers: document, page and section."""


class Claimed(Body):
    quote: str = Field(min_length=1, max_length=MAX_QUOTE)
    page: int | None = Field(default=None, ge=1, le=1_000_000)
    section: str | None = Field(default=None, max_length=200, description="As a citation names it: Section 10.2(a).")


class Nearest(BaseModel):
    text: str
    where: str
    start: int
    end: int
    page_first: int
    page_last: int


class Verdict(BaseModel):
    verified: bool
    citation: Citation | None = None
    reason: str = Field(default="", description="Reason for the refusal, in one word.")
    difference: str = Field(default="", description="The exact difference, in a sentence.")
    nearest: Nearest | None = Field(default=None, description="The most similar text of the document.")


@router.get("/citations/{citation}")
async def get_citation(citation: str, caller: SignedIn, services: CurrentServices) -> Citation:
    """Get a stored citation. A new version of the document does not change it."""
    stored = await citations.get_citation(services.store, caller, citation)
    return _citation(await stored_record(services.store, caller, stored))


@router.post("/documents/{document}/citations")
async def verify(document: str, body: Claimed, caller: SignedIn, services: CurrentServices) -> Verdict:
    """Verify a quotation: returns a stored citation if the document contains it word for word, else the difference."""
    found = await services.library.resolve(caller, document, body.quote, body.page, section=body.section)
    if found.citation:
        return Verdict(verified=True, citation=_citation(found.citation))
    near = found.nearest
    nearest = near and Nearest(
        text=near.text,
        where=format_passage_citation(near),
        start=near.start,
        end=near.end,
        page_first=near.page_first,
        page_last=near.page_last,
    )
    return Verdict(verified=False, reason=found.reason, difference=found.difference, nearest=nearest)


def _citation(record: Any) -> Citation:
    return Citation.model_validate(
        {**record, "id": record["citation_id"], "quote": record["text"], "citation": f"[{format_citation(record)}]"}
    )
