"""The one place where a failure becomes an HTTP answer: RFC 9457, application/problem+json."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from orderly.errors import (
    AlreadyThere,
    Changed,
    ChatFull,
    Conflict,
    Denied,
    EngineFailed,
    Invalid,
    Misconfigured,
    NotFound,
    NotReady,
    OcrFailed,
    OrderlyError,
    StorageFailed,
    StoreUnavailable,
    TooLarge,
    Unreadable,
)

_log = logging.getLogger(__name__)


class NotSignedIn(Denied):
    """No valid sign-in came with the request, which is 401; a sign-in that may not do this is 403."""


class Problem(BaseModel):
    """What went wrong, as RFC 9457 shapes it."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = Field(description="A sentence for the person who asked.")
    existing: dict[str, Any] | None = Field(
        default=None, description="urn:orderly:already-there only: {same_content, same_name}, each a document or null."
    )


_STATUSES: tuple[tuple[type[OrderlyError], int, str], ...] = (
    (NotSignedIn, 401, "Not signed in"),
    (NotFound, 404, "Not found"),
    (TooLarge, 413, "File too large"),
    (Changed, 412, "Changed meanwhile"),
    (Conflict, 409, "Conflict"),
    (Invalid, 422, "Not acceptable as asked"),
    (NotReady, 425, "Not ready yet"),
    (Denied, 403, "Not allowed"),
    (Unreadable, 422, "Unreadable file"),
    (StorageFailed, 502, "Storage failed"),
    (OcrFailed, 502, "Text recognition failed"),
    (EngineFailed, 502, "The legal engine failed"),
    (StoreUnavailable, 503, "Try again in a moment"),
    (Misconfigured, 503, "The installation is not set up for this"),
)
"""First match wins."""

_TYPES: dict[type[OrderlyError], str] = {
    TooLarge: "urn:orderly:file-too-large",
    ChatFull: "urn:orderly:chat-full",
    AlreadyThere: "urn:orderly:already-there",
    Changed: "urn:orderly:changed",
}
"""What a program can act on by itself."""

UNREADABLE_BODY = "There was an error parsing the body"
"""What FastAPI says, as 400, of a body that is no text; of one that is no JSON it says 422, as we do of both."""

OURS = ("/api/", "/chat/api/", "/files/", "/v1/")
"""Paths of this application; the others are the LangGraph server's, and keep its form of errors."""


def problem(status: int, title: str, detail: str, headers: dict[str, str] | None = None, **more: Any) -> JSONResponse:
    body = Problem(title=title, status=status, detail=detail, **more).model_dump(exclude_none=True)
    return JSONResponse(body, status, headers=headers, media_type="application/problem+json")


def status_of(error: OrderlyError) -> tuple[int, str]:
    """HTTP status and title. What has no row is a fault of the installation."""
    for kind, status, title in _STATUSES:
        if isinstance(error, kind):
            return status, title
    return 500, "Something went wrong"


def told(  # also for what refuses before a route is found
    request: Request,
    status: int,
    title: str,
    detail: str,
    headers: dict[str, str] | None = None,
    param: str | None = None,
    **more: Any,
) -> JSONResponse:
    """Clients of OpenAI's interface expect OpenAI's form."""
    if not request.url.path.startswith("/v1/"):
        return problem(status, title, detail, headers, **more)
    status = 400 if status == 422 else status
    kind = "invalid_request_error" if status < 500 else "server_error"
    code = {401: "invalid_api_key", 404: "not_found", 409: "conflict"}.get(status)
    body = {"error": {"message": detail, "type": kind, "param": param, "code": code}}
    return JSONResponse(body, status, headers=headers)


async def _domain(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, OrderlyError)
    status, title = status_of(error)
    if isinstance(error, StoreUnavailable):
        # The kind alone: what a driver says may quote values.
        _log.warning("%s %s: %s (%s)", request.method, request.url.path, error.message, type(error.__cause__).__name__)
    headers = {401: {"WWW-Authenticate": "Bearer"}, 503: {"Retry-After": "2"}}.get(status)
    return told(request, status, title, error.message, headers, **_more(error))


def _more(error: OrderlyError) -> dict[str, Any]:
    """What the problem says beside status, title and detail."""
    more: dict[str, Any] = {"type": _TYPES[type(error)]} if type(error) in _TYPES else {}
    if isinstance(error, AlreadyThere):
        more["existing"] = {"same_content": error.same_content, "same_name": error.same_name}
    return more


async def _malformed(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    wrong = "; ".join(f"{'.'.join(str(part) for part in e['loc'])}: {e['msg']}" for e in error.errors())
    param = ".".join(str(part) for part in error.errors()[0]["loc"][1:]) or None
    return told(request, 422, "Not acceptable as asked", wrong, param=param)


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.detail == UNREADABLE_BODY:
        return told(request, 422, "Not acceptable as asked", "The body cannot be read: it is not text in UTF-8.")
    if request.url.path.startswith(OURS):
        return told(request, error.status_code, str(error.detail), str(error.detail), headers)
    return JSONResponse({"detail": error.detail}, error.status_code, headers=headers)


def speak_problems(app: FastAPI) -> None:
    app.add_exception_handler(OrderlyError, _domain)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)


class OpenAIFailure(BaseModel):
    message: str
    type: str
    param: str | None
    code: str | None


class OpenAIProblem(BaseModel):
    """What went wrong, as OpenAI shapes it."""

    error: OpenAIFailure


def openai_answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What `answers` declares, for the routes under /v1/: what is not acceptable is 400 there."""
    return {status: {"model": OpenAIProblem} for status in sorted({400, 401, 429, 503, *statuses})}


def answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The failures a route declares in the OpenAPI document, beside those every route has."""
    declared = {401, 422, 429, 503, *statuses}
    return {status: {"model": Problem, "content": {"application/problem+json": {}}} for status in sorted(declared)}
