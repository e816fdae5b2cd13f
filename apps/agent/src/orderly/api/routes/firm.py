"""People, groups and matter members of the firm, for administrators. The role gives no access to documents."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from orderly.api.bodies import Body
from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.api.routes.matters import MatterRef, Member, NewMember
from orderly.store.functions import documents, firm, groups, matters, members

router = APIRouter(prefix="/api", tags=["firm"], responses=error_responses(403, 404))

Email = Annotated[str, Path(max_length=320)]
GroupRef = Annotated[str, Path(description="Id or name of a group.", max_length=200)]


class Person(BaseModel):
    user_id: str
    email: str
    display_name: str
    is_admin: bool
    is_conflicts_officer: bool


class NewPerson(Body):
    email: str = Field(min_length=3, max_length=320)
    display_name: str = Field(default="", max_length=200)


class Roles(Body):
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


class NewGroup(Body):
    name: str = Field(min_length=1, max_length=200)


class GroupMember(Body):
    email: str = Field(min_length=3, max_length=320)


class Restriction(Body):
    group: str | None = Field(max_length=200, description="Id or name; null: all members of the matter.")


class Restricted(BaseModel):
    id: str
    filename: str
    group: dict[str, str] | None


@router.get("/firm/people")
async def list_people(caller: SignedIn, services: CurrentServices) -> list[Person]:
    """List the people of the firm. For everybody in the firm."""
    return [Person.model_validate(p) for p in await firm.list_people(services.store, caller)]


@router.post("/firm/people", status_code=201, responses=error_responses(409))
async def add_person(body: NewPerson, caller: SignedIn, services: CurrentServices) -> Person:
    return Person.model_validate(await firm.add_person(services.store, caller, body.email, body.display_name))


@router.patch("/firm/people/{email}", responses=error_responses(409))
async def set_person(email: Email, body: Roles, caller: SignedIn, services: CurrentServices) -> Person:
    """Change roles in the firm. Omitted fields stay unchanged."""
    return Person.model_validate(
        await firm.set_person(
            services.store, caller, email, is_admin=body.is_admin, is_conflicts_officer=body.is_conflicts_officer
        )
    )


@router.get("/firm/matters")
async def firm_matters(caller: SignedIn, services: CurrentServices) -> list[FirmMatter]:
    """List all matters of the firm, without their documents."""
    return [FirmMatter.model_validate(m) for m in await matters.firm_matters(services.store, caller)]


@router.get("/firm/matters/{matter}/members")
async def firm_members(matter: MatterRef, caller: SignedIn, services: CurrentServices) -> list[Member]:
    found = await members.firm_matter_members(services.store, caller, matter)
    return [Member.model_validate(m) for m in found]


@router.post("/firm/matters/{matter}/members", status_code=201, responses=error_responses(409))
async def set_firm_member(matter: MatterRef, body: NewMember, caller: SignedIn, services: CurrentServices) -> Member:
    """Give a colleague a role in the matter. Administrators cannot add themselves."""
    member = await members.set_firm_member(services.store, caller, matter, member_email=body.email, member_role=body.role)
    return Member.model_validate(member)


@router.delete("/firm/matters/{matter}/members/{email}", responses=error_responses(409))
async def remove_firm_member(matter: MatterRef, email: Email, caller: SignedIn, services: CurrentServices) -> Member:
    removed = await members.set_firm_member(services.store, caller, matter, member_email=email, member_role=None)
    return Member.model_validate(removed)


@router.get("/groups")
async def list_groups(caller: SignedIn, services: CurrentServices) -> list[Group]:
    """List the caller's groups; for administrators, all groups."""
    return [Group.model_validate(g) for g in await groups.list_groups(services.store, caller)]


@router.post("/groups", status_code=201, responses=error_responses(409))
async def create_group(body: NewGroup, caller: SignedIn, services: CurrentServices) -> Group:
    return Group.model_validate(await groups.create_group(services.store, caller, body.name))


@router.delete("/groups/{group}", responses=error_responses(409))
async def delete_group(group: GroupRef, caller: SignedIn, services: CurrentServices) -> Group:
    return Group.model_validate(await groups.delete_group(services.store, caller, group))


@router.post("/groups/{group}/members", status_code=201)
async def add_group_member(group: GroupRef, body: GroupMember, caller: SignedIn, services: CurrentServices) -> Group:
    return Group.model_validate(await groups.set_group_member(services.store, caller, group, body.email, is_member=True))


@router.delete("/groups/{group}/members/{email}")
async def remove_group_member(group: GroupRef, email: Email, caller: SignedIn, services: CurrentServices) -> Group:
    return Group.model_validate(await groups.set_group_member(services.store, caller, group, email, is_member=False))


@router.put("/documents/{document_id}/group")
async def restrict_document(
    document_id: Annotated[str, Path(max_length=200)], body: Restriction, caller: SignedIn, services: CurrentServices
) -> Restricted:
    """Restrict a document and its attachments to a group within the matter. For owners who are members of the group."""
    return Restricted.model_validate(
        await documents.restrict_document(services.store, caller, document_id, group_ref=body.group)
    )
