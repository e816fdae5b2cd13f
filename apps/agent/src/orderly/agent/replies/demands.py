"""What an endpoint demands of requests beyond the protocol: learned from its complaint, then met in every request."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any

import openai

from orderly.agent.replies.failures import endpoint_words

Payload = dict[str, Any]

_NO_SIGNATURE = {"google": {"thought_signature": "skip_thought_signature_validator"}}
"""Google's own word for a call whose signature is not known."""


class Demands:
    """The demands of one endpoint."""

    def __init__(self) -> None:
        self._known: list[Callable[[Payload], Payload]] = []

    def learn(self, error: Exception) -> bool:
        """Whether the error is a complaint that was not known, and that an amended request may meet."""
        if not isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError):
            return False
        words = endpoint_words(error)
        met = next((meet for said, meet in _ANSWERS if said.search(words) and meet not in self._known), None)
        if met is None:
            return False
        self._known.append(met)
        return True

    def amended(self, payload: Payload) -> Payload:
        for meet in self._known:
            payload = meet(payload)
        return payload


def _without_stream_options(payload: Payload) -> Payload:
    return {key: value for key, value in payload.items() if key != "stream_options"}


def _with_empty_thoughts(payload: Payload) -> Payload:
    """Thoughts are not kept, so none can be repeated to the model."""
    return _with_messages(payload, lambda m: {**m, "reasoning_content": ""} if m["role"] == "assistant" else m)


def _with_text(payload: Payload) -> Payload:
    return _with_messages(payload, lambda m: {**m, "content": m.get("content") or ""})


def _without_signatures(payload: Payload) -> Payload:
    return _with_calls(payload, lambda call: {**call, "extra_content": _NO_SIGNATURE})


def _with_short_ids(payload: Payload) -> Payload:
    """Ids of nine letters and digits, as Mistral demands. An id becomes the same one in a call and in its result."""

    def shorten(message: Payload) -> Payload:
        return {**message, "tool_call_id": _short(message["tool_call_id"])} if message["role"] == "tool" else message

    return _with_messages(_with_calls(payload, lambda call: {**call, "id": _short(call["id"])}), shorten)


def _short(id: str) -> str:
    return hashlib.sha256(id.encode()).hexdigest()[:9]


def _with_messages(payload: Payload, change: Callable[[Payload], Payload]) -> Payload:
    return {**payload, "messages": [change(message) for message in payload["messages"]]}


def _with_calls(payload: Payload, change: Callable[[Payload], Payload]) -> Payload:
    def changed(message: Payload) -> Payload:
        calls = message.get("tool_calls")
        return {**message, "tool_calls": [change(call) for call in calls]} if calls else message

    return _with_messages(payload, changed)


_ANSWERS: tuple[tuple[re.Pattern[str], Callable[[Payload], Payload]], ...] = (
    (re.compile(r"stream_options|include_usage", re.IGNORECASE), _without_stream_options),
    (re.compile(r"thought_?signature", re.IGNORECASE), _without_signatures),
    (re.compile(r"reasoning_content", re.IGNORECASE), _with_empty_thoughts),
    (re.compile(r"tool.?call.{0,6}id.*(?:length|too long)", re.IGNORECASE | re.DOTALL), _with_short_ids),
    (
        re.compile(r"content.{0,40}(?:must be a string|non-?null|valid string|required)|null.{0,20}content", re.IGNORECASE),
        _with_text,
    ),
)
