"""A chat model whose words pass the citation gate before anybody sees them.

Streamed tokens, callbacks, traces and the returned message all carry what the gate let through: the model behind it is called
without callbacks, and its text is released sentence by sentence, an open quotation only when it is closed and verified.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableBinding
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

from orderly.agent.prompts import fill, prompt
from orderly.services.citations import AnswerGate, RefusedQuotation
from orderly.services.text import find_complete_end

GATED_ARGUMENTS = frozenset({"task", "think_tool", "write_todos"})
"""Tools whose arguments are prose that a user watches: their quotations are checked like those of an answer."""

_MAY_END_A_SENTENCE = frozenset(".!?\n")


class ToolSchemas:
    """Tools as models get them, each described once: they are bound anew at every call, and fifteen take milliseconds."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[BaseTool, dict[str, Any]]] = {}

    def of(self, tool: Any) -> Any:
        if not isinstance(tool, BaseTool):
            return tool
        if id(tool) not in self._known:
            self._known[id(tool)] = tool, convert_to_openai_tool(tool)  # holding the tool keeps its identity taken
        return self._known[id(tool)][1]


class GatedModel(BaseChatModel):
    inner: BaseChatModel
    gate: AnswerGate
    mends: bool = False
    """Whether the model is asked once to mend an answer whose quotations fail."""
    schemas: ToolSchemas = Field(default_factory=ToolSchemas)

    @property
    def _llm_type(self) -> str:
        return self.inner._llm_type

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return dict(self.inner._identifying_params)

    def __repr__(self) -> str:
        """Callbacks are given it at every call: neither the sources nor the schemas belong there."""
        return f"GatedModel({self._llm_type})"

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> Any:
        return self.inner._get_ls_params(stop=stop, **kwargs)

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[Any, AIMessage]:
        described = [self.schemas.of(tool) for tool in tools]
        bound: Any = self.inner.bind_tools(described, tool_choice=tool_choice, **kwargs)
        if isinstance(bound, RunnableBinding):
            return self._around(bound.bound).bind(**bound.kwargs)
        return self._around(bound)

    def _around(self, inner: Any) -> GatedModel:
        return self.model_copy(update={"inner": inner})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("the gate reads documents: call this model asynchronously")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generate_from_stream(iter([chunk async for chunk in self._astream(messages, stop, **kwargs)]))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        """`run_manager` is not handed on: what it reported would be the words before the gate."""
        draft = _Draft(self.gate, holds=self.mends)
        async for text in draft.released(self.inner._astream(messages, stop, **kwargs)):
            yield _chunk(text)
        if draft.failures and not draft.calls:
            again = [*messages, AIMessage(draft.written), HumanMessage(_mending(draft))]
            mended = _Draft(self.gate, holds=False, after=draft.shown_raw)
            async for text in mended.released(self.inner._astream(again, stop, **kwargs)):
                yield _chunk(text)
            draft.calls, draft.extras = mended.calls, [*draft.extras, *mended.extras]
        elif draft.held:
            yield _chunk((await self.gate.judge(draft.held))[0])
        if self.gate.numbered and not draft.calls and (ending := await self.gate.ending()):
            yield _chunk(ending)
        if draft.calls:
            calls = [await self._gated(call) for call in draft.calls]
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=calls))
        for extra in draft.extras:
            yield ChatGenerationChunk(message=extra)

    async def _gated(self, call: ToolCallChunk) -> ToolCallChunk:
        """Arguments that do not parse stay as they are: the call fails and nobody is shown them as prose."""
        if call["name"] not in GATED_ARGUMENTS:
            return call
        try:
            arguments = json.loads(call["args"] or "{}")
        except ValueError:
            return call
        gate = AnswerGate(self.gate.sources, self.gate.asked, numbered=False)
        return tool_call_chunk(
            name=call["name"], args=json.dumps(await _judged(gate, arguments)), id=call["id"], index=call["index"]
        )


async def _judged(gate: AnswerGate, value: Any) -> Any:
    if isinstance(value, str):
        return (await gate.judge(value))[0]
    if isinstance(value, list):
        return [await _judged(gate, item) for item in value]
    if isinstance(value, dict):
        return {key: await _judged(gate, item) for key, item in value.items()}
    return value


class _Draft:
    """One stream of the model: what of it may be shown, and what must wait."""

    def __init__(self, gate: AnswerGate, *, holds: bool, after: str = "") -> None:
        self._gate, self._holds, self._repeated = gate, holds, after.strip()
        self.written = ""
        """All text of the stream, as the model wrote it. Never shown."""
        self.shown_raw = ""
        """The part of `written` that was released."""
        self.held = ""
        """Text from the first failing quotation on, to be mended."""
        self.failures: list[RefusedQuotation] = []
        self.calls: list[ToolCallChunk] = []
        self.extras: list[AIMessageChunk] = []
        """Usage and response metadata, without text."""

    async def released(self, stream: AsyncIterator[ChatGenerationChunk]) -> AsyncIterator[str]:
        pending, whole = "", AIMessageChunk(content="")
        async for chunk in stream:
            message: Any = chunk.message
            if message.tool_call_chunks:
                whole = whole + AIMessageChunk(content="", tool_call_chunks=message.tool_call_chunks)
            self._keep(_bare(chunk))
            text = message.text
            self.written += text
            pending += text
            if self.held or not _MAY_END_A_SENTENCE & set(pending):
                continue
            if cut := find_complete_end(pending):
                piece, pending = pending[:cut], pending[cut:]
                async for shown in self._pass(piece):
                    yield shown
        self.calls = list(whole.tool_call_chunks)
        if self.held:
            self.held += pending
            self.failures += await self._trial(pending)
        else:
            async for shown in self._pass(pending):
                yield shown

    def _keep(self, extra: AIMessageChunk) -> None:
        """Some endpoints say with every word what they are: once is enough."""
        if not self.extras or extra.usage_metadata or extra.response_metadata not in ({}, self.extras[-1].response_metadata):
            self.extras.append(extra)

    async def _pass(self, piece: str) -> AsyncIterator[str]:
        piece = self._without_repetition(piece)
        if not piece:
            return
        if self._holds and (failures := await self._trial(piece)):
            self.failures += failures
            self.held = piece
            return
        shown, _ = await self._gate.judge(piece)
        self.shown_raw += piece
        if shown:
            yield shown

    async def _trial(self, piece: str) -> list[RefusedQuotation]:
        """What would fail, without numbering the sources of a text that may not be shown."""
        return (await AnswerGate(self._gate.sources, self._gate.asked, numbered=False).judge(piece))[1]

    def _without_repetition(self, piece: str) -> str:
        """A model that is asked to go on may begin again with what was shown already."""
        if not self._repeated:
            return piece
        if self._repeated.startswith(piece.strip()):
            self._repeated = self._repeated[len(piece.strip()) :].strip()
            return ""
        begun, self._repeated = self._repeated, ""
        return piece.lstrip().removeprefix(begun) if piece.lstrip().startswith(begun) else piece


def _mending(draft: _Draft) -> str:
    lines = []
    for failure in draft.failures:
        lines.append(f"- “{failure.text}”: {failure.reason}")
        if failure.instead:
            lines.append(f"  There the document says: “{failure.instead}”")
    shown = "Nothing of the answer has been shown yet: write it again from the beginning."
    if draft.shown_raw.strip():
        shown = f"The user has already read this beginning; write only what follows it:\n\n{draft.shown_raw.strip()}"
    return fill(prompt("mend"), failures="\n".join(lines), shown=shown)


def _chunk(text: str) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=AIMessageChunk(content=text))


def _bare(chunk: ChatGenerationChunk) -> AIMessageChunk:
    message: Any = chunk.message
    metadata = {**message.response_metadata, **(chunk.generation_info or {})}
    return AIMessageChunk(content="", usage_metadata=message.usage_metadata, response_metadata=metadata)
