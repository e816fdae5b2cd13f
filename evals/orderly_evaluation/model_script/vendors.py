"""Misbehaviours that come with a vendor's or a server's own form of replies: gpt-oss, DeepSeek, Mistral, Gemini, proxies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from orderly_evaluation.model_script.behaviour import (
    ANSWER,
    FOUND,
    SEARCH,
    SHOWN,
    Behaviour,
    answered_if_found,
    call_delta,
    first,
)
from orderly_evaluation.model_script.peer import Failure, Stream

_THOUGHT = "Which clause?"
_WHOLE = json.dumps(SEARCH[1])


def vendor_behaviours() -> list[Behaviour]:
    return [*_thoughts(), *_parts(), *_forms_of_calls(), *_endings(), *_usage(), *_proxies()]


def _thoughts() -> Iterator[Behaviour]:
    hides = [_THOUGHT, "<|"]
    written = f"<|channel|>analysis<|message|>{_THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>"
    called = f"<|channel|>commentary to=functions.{SEARCH[0]} <|constrain|>json<|message|>{_WHOLE}<|call|>"
    yield Behaviour("channels of gpt-oss in the text", first(called, written), hides=hides, max_requests=2)
    letters = Stream([{"content": letter} for letter in written])
    yield Behaviour("channels of gpt-oss, letter by letter", first([SEARCH], letters), hides=hides)
    thinking = Stream([{"content": f"{_THOUGHT}</think>"}, call_delta(_WHOLE)], "tool_calls")
    yield Behaviour("thoughts with an end tag only", first(thinking, f"{_THOUGHT}</think>{ANSWER}"), hides=hides)
    yield Behaviour("no thoughts after some with an end tag only", answered_if_found(thinking))
    yield Behaviour("thoughts that do not end", first([SEARCH], f"<think>{_THOUGHT} {ANSWER}"), ["empty reply", FOUND], hides)
    fields = {"reasoning": _THOUGHT, "reasoning_details": [{"text": _THOUGHT}], "thinking_blocks": [{"thinking": _THOUGHT}]}
    yield Behaviour("thoughts in fields of vendors", first([SEARCH], Stream([fields, {"content": ANSWER}])), hides=hides)
    part = {"type": "thinking", "thinking": [{"type": "text", "text": _THOUGHT}]}
    divided = Stream([{"content": [part]}, {"content": [{"type": "text", "text": ANSWER}]}])
    yield Behaviour("thoughts in parts of the content", first([SEARCH], divided), hides=hides)


def _parts() -> Iterator[Behaviour]:
    for name, content in (("one part", {"text": ANSWER}), ("strings in a list", [ANSWER])):
        yield Behaviour(f"content as {name}", first([SEARCH], Stream([{"content": content}])))
    yield Behaviour("content that begins with a number", first([SEARCH], Stream([{"content": 5}, {"content": f" {ANSWER}"}])))
    second = _line({"choices": [{"index": 1, "delta": {"content": "Another choice."}}]})
    yield Behaviour("two choices", first([SEARCH], Stream([second, {"content": ANSWER}])), hides=["Another choice"])
    whole = _line({"choices": [{"index": 0, "message": {"content": ANSWER}, "finish_reason": "stop"}]})
    yield Behaviour("a message in place of a delta", first([SEARCH], Stream([whole], finish=None)))
    nothing = _line({"choices": [{"index": 0, "delta": None}]}), _line({"choices": None})
    yield Behaviour("null in place of choices and delta", first([SEARCH], Stream([*nothing, {"content": ANSWER}])))
    last = _line({"choices": [{"index": 0, "delta": {"content": ANSWER}, "finish_reason": "stop"}]})
    yield Behaviour(
        "text after the end", first([SEARCH], Stream([last, "data: [DONE]", {"content": "More."}])), hides=["More."]
    )


def _line(event: dict[str, Any]) -> str:
    return f"data: {json.dumps(event)}"


def _forms_of_calls() -> Iterator[Behaviour]:
    def calls(*deltas: dict[str, Any]) -> Stream:
        return Stream(deltas, "tool_calls")

    yield Behaviour("a piece of a call twice", first(calls(call_delta(_WHOLE), call_delta(_WHOLE)), [SEARCH], ANSWER))
    null: Any = None
    yield Behaviour("arguments null", first(calls(call_delta(null)), [SEARCH], ANSWER))
    half = '{"query": "ending \\ud83d the lease \\u0000"}'
    yield Behaviour("arguments with half characters", answered_if_found(calls(call_delta(half))), max_requests=2)
    gaps = calls(call_delta(_WHOLE, index=3), call_delta('{"query": "rent"}', index=7, id="call_2"))
    yield Behaviour("gaps in the index of calls", answered_if_found(gaps), max_requests=2)
    odd = calls(call_delta(_WHOLE, index="0", id=7))
    yield Behaviour("an index in letters and a number for an id", answered_if_found(odd), max_requests=2)
    yield Behaviour("a call, ended as text", answered_if_found(Stream([call_delta(_WHOLE)], "stop")), max_requests=2)
    yield Behaviour("ended as a call, without one", first(Stream([], "tool_calls"), [SEARCH], ANSWER))


def _endings() -> Iterator[Behaviour]:
    begun = [{"content": f"{SHOWN} And the ren"}]
    shown = SHOWN.rstrip(".")
    yield Behaviour("length, in another word", first([SEARCH], Stream(begun, "MAX_TOKENS")), [shown, "not complete"])
    yield Behaviour("filtered, in another word", first([SEARCH], Stream(begun, "SAFETY")), [shown, "content filter"])
    yield Behaviour("an error as the reason of the end", first([SEARCH], Stream(begun, "error")), [shown, "broke off"])
    yield Behaviour("an error as the reason, before a word", first(Stream([], "error"), [SEARCH], ANSWER))
    yield Behaviour("an end that nobody knows", first([SEARCH], Stream([{"content": ANSWER}], "eos_token")))


def _usage() -> Iterator[Behaviour]:
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    values: dict[str, Any] = {"negative": -5, "null": None, "in letters": "12", "absurd": 10**15}
    for name, value in values.items():
        usage = dict.fromkeys(names, value)
        yield Behaviour(f"usage {name}", first([SEARCH], Stream([{"content": ANSWER}], usage=usage)))


def _proxies() -> Iterator[Behaviour]:
    error = Failure(200, body=json.dumps({"error": {"message": "upstream sk-abc failed", "code": 500}}))
    yield Behaviour("an error with status 200, once", first(error, [SEARCH], ANSWER))
    yield Behaviour("an error with status 200, always", first([SEARCH], error), ["broke off|not working", FOUND], ["upstream"])
    wait = Failure(429, "Rate limit", headers={"retry-after": "3600"})
    yield Behaviour("429, again in an hour", first([SEARCH], wait), ["too many requests", FOUND], max_requests=2)
    login = Failure(302, body="<html>Sign in</html>", headers={"location": "/login"})
    yield Behaviour("a redirection to a page", first([SEARCH], login), ["not work|could not be|rejected|not found", FOUND])
    alive: list[Any] = [item for _ in range(400) for item in (": PROCESSING", 0.1)]
    late = Stream([*alive[:20], {"content": ANSWER}])
    yield Behaviour("signs of life, then the answer", first([SEARCH], late))
    limits: dict[str, Any] = {"model_seconds": 4, "max_seconds": 20}
    yield Behaviour("signs of life for ever", first([SEARCH], Stream(alive)), ["did not answer in time", FOUND], **limits)
    late = Stream([{"content": ANSWER}], seconds_before=5)
    yield Behaviour("a late first byte", first([SEARCH], late))
