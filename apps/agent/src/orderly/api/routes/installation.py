"""Sign-in methods and properties of the installation, for the page."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel

from orderly.api.callers import CurrentServices, SignedIn, public_address_is_trusted
from orderly.api.errors import error_responses

router = APIRouter(prefix="/api", tags=["installation"], responses=error_responses())


class SignInWays(BaseModel):
    password: bool
    """E-mail and password, at `/api/session/password`. Sign-in with a token is always possible."""
    link: bool
    """A link by e-mail, from `/api/session/link`."""
    provider: bool
    """The firm's identity provider: the browser goes to `/api/oidc/login`."""


class Installation(BaseModel):
    engine: str
    engine_offline: bool
    model: str
    model_offline: bool
    """True: a rule-based planner answers with quotations."""
    timezone: str
    max_file_mb: int
    max_chat_files: int


@router.get("/sign-in")
async def ways_to_sign_in(request: Request, services: CurrentServices) -> SignInWays:
    """Sign-in methods of this installation. Public."""
    by_supabase = services.supabase_sign_in.available
    by_link = by_supabase and public_address_is_trusted(request, services)
    return SignInWays(password=by_supabase, link=by_link, provider=services.oidc is not None)


@router.get("/installation")
async def installation(caller: SignedIn, services: CurrentServices) -> Installation:
    """Engine and model in use, and limits of files."""
    settings = services.settings
    offline = settings.openai_api_key is None
    return Installation(
        engine=services.engine.description,
        engine_offline=services.engine.offline,
        model="offline planner" if offline else settings.model,
        model_offline=offline,
        timezone=settings.timezone,
        max_file_mb=settings.max_file_mb,
        max_chat_files=settings.max_chat_files,
    )
