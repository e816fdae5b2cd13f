"""LangChain's client of OpenAI-compatible endpoints, for requests with many tools and endpoints with faults."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import PrivateAttr

from orderly.agent.replies.bodies import ENDED, read_events
from orderly.agent.replies.demands import Demands
from orderly.agent.replies.failures import CLIENT_ERRORS, model_failure, of_event
from orderly.agent.replies.reader import read_reply
from orderly.agent.replies.thoughts import Habits
from orderly.errors import ModelFailed

MAX_SILENCE = 60
"""Seconds without a byte after which an attempt is given up."""

ATTEMPTS = 3
FIRST_WAIT = 0.5
"""Seconds before the second attempt; doubles with every attempt."""

_log = logging.getLogger(__name__)


class OpenAICompatible(ChatOpenAI):
    """A client that tries again, and yields only replies that were read whole (`orderly.agent.replies`).

    Tool schemas go in `extra_body`, which OpenAI's client does not traverse: it transforms each value of `tools` at each
    request, which takes longer than all middleware.
    """

    seconds: float = 300
    """Time limit for one reply, with all attempts."""

    _habits: Habits = PrivateAttr(default_factory=Habits)
    _demands: Demands = PrivateAttr(default_factory=Demands)

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        for message in payload["messages"]:
            if message["role"] != "tool":
                message.pop("name", None)  # the agent's name, which some endpoints refuse
        if self.stream_usage:
            payload["stream_options"] = {"include_usage": True}
        if tools := payload.pop("tools", None):
            payload["extra_body"] = {**(payload.get("extra_body") or {}), "tools": tools}
        return payload

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        """Streams a reply. An attempt that fails before it gave text is repeated.

        Raises:
            ModelFailed: The last attempt failed, text had been given already, or the time is up.
        """
        offered = frozenset(str(tool["function"]["name"]) for tool in kwargs.get("tools") or () if "function" in tool)
        used_ids = {str(call["id"]) for m in messages if isinstance(m, AIMessage) for call in m.tool_calls}
        deadline = asyncio.get_running_loop().time() + self.seconds
        for attempt in range(1, ATTEMPTS + 1):
            began = gave_text = False
            try:
                payload = self._demands.amended(self._get_request_payload(messages, stop=stop, **kwargs))
                reply = read_reply(self._chunks(payload), offered, used_ids, self._habits)
                while (chunk := await _next_before(reply, deadline)) is not None:
                    began, gave_text = True, gave_text or bool(chunk.text)
                    if run_manager and chunk.text:
                        await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
                    yield chunk
                return
            except (ModelFailed, *CLIENT_ERRORS) as error:
                if attempt < ATTEMPTS and self._demands.learn(error):
                    continue
                failure = model_failure(error, began=began)
                _log.warning("the chat model failed (%s, attempt %d): %s", failure.code, attempt, type(error).__name__)
                wait = max(FIRST_WAIT * 2 ** (attempt - 1), failure.retry_after or 0)
                left = deadline - asyncio.get_running_loop().time() - wait
                if gave_text or not failure.may_pass or attempt == ATTEMPTS or left <= 0:
                    raise failure from error
            await asyncio.sleep(wait)

    async def _chunks(self, payload: dict[str, Any]) -> AsyncIterator[ChatGenerationChunk]:
        """The reply as the endpoint sends it. Reads the body itself, because OpenAI's client reads event streams only."""
        async with self.async_client.with_streaming_response.create(**{**payload, "stream": True}) as response:
            async for read in read_events(response.iter_bytes()):
                if failure := of_event(read):
                    raise failure
                event = _in_form(read)
                chunk = self._convert_chunk_to_generation_chunk(event, AIMessageChunk, None)
                if chunk is not None:
                    if event["choices"] and (refusal := event["choices"][0]["delta"].get("refusal")):
                        chunk.message.additional_kwargs["refusal"] = str(refusal)
                    yield chunk


async def _next_before(reply: AsyncIterator[ChatGenerationChunk], deadline: float) -> ChatGenerationChunk | None:
    """The next chunk; None at the end. Raises TimeoutError at the deadline.

    The limit is set for each step: a limit around the whole stream would cancel whoever reads it.
    """
    async with asyncio.timeout_at(deadline):
        return await anext(reply, None)


def _in_form(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event with one choice, the assistant's role, text as a string, and calls in today's form, each with an index.

    A choice with a whole message has ended, whether or not it says so.
    """
    choices = [c for c in event.get("choices") or () if isinstance(c, Mapping) and not c.get("index")]
    usage = event.get("usage")
    return {**event, "choices": [*map(_choice, choices)], "usage": usage if isinstance(usage, Mapping) else None}


def _choice(choice: Mapping[str, Any]) -> dict[str, Any]:
    finish = choice.get("finish_reason") or (ENDED if choice.get("message") else None)
    return {**choice, "delta": _delta(choice.get("delta") or choice.get("message") or {}), "finish_reason": finish}


def _delta(delta: Mapping[str, Any]) -> dict[str, Any]:
    former = delta.get("function_call")
    pieces = delta.get("tool_calls") or ([{"function": former}] if former else ())
    calls = [_call(piece, n) for n, piece in enumerate(pieces) if isinstance(piece.get("function"), Mapping)]
    content = _text_of(delta.get("content"))
    return {**delta, "role": "assistant", "content": content, "tool_calls": calls or None, "function_call": None}


def _call(piece: Mapping[str, Any], place: int) -> dict[str, Any]:
    """The piece of a call with an index, an id as text, and arguments as JSON, which some endpoints send as an object."""
    index, id, function = piece.get("index"), piece.get("id"), piece["function"]
    arguments = function.get("arguments")
    return {
        "index": int(str(index)) if str(index).isdecimal() else place,
        "id": None if id is None else str(id),
        "function": {
            "name": function.get("name"),
            "arguments": arguments if isinstance(arguments, str | None) else json.dumps(arguments),
        },
    }


def _text_of(content: Any) -> str | None:
    """The text of content as endpoints send it: a string, a part, or a list of either. Thoughts are left out."""
    if isinstance(content, list):
        return "".join(_text_of(part) or "" for part in content)
    if isinstance(content, Mapping):
        return _text_of(content.get("text")) if content.get("type") in ("text", "output_text", None) else None
    return content if content is None else str(content)
