"""Matters and their members."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from orderly.api.bodies import Body
from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.api.etags import IfMatch, conditional_response, etag_of, require_match
from orderly.models import Role
from orderly.store.functions import matters
from orderly.store.functions.members import add_matter_member, list_matter_members, remove_matter_member

router = APIRouter(prefix="/api/matters", tags=["matters"], responses=error_responses(403, 404))

MatterRef = Annotated[
    str, Path(description="Id, number or slug of a matter, or a title that only one of yours has.", max_length=200)
]


class Matter(BaseModel):
    id: str
    number: str
    slug: str
    title: str
    kind: str
    role: Role | None
    document_count: int
    created_at: datetime
    archived_at: datetime | None


class NewMatter(Body):
    title: str = Field(min_length=1, max_length=500)
    number: str | None = Field(default=None, max_length=100, description="Default: the next number of the firm.")


class MatterChange(Body):
    """Omitted fields stay unchanged."""

    title: str = Field(default="", min_length=1, max_length=500)
    archived: bool = Field(default=False, description="An archived matter is listed last and accepts no files.")

    def given(self) -> matters.MatterChanges:
        changes: matters.MatterChanges = {}
        if "title" in self.model_fields_set:
            changes["title"] = self.title
        if "archived" in self.model_fields_set:
            changes["archived"] = self.archived
        return changes


class Opening(BaseModel):
    document_id: str
    parties: list[str] = Field(description="Names that the opening of an agreement gives its parties; empty if it names none.")
    date: str | None = Field(description="The first date, in ISO 8601 as far as it is known: 2019-03-05, 2019-03 or 2019.")


class Member(BaseModel):
    user_id: str
    email: str
    display_name: str
    role: Role
    added_at: datetime


class NewMember(Body):
    email: str = Field(min_length=3, max_length=320)
    role: Role


@router.get("")
async def list_matters(caller: SignedIn, services: CurrentServices) -> list[Matter]:
    """List the caller's matters."""
    return [Matter.model_validate(m) for m in await services.library.matters(caller)]


@router.post("", status_code=201, responses=error_responses(409))
async def create_matter(body: NewMatter, caller: SignedIn, services: CurrentServices) -> Matter:
    """Create a matter; the caller becomes its owner."""
    created = await matters.create_matter(services.store, caller, body.title, number=body.number)
    return Matter.model_validate(created)


@router.get("/{matter}", response_model=Matter)
async def get_matter(
    matter: MatterRef, request: Request, response: Response, caller: SignedIn, services: CurrentServices
) -> Any:
    return conditional_response(request, response, Matter.model_validate(await services.library.matter(caller, matter)))


@router.patch("/{matter}", responses=error_responses(409, 412))
async def edit_matter(
    matter: MatterRef,
    body: MatterChange,
    response: Response,
    caller: SignedIn,
    services: CurrentServices,
    if_match: IfMatch = None,
) -> Matter:
    """Rename, archive or reopen the matter; for owners. With If-Match: only if the ETag still matches."""
    seen: matters.MatterChanges | None = None
    if if_match is not None:
        before = Matter.model_validate(await services.library.matter(caller, matter))
        require_match(if_match, before)
        seen = {"title": before.title, "archived": before.archived_at is not None}
    changed = Matter.model_validate(await matters.edit_matter(services.store, caller, matter, body.given(), seen=seen))
    response.headers["ETag"] = etag_of(changed)
    return changed


@router.get("/{matter}/openings")
async def list_openings(
    matter: MatterRef,
    caller: SignedIn,
    services: CurrentServices,
    offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> list[Opening]:
    """List what the openings of documents name: parties and first dates, in the order of the listing."""
    return [Opening(**asdict(opening)) for opening in await services.library.openings(caller, matter, offset, limit)]


@router.get("/{matter}/members")
async def list_members(matter: MatterRef, caller: SignedIn, services: CurrentServices) -> list[Member]:
    await services.library.matter(caller, matter)
    return [Member.model_validate(m) for m in await list_matter_members(services.store, caller, matter)]


@router.post("/{matter}/members", status_code=201, responses=error_responses(409))
async def add_member(matter: MatterRef, body: NewMember, caller: SignedIn, services: CurrentServices) -> Member:
    """Give a colleague a role in the matter, or change the role."""
    return Member.model_validate(
        await add_matter_member(services.store, caller, matter, member_email=body.email, member_role=body.role)
    )


@router.delete("/{matter}/members/{email}", responses=error_responses(409))
async def remove_member(matter: MatterRef, email: str, caller: SignedIn, services: CurrentServices) -> Member:
    return Member.model_validate(await remove_matter_member(services.store, caller, matter, email))
