"""Failures of the chat model, as sentences for the person who asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai

from orderly.errors import ModelFailed
from orderly.services.completions import MALFORMED

KEY_REJECTED = (
    "The language model did not accept this installation's key. Your own sign-in is not affected; an administrator has to "
    "check the key of the model."
)
NO_CREDIT = "The account at the language model has no credit left. An administrator has to look after it."
BUSY = "The language model has too many requests just now. Ask again in a minute."
TOO_LONG = "The question with what was read for it is too long for the language model. Ask about less at once, or start anew."
UNKNOWN_MODEL = (
    "The language model that is configured was not found at its endpoint. An administrator has to check its name and address."
)
NO_TOOLS = (
    "The language model that is configured cannot call tools, which Orderly needs. An administrator has to look after it."
)
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

_KINDS: Sequence[tuple[str, re.Pattern[str]]] = (
    ("no_tools", re.compile(
        r"(?:not|n't) support (?:tool|function)|no endpoints? found that support tool|enable-auto-tool-choice|"
        r"tools?.{0,40}(?:is|are) not supported", re.IGNORECASE)),
    ("too_long", re.compile(
        r"context.{0,20}(?:length|window|size|limit)|too many tokens|max(?:imum)? (?:model|prompt|context|input) length|"
        r"(?:prompt|input|request|messages?) (?:is|are) too long|max(?:imum)? number of tokens|model token limit|input length|"
        r"(?:tokens?|prompt).{0,60} exceeds? |`inputs`.{0,30}(?:tokens|less than)", re.IGNORECASE)),
    ("wrote_calls", re.compile(r"tool_use_failed|failed_generation|failed to (?:call a function|parse tool)", re.IGNORECASE)),
    ("key_rejected", re.compile(
        r"invalid_api_key|api.?key.{0,40}(?:invalid|not valid|expired|not found|incorrect)|"
        r"(?:invalid|incorrect|expired).{0,12}api.?key", re.IGNORECASE)),
    ("unknown_model", re.compile(
        r"model_not_found|not a valid model|invalid model|no such model|model.{0,80}(?:not found|not exist)", re.IGNORECASE)),
    ("filtered", re.compile(r"content.?(?:filter|policy|management)|responsible ?ai|safety", re.IGNORECASE)),
)  # fmt: skip
"""What endpoints write into errors of a status that says little, such as 400 or 500; the first that fits."""

_NO_CREDIT = re.compile(r"billing|exceeded your current quota|balance|credits?\b", re.IGNORECASE)
_WAIT = re.compile(r"(?:retry|try again) (?:in|after) (?P<number>\d+(?:\.\d+)?) ?(?P<unit>ms|m)?", re.IGNORECASE)

_MOST_WORDS = 10_000
"""Characters of an error that are read; it may be a page."""

CLIENT_ERRORS = (openai.OpenAIError, httpx2.HTTPError, TimeoutError, *MALFORMED)
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
        return _of_status(error.status_code, endpoint_words(error), error.response.headers)
    if isinstance(error, TimeoutError | httpx2.TimeoutException | openai.APITimeoutError):
        return ModelFailed("too_slow", TOO_SLOW, may_pass=True)
    if isinstance(error, openai.APIConnectionError | httpx2.ConnectError) and not began:
        return ModelFailed("unreachable", UNREACHABLE, may_pass=True)
    if isinstance(error, httpx2.HTTPError | openai.APIConnectionError):
        return ModelFailed("broke_off", BROKE_OFF, may_pass=True)
    if isinstance(error, openai.APIError):
        return ModelFailed("down", DOWN, may_pass=True)
    return ModelFailed("unreadable", UNREADABLE, may_pass=True)


def endpoint_words(error: openai.APIStatusError) -> str:
    """What the endpoint said of the error, in whatever form. Never shown."""
    return f"{error.message} {error.body}"[:_MOST_WORDS]


def of_event(event: Mapping[str, Any]) -> ModelFailed | None:
    """The failure that an event of the stream reports in place of a part of the reply."""
    error = event.get("error")
    if not error:
        return None
    values = error if isinstance(error, Mapping) else {"message": error}
    codes = [str(values.get(key)) for key in ("code", "status", "status_code", "type")]
    status = next((int(code) for code in codes if re.fullmatch(r"[45]\d\d", code)), None)
    if status is None:
        status = 429 if "rate_limit" in " ".join(codes) else 500
    return _of_status(status, f"{codes} {values.get('message')}", {})


def _of_status(status: int, text: str, headers: Mapping[str, str]) -> ModelFailed:
    wait = _retry_after(headers, text)
    if status == 402 or "insufficient_quota" in text or (status in (403, 429) and wait is None and _NO_CREDIT.search(text)):
        return ModelFailed("no_credit", NO_CREDIT)
    if status in (401, 403):
        return ModelFailed("key_rejected", KEY_REJECTED)
    if status == 429:
        return ModelFailed("busy", BUSY, may_pass=True, retry_after=wait)
    kind = "too_long" if status == 413 else next((kind for kind, said in _KINDS if said.search(text)), "")
    if kind == "too_long" or (kind and status < 500):
        return ModelFailed(kind, _SENTENCES[kind], may_pass=kind == "wrote_calls")
    if status == 404:
        return ModelFailed("unknown_model", UNKNOWN_MODEL)
    if status >= 500 or status in (408, 409, 425):
        return ModelFailed("down", DOWN, may_pass=True, retry_after=wait)
    return ModelFailed("rejected", REJECTED)


_SENTENCES = {
    "no_tools": NO_TOOLS,
    "too_long": TOO_LONG,
    "wrote_calls": WROTE_CALLS,
    "key_rejected": KEY_REJECTED,
    "unknown_model": UNKNOWN_MODEL,
    "filtered": FILTERED,
}


def _retry_after(headers: Mapping[str, str], text: str) -> float | None:
    """Seconds that the endpoint asks to wait, in its headers or in words; None if it names none."""
    named = headers.get("retry-after") or ""
    with suppress(ValueError):
        return max(float(named), 0)
    with suppress(ValueError, TypeError):
        return max((parsedate_to_datetime(named) - datetime.now(UTC)).total_seconds(), 0)
    if match := _WAIT.search(text):
        return float(match["number"]) * {"ms": 0.001, "m": 60}.get((match["unit"] or "").lower(), 1)
    return None
