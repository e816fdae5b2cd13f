"""Ethical walls: deny one person access to a matter, whatever roles the person has."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from orderly.api.bodies import Body
from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.api.routes.matters import MatterRef
from orderly.store.functions import screens

router = APIRouter(prefix="/api", tags=["walls"], responses=error_responses(403, 404))


class Screen(BaseModel):
    id: str
    matter_id: str
    matter_number: str
    matter_title: str
    user_id: str
    email: str
    display_name: str
    reason: str | None = Field(description="Null for an owner who did not create the wall.")
    starts_at: datetime
    ends_at: datetime | None
    in_force: bool
    created_at: datetime
    created_by: str | None = Field(description="E-mail; null: the account was deleted.")
    lifted_at: datetime | None
    lifted_by: str | None


class NewScreen(Body):
    email: str = Field(min_length=3, max_length=320)
    reason: str = Field(min_length=1, max_length=2000)
    starts_at: datetime | None = Field(default=None, description="Default: now.")
    ends_at: datetime | None = Field(default=None, description="Default: until the wall is lifted.")


@router.get("/screens")
async def list_all(
    caller: SignedIn,
    services: CurrentServices,
    lifted: Annotated[bool, Query(description="Include walls that have ended.")] = False,
) -> list[Screen]:
    """List the walls of the firm. For conflicts officers."""
    return [Screen.model_validate(s) for s in await screens.list_screens(services.store, caller, lifted=lifted)]


@router.get("/matters/{matter}/screens")
async def list_screens(matter: MatterRef, caller: SignedIn, services: CurrentServices) -> list[Screen]:
    """List the walls of a matter, newest first, including ended ones. For its owners and conflicts officers."""
    return [Screen.model_validate(s) for s in await screens.list_matter_screens(services.store, caller, matter)]


@router.post("/matters/{matter}/screens", status_code=201, responses=error_responses(409))
async def add_screen(matter: MatterRef, body: NewScreen, caller: SignedIn, services: CurrentServices) -> Screen:
    """Create a wall between a colleague and the matter. For its owners and conflicts officers."""
    return Screen.model_validate(
        await screens.add_matter_screen(
            services.store,
            caller,
            matter,
            member_email=body.email,
            reason=body.reason,
            starts_at=_iso_time(body.starts_at),
            ends_at=_iso_time(body.ends_at),
        )
    )


@router.delete("/matters/{matter}/screens/{screen}")
async def lift_screen(matter: MatterRef, screen: str, caller: SignedIn, services: CurrentServices) -> Screen:
    """Lift a wall; the wall stays in the list. For conflicts officers."""
    return Screen.model_validate(await screens.lift_matter_screen(services.store, caller, matter, screen))


def _iso_time(time: datetime | None) -> str | None:
    """The database reads a time without a zone as UTC."""
    return time.isoformat() if time is not None else None
