"""Converts errors to HTTP responses: problem details (RFC 9457), and OpenAI's error format under /v1/."""

from __future__ import annotations

import logging
from collections.abc import Mapping
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
    RunFailed,
    StorageFailed,
    StoreUnavailable,
    TooBusy,
    TooLarge,
    Unreadable,
)

_log = logging.getLogger(__name__)


class NotSignedIn(Denied):
    """The request has no valid credentials (401). `Denied` means valid credentials without the permission (403)."""


class Problem(BaseModel):
    """Problem details (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = Field(description="A sentence that may be shown to the user.")
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
    (TooBusy, 429, "Too many at a time"),
    (Denied, 403, "Not allowed"),
    (Unreadable, 422, "Unreadable file"),
    (StorageFailed, 502, "Storage failed"),
    (OcrFailed, 502, "Text recognition failed"),
    (EngineFailed, 502, "The legal engine failed"),
    (RunFailed, 502, "The run failed"),
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
"""Problem types that a client can handle in code."""

UNREADABLE_BODY = "There was an error parsing the body"
"""FastAPI's message for a body that is not UTF-8, with status 400. Replaced by 422, as for a body that is not JSON."""

OWN_PATHS = ("/api/", "/chat/api/", "/files/", "/v1/")
"""Prefixes of this application's paths. Errors on other paths keep the LangGraph server's format."""


def problem(status: int, title: str, detail: str, headers: dict[str, str] | None = None, **more: Any) -> JSONResponse:
    body = Problem(title=title, status=status, detail=detail, **more).model_dump(exclude_none=True)
    return JSONResponse(body, status, headers=headers, media_type="application/problem+json")


def status_of(error: OrderlyError) -> tuple[int, str]:
    """HTTP status and title; 500 for an error without a row in `_STATUSES`."""
    for kind, status, title in _STATUSES:
        if isinstance(error, kind):
            return status, title
    return 500, "Something went wrong"


def error_response(
    request: Request,
    status: int,
    title: str,
    detail: str,
    headers: dict[str, str] | None = None,
    param: str | None = None,
    **more: Any,
) -> JSONResponse:
    """Builds the error body in the format of the request's path: OpenAI's under /v1/, else problem details."""
    if not request.url.path.startswith("/v1/"):
        return problem(status, title, detail, headers, **more)
    status = 400 if status == 422 else status
    kind = "invalid_request_error" if status < 500 else "server_error"
    code = {401: "invalid_api_key", 404: "not_found", 409: "conflict"}.get(status)
    body = {"error": {"message": detail, "type": kind, "param": param, "code": code}}
    return JSONResponse(body, status, headers=headers)


async def _handle_domain_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, OrderlyError)
    status, title = status_of(error)
    if isinstance(error, StoreUnavailable):
        # Log only the class of the cause: a driver's message may quote values.
        _log.warning("%s %s: %s (%s)", request.method, request.url.path, error.message, type(error.__cause__).__name__)
    headers = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "2"}, 503: {"Retry-After": "2"}}.get(status)
    return error_response(request, status, title, error.message, headers, **_extra_fields(error))


def _extra_fields(error: OrderlyError) -> dict[str, Any]:
    """`type` and `existing` of the problem."""
    fields: dict[str, Any] = {"type": _TYPES[type(error)]} if type(error) in _TYPES else {}
    if isinstance(error, AlreadyThere):
        fields["existing"] = {"same_content": error.same_content, "same_name": error.same_name}
    return fields


async def _handle_validation_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    found = [(_place(e, error.body), e["msg"]) for e in error.errors()]
    detail = "; ".join(dict.fromkeys(f"{place}: {message}" if place else message for place, message in found))
    return error_response(request, 422, "Not acceptable as asked", detail, param=found[0][0] or None)


def _place(error: Mapping[str, Any], body: Any) -> str:
    """The name of the field that an error is about, as a client writes it: without the names of types that pydantic tried."""
    where, *parts = error["loc"]
    if where != "body":
        return ".".join(map(str, parts))
    kept: list[str] = []
    for n, part in enumerate(parts):
        if isinstance(body, Mapping) and (part in body or (error["type"] == "missing" and n == len(parts) - 1)):
            body = body.get(part)
        elif isinstance(body, list) and isinstance(part, int) and part < len(body):
            body = body[part]
        else:
            continue
        kept.append(str(part))
    return ".".join(kept)


async def _handle_http_exception(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.detail == UNREADABLE_BODY:
        return error_response(request, 422, "Not acceptable as asked", "The body cannot be read: it is not text in UTF-8.")
    if request.url.path.startswith(OWN_PATHS):
        return error_response(request, error.status_code, str(error.detail), str(error.detail), headers)
    return JSONResponse({"detail": error.detail}, error.status_code, headers=headers)


def register_error_handlers(app: FastAPI) -> None:
    app.add_exception_handler(OrderlyError, _handle_domain_error)
    app.add_exception_handler(RequestValidationError, _handle_validation_error)
    app.add_exception_handler(HTTPException, _handle_http_exception)


class OpenAIFailure(BaseModel):
    message: str
    type: str
    param: str | None
    code: str | None


class OpenAIProblem(BaseModel):
    """Error body of OpenAI's API."""

    error: OpenAIFailure


def openai_error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Like `error_responses`, for routes under /v1/, where invalid input is 400."""
    return {status: {"model": OpenAIProblem} for status in sorted({400, 401, 429, 503, *statuses})}


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Error statuses of a route for the OpenAPI document, with those common to all routes."""
    declared = {401, 422, 429, 503, *statuses}
    return {status: {"model": Problem, "content": {"application/problem+json": {}}} for status in sorted(declared)}
