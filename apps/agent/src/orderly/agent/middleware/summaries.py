"""Summarises a long conversation in steps. The summary passes the citation gate and replaces the earlier messages.

Every message is in exactly one step, and a step is as long as the model can read. Earlier summaries stay as they are until
together they fill a third of the context; then they are summarised in steps too. The latest messages stay, up to half of the
context, and the user's last message. Results of tools that are too long for what remains are summarised in their places.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse, SummarizationMiddleware
from langchain.agents.middleware.types import ExtendedModelResponse
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage, get_buffer_string
from langgraph.constants import TAG_NOSTREAM
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Command

from orderly.agent.middleware.citation_gate import create_gate, is_of_user
from orderly.agent.middleware.earlier_results import LEFT_OUT
from orderly.agent.middleware.fences import fence_text
from orderly.agent.middleware.found_so_far import STOPPED
from orderly.agent.middleware.gated_chat_model import GatedChatModel
from orderly.agent.middleware.local_answers import is_model_permitted
from orderly.agent.middleware.run_ledger import ledger_of
from orderly.prompts import fill, prompt
from orderly.services.citations import AnswerGate

PREFIX = "Here is a summary of the conversation to date:\n\n"
"""How LangChain begins a summary."""

SHORTENED = "[Summary of the result, which has {length:,} characters. Call the tool again for a part of it.]"

MAX_WHOLE = 2_000
"""Characters of a result that always stays whole."""

_gate: ContextVar[tuple[AnswerGate, str]] = ContextVar("gate of a summary")


class NothingSummarised(Exception):
    """The model wrote no summary of a step. The conversation then stays as it is."""


class Summaries(SummarizationMiddleware):
    """LangChain's summaries as a wrapper of the model call instead of a step of the graph.

    Args:
        model: Writes the summaries.
        trigger_tokens: Tokens of the conversation from which it is summarised.
        keep_messages: Latest messages that stay as they are, if they do not fill half of the tokens.
        user_speaks: Whether the messages to the agent come from the user.
    """

    before_model = AgentMiddleware.before_model
    abefore_model = AgentMiddleware.abefore_model

    def __init__(self, model: BaseChatModel, trigger_tokens: int, keep_messages: int = 20, *, user_speaks: bool) -> None:
        # Two characters per token: half of the context in English, all of it in scripts with more tokens.
        step, most = 2 * trigger_tokens, 4 * trigger_tokens // 3

        async def summarise(messages: Sequence[BaseMessage]) -> str:
            earlier = [m.text.removeprefix(PREFIX) for m in messages if not is_of_user(m) and isinstance(m, HumanMessage)]
            rest = [get_buffer_string([m]) for m in messages if is_of_user(m) or not isinstance(m, HumanMessage)]
            parts = [*earlier, *[await _write(model, piece) for piece in _pieces(rest, step)]]
            while len(joined := "\n\n".join(parts)) > most:
                parts = [await _write(model, piece) for piece in _pieces(parts, step)]
                if len("\n\n".join(parts)) >= len(joined):
                    break  # the model does not shorten; what it wrote stays whole
            return "\n\n".join(parts)

        self._limit, self._keep_messages, self._user_speaks = trigger_tokens, keep_messages, user_speaks
        self._write_summary = summarise
        super().__init__(
            model,
            trigger=("tokens", trigger_tokens),
            trim_tokens_to_summarize=None,  # LangChain's default summarises the last 4,000 tokens and drops the others
            summarizer=summarise,
        )

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        messages = await self._summarise(request)
        if messages is None:
            return await handler(request)
        response = await handler(request.override(messages=messages))
        whole = {m.id: m for m in request.state["messages"]}
        kept = [whole[m.id] if m.text == LEFT_OUT else m for m in messages]
        update = [RemoveMessage(id=REMOVE_ALL_MESSAGES), *kept, *response.result]
        return ExtendedModelResponse(response, Command(update={"messages": update}))

    async def _summarise(self, request: ModelRequest[Any]) -> list[AnyMessage] | None:
        """The messages that replace the conversation; None: it stays."""
        messages = list(request.messages)
        self._ensure_message_ids(messages)
        if not self._should_summarize(messages, self.token_counter(messages)):
            return None
        if not await is_model_permitted(request.state):
            return None  # the offline planner answers and reads only the last question
        gate = await create_gate(request.state, numbered=False, user_speaks=self._user_speaks)
        token = _gate.set((gate, ledger_of(request.state).fence))
        try:
            shorter = await self._shortened(await self._with_summary(messages))
        except NothingSummarised:
            return None
        finally:
            _gate.reset(token)
        return None if shorter is messages else shorter

    async def _with_summary(self, messages: list[AnyMessage]) -> list[AnyMessage]:
        first = self._first_kept(messages)
        question = next((m for m in reversed(messages) if is_of_user(m)), None)
        if all(message is question for message in messages[:first]):
            return messages
        kept = messages[first:]
        if question is not None and question not in kept:
            kept = [question, *kept]
        return [*self._build_new_messages(await self._write_summary(messages[:first])), *kept]

    def _first_kept(self, messages: list[AnyMessage]) -> int:
        tokens, first = 0, len(messages)
        for message in reversed(messages):
            tokens += self._partial_token_counter([message])
            if first < len(messages) and (len(messages) - first == self._keep_messages or tokens > self._limit // 2):
                break
            first -= 1
        return self._find_safe_cutoff_point(messages, first)

    async def _shortened(self, messages: list[AnyMessage]) -> list[AnyMessage]:
        """Summarises the longest results of tools until the messages keep to the limit."""
        long = [m for m in messages if isinstance(m, ToolMessage) and isinstance(m.content, str) and len(m.content) > MAX_WHOLE]
        for result in sorted(long, key=lambda m: len(m.content), reverse=True):
            if self._partial_token_counter(messages) < self._limit:
                break
            summary = f"{SHORTENED.format(length=len(result.content))}\n\n{await self._write_summary([result])}"
            messages = [m.model_copy(update={"content": summary}) if m is result else m for m in messages]
        return messages


async def _write(model: BaseChatModel, piece: str) -> str:
    """Summarises one piece of a conversation. TAG_NOSTREAM keeps the summary out of the streamed answer."""
    gate, fence = _gate.get()
    request = fill(prompt("summary"), conversation=fence_text(piece, fence), fence=fence)
    answer = await GatedChatModel(inner=model, gate=gate).ainvoke([HumanMessage(request)], {"tags": [TAG_NOSTREAM]})
    if not answer.text.strip() or STOPPED in answer.additional_kwargs:
        raise NothingSummarised
    return answer.text.strip()


def _pieces(texts: Sequence[str], most: int) -> Iterator[str]:
    """Joins the texts to pieces of at most `most` characters, in order. A longer text is divided."""
    piece = ""
    for text in (whole[start : start + most] for whole in texts for start in range(0, len(whole), most)):
        if piece and len(piece) + len(text) + 1 > most:
            yield piece
            piece = ""
        piece = f"{piece}\n{text}" if piece else text
    if piece:
        yield piece
