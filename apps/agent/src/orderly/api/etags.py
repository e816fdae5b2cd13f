"""Validators: what a client has is still so (304), or is not any more what it wants to change (412)."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

from fastapi import Header, Request, Response
from pydantic import BaseModel

from orderly.errors import Changed

IfMatch = Annotated[
    str | None, Header(alias="if-match", max_length=500, description="Change only what still is as this ETag says.")
]
MUST_ASK = "private, no-cache"
"""For Cache-Control: a copy may be kept, and must be asked about before each use, because access may have ended."""


def etag_of(body: BaseModel) -> str:
    return f'"{hashlib.sha256(body.model_dump_json().encode()).hexdigest()[:32]}"'


def matches(header: str, etag: str) -> bool:
    """Whether one of the tags of an If-Match or If-None-Match header is `etag`, weak or strong."""
    tags = {tag.strip().removeprefix("W/") for tag in header.split(",")}
    return "*" in tags or etag in tags


def only_if(if_match: str | None, body: BaseModel) -> None:
    """Raises Changed unless the client's If-Match, where it sent one, is of what is there now."""
    if if_match is not None and not matches(if_match, etag_of(body)):
        raise Changed("Somebody has changed this since you looked. Look again, then decide.")


def validated(request: Request, response: Response, etag: str) -> bool:
    """Set the validators on `response`; True where the client has this very answer, which then is sent without a body."""
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = MUST_ASK
    return matches(request.headers.get("if-none-match", ""), etag)


def answer(request: Request, response: Response, body: BaseModel, etag: str | None = None) -> Any:
    """`body` with its validators, or 304."""
    if validated(request, response, etag or etag_of(body)):
        return Response(status_code=304, headers=dict(response.headers))
    return body
