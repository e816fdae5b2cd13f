"""ETags: conditional GET (304 Not Modified) and conditional changes (412 Precondition Failed)."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

from fastapi import Header, Request, Response
from pydantic import BaseModel

from orderly.errors import Changed

IfMatch = Annotated[
    str | None,
    Header(alias="if-match", max_length=500, description="Apply the change only if the resource still has this ETag."),
]
REVALIDATE = "private, no-cache"
"""Cache-Control: a client may keep a copy and must revalidate it before each use, because access may have ended."""


def etag_of(body: BaseModel) -> str:
    return f'"{hashlib.sha256(body.model_dump_json().encode()).hexdigest()[:32]}"'


def matches(header: str, etag: str) -> bool:
    """Whether an If-Match or If-None-Match header contains `etag`; weak and strong tags are equal."""
    tags = {tag.strip().removeprefix("W/") for tag in header.split(",")}
    return "*" in tags or etag in tags


def require_match(if_match: str | None, body: BaseModel) -> None:
    """Raises Changed if the client sent an If-Match that does not match `body`."""
    if if_match is not None and not matches(if_match, etag_of(body)):
        raise Changed("Somebody has changed this since you looked. Look again, then decide.")


def set_validators(request: Request, response: Response, etag: str) -> bool:
    """Sets ETag and Cache-Control on `response`. Returns True if the client's copy is current."""
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = REVALIDATE
    return matches(request.headers.get("if-none-match", ""), etag)


def conditional_response(request: Request, response: Response, body: BaseModel) -> Any:
    """Returns `body`, or 304 without a body if the client's copy is current."""
    if set_validators(request, response, etag_of(body)):
        return Response(status_code=304, headers=dict(response.headers))
    return body
