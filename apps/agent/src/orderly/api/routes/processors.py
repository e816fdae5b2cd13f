"""Which outside processors may get the text of a matter."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from orderly.api.callers import Held, SignedIn
from orderly.api.errors import answers
from orderly.api.routes.matters import MatterRef
from orderly.services.policy import PROCESSORS, places
from orderly.store.functions import processors as limits
from orderly.store.functions.processors import Processor

router = APIRouter(prefix="/api", tags=["processors"], responses=answers(403, 404))


class Policy(BaseModel):
    firm: list[Processor] | None = Field(description="What the firm allows; null: no limit.")
    matter: list[Processor] | None = Field(description="What the matter allows of it; null: all.")
    allowed: list[Processor] = Field(description="What follows for the matter, or for the firm where none is named.")
    set_up: dict[str, str] = Field(description="The processors that this installation uses at all, and where.")


class Allowed(BaseModel):
    processors: list[Processor] | None = Field(
        max_length=len(PROCESSORS), description="Null: no limit. Empty: nothing leaves this installation."
    )


def _policy(held: Held, found: limits.Processors) -> Policy:
    return Policy(**found, set_up=places(held.settings))


@router.get("/matters/{matter}/processors")
async def matter_processors(matter: MatterRef, caller: SignedIn, held: Held) -> Policy:
    return _policy(held, await limits.get_processors(held.store, caller, matter_ref=matter))


@router.put("/matters/{matter}/processors")
async def set_matter_processors(matter: MatterRef, body: Allowed, caller: SignedIn, held: Held) -> Policy:
    """For owners. Documents that are there already keep what was made of them; searches name those that need new vectors."""
    return _policy(held, await limits.set_matter_processors(held.store, caller, matter, body.processors))


@router.get("/firm/processors")
async def firm_processors(caller: SignedIn, held: Held) -> Policy:
    return _policy(held, await limits.get_processors(held.store, caller))


@router.put("/firm/processors")
async def set_firm_processors(body: Allowed, caller: SignedIn, held: Held) -> Policy:
    """For administrators."""
    return _policy(held, await limits.set_firm_processors(held.store, caller, body.processors))
