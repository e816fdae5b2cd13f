"""The web page's HttpOnly session cookie, accepted only with requests of our own page (CSRF protection)."""

from __future__ import annotations

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

COOKIE = "session"
REFRESH_COOKIE = "session_refresh"
"""Supabase's refresh token, with a cookie path that limits it to the session routes."""

OWN_HEADER = "x-requested-with"
OWN_VALUE = "orderly"
"""Header that other sites cannot send unless CORS permits it."""


def is_foreign(headers: Mapping[str, str], public_url: str = "") -> bool:
    """Whether the request has the Origin of another site. `headers`: names in lower case.

    Own are the request's Host and `public_url`, since a proxy may replace the Host.
    """
    origin = headers.get("origin")
    return origin is not None and _place(origin) not in (headers.get("host"), _place(public_url) or None)


def _place(url: str) -> str:
    """Host and port of an address, "" if it has none."""
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""


def same_origin(headers: Mapping[str, str], public_url: str = "") -> bool:
    """Whether the request has the same origin, by Origin and Sec-Fetch-Site. `headers`: names in lower case."""
    if is_foreign(headers, public_url):
        return False
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    return "origin" in headers


def may_change(method: str, headers: Mapping[str, str], public_url: str = "") -> bool:
    """Whether a request that carries the cookie may change something.

    Browsers send Origin with every PUT, PATCH and DELETE to another origin, and forms cannot use these methods. Without Origin
    and Sec-Fetch-Site, they come from a program. A POST may come from a form in an old browser, which sends neither header.
    """
    if "sec-fetch-site" in headers or "origin" in headers:
        return same_origin(headers, public_url)
    return method in ("PUT", "PATCH", "DELETE") or headers.get(OWN_HEADER) == OWN_VALUE


def by_own_page(headers: Mapping[str, str], public_url: str = "") -> bool:
    """Whether our own page sent the request. Stricter than `same_origin`, since the method is unknown here.

    Browsers omit Sec-Fetch-Site over plain HTTP, and Origin in same-origin GET requests.
    """
    if is_foreign(headers, public_url):
        return False
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    return headers.get(OWN_HEADER) == OWN_VALUE or same_origin(headers, public_url)


def cookie_token(headers: Mapping[str, str]) -> str:
    """The session token, "" if there is none."""
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""
