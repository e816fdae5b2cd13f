"""The offline planner: a rule-based chat model.

The planner calls the same tools as a language model and answers only with text that the tools quoted. Its input is messages and
tool schemas alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from orderly.agent.chat_models.delegation import delegate
from orderly.agent.chat_models.research import research

NAME = "offline-planner"


class OfflinePlanner(BaseChatModel):
    """Delegates if bound to the tools of the orchestrator; researches if bound to those of the document agent."""

    tool_names: tuple[str, ...] = ()
    notice: str = ""
    """Last sentence of every answer to the user. Says why the planner answers although a language model is configured."""

    @property
    def _llm_type(self) -> str:
        return NAME

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": NAME, "tools": self.tool_names}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[Any, AIMessage]:
        names = tuple(convert_to_openai_tool(tool)["function"]["name"] for tool in tools)
        return self.model_copy(update={"tool_names": names})

    def _next_message(self, messages: Sequence[BaseMessage]) -> AIMessage:
        messages = [_without_fence(message) for message in messages]
        if "task" in self.tool_names or (not self.tool_names and _has_delegated(messages)):
            message = delegate(messages)
            if self.notice and not message.tool_calls:
                message = AIMessage(f"{message.text}\n\n{self.notice}")
        else:
            message = research(messages, may_call=bool(self.tool_names))
        message.response_metadata = {"model_name": NAME}
        return message

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next_message(messages))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _chunks(self._next_message(messages)):
            if run_manager:
                run_manager.on_llm_new_token(str(chunk.message.content), chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _chunks(self._next_message(messages)):
            if run_manager:
                await run_manager.on_llm_new_token(str(chunk.message.content), chunk=chunk)
            yield chunk


def _has_delegated(messages: Sequence[BaseMessage]) -> bool:
    """Whether the messages are those of the orchestrator. Identifies the agent when no tools are bound."""
    return any(call["name"] == "task" for m in messages if isinstance(m, AIMessage) for call in m.tool_calls)


_FENCE = re.compile(r"\A\[data (?P<code>[0-9a-z]+)\]\n(?P<text>.*)\n\[end of data (?P=code)\]\Z", re.DOTALL)


def _without_fence(message: BaseMessage) -> BaseMessage:
    """Removes the fence of a tool result. The rules read tool results only as data."""
    fenced = _FENCE.match(message.text) if isinstance(message, ToolMessage) else None
    return message.model_copy(update={"content": fenced["text"]}) if fenced else message


def _chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """Yields tool calls in one chunk, or text line by line."""
    if message.tool_calls:
        calls: Any = [
            {"name": c["name"], "args": json.dumps(c["args"]), "id": c["id"], "index": n}
            for n, c in enumerate(message.tool_calls)
        ]
        chunk = AIMessageChunk(content=message.content, tool_call_chunks=calls, response_metadata={"model_name": NAME})
        yield ChatGenerationChunk(message=chunk)
        return
    for piece in re.findall(r"[^\n]*\n|[^\n]+", message.text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    yield ChatGenerationChunk(message=AIMessageChunk(content="", response_metadata={"model_name": NAME}))
