"""One reply of the inner model: the text that the gate released, the text that waits for a correction, the tool calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.tool import ToolCallChunk
from langchain_core.outputs import ChatGenerationChunk

from orderly.agent.replies.tool_calls import REFUSED_CALLS
from orderly.errors import ModelFailed
from orderly.prompts import fill, prompt
from orderly.services.citations import AnswerGate, RefusedQuotation
from orderly.services.text import PieceReader


class ReplyDraft:
    """One stream of the inner model, divided into released and held text.

    Args:
        gate: Judges the quotations.
        holds_refused: Whether text is held from the first refused quotation on, for a correction.
        after: Text that was already shown. A repetition of it is dropped.
    """

    def __init__(self, gate: AnswerGate, *, holds_refused: bool, after: str = "") -> None:
        self._gate, self._holds_refused, self._repeated = gate, holds_refused, after.strip()
        self._written: list[str] = []
        self.shown_raw = ""
        """The part of `written` that was released, before the gate."""
        self._early = ""
        """Words of the unfinished sentence that were shown before the gate judged it."""
        self._held: list[str] = []
        self.failures: list[RefusedQuotation] = []
        self.calls: list[ToolCallChunk] = []
        self.metadata: list[AIMessageChunk] = []
        """Chunks with usage and response metadata, without text."""
        self.failure: ModelFailed | None = None
        """Why the reply ended without an answer."""

    def restart(self) -> bool:
        """Drops all but the released text, for another attempt. Returns whether any text was released."""
        self._written, self._held, self.failures, self.calls = [], [], [], []
        self._repeated = self.shown_raw.strip()
        return bool(self._repeated)

    async def release(self, stream: AsyncIterator[ChatGenerationChunk]) -> AsyncIterator[str]:
        """Yields the released text of `stream`; then `calls`, `held` and `failures` are complete."""
        reader = PieceReader()
        calls: list[AIMessageChunk] = []
        async for chunk in stream:
            message: Any = chunk.message
            if message.tool_call_chunks:
                calls.append(AIMessageChunk(content="", tool_call_chunks=message.tool_call_chunks))
            self._add_metadata(_without_text(chunk))
            self._written.append(message.text)
            if reader.add(message.text):
                for piece in await _run(reader.divide, reader.is_long):
                    async for shown in self._release_piece(piece):
                        yield shown
            elif words := self._next_words(reader):
                yield words
        for piece in await _run(reader.rest, reader.is_long):
            async for shown in self._release_piece(piece):
                yield shown
        self.calls = list((AIMessageChunk(content="") + calls).tool_call_chunks)
        if len(self._held) > 1:
            self.failures += await self._find_failures("".join(self._held[1:]))

    def _next_words(self, reader: PieceReader) -> str:
        """Further words of the unfinished sentence, if the gate lets them be shown before the sentence ends."""
        if self._held or self._repeated or reader.is_long:
            return ""
        words = self._gate.show_words(reader.held)
        self._early += words
        return words

    async def settle(self) -> str:
        """Releases the words that were shown early as a piece of their own. Returns what the gate adds to them."""
        if not self._early:
            return ""
        words, self._early = f"{self._early} ", ""
        self.shown_raw += words
        return await self._gate.release(words)

    @property
    def written(self) -> str:
        """All text of the stream before the gate. Never shown."""
        return "".join(self._written)

    @property
    def held(self) -> str:
        """Text from the first refused quotation on."""
        return "".join(self._held)

    def _add_metadata(self, chunk: AIMessageChunk) -> None:
        """Adds a chunk unless it repeats the metadata of the last one, as some endpoints do in every chunk."""
        if (
            not self.metadata
            or chunk.usage_metadata
            or chunk.additional_kwargs
            or chunk.response_metadata not in ({}, self.metadata[-1].response_metadata)
        ):
            self.metadata.append(chunk)

    async def _release_piece(self, piece: str) -> AsyncIterator[str]:
        if self._held:
            self._held.append(piece)
            return
        piece = self._drop_repetition(piece)
        if not piece:
            return
        if self._holds_refused and (failures := await self._find_failures(piece)):
            self.failures += failures
            self._held.append(piece.removeprefix(self._early))
            if added := await self.settle():
                yield added
            return
        self._early = ""
        shown = await self._gate.release(piece)
        self.shown_raw += piece
        if shown:
            yield shown

    async def _find_failures(self, piece: str) -> list[RefusedQuotation]:
        """Judges `piece` with a gate of its own, so that sources of unreleased text get no number."""
        return (await AnswerGate(self._gate.sources, self._gate.asked, numbered=False).judge(piece))[1]

    def _drop_repetition(self, piece: str) -> str:
        """Removes text that was already shown: a model asked to continue may start from the beginning."""
        if not self._repeated:
            return piece
        if self._repeated.startswith(piece.strip()):
            self._repeated = self._repeated[len(piece.strip()) :].strip()
            return ""
        repeated, self._repeated = self._repeated, ""
        return piece.lstrip().removeprefix(repeated) if piece.lstrip().startswith(repeated) else piece


def correction_request(draft: ReplyDraft) -> str:
    lines = []
    for failure in draft.failures:
        lines.append(f"- “{failure.text}”: {failure.reason}")
        if failure.instead:
            lines.append(f"  There the document says: “{failure.instead}”")
    shown = "Nothing of the answer has been shown yet: write it again from the beginning."
    if draft.shown_raw.strip():
        shown = f"The user has already read this beginning; write only what follows it:\n\n{draft.shown_raw.strip()}"
    return fill(prompt("correct"), failures="\n".join(lines), shown=shown)


async def _run(divide: Callable[[], list[str]], is_long: bool) -> list[str]:
    """Divides text, in a thread if it is long, so that other runs go on meanwhile."""
    return await asyncio.to_thread(divide) if is_long else divide()


def _without_text(chunk: ChatGenerationChunk) -> AIMessageChunk:
    message: Any = chunk.message
    metadata = {**message.response_metadata, **(chunk.generation_info or {})}
    refused = {key: value for key, value in message.additional_kwargs.items() if key == REFUSED_CALLS}
    return AIMessageChunk(
        content="", usage_metadata=message.usage_metadata, response_metadata=metadata, additional_kwargs=refused
    )
