"""Reads one reply of a language model from its stream: text without thoughts, checked tool calls, and how it ended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk

from orderly.agent.replies import failures
from orderly.agent.replies.bodies import ENDED
from orderly.agent.replies.thoughts import Habits, ThoughtFilter
from orderly.agent.replies.tool_calls import REFUSED_CALLS, CallCollector
from orderly.agent.replies.written_calls import WrittenCalls, parse_calls
from orderly.errors import ModelFailed
from orderly.services.text import sanitise_text

CUT_SHORT = "\n\n[The language model reached its limit of length: the answer is not complete.]"
FILTERED = "\n\n[The content filter of the language model's provider stopped the answer here: it is not complete.]"
DECLINED = "The language model declined to answer."

_FINISHES = {
    **dict.fromkeys(("max_tokens", "max_length", "model_length"), "length"),
    **dict.fromkeys(("safety", "blocklist", "prohibited_content", "recitation", "sensitive"), "content_filter"),
    **dict.fromkeys(("error", "abort", "aborted", "cancelled", "network_error", "insufficient_system_resource"), "broke_off"),
}
"""Finish reasons of other vendors, in lower case, and what they mean."""


async def read_reply(
    stream: AsyncIterator[ChatGenerationChunk], offered: frozenset[str], used_ids: Collection[str], habits: Habits | None = None
) -> AsyncIterator[ChatGenerationChunk]:
    """Yields the reply: text as it arrives, then the tool calls in one chunk.

    Args:
        stream: The reply as the endpoint streams it.
        offered: Names of the tools of the request.
        used_ids: Ids of tool calls earlier in the conversation.
        habits: Of the model; the reply changes them.

    Raises:
        ModelFailed: The reply is empty, broke off, was stopped by a filter, or is a tool call that cannot be read.
    """
    thoughts, written, calls = ThoughtFilter(habits), WrittenCalls(offered), CallCollector()
    finish, refusal, has_text = None, "", False
    async for chunk in stream:
        message: Any = chunk.message
        ended = (chunk.generation_info or {}).get("finish_reason") or message.response_metadata.get("finish_reason")
        finish = finish if ended in (None, ENDED) and finish else ended
        calls.add(getattr(message, "tool_call_chunks", ()))
        refusal += message.additional_kwargs.get("refusal") or ""
        text = written.feed(thoughts.feed(sanitise_text(message.text)))
        has_text = has_text or bool(text.strip())
        yield _with_text(chunk, text)
    rest = written.feed(thoughts.rest())
    found = parse_calls(written.held)
    if found and offered:
        calls.add_written(found)
    elif written.held and (found or written.looks_like_calls):
        raise ModelFailed("wrote_calls", failures.WROTE_CALLS, may_pass=not has_text)
    else:
        rest += written.held
    rest += written.rest()
    if rest:
        has_text = has_text or bool(rest.strip())
        yield _text(rest)
    finish = finish and _FINISHES.get(finish.lower(), finish)
    if finish in (None, "broke_off"):
        raise ModelFailed("broke_off", failures.BROKE_OFF, may_pass=True)
    checked, refused = calls.checked(used_ids, finish, offered)
    if checked:
        yield ChatGenerationChunk(
            message=AIMessageChunk(
                content="", tool_call_chunks=checked, additional_kwargs={REFUSED_CALLS: refused} if refused else {}
            )
        )
    elif refusal.strip() and not has_text:
        yield _text(f"{DECLINED} It says: {sanitise_text(refusal).strip()}")
    elif ending := _ending(finish, has_text=has_text):
        yield _text(ending)


def _ending(finish: str, *, has_text: bool) -> str:
    """What is added to a reply without tool calls, by its finish reason. Raises ModelFailed for a reply without text."""
    if not has_text:
        code, message = {
            "length": ("length", failures.LENGTH),
            "content_filter": ("filtered", failures.FILTERED),
        }.get(finish, ("empty", failures.EMPTY))
        raise ModelFailed(code, message, may_pass=code == "empty")
    return {"length": CUT_SHORT, "content_filter": FILTERED}.get(finish, "")


def _text(text: str) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(content=text))


def _with_text(chunk: ChatGenerationChunk, text: str) -> ChatGenerationChunk:
    message: Any = chunk.message
    return ChatGenerationChunk(
        message=AIMessageChunk(
            content=text, usage_metadata=getattr(message, "usage_metadata", None), response_metadata=message.response_metadata
        ),
        generation_info=chunk.generation_info,
    )
