"""Failures of the chat model, as sentences for the person who asked."""

from __future__ import annotations

import re
from collections.abc import Mapping

import httpx
import openai

from orderly.errors import ModelFailed

KEY_REJECTED = (
    "The language model did not accept this installation's key. Your own sign-in is not affected; an administrator has to "
    "check the key of the model."
)
NO_CREDIT = "The account at the language model has no credit left. An administrator has to look after it."
BUSY = "The language model has too many requests just now. Ask again in a minute."
TOO_LONG = "The question with what was read for it is too long for the language model. Ask about less at once, or start anew."
UNKNOWN_MODEL = "The endpoint does not have the language model that is configured. An administrator has to check it."
REJECTED = "The language model rejected the request."
DOWN = "The language model is not working just now. Ask again in a few minutes."
TOO_SLOW = "The language model did not answer in time. Ask again, or about less at once."
UNREACHABLE = "The language model could not be reached. Ask again in a few minutes."
BROKE_OFF = "The language model's reply broke off. Ask again."
UNREADABLE = "The language model's reply could not be read. Ask again."
EMPTY = "The language model gave an empty reply. Ask again, or in other words."
FILTERED = "The content filter of the language model's provider stopped the answer. Ask in other words."
LENGTH = "The language model reached its limit of length before it had answered. Ask about less at once."
WROTE_CALLS = "The language model wrote tool calls as text that cannot be run. Ask again."

_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|window)|maximum context|too many tokens|prompt is too long|too long", re.IGNORECASE
)
_FILTER = re.compile(r"content.?(?:filter|policy|management)|responsible ?ai|safety", re.IGNORECASE)
_NO_CREDIT = re.compile(r"insufficient_quota|billing|exceeded your current quota|balance", re.IGNORECASE)

MALFORMED = (ValueError, TypeError, KeyError, AttributeError, IndexError)
"""Raised by clients for a reply that does not have the protocol's form."""

CLIENT_ERRORS = (openai.OpenAIError, httpx.HTTPError, TimeoutError, *MALFORMED)
"""Raised by the client for failures of the endpoint."""


def model_failure(error: Exception, *, began: bool) -> ModelFailed:
    """The failure in plain words. Nothing of the endpoint's own message is passed on, as it may hold a key or an address.

    Args:
        error: As the client raised it.
        began: Whether a part of the reply had arrived.
    """
    if isinstance(error, ModelFailed):
        return error
    if isinstance(error, openai.APIStatusError):
        return _of_status(error)
    if isinstance(error, TimeoutError | httpx.TimeoutException | openai.APITimeoutError):
        return ModelFailed("too_slow", TOO_SLOW, may_pass=True)
    if isinstance(error, openai.APIConnectionError | httpx.ConnectError) and not began:
        return ModelFailed("unreachable", UNREACHABLE, may_pass=True)
    if isinstance(error, httpx.HTTPError | openai.APIConnectionError):
        return ModelFailed("broke_off", BROKE_OFF, may_pass=True)
    if isinstance(error, openai.APIError):
        return ModelFailed("down", DOWN, may_pass=True)
    return ModelFailed("unreadable", UNREADABLE, may_pass=True)


def _of_status(error: openai.APIStatusError) -> ModelFailed:
    status, text = error.status_code, f"{error.code} {error.message}"
    if status == 402 or (status in (403, 429) and _NO_CREDIT.search(text)):
        return ModelFailed("no_credit", NO_CREDIT)
    if status in (401, 403):
        return ModelFailed("key_rejected", KEY_REJECTED)
    if status == 429:
        return ModelFailed("busy", BUSY, may_pass=True, retry_after=_retry_after(error.response.headers))
    if status == 404:
        return ModelFailed("unknown_model", UNKNOWN_MODEL)
    if status >= 500 or status in (408, 409, 425):
        return ModelFailed("down", DOWN, may_pass=True, retry_after=_retry_after(error.response.headers))
    if status == 413 or _TOO_LONG.search(text):
        return ModelFailed("too_long", TOO_LONG)
    if _FILTER.search(text):
        return ModelFailed("filtered", FILTERED)
    return ModelFailed("rejected", REJECTED)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the endpoint asks to wait; None if it names none, or a date."""
    try:
        return max(float(headers.get("retry-after") or ""), 0)
    except ValueError:
        return None
