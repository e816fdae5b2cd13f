"""A chat model whose text passes the citation gate before it is streamed.

Streamed tokens, callbacks, traces and the returned message have only text that the gate released: the inner model is called
without callbacks, and text is released by sentences, a quotation only after it is verified. What was sent never changes.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableBinding
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

from orderly.agent.middleware.access_checks import StreamAccess
from orderly.agent.middleware.found_so_far import FOUND, STOPPED, stopped_reason
from orderly.agent.middleware.reply_draft import ReplyDraft
from orderly.agent.middleware.todos import WRITE_TODOS
from orderly.agent.tools.schemas import compact_schema
from orderly.errors import ModelFailed
from orderly.prompts import fill, prompt
from orderly.services.citations import AnswerGate, RefusedQuotation, SecondReading, Sources

NOTES = frozenset({"think_tool", WRITE_TODOS})
"""Tools whose arguments are only shown: they return them to the state, so they receive what is shown."""

UNFINISHED = "The language model wanted to look up more, but this question's share is used up: the answer may not be complete."

ACCESS_LOST = "access_lost"
"""Code of an answer that ended because its reader lost access."""

ISSUED_MARKS = "source_marks"
"""Key of a message's `additional_kwargs`: offsets, in code points of its text, of the source numbers that the gate issued."""


CHECKS = "checks"
"""Key of a message's `additional_kwargs`: the verdict on each span of its text, as `Check.record` gives them."""


BODY = "body"
"""Key of a message's `additional_kwargs`: characters of its answer, without the list of checks and of sources."""

SOURCE_IDS = "source_ids"
"""Key of a message's `additional_kwargs`: ids of the stored citations that its answer rests on."""


class ToolSchemas:
    """Caches the JSON schemas of tools, because tools are bound at every model call and conversion takes milliseconds."""

    def __init__(self) -> None:
        self._schemas: dict[int, tuple[BaseTool, dict[str, Any]]] = {}

    def of(self, tool: Any) -> Any:
        if not isinstance(tool, BaseTool):
            return tool
        if id(tool) not in self._schemas:
            schema = compact_schema(convert_to_openai_tool(tool))
            self._schemas[id(tool)] = (tool, schema)  # the reference prevents reuse of its id()
        return self._schemas[id(tool)][1]


class GatedChatModel(BaseChatModel):
    inner: BaseChatModel
    gate: AnswerGate
    corrects: bool = False
    """Whether the model is asked which words it meant, where a quotation stands nowhere."""
    schemas: ToolSchemas = Field(default_factory=ToolSchemas)
    shown_arguments: dict[str, str] = Field(default_factory=dict)
    """Filled with the arguments whose quotations were replaced, each with what is shown of it."""
    delegated: dict[str, str] = Field(default_factory=dict)
    """Tasks as the other agent wrote them, by what is shown of them."""
    access: StreamAccess | None = None
    """Says whether the rest of the text may still be shown; None: it may."""
    found: Sequence[str] = ()
    """Passages and reports of the run, shown if the model fails."""

    @property
    def _llm_type(self) -> str:
        return self.inner._llm_type

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return dict(self.inner._identifying_params)

    def __repr__(self) -> str:
        """Short, without sources and schemas, because callbacks receive it at every call."""
        return f"GatedChatModel({self._llm_type})"

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
            return self._wrap(bound.bound).bind(**bound.kwargs)
        return self._wrap(bound)

    def _wrap(self, inner: Any) -> GatedChatModel:
        return self.model_copy(update={"inner": inner})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("the citation gate reads documents asynchronously: use the async methods of this model")

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
        """Does not pass `run_manager` to the inner model, which would report text that has not passed the gate."""
        try:
            async with aclosing(self._release(messages, stop, kwargs)) as released:
                async for chunk in released:
                    if self.access is not None and not await self.access.allows():
                        break
                    yield chunk
            if self.access is not None and self.access.lost is not None:
                marks = {STOPPED: {"code": ACCESS_LOST, "message": self.access.lost.message}}
                yield ChatGenerationChunk(message=AIMessageChunk(content="", additional_kwargs=marks))
        finally:
            if self.gate.second is not None:
                self.gate.second.stop()

    async def _release(
        self, messages: list[BaseMessage], stop: list[str] | None, kwargs: dict[str, Any]
    ) -> AsyncGenerator[ChatGenerationChunk]:
        draft = ReplyDraft(self.gate)
        if self.corrects:
            self.gate.ask_for_words(partial(self._mend, draft, messages, stop, kwargs))
        async for text in self._release_reply(draft, messages, stop, kwargs):
            yield _chunk(text, self.gate)
        async for chunk in self._end(draft, may_call=bool(kwargs.get("tools"))):
            yield chunk
        if draft.calls:
            calls = [await self._gate_arguments(call) for call in draft.calls]
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=calls))
        for metadata in draft.metadata:
            yield ChatGenerationChunk(message=metadata)
        if (second := self.gate.second) is not None and second.input_tokens + second.output_tokens:
            yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=_usage(second)))

    async def _end(self, draft: ReplyDraft, *, may_call: bool) -> AsyncIterator[ChatGenerationChunk]:
        """Yields the end of the answer: the reason for a failure, text that waits in the gate, the list of sources.

        `may_call`: whether the model was offered tools; without, its calls after a text are dropped, and the answer says so.
        """
        if draft.failure is not None:
            async for chunk in self._stopped(draft, draft.failure):
                yield chunk
        elif draft.calls and not may_call and draft.shown_raw.strip():
            draft.calls = []
            async for chunk in self._say_found(f"\n\n{UNFINISHED}"):
                yield chunk
        if self.gate.numbered and not draft.calls:
            ending = await self.gate.ending()
            yield _chunk(ending, self.gate, _record(self.gate))

    async def _mend(
        self,
        draft: ReplyDraft,
        messages: list[BaseMessage],
        stop: list[str] | None,
        kwargs: dict[str, Any],
        refused: RefusedQuotation,
    ) -> str:
        """The model's reply to the question which words it meant; empty if it fails. Its tokens count."""
        nearest = f"The nearest words of a document: “{refused.instead}”" if refused.instead else ""
        question = fill(prompt("mend"), words=refused.text, nearest=nearest).replace("\n\n\n\n", "\n\n")
        request = [*messages, AIMessage(draft.written.strip() or "…"), HumanMessage(question)]
        reply = ReplyDraft(AnswerGate(Sources(None, []), numbered=False, checks_claims=False, keeps_terms=True))
        try:
            async for _ in reply.release(self.inner._astream(request, stop, **kwargs)):
                pass
        except ModelFailed:
            return ""
        draft.metadata += [chunk for chunk in reply.metadata if chunk.usage_metadata]
        return "" if reply.calls else reply.written

    async def _release_reply(
        self, draft: ReplyDraft, messages: list[BaseMessage], stop: list[str] | None, kwargs: dict[str, Any]
    ) -> AsyncIterator[str]:
        """Yields the released text of a reply. A reply that breaks off in its text is continued once.

        A failure of the model is in `draft.failure` afterwards, and the draft has no tool calls.
        """
        request = messages = [_as_written(message, self.delegated) for message in messages]
        for is_last in (False, True):
            try:
                async for text in draft.release(self.inner._astream(request, stop, **kwargs)):
                    yield text
                return
            except ModelFailed as failure:
                if is_last or not failure.may_pass or not draft.written.strip():
                    draft.failure, draft.calls = failure, []
                    return
            if draft.restart():
                request = [*messages, AIMessage(draft.shown_raw.strip()), HumanMessage(prompt("continue"))]

    async def _stopped(self, draft: ReplyDraft, failure: ModelFailed) -> AsyncIterator[ChatGenerationChunk]:
        """The end of a reply that failed: the reason, and what was found so far."""
        before = "\n\n" if draft.shown_raw.strip() else ""
        async for chunk in self._say_found(before + stopped_reason(failure.message, is_report=not self.gate.numbered)):
            yield chunk
        marks = {STOPPED: {"code": failure.code, "message": failure.message}}
        yield ChatGenerationChunk(message=AIMessageChunk(content="", additional_kwargs=marks))

    async def _say_found(self, reason: str) -> AsyncIterator[ChatGenerationChunk]:
        yield _chunk(await self.gate.say(reason), self.gate)
        if self.found:
            yield _chunk(await self.gate.say(f"\n\n{FOUND}\n\n"), self.gate)
            yield _chunk(await self.gate.release("\n".join(self.found)), self.gate)

    async def _gate_arguments(self, call: ToolCallChunk) -> ToolCallChunk:
        """The call as people see it. `CitationGate` gives the tool the arguments as the model wrote them.

        Arguments that are no JSON are gated as one text: the call fails later, and its error repeats them.
        """
        gate = AnswerGate(self.gate.sources, self.gate.asked, numbered=False, keeps_terms=True)
        written = call["args"] or "{}"
        try:
            arguments = json.loads(written)
        except ValueError:
            shown = (await gate.judge(written))[0]
        else:
            shown = json.dumps(await self._judge_strings(gate, arguments, call["name"] or ""))
        return tool_call_chunk(name=call["name"], args=shown, id=call["id"], index=call["index"])

    async def _judge_strings(self, gate: AnswerGate, value: Any, tool: str) -> Any:
        """Passes every string of a JSON value through the gate."""
        if isinstance(value, str):
            shown = (await gate.judge(value))[0]
            if shown != value and tool not in NOTES:
                self.shown_arguments[value] = shown
            return shown
        if isinstance(value, list):
            return [await self._judge_strings(gate, item, tool) for item in value]
        if isinstance(value, dict):
            return {key: await self._judge_strings(gate, item, tool) for key, item in value.items()}
        return value


def _as_written(message: BaseMessage, delegated: Mapping[str, str]) -> BaseMessage:
    """Returns the message with the tasks as the model wrote them, instead of the gated text that people see."""
    if not isinstance(message, HumanMessage) or not any(shown in message.text for shown in delegated):
        return message
    text = str(message.text)
    for shown, written in delegated.items():
        text = text.replace(shown, written)
    return message.model_copy(update={"content": text})


def _chunk(text: str, gate: AnswerGate, added: Mapping[str, Any] | None = None) -> ChatGenerationChunk:
    """A chunk of the answer, with the offsets of the source numbers in it. No model can write these."""
    issued = gate.take_issued()
    kwargs = {**(added or {}), **({ISSUED_MARKS: issued} if issued else {})}
    return ChatGenerationChunk(message=AIMessageChunk(content=text, additional_kwargs=kwargs))


def _record(gate: AnswerGate) -> dict[str, Any]:
    """The record of an answer, on its last chunk alone, because chunks are joined."""
    if not gate.text:
        return {}
    sources = [record["citation_id"] for record in gate.cited]
    checks = [check.record() for check in gate.checks]
    return {BODY: len(gate.text), CHECKS: checks, **({SOURCE_IDS: sources} if sources else {})}


def _usage(second: SecondReading) -> UsageMetadata:
    """Tokens of the second reading, which count with those of the answer."""
    read, written = second.input_tokens, second.output_tokens
    return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
