"""Session cookies of the page, and the same-origin checks that protect them against CSRF."""

from __future__ import annotations

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

COOKIE = "session"
REFRESH_COOKIE = "session_refresh"
"""Supabase's refresh token. Browsers send the cookie to the session routes only."""

OWN_HEADER = "x-requested-with"
OWN_VALUE = "orderly"
"""A cross-origin page cannot send this header without a CORS preflight."""


def same_origin(headers: Mapping[str, str]) -> bool:
    """Whether Sec-Fetch-Site or Origin shows a same-origin request. `headers`: names in lower case."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc == headers.get("host")


def by_own_page(headers: Mapping[str, str]) -> bool:
    """Whether our page sent the request: stricter than `same_origin`, for callers that do not know the HTTP method.

    Browsers omit Sec-Fetch-Site over plain HTTP, and Origin on same-origin GET requests.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    return headers.get(OWN_HEADER) == OWN_VALUE or same_origin(headers)


def cookie_token(headers: Mapping[str, str]) -> str:
    """The session token, or ""."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""
