"""A chat model behind the gate: what it streams, which words it is asked for, and the record on the last chunk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from orderly.agent.middleware.gated_chat_model import GatedChatModel
from orderly.errors import ModelFailed
from orderly.services.citations.answers import AnswerGate
from orderly.services.citations.sources import Sources
from support.gated import NOTICE, gate_over
from support.scripted_model import serve

FALSE = "Either party may terminate this Lease by giving thirty (30) days' written notice to the other party."


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
    assert sum(not chunk.text for chunk in chunks) <= 4
    assert 4 < sum(bool(chunk.text) for chunk in chunks) <= 11, "a long sentence is shown in parts, and not word by word"


class Written(FakeListChatModel):
    """Streams each text of `replies` word by word; "†" breaks a reply off. Keeps what it was asked."""

    replies: list[str]
    asked: list[str]

    async def _astream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        self.asked.append(messages[-1].text)
        reply = self.replies.pop(0)
        for n, word in enumerate(reply.rstrip("†").split(" ")):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word if n == 0 else f" {word}"))
        if reply.endswith("†"):
            raise ModelFailed("broken", "The reply broke off.", may_pass=True)


@pytest.mark.parametrize(
    ("replies", "sent"),
    [
        ([""], ""),
        ([f"It ends. It says “{FALSE}” [D1 3.1]. So it is.", NOTICE.partition(" [")[0]], f"It ends. It says {NOTICE.partition(' [')[0]} [1]. So it is."),
        ([f"It ends. It says “{FALSE}” [D1 3.1]. So it is.", "NONE"], "It ends. It says “…”. So it is."),
        ([f"It ends. It says “{FALSE}” [D1 3.1]. So it is.", "Sorry.†"], "It ends. It says “…”. So it is."),
        (["It ends here. It†", "It ends here. It began there."], "It ends here. It began there."),
    ],
)  # fmt: skip
async def test_the_model_is_asked_for_the_words_alone_and_the_rest_stays(replies: list[str], sent: str) -> None:
    inner = Written(responses=[], replies=[*replies], asked=[])
    gated = GatedChatModel(inner=inner, gate=gate_over(), corrects=True)
    chunks = [chunk async for chunk in gated.astream([HumanMessage("How does it end?")])]
    texts = "".join(chunk.text for chunk in chunks)
    assert texts.partition("\n\nCheck before")[0].partition("\n\nSources:")[0] == sent
    assert not inner.replies
    if "“" in replies[0]:
        question = inner.asked[1]
        assert f"“{FALSE}”" in question and "The nearest words of a document: “Either party may terminate this" in question
        [record] = [chunk.additional_kwargs for chunk in chunks if "body" in chunk.additional_kwargs]
        assert record["body"] == len(sent) and len(record["checks"]) == 3
        assert record.get("source_ids", []) == (["lease.txt:432"] if "[1]" in sent else [])
