"""The page's sign-in travels in a cookie that scripts cannot read; it counts only for requests that our own page made."""

from __future__ import annotations

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

COOKIE = "session"
REFRESH_COOKIE = "session_refresh"
"""Supabase's refresh token. Browsers send it to the session's routes alone."""

OWN_HEADER = "x-requested-with"
OWN_VALUE = "orderly"
"""Another site's page cannot send this header without being let in by CORS first."""


def same_origin(headers: Mapping[str, str]) -> bool:
    """Browsers name the page that a request comes from. `headers`: names in lower case."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc == headers.get("host")


def by_own_page(headers: Mapping[str, str]) -> bool:
    """Stricter, for requests of which only the headers are known: they may change something.

    Browsers leave out Sec-Fetch-Site over plain HTTP, and Origin where a page reads from its own server.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    return headers.get(OWN_HEADER) == OWN_VALUE or same_origin(headers)


def cookie_token(headers: Mapping[str, str]) -> str:
    """The session's token, empty where none came."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""
