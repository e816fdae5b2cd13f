"""For the machines that watch the server."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from orderly.api.errors import answers
from orderly.api.signed_in import Held

router = APIRouter(tags=["operations"])


class Health(BaseModel):
    status: str


@router.get("/health")
async def health() -> Health:
    """Whether the process answers at all."""
    return Health(status="ok")


@router.get("/ready", responses={503: answers()[503]})
async def ready(held: Held) -> Health:
    """Whether the store answers."""
    await held.store.rpc(None, "authenticate_token", {"token_sha256": "0" * 64})
    return Health(status="ready")
