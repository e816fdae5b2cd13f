"""Thoughts, tool calls written as text, and pieces of tool calls."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages.tool import tool_call_chunk

from orderly.agent.replies.failures import model_failure
from orderly.agent.replies.thoughts import ThoughtFilter
from orderly.agent.replies.tool_calls import MAX_ARGUMENTS, MAX_CALLS, NOT_JSON, TOO_LONG, TOO_MANY, CallCollector
from orderly.agent.replies.written_calls import WrittenCalls, parse_calls

NAMES = frozenset({"isaacus_search", "read", "task"})


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("<think>Which?</think>The rent.", "The rent."),
        ("Yes. <thinking>Hm</thinking>It is.", "Yes. It is."),
        ("Which?</think>The rent.", "Which?The rent."),
        ("Rent < $5 and [1] stay.", "Rent < $5 and [1] stay."),
        ("[THINK]Which?[/THINK]The rent.", "The rent."),
        ("<think>never closed", ""),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_thoughts_are_left_out_however_the_text_is_divided(written: str, shown: str, size: int) -> None:
    thoughts = ThoughtFilter()
    pieces = [thoughts.feed(written[n : n + size]) for n in range(0, len(written), size)]
    assert "".join(pieces) + thoughts.rest() == shown


@pytest.mark.parametrize(
    "answer",
    [
        "The rent is $4,500 [lease.txt, Section 2.1]. Read (a) and (b).",
        'The schedule says:\n\n```json\n{"rent": 4500}\n```',
        "[1] The rent. [2] The term.",
        "Use {braces} and <tags> freely; a task (of the Lessee) is to pay.",
        "- read the lease\n- task: pay",
    ],
)
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_an_answer_is_no_written_call(answer: str, size: int) -> None:
    written = WrittenCalls(NAMES)
    out = "".join(written.feed(answer[n : n + size]) for n in range(0, len(answer), size)) + written.rest()
    assert out + written.held == answer
    assert not written.looks_like_calls and not parse_calls(written.held)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "read", "arguments": {"path_part_id": "D1"',
        '<tool_call>{"name": "read", "arguments": {"path_part_id": "D1"',
        'read(path_part_id="D1"',
        '{"name": "read"}',
    ],
)
def test_a_written_call_that_is_not_whole_is_not_completed(text: str) -> None:
    assert parse_calls(text) == []


def checked(*pieces: dict[str, Any], used: tuple[str, ...] = (), finish: str = "tool_calls") -> Any:
    calls = CallCollector()
    for piece in pieces:
        calls.add([tool_call_chunk(**{"name": None, "args": None, "id": None, "index": 0, **piece})])
    return calls.checked(used, finish)


def test_pieces_of_calls_are_joined_and_ids_are_unique() -> None:
    calls, refused = checked(
        {"name": "read", "id": "a", "args": '{"path_'}, {"args": 'part_id": "D1"}'}, {"name": "read", "id": "a", "args": "{}", "index": 1},
        {"name": "functions.read", "args": "", "index": 2}, used=("a",),
    )  # fmt: skip
    assert [(c["name"], c["args"]) for c in calls] == [("read", '{"path_part_id": "D1"}'), ("read", "{}"), ("read", "{}")]
    assert len({c["id"] for c in calls} | {"a"}) == 4
    assert not refused


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [('{"a": 1', NOT_JSON), ("[1]", NOT_JSON), ("rent", NOT_JSON), (f'{{"a": "{"x" * MAX_ARGUMENTS}"}}', TOO_LONG)],
)
def test_wrong_arguments_are_refused_and_not_repaired(arguments: str, reason: str) -> None:
    [call], refused = checked({"name": "read", "id": "a", "args": arguments})
    assert (call["args"], refused) == ("{}", {"a": reason})


def test_a_message_has_a_limit_of_calls() -> None:
    calls, refused = checked(*({"name": "read", "id": str(n), "args": "{}", "index": n} for n in range(100)))
    assert len(calls) == MAX_CALLS
    assert list(refused.values()) == [TOO_MANY]


def test_a_failure_never_repeats_what_the_endpoint_said() -> None:
    failure = model_failure(ValueError("sk-secret at https://internal"), began=False)
    assert "sk-" not in failure.message and "internal" not in failure.message
