"""Reads a token from the headers of a request."""

from __future__ import annotations

from collections.abc import Mapping


def bearer_token(headers: Mapping[str, str]) -> str:
    """The token of `Authorization: Bearer`, or "". `headers`: names in lower case, or case-insensitive."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def header_token(headers: Mapping[str, str]) -> str:
    """The bearer token, else the `X-API-Key` of stock frontends, or ""."""
    return bearer_token(headers) or headers.get("x-api-key", "").strip()
