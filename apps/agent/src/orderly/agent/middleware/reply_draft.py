"""One reply of the inner model: the text that the gate released and the tool calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.tool import ToolCallChunk
from langchain_core.outputs import ChatGenerationChunk

from orderly.agent.replies.tool_calls import REFUSED_CALLS
from orderly.errors import ModelFailed
from orderly.services.citations import AnswerGate
from orderly.services.text import PieceReader


class ReplyDraft:
    """One stream of the inner model, released piece by piece."""

    def __init__(self, gate: AnswerGate) -> None:
        self._gate, self._repeated = gate, ""
        self._written: list[str] = []
        self.shown_raw = ""
        """The part of `written` that was released, before the gate."""
        self.calls: list[ToolCallChunk] = []
        self.metadata: list[AIMessageChunk] = []
        """Chunks with usage and response metadata, without text."""
        self.failure: ModelFailed | None = None
        """Why the reply ended without an answer."""

    def restart(self) -> bool:
        """Drops all but the released text, for another attempt. Returns whether any text was released."""
        self._written, self.calls = [], []
        self._repeated = self.shown_raw.strip()
        return bool(self._repeated)

    async def release(self, stream: AsyncIterator[ChatGenerationChunk]) -> AsyncIterator[str]:
        """Yields the released text of `stream`; then `calls` is complete."""
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
                    if shown := await self._release_piece(piece):
                        yield shown
        for piece in await _run(reader.rest, reader.is_long):
            if shown := await self._release_piece(piece):
                yield shown
        self.calls = list((AIMessageChunk(content="") + calls).tool_call_chunks)

    @property
    def written(self) -> str:
        """All text of the stream before the gate. Never shown."""
        return "".join(self._written)

    def _add_metadata(self, chunk: AIMessageChunk) -> None:
        """Adds a chunk unless it repeats the metadata of the last one, as some endpoints do in every chunk."""
        if (
            not self.metadata
            or chunk.usage_metadata
            or chunk.additional_kwargs
            or chunk.response_metadata not in ({}, self.metadata[-1].response_metadata)
        ):
            self.metadata.append(chunk)

    async def _release_piece(self, piece: str) -> str:
        piece = self._drop_repetition(piece)
        if not piece:
            return ""
        shown = await self._gate.release(piece)
        self.shown_raw += piece
        return shown

    def _drop_repetition(self, piece: str) -> str:
        """Removes text that was already shown: a model asked to continue may start from the beginning."""
        if not self._repeated:
            return piece
        if self._repeated.startswith(piece.strip()):
            self._repeated = self._repeated[len(piece.strip()) :].strip()
            return ""
        repeated, self._repeated = self._repeated, ""
        return piece.lstrip().removeprefix(repeated) if piece.lstrip().startswith(repeated) else piece


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
