"""Signing in from a page: the token becomes a cookie that scripts cannot read and other sites cannot use."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from orderly.api.errors import NotSignedIn, answers
from orderly.api.signed_in import COOKIE, Held, SignedIn, same_origin
from orderly.errors import Denied
from orderly.models import Caller

router = APIRouter(prefix="/api", tags=["session"], responses=answers(403))


class SignIn(BaseModel):
    token: str = Field(
        min_length=1, max_length=8192, description="A Supabase access token, or one that `orderly user token` issued."
    )


class User(BaseModel):
    user_id: str
    email: str
    display_name: str
    tenant_id: str
    tenant_name: str
    is_admin: bool


@router.post("/session")
async def sign_in(body: SignIn, request: Request, response: Response, held: Held) -> User:
    """Exchange a token for the session cookie."""
    if not same_origin(request) and "origin" in request.headers:
        raise Denied("Sign in from this installation's own page.")
    try:
        user_id = await held.user_of_token(body.token)
    except Denied as error:
        raise NotSignedIn(error.message) from error
    user = User.model_validate(await held.store.rpc(Caller(user_id=user_id), "whoami", {}))
    response.set_cookie(COOKIE, body.token, httponly=True, samesite="strict", secure=request.url.scheme == "https", path="/")
    return user


@router.delete("/session", status_code=204)
async def sign_out(response: Response) -> None:
    response.delete_cookie(COOKIE, path="/")


@router.get("/session")
async def who(caller: SignedIn, held: Held) -> User:
    """The signed-in user."""
    return User.model_validate(await held.store.rpc(caller, "whoami", {}))
