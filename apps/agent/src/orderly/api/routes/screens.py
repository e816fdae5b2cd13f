"""Ethical walls: who may not see a matter, whatever else they may."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from orderly.api.callers import Held, SignedIn
from orderly.api.errors import answers
from orderly.api.routes.matters import MatterRef
from orderly.store.functions import screens

router = APIRouter(prefix="/api", tags=["walls"], responses=answers(403, 404))


class Screen(BaseModel):
    id: str
    matter_id: str
    matter_number: str
    matter_title: str
    user_id: str
    email: str
    display_name: str
    reason: str | None = Field(description="Null for an owner who did not put it up.")
    starts_at: datetime
    ends_at: datetime | None
    in_force: bool
    created_at: datetime
    created_by: str | None = Field(description="E-mail; null: their account is gone.")
    lifted_at: datetime | None
    lifted_by: str | None


class NewScreen(BaseModel):
    email: str = Field(min_length=3, max_length=320)
    reason: str = Field(min_length=1, max_length=2000)
    starts_at: datetime | None = Field(default=None, description="Default: at once.")
    ends_at: datetime | None = Field(default=None, description="Default: until it is lifted.")


@router.get("/screens")
async def list_all(
    caller: SignedIn, held: Held, lifted: Annotated[bool, Query(description="Also those that are over.")] = False
) -> list[Screen]:
    """Every wall of the firm. For conflicts officers."""
    return [Screen.model_validate(s) for s in await screens.list_screens(held.store, caller, lifted=lifted)]


@router.get("/matters/{matter}/screens")
async def list_screens(matter: MatterRef, caller: SignedIn, held: Held) -> list[Screen]:
    """The walls around a matter, newest first, those that are over included. For its owners and conflicts officers."""
    return [Screen.model_validate(s) for s in await screens.list_matter_screens(held.store, caller, matter)]


@router.post("/matters/{matter}/screens", status_code=201, responses=answers(409))
async def add_screen(matter: MatterRef, body: NewScreen, caller: SignedIn, held: Held) -> Screen:
    """Put up a wall between a colleague and the matter. For its owners and conflicts officers."""
    return Screen.model_validate(
        await screens.add_matter_screen(
            held.store,
            caller,
            matter,
            member_email=body.email,
            reason=body.reason,
            starts_at=_moment(body.starts_at),
            ends_at=_moment(body.ends_at),
        )
    )


@router.delete("/matters/{matter}/screens/{screen}")
async def lift_screen(matter: MatterRef, screen: str, caller: SignedIn, held: Held) -> Screen:
    """Lift a wall, which stays on record. For conflicts officers."""
    return Screen.model_validate(await screens.lift_matter_screen(held.store, caller, matter, screen))


def _moment(given: datetime | None) -> str | None:
    """A time without a zone is read as UTC, as the database does."""
    return given.isoformat() if given is not None else None
