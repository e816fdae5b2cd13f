"""LangChain's client of OpenAI-compatible endpoints, for requests with many tools and endpoints with faults."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI

from orderly.agent.replies.failures import CLIENT_ERRORS, model_failure
from orderly.agent.replies.reader import read_reply
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

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
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
                reply = read_reply(super()._astream(messages, stop, **kwargs), offered, used_ids)
                while (chunk := await _next_before(reply, deadline)) is not None:
                    began, gave_text = True, gave_text or bool(chunk.text)
                    if run_manager and chunk.text:
                        await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
                    yield chunk
                return
            except (ModelFailed, *CLIENT_ERRORS) as error:
                failure = model_failure(error, began=began)
                _log.warning("the chat model failed (%s, attempt %d): %s", failure.code, attempt, type(error).__name__)
                wait = max(FIRST_WAIT * 2 ** (attempt - 1), failure.retry_after or 0)
                left = deadline - asyncio.get_running_loop().time() - wait
                if gave_text or not failure.may_pass or attempt == ATTEMPTS or left <= 0:
                    raise failure from error
            await asyncio.sleep(wait)

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        chunk = _in_form(chunk)
        converted = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        if converted is not None and chunk["choices"] and (refusal := chunk["choices"][0]["delta"].get("refusal")):
            converted.message.additional_kwargs["refusal"] = str(refusal)
        return converted


async def _next_before(reply: AsyncIterator[ChatGenerationChunk], deadline: float) -> ChatGenerationChunk | None:
    """The next chunk; None at the end. Raises TimeoutError at the deadline.

    The limit is set for each step: a limit around the whole stream would cancel whoever reads it.
    """
    async with asyncio.timeout_at(deadline):
        return await anext(reply, None)


def _in_form(chunk: Mapping[str, Any]) -> dict[str, Any]:
    """The chunk with the assistant's role, text as a string, and an index for each tool call."""
    choices = [choice for choice in chunk.get("choices") or () if isinstance(choice, Mapping)]
    return {**chunk, "choices": [{**choice, "delta": _delta(choice.get("delta") or {})} for choice in choices]}


def _delta(delta: Mapping[str, Any]) -> dict[str, Any]:
    calls = [
        {**call, "index": n if call.get("index") is None else call["index"]}
        for n, call in enumerate(delta.get("tool_calls") or ())
        if isinstance(call.get("function"), Mapping)
    ]
    content = delta.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if part.get("type") in ("text", None))
    return {**delta, "role": "assistant", "content": content, "tool_calls": calls or None}
