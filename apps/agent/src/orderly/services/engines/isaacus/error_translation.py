"""Translates errors of Isaacus and httpx into Orderly's errors. No other module does."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from orderly.errors import (
    EngineAccountBlocked,
    EngineFailed,
    EngineKeyRejected,
    EngineMisbehaved,
    EngineRefused,
    EngineUnavailable,
    Misconfigured,
    OrderlyError,
)


class RequestTooLarge(EngineRefused):
    """413: smaller requests may succeed."""


class ChunkingTimeout(EngineRefused):
    """A permanent 500: the text has too few split points."""


HTTPX_ERRORS: tuple[tuple[type[Exception], type[OrderlyError], str], ...] = (
    (httpx.UnsupportedProtocol, Misconfigured, "The Isaacus base URL must begin with http:// or https://."),
    (httpx.InvalidURL, Misconfigured, "The Isaacus base URL is not a valid address."),
    (httpx.LocalProtocolError, Misconfigured, "The request to Isaacus could not be formed; check the key and address."),
    (httpx.TimeoutException, EngineUnavailable, "Isaacus did not answer in time."),
    (httpx.TransportError, EngineUnavailable, "Isaacus could not be reached."),
    (httpx.DecodingError, EngineMisbehaved, "Isaacus sent a reply that could not be decoded."),
    (httpx.TooManyRedirects, EngineMisbehaved, "Isaacus redirected without end."),
    (httpx.StreamError, EngineMisbehaved, "The reply from Isaacus broke off."),
    (httpx.CookieConflict, EngineMisbehaved, "Isaacus set conflicting cookies."),
    (httpx.HTTPError, EngineUnavailable, "The call to Isaacus failed."),
)
"""The first match counts, so subclasses precede their base classes."""

STATUSES: Mapping[int, tuple[type[EngineFailed], str]] = {
    400: (EngineRefused, "Isaacus refused the request as invalid."),
    401: (EngineKeyRejected, "Isaacus rejected the API key. Check ISAACUS_API_KEY."),
    402: (EngineAccountBlocked, "The Isaacus account is overdue."),
    403: (EngineKeyRejected, "The Isaacus API key is not allowed to do this."),
    413: (RequestTooLarge, "The text is too large for Isaacus in one request."),
    408: (EngineUnavailable, "Isaacus timed out. Try again later."),
    409: (EngineUnavailable, "Isaacus could not take the request just now. Try again later."),
    429: (EngineUnavailable, "Isaacus is limiting the rate of requests. Try again later."),
}

TITLES: Mapping[str, tuple[type[EngineFailed], str]] = {
    "embedding input too large": (EngineRefused, "A passage is longer than the embedding model's window."),
    "unsupported embedding dimension": (EngineRefused, "The embedding model does not offer this number of dimensions."),
    "unsupported embedding task": (EngineRefused, "The embedding model does not know this task."),
    "invalid iql query": (EngineRefused, "Isaacus did not understand the clause query."),
    "query too long": (EngineRefused, "The question is too long for the engine."),
    "enrichment input too large": (EngineRefused, "The document is too large for enrichment."),
    "no subscription": (EngineAccountBlocked, "The Isaacus account has no subscription."),
    "chunking timeout": (ChunkingTimeout, "Isaacus could not divide this text into passages in time."),
}
"""Keyed by the problem's title, in lower case without "error". `detail` is never shown, since it may repeat the text sent."""


def translate_exception(error: Exception) -> OrderlyError:
    """Orderly's error for an httpx exception. Raise it `from` that exception."""
    for kind, error_type, message in HTTPX_ERRORS:
        if isinstance(error, kind):
            return error_type(message)
    raise TypeError("not an error of httpx") from error


def translate_response(response: httpx.Response) -> EngineFailed:
    """Orderly's error for a reply with a status other than 200."""
    title = _problem_title(response)
    if response.status_code >= 400 and title in TITLES:
        kind, message = TITLES[title]
        return kind(message)
    if response.status_code in STATUSES:
        kind, message = STATUSES[response.status_code]
        return kind(message)
    return _translate_status_class(response.status_code)


def _translate_status_class(status: int) -> EngineFailed:
    if status >= 500:
        return EngineUnavailable(f"Isaacus failed on its side ({status}). Try again later.")
    if status >= 400:
        return EngineRefused(f"Isaacus refused the request ({status}).")
    return EngineMisbehaved(f"Isaacus answered with status {status} where 200 was expected. Check ISAACUS_BASE_URL.")


def _problem_title(response: httpx.Response) -> str:
    """Title of a problem+json body; "" for other bodies, such as a gateway's HTML."""
    try:
        problem = response.json()
    except ValueError:
        return ""
    title = problem.get("title") if isinstance(problem, dict) else None
    return title.lower().removesuffix("error").strip() if isinstance(title, str) else ""
