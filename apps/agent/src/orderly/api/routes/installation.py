"""What the page has to know of the installation that serves it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel

from orderly.api.callers import Held, SignedIn, knows_own_page
from orderly.api.errors import answers

router = APIRouter(prefix="/api", tags=["installation"], responses=answers())


class SignInWays(BaseModel):
    password: bool
    """E-mail and password, at `/api/session/password`. A token is always taken."""
    link: bool
    """A link by e-mail, from `/api/session/link`."""
    provider: bool
    """The firm's identity provider: the browser goes to `/api/oidc/login`."""


class Installation(BaseModel):
    engine: str
    engine_offline: bool
    model: str
    model_offline: bool
    """True: answers are quotations chosen by rule."""
    timezone: str
    max_file_mb: int
    max_chat_files: int


@router.get("/sign-in")
async def ways_to_sign_in(request: Request, held: Held) -> SignInWays:
    """Open to all: which sign-ins this installation takes."""
    by_supabase = held.supabase_sign_in.available
    by_link = by_supabase and knows_own_page(request, held)
    return SignInWays(password=by_supabase, link=by_link, provider=held.oidc is not None)


@router.get("/installation")
async def installation(caller: SignedIn, held: Held) -> Installation:
    """Which engine and model are in use, and what files are taken."""
    settings = held.settings
    offline = settings.openai_api_key is None
    return Installation(
        engine=held.engine.description,
        engine_offline=held.engine.offline,
        model="offline planner" if offline else settings.model,
        model_offline=offline,
        timezone=settings.timezone,
        max_file_mb=settings.max_file_mb,
        max_chat_files=settings.max_chat_files,
    )
