"""People and groups of the firm, and who is in which matter: for its administrators, who read nothing by it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from orderly.api.callers import Held, SignedIn
from orderly.api.errors import answers
from orderly.api.routes.matters import MatterRef, Member, NewMember

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
    return [Person.model_validate(p) for p in await held.store.rpc(caller, "list_people", {})]


@router.post("/firm/people", status_code=201, responses=answers(409))
async def add_person(body: NewPerson, caller: SignedIn, held: Held) -> Person:
    params = {"email": body.email, "display_name": body.display_name}
    return Person.model_validate(await held.store.rpc(caller, "add_person", params))


@router.patch("/firm/people/{email}", responses=answers(409))
async def set_person(email: Email, body: Roles, caller: SignedIn, held: Held) -> Person:
    """What is left out stays as it is."""
    params = {"person_email": email, "is_admin": body.is_admin, "is_conflicts_officer": body.is_conflicts_officer}
    return Person.model_validate(await held.store.rpc(caller, "set_person", params))


@router.get("/firm/matters")
async def firm_matters(caller: SignedIn, held: Held) -> list[FirmMatter]:
    """Every matter of the firm, without anything that is in it."""
    return [FirmMatter.model_validate(m) for m in await held.store.rpc(caller, "firm_matters", {})]


@router.get("/firm/matters/{matter}/members")
async def firm_members(matter: MatterRef, caller: SignedIn, held: Held) -> list[Member]:
    found = await held.store.rpc(caller, "firm_matter_members", {"matter_ref": matter})
    return [Member.model_validate(m) for m in found]


@router.post("/firm/matters/{matter}/members", status_code=201, responses=answers(409))
async def set_firm_member(matter: MatterRef, body: NewMember, caller: SignedIn, held: Held) -> Member:
    """Give a colleague a role in the matter. Nobody lets themselves in."""
    params = {"matter_ref": matter, "member_email": body.email, "member_role": body.role}
    return Member.model_validate(await held.store.rpc(caller, "set_firm_member", params))


@router.delete("/firm/matters/{matter}/members/{email}", responses=answers(409))
async def remove_firm_member(matter: MatterRef, email: Email, caller: SignedIn, held: Held) -> Member:
    params = {"matter_ref": matter, "member_email": email, "member_role": None}
    return Member.model_validate(await held.store.rpc(caller, "set_firm_member", params))


@router.get("/groups")
async def list_groups(caller: SignedIn, held: Held) -> list[Group]:
    """The caller's groups; for administrators, all."""
    return [Group.model_validate(g) for g in await held.store.rpc(caller, "list_groups", {})]


@router.post("/groups", status_code=201, responses=answers(409))
async def create_group(body: NewGroup, caller: SignedIn, held: Held) -> Group:
    return Group.model_validate(await held.store.rpc(caller, "create_group", {"group_name": body.name}))


@router.delete("/groups/{group}", responses=answers(409))
async def delete_group(group: GroupRef, caller: SignedIn, held: Held) -> Group:
    return Group.model_validate(await held.store.rpc(caller, "delete_group", {"group_ref": group}))


@router.post("/groups/{group}/members", status_code=201)
async def add_group_member(group: GroupRef, body: GroupMember, caller: SignedIn, held: Held) -> Group:
    params = {"group_ref": group, "member_email": body.email, "is_member": True}
    return Group.model_validate(await held.store.rpc(caller, "set_group_member", params))


@router.delete("/groups/{group}/members/{email}")
async def remove_group_member(group: GroupRef, email: Email, caller: SignedIn, held: Held) -> Group:
    params = {"group_ref": group, "member_email": email, "is_member": False}
    return Group.model_validate(await held.store.rpc(caller, "set_group_member", params))


@router.put("/documents/{document_id}/group")
async def restrict_document(
    document_id: Annotated[str, Path(max_length=200)], body: Restriction, caller: SignedIn, held: Held
) -> Restricted:
    """Keep a document, and what is attached to it, for a group inside its matter. For owners who are in the group."""
    params = {"document_id": document_id, "group_ref": body.group}
    return Restricted.model_validate(await held.store.rpc(caller, "restrict_document", params))
