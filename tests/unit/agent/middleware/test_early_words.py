"""Words that are shown before their sentence ends, where the gate cannot change them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGenerationChunk

from orderly.agent.middleware.gated_chat_model import GatedChatModel
from orderly.errors import ModelFailed
from orderly.services.citations import AnswerGate
from orderly.services.citations.sources import Sources


class Written(FakeListChatModel):
    """Streams each text of `replies` word by word; a reply that ends with "†" breaks off there."""

    replies: list[str]

    async def _astream(self, *_: Any, **more: Any) -> AsyncIterator[ChatGenerationChunk]:
        reply = self.replies.pop(0)
        for n, word in enumerate(reply.rstrip("†").split(" ")):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word if n == 0 else f" {word}"))
        if reply.endswith("†"):
            raise ModelFailed("broken", "The reply broke off.", may_pass=True)


async def pieces(*replies: str, corrects: bool = False) -> list[str]:
    gate = AnswerGate(Sources(None, []), [], numbered=True)
    model = GatedChatModel(inner=Written(responses=[], replies=list(replies)), gate=gate, corrects=corrects)
    return [chunk.text async for chunk in model.astream([HumanMessage("Hello")]) if chunk.text]


async def test_words_of_a_plain_sentence_are_shown_as_they_are_written() -> None:
    text = "Good morning. I can look for clauses, dates and parties in your documents, and compare them side by side."
    shown = await pieces(text)
    assert "".join(shown) == text
    assert len(shown) > 10


@pytest.mark.parametrize(
    "text",
    [
        "Good morning. Sources: none were read.",
        "Good morning. See [the file](https://evil.example/x) for more of it.",
        "Good morning. A word in “quotation marks that nothing verifies at all anywhere” stands here.",
        "Good morning. A number [1] that the model made up stands in here.",
        "Good morning. Ask Dr. Who about the thing that we spoke of before now.",
    ],
)
async def test_text_that_the_gate_may_change_gives_the_same_answer_as_without_early_words(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = "".join(await pieces(text))
    monkeypatch.setattr("orderly.services.citations.answers.early_words", lambda _: "")
    assert shown == "".join(await pieces(text))


@pytest.mark.parametrize(
    "sentence",
    [
        "The lease ends on the fifth day of May and the tenant pays nothing more.",
        "I found that the tenant may leave the premises whenever it suits him best.",
        "Let me say that the landlord owes the tenant the whole of the deposit again.",
        "I can see the rent is due on the first day of every single month.",
        "We are required to return the deposit to the tenant on the day of the last rent.",
    ],
)
async def test_a_sentence_about_a_document_is_shown_when_it_has_been_judged(sentence: str) -> None:
    shown = await pieces(f"Good morning. {sentence}")
    assert "".join(shown).startswith(f"Good morning. {sentence[:-1]}")
    early = "".join(shown[:-1]).removeprefix("Good morning. ")
    assert "tenant" not in early and "rent" not in early and "lease" not in early


async def test_no_word_is_shown_early_once_an_earlier_answer_cited_a_document() -> None:
    gate = AnswerGate(Sources(None, []), [], numbered=True, known=[{"revision_id": "r", "start": 0, "end": 1, "number": 1}])
    await gate.release("Good morning. ")
    assert gate.show_words("I can look for clauses and dates in ") == ""


async def test_a_reply_that_breaks_off_goes_on_after_the_words_that_were_shown() -> None:
    shown = "".join(await pieces("Good morning. I can look for†", "clauses and dates in the files."))
    assert "I can look clauses and dates in the files." in shown


async def test_a_correction_does_not_repeat_the_words_that_were_shown() -> None:
    wrong = "Good morning. I can quote you the words “the tenant pays all the rent at once and for ever” and no more."
    shown = "".join(await pieces(wrong, "it says what the parties agree.", corrects=True))
    assert shown.count("I can quote you the it says") == 1
    assert "for ever" not in shown
