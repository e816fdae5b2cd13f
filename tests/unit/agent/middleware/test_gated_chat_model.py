"""The citation gate passes usage and finish reason on once, even if the endpoint repeats them in every chunk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from orderly.agent.middleware.gated_chat_model import GatedChatModel
from orderly.services.citations.answers import AnswerGate
from orderly.services.citations.sources import Sources
from support.scripted_model import serve


async def test_usage_and_finish_reason_arrive_once_and_no_empty_chunks_follow() -> None:
    answer = " ".join(["word"] * 300) + "."
    with serve(lambda request: answer) as served:
        model = ChatOpenAI(model="scripted", api_key=SecretStr("test"), base_url=served.base_url, stream_usage=True)
        gated = GatedChatModel(inner=model, gate=AnswerGate(Sources(None, []), [], numbered=False))
        chunks = [chunk async for chunk in gated.astream("Speak.")]
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole += chunk
    assert whole.text == answer
    assert whole.usage_metadata is not None and whole.usage_metadata["total_tokens"] == 2
    assert whole.response_metadata["finish_reason"] == "stop"
    assert len(chunks) < 10, f"{len(chunks)} chunks for one sentence"


class SilentModel(FakeListChatModel):
    async def _astream(self, *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=AIMessageChunk(""))


async def test_a_silent_model_gives_an_empty_answer() -> None:
    gated = GatedChatModel(inner=SilentModel(responses=[]), gate=AnswerGate(Sources(None, []), [], numbered=False))
    assert (await gated.ainvoke("Speak.")).text == ""
