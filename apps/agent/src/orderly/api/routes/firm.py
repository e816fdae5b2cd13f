"""People and groups of the firm, and who is in which matter: for its administrators, who read nothing by it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from orderly.api.callers import Held, SignedIn
from orderly.api.errors import answers
from orderly.api.routes.matters import MatterRef, Member, NewMember
from orderly.store.functions import documents, firm, groups, matters, members

router = APIRouter(prefix="/api", tags=["firm"], responses=answers(403, 404))

Email = Annotated[str, Path(max_length=320)]
GroupRef = Annotated[str, Path(description="Id or name of a group.", max_length=200)]


class Person(BaseModel):
    user_id: str
    email: str
    display_name: str
    is_admin: bool
    is_conflicts_officer: bool


class NewPerson(BaseModel):
    email: str = Field(min_length=3, max_length=320)
    display_name: str = Field(default="", max_length=200)


class Roles(BaseModel):
    is_admin: bool | None = None
    is_conflicts_officer: bool | None = None


class FirmMatter(BaseModel):
    id: str
    number: str
    title: str
    archived_at: datetime | None
    owners: list[str] = Field(description="E-mail addresses.")
    member_count: int


class Group(BaseModel):
    id: str
    name: str
    members: list[str] = Field(description="E-mail addresses.")


class NewGroup(BaseModel):
    name: str = Field(min_length=1, max_length=200)


class GroupMember(BaseModel):
    email: str = Field(min_length=3, max_length=320)


class Restriction(BaseModel):
    group: str | None = Field(default=None, max_length=200, description="Id or name; null: for everybody in the matter.")


class Restricted(BaseModel):
    id: str
    filename: str
    group: dict[str, str] | None


@router.get("/firm/people")
async def list_people(caller: SignedIn, held: Held) -> list[Person]:
    """Everybody in the firm. Open to everybody in it."""
    return [Person.model_validate(p) for p in await firm.list_people(held.store, caller)]


@router.post("/firm/people", status_code=201, responses=answers(409))
async def add_person(body: NewPerson, caller: SignedIn, held: Held) -> Person:
    return Person.model_validate(await firm.add_person(held.store, caller, body.email, body.display_name))


@router.patch("/firm/people/{email}", responses=answers(409))
async def set_person(email: Email, body: Roles, caller: SignedIn, held: Held) -> Person:
    """What is left out stays as it is."""
    return Person.model_validate(
        await firm.set_person(held.store, caller, email, is_admin=body.is_admin, is_conflicts_officer=body.is_conflicts_officer)
    )


@router.get("/firm/matters")
async def firm_matters(caller: SignedIn, held: Held) -> list[FirmMatter]:
    """Every matter of the firm, without anything that is in it."""
    return [FirmMatter.model_validate(m) for m in await matters.firm_matters(held.store, caller)]


@router.get("/firm/matters/{matter}/members")
async def firm_members(matter: MatterRef, caller: SignedIn, held: Held) -> list[Member]:
    found = await members.firm_matter_members(held.store, caller, matter)
    return [Member.model_validate(m) for m in found]


@router.post("/firm/matters/{matter}/members", status_code=201, responses=answers(409))
async def set_firm_member(matter: MatterRef, body: NewMember, caller: SignedIn, held: Held) -> Member:
    """Give a colleague a role in the matter. Nobody lets themselves in."""
    made = await members.set_firm_member(held.store, caller, matter, member_email=body.email, member_role=body.role)
    return Member.model_validate(made)


@router.delete("/firm/matters/{matter}/members/{email}", responses=answers(409))
async def remove_firm_member(matter: MatterRef, email: Email, caller: SignedIn, held: Held) -> Member:
    gone = await members.set_firm_member(held.store, caller, matter, member_email=email, member_role=None)
    return Member.model_validate(gone)


@router.get("/groups")
async def list_groups(caller: SignedIn, held: Held) -> list[Group]:
    """The caller's groups; for administrators, all."""
    return [Group.model_validate(g) for g in await groups.list_groups(held.store, caller)]


@router.post("/groups", status_code=201, responses=answers(409))
async def create_group(body: NewGroup, caller: SignedIn, held: Held) -> Group:
    return Group.model_validate(await groups.create_group(held.store, caller, body.name))


@router.delete("/groups/{group}", responses=answers(409))
async def delete_group(group: GroupRef, caller: SignedIn, held: Held) -> Group:
    return Group.model_validate(await groups.delete_group(held.store, caller, group))


@router.post("/groups/{group}/members", status_code=201)
async def add_group_member(group: GroupRef, body: GroupMember, caller: SignedIn, held: Held) -> Group:
    return Group.model_validate(await groups.set_group_member(held.store, caller, group, body.email, is_member=True))


@router.delete("/groups/{group}/members/{email}")
async def remove_group_member(group: GroupRef, email: Email, caller: SignedIn, held: Held) -> Group:
    return Group.model_validate(await groups.set_group_member(held.store, caller, group, email, is_member=False))


@router.put("/documents/{document_id}/group")
async def restrict_document(
    document_id: Annotated[str, Path(max_length=200)], body: Restriction, caller: SignedIn, held: Held
) -> Restricted:
    """Keep a document, and what is attached to it, for a group inside its matter. For owners who are in the group."""
    return Restricted.model_validate(await documents.restrict_document(held.store, caller, document_id, group_ref=body.group))
