"""The user's own words are the user's messages alone."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from orderly.agent.middleware.citation_gate import is_of_user


@pytest.mark.parametrize(
    ("message", "of_user"),
    [
        (HumanMessage("When does it end?"), True),
        (HumanMessage("A summary.", additional_kwargs={"lc_source": "summarization"}), False),
        (AIMessage("It ends in May."), False),
        (ToolMessage("A page.", tool_call_id="1"), False),
    ],
)
def test_summaries_and_answers_are_no_words_of_the_user(message: BaseMessage, of_user: bool) -> None:
    assert is_of_user(message) is of_user
