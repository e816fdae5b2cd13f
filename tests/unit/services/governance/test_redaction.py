"""Redaction of a deleted document's words in the values of a conversation."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from orderly.services.governance.redaction import MARK, Redactor

DOCUMENT = "Either party may terminate this Lease by giving not less than ninety (90) days' written notice to the other party."
OTHER = "The Lessee shall pay rent of $4,500 per month in advance."


@pytest.fixture
def redactor() -> Redactor:
    return Redactor("d1", [DOCUMENT])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (DOCUMENT, f"{MARK}."),
        (f"He said: “{DOCUMENT}” [1]", f"He said: “{MARK}.” [1]"),
        ("EITHER  PARTY may\nterminate, this lease by email", f"{MARK} email"),
        (f"{DOCUMENT} {OTHER} {DOCUMENT}", f"{MARK}. {OTHER} {MARK}."),
        ("either party may terminate this", "either party may terminate this"),
        (OTHER, OTHER),
        ("", ""),
    ],
)
def test_runs_of_the_documents_words_are_redacted_and_other_text_stays(redactor: Redactor, before: str, after: str) -> None:
    assert redactor.text(before) == after


def test_messages_records_and_nested_values_are_redacted(redactor: Redactor) -> None:
    call = {"name": "task", "args": {"description": f"Explain: {DOCUMENT}"}, "id": "c", "type": "tool_call"}
    state = {
        "messages": [
            HumanMessage(f"What of “{DOCUMENT}”?", id="1"),
            AIMessage("", tool_calls=[call], id="2"),
            ToolMessage([{"type": "text", "text": DOCUMENT}], tool_call_id="c", id="3", artifact=[{"text": DOCUMENT}]),
        ],
        "quoted": [{"document_id": "d1", "text": "ninety days", "page": 2}, {"document_id": "d2", "text": OTHER}],
        "citations": ({"document_id": "d1", "quote": "x"},),
    }
    redacted = redactor.value(state)
    assert "written notice" not in repr(redacted)
    assert [m.id for m in redacted["messages"]] == ["1", "2", "3"]
    assert redacted["messages"][1].tool_calls[0]["id"] == "c"
    assert redacted["quoted"] == [{"document_id": "d1", "text": MARK, "page": 2}, {"document_id": "d2", "text": OTHER}]
    assert redacted["citations"] == ({"document_id": "d1", "quote": MARK},)
    assert "written notice" in repr(state), "the original state must not be mutated"


def test_a_value_without_the_documents_words_is_returned_unchanged(redactor: Redactor) -> None:
    state = {"messages": [HumanMessage(OTHER)], "n": 1, "none": None, "raw": b"x", "t": (1, "a")}
    assert redactor.value(state) is state


def test_a_short_document_redacts_only_its_whole_text() -> None:
    redactor = Redactor("d1", ["Strictly between ourselves", "Yes"])
    assert redactor.text("It is strictly between ourselves. Yes.") == f"It is {MARK}. Yes."
