"""Which external processors may receive the text of a matter."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from orderly.api.bodies import Body
from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import error_responses
from orderly.api.routes.matters import MatterRef
from orderly.services.policy import PROCESSORS, external_endpoints
from orderly.store.functions import processors as limits
from orderly.store.functions.processors import Processor

router = APIRouter(prefix="/api", tags=["processors"], responses=error_responses(403, 404))


class Policy(BaseModel):
    firm: list[Processor] | None = Field(description="Processors that the firm allows; null: no limit.")
    matter: list[Processor] | None = Field(description="Processors that the matter allows; null: all that the firm allows.")
    allowed: list[Processor] = Field(description="The effective list for the matter, or for the firm if no matter is named.")
    set_up: dict[str, str] = Field(description="The processors configured in this installation, with their addresses.")


class Allowed(Body):
    processors: list[Processor] | None = Field(
        max_length=len(PROCESSORS), description="Null: no limit. Empty: nothing leaves this installation."
    )


def _policy(services: CurrentServices, found: limits.Processors) -> Policy:
    return Policy(**found, set_up=external_endpoints(services.settings))


@router.get("/matters/{matter}/processors")
async def matter_processors(matter: MatterRef, caller: SignedIn, services: CurrentServices) -> Policy:
    return _policy(services, await limits.get_processors(services.store, caller, matter_ref=matter))


@router.put("/matters/{matter}/processors")
async def set_matter_processors(matter: MatterRef, body: Allowed, caller: SignedIn, services: CurrentServices) -> Policy:
    """For owners. Existing documents keep their vectors; searches name the documents that must be embedded again."""
    return _policy(services, await limits.set_matter_processors(services.store, caller, matter, body.processors))


@router.get("/firm/processors")
async def firm_processors(caller: SignedIn, services: CurrentServices) -> Policy:
    return _policy(services, await limits.get_processors(services.store, caller))


@router.put("/firm/processors")
async def set_firm_processors(body: Allowed, caller: SignedIn, services: CurrentServices) -> Policy:
    """For administrators."""
    return _policy(services, await limits.set_firm_processors(services.store, caller, body.processors))
