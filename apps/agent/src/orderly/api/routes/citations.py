"""Quotations and where they stand."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from orderly.api.callers import Held, SignedIn
from orderly.api.errors import answers
from orderly.api.routes.document_pages import Rectangle
from orderly.services.citations import MAX_QUOTE, format_citation, format_passage_citation, stored_record
from orderly.store.functions import citations

router = APIRouter(prefix="/api", tags=["citations"], responses=answers(404, 425))


class Citation(BaseModel):
    """Words that stand in a document. `start`, `end`: code points of the revision's text, half-open."""

    model_config = ConfigDict(extra="ignore")

    id: str
    document_id: str
    document_name: str
    revision_id: str
    current: bool
    """False: a newer version of the document has been published since; this citation stands in the earlier one."""
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
    """As answers name it: the document, page and section."""


class Claimed(BaseModel):
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
    reason: str = Field(default="", description="Why it cannot be quoted, in one word.")
    difference: str = Field(default="", description="What exactly differs, in a sentence.")
    nearest: Nearest | None = Field(default=None, description="What the document says at the nearest place.")


@router.get("/citations/{citation}")
async def get_citation(citation: str, caller: SignedIn, held: Held) -> Citation:
    """A stored citation; it stays what it is when its document gets a new version."""
    stored = await citations.get_citation(held.store, caller, citation)
    return _citation(await stored_record(held.store, caller, stored))


@router.post("/documents/{document}/citations")
async def verify(document: str, body: Claimed, caller: SignedIn, held: Held) -> Verdict:
    """Look a quotation up: a stored citation where it stands word for word, else the exact difference."""
    found = await held.library.resolve(caller, document, body.quote, body.page, section=body.section)
    if found.citation:
        return Verdict(verified=True, citation=_citation(found.citation))
    near = found.nearest
    shown = near and Nearest(
        text=near.text,
        where=format_passage_citation(near),
        start=near.start,
        end=near.end,
        page_first=near.page_first,
        page_last=near.page_last,
    )
    return Verdict(verified=False, reason=found.reason, difference=found.difference, nearest=shown)


def _citation(record: Any) -> Citation:
    return Citation.model_validate(
        {**record, "id": record["citation_id"], "quote": record["text"], "citation": f"[{format_citation(record)}]"}
    )
