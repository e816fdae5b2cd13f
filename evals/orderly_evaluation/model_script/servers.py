"""Misbehaviours of servers and proxies: bodies in other forms, errors in their own words, and what they demand of requests."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
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
from orderly_evaluation.model_script.peer import Body, Failure, Reply, Script, Stream

_WHOLE = json.dumps(SEARCH[1])


def server_behaviours() -> list[Behaviour]:
    return [*_bodies(), *_events(), *_errors_in_streams(), *_errors(), *_too_long(), *_demands(), *_calls()]


def _bodies() -> Iterator[Behaviour]:
    def both(name: str, change: Callable[[bytes], bytes] | None, headers: dict[str, str] | None = None) -> Behaviour:
        return Behaviour(
            name, first(Body([SEARCH], change, headers or {}), Body(ANSWER, change, headers or {})), max_requests=2
        )

    yield both("one JSON body in place of a stream", None)
    yield both("one JSON body that is called a stream", None, {"content-type": "text/event-stream"})
    yield both("lines that end with CR LF", lambda sent: sent.replace(b"\n", b"\r\n"))
    yield both("no space after data:", lambda sent: sent.replace(b"data: ", b"data:"))
    yield both("no empty line between events", lambda sent: sent.replace(b"\n\n", b"\n"))
    yield both("no empty line at the end", lambda sent: sent.replace(b"data: [DONE]\n\n", b"").rstrip())
    yield both("no [DONE]", lambda sent: sent.replace(b"data: [DONE]\n\n", b""))
    yield both("a byte order mark", lambda sent: b"\xef\xbb\xbf" + sent)
    yield both("a stream in gzip", gzip.compress, {"content-encoding": "gzip"})
    yield both("no reason of the end, but [DONE]", _without_reason)
    yield both("JSON objects in lines, without data:", lambda sent: sent.replace(b"data: ", b"").replace(b"[DONE]", b""))


def _without_reason(sent: bytes) -> bytes:
    return sent.replace(b'"finish_reason": "stop"', b'"finish_reason": null').replace(b'"tool_calls"}]', b"null}]")


def _events() -> Iterator[Behaviour]:
    def line(event: Any) -> str:
        return f"data: {json.dumps(event)}"

    azure = line({"choices": [], "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]})
    late = line({"choices": [{"index": 0, "finish_reason": None, "content_filter_results": {}, "content_filter_offsets": {}}]})
    yield Behaviour("Azure's results of filters", first([SEARCH], Stream([azure, {"content": ANSWER}, late])))
    ping = f"event: ping\n{line({'type': 'ping'})}"
    yield Behaviour(
        "pings between events", first([SEARCH], Stream([ping, "data: {}", "data: null", "data:", {"content": ANSWER}]))
    )
    yield Behaviour("ids and times of events", first([SEARCH], Stream(["id: 7\nretry: 3000", {"content": ANSWER}])))


def _errors_in_streams() -> Iterator[Behaviour]:
    def error(code: Any, message: str, **more: Any) -> Stream:
        return Stream([f"data: {json.dumps({'error': {'code': code, 'message': message}, **more})}"], finish=None, done=False)

    ended = {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]}
    key, credit = "did not accept this installation's key", "no credit left"
    yield Behaviour("401 inside a stream", first(error(401, "User not found", **ended)), [key], max_requests=1)
    yield Behaviour("402 inside a stream", first([SEARCH], error(402, "Insufficient credits", **ended)), [credit, FOUND])
    long = error(400, "This endpoint's maximum context length is 8192 tokens", **ended)
    yield Behaviour("400, context too long, inside a stream", first([SEARCH], long), ["too long for", FOUND], max_requests=2)
    busy = error("rate_limit_exceeded", "Rate limit", **ended)
    yield Behaviour("a rate limit inside a stream", first([SEARCH], busy), ["too many requests", FOUND])
    yield Behaviour("502 inside a stream, once", first([SEARCH], error(502, "Provider returned error", **ended), ANSWER))
    half = Stream([{"content": f"{SHOWN} And the ren"}, *error(502, "disconnected", **ended).deltas], finish=None, done=False)
    yield Behaviour("502 in a word, always", first([SEARCH], half), [SHOWN.rstrip("."), "not working", FOUND])
    yield Behaviour("502 in a word after each call", lambda: _broken_after_calls, ["used up", FOUND], max_requests=45)
    words = Stream(['data: {"error": "model runner has unexpectedly stopped"}'], finish=None, done=False)
    yield Behaviour("an error in words inside a stream", first([SEARCH], words, ANSWER))
    named = Stream(['event: error\ndata: {"type": "error", "error": {"type": "overloaded_error"}}'], finish=None, done=False)
    yield Behaviour("an event of the name error", first([SEARCH], named, ANSWER))


def _broken_after_calls(request: dict[str, Any]) -> Reply:
    return Stream([{"content": f"{SHOWN} And the ren"}], breaks=True) if request["messages"][-1]["role"] == "tool" else [SEARCH]


def _errors() -> Iterator[Behaviour]:
    soon = {"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)}
    yield Behaviour("429 until a date", first([SEARCH], Failure(429, "Rate limit", headers=soon), ANSWER))
    far = {"retry-after": format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)}
    yield Behaviour("429 until a far date", first([SEARCH], Failure(429, headers=far)), ["too many", FOUND], max_requests=2)
    quota = Failure(
        429, body='[{"error": {"message": "You exceeded your current quota, check billing. Please retry in 0.1s."}}]'
    )
    yield Behaviour("429, a quota by the minute", first([SEARCH], quota, ANSWER))
    failed = Failure(400, "Failed to call a function. See 'failed_generation'", "tool_use_failed")
    yield Behaviour("400, a call that the endpoint could not read, once", first(failed, [SEARCH], ANSWER))
    yield Behaviour("400, calls that the endpoint cannot read", first([SEARCH], failed), ["wrote tool calls as text", FOUND])
    for status, message in (
        (400, "registry.ollama.ai/library/gemma does not support tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (404, "No endpoints found that support tool use."),
    ):
        yield Behaviour(f"{status}: {message[:40]}", first(Failure(status, message)), ["cannot call tools"], max_requests=1)
    for message in ("API key not valid. Please pass a valid API key.", "Incorrect API key provided: xa-abc"):
        yield Behaviour(f"400: {message[:40]}", first(Failure(400, message)), ["did not accept"], max_requests=1)
    for message in ("Model Not Exist", "big-model is not a valid model ID", "Invalid model: big-model"):
        yield Behaviour(f"400: {message}", first(Failure(400, message)), ["not found at its endpoint"], max_requests=1)
    detail = Failure(422, body='{"detail": [{"type": "extra_forbidden", "loc": ["body", "x"], "msg": "Extra inputs"}]}')
    yield Behaviour("422, in a form of its own", first(detail), ["rejected the request"], ["extra_forbidden"])
    page = Failure(524, body="<!DOCTYPE html><title>524: A timeout occurred</title>")
    yield Behaviour("a proxy's page, 524, once", first([SEARCH], page, ANSWER))


def _too_long() -> Iterator[Behaviour]:
    said = {
        "Anthropic": "prompt is too long: 208310 tokens > 200000 maximum",
        "Anthropic's limit": "input length and `max_tokens` exceed context limit: 199211 + 8192 > 200000",
        "Google": "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
        "llama.cpp": "the request exceeds the available context size (4096 tokens), try increasing it",
        "vLLM": "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "xAI": "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "Moonshot": "Your request exceeded model token limit: 8192",
        "Alibaba": "Range of input length should be [1, 30720]",
        "Hugging Face": "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000",
    }
    for maker, message in said.items():
        script = first([SEARCH], Failure(400, message))
        yield Behaviour(f"context too long, {maker}", script, ["too long for the language model", FOUND], max_requests=2)
    proxy = Failure(500, "litellm.ContextWindowExceededError: the prompt has too many tokens")
    yield Behaviour("context too long, as 500", first([SEARCH], proxy), ["too long for", FOUND], max_requests=2)
    other = Failure(400, "Invalid 'messages[3].name': string too long. Expected a string with maximum length 40")
    yield Behaviour("400, another thing is too long", first([SEARCH], other), ["rejected the request", FOUND], ["too long for"])


def _demands() -> Iterator[Behaviour]:
    def demanding(error: Failure, is_met: Callable[[dict[str, Any]], bool]) -> Callable[[], Script]:
        def make() -> Script:
            def script(request: dict[str, Any]) -> Reply:
                if not is_met(request):
                    return error
                return ANSWER if request["messages"][-1]["role"] == "tool" else [SEARCH]

            return script

        return make

    def calls(request: dict[str, Any]) -> list[dict[str, Any]]:
        return [call for message in request["messages"] for call in message.get("tool_calls") or ()]

    def with_calls(request: dict[str, Any]) -> list[dict[str, Any]]:
        return [message for message in request["messages"] if message.get("tool_calls")]

    def names_no_speaker(request: dict[str, Any]) -> bool:
        return all("name" not in message for message in request["messages"] if message["role"] == "assistant")

    name = Failure(422, body='{"detail": [{"type": "extra_forbidden", "loc": ["body", "messages", 3, "assistant", "name"]}]}')
    yield Behaviour("no names of speakers", demanding(name, names_no_speaker), max_requests=2)
    extra = Failure(422, body='{"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra"}]}')
    yield Behaviour("no stream_options", demanding(extra, lambda r: "stream_options" not in r), max_requests=3)
    ids = Failure(400, "Tool call id was call_1_0 but must be a-z, A-Z, 0-9, with a length of 9.")

    def has_short_ids(request: dict[str, Any]) -> bool:
        made = [call["id"] for call in calls(request)]
        return all(len(id) == 9 and id.isalnum() for id in made) and made == [
            message["tool_call_id"] for message in request["messages"] if message["role"] == "tool"
        ]

    yield Behaviour("ids of nine letters", demanding(ids, has_short_ids), max_requests=3)
    unsigned = Failure(400, "Function call is missing a thought_signature in functionCall parts.")
    yield Behaviour(
        "signatures of thoughts", demanding(unsigned, lambda r: all("extra_content" in c for c in calls(r))), max_requests=3
    )
    thoughts = Failure(400, "Missing `reasoning_content` field in the assistant message at message index 2.")
    yield Behaviour(
        "thoughts beside calls",
        demanding(thoughts, lambda r: all("reasoning_content" in m for m in with_calls(r))),
        max_requests=3,
    )
    null = Failure(400, "messages[2].content must be a string")
    yield Behaviour(
        "text beside calls", demanding(null, lambda r: all(m["content"] is not None for m in with_calls(r))), max_requests=3
    )


def _calls() -> Iterator[Behaviour]:
    def once(name: str, *deltas: dict[str, Any]) -> Behaviour:
        return Behaviour(name, answered_if_found(Stream(deltas, "tool_calls")), max_requests=2)

    def piece(arguments: str, **more: Any) -> dict[str, Any]:
        return {"tool_calls": [{"index": 0, "function": {"arguments": arguments}, **more}]}

    for name in (
        f"functions.{SEARCH[0]}:0",
        f"default_api.{SEARCH[0]}",
        f"default_api:{SEARCH[0]}",
        f"mcp__orderly__{SEARCH[0]}",
    ):
        yield once(f"a call of {name}", call_delta(_WHOLE, name=name))
    yield once("the name of a call in two pieces", call_delta("", name=SEARCH[0][:5]), call_delta(_WHOLE, name=SEARCH[0][5:]))
    yield once("the name of a call in each piece", call_delta(_WHOLE[:9]), call_delta(_WHOLE[9:]))
    yield once("another id in each piece of a call", call_delta(_WHOLE[:9]), piece(_WHOLE[9:], id="call_2"))
    parsed: Any = SEARCH[1]
    yield once("arguments as an object", call_delta(parsed))
    yield once("arguments as JSON in JSON", call_delta(json.dumps(_WHOLE)))
    yield once("a call in the former form", {"function_call": {"name": SEARCH[0], "arguments": _WHOLE}})
    bare = {"type": "function", "id": "", "function": {"name": SEARCH[0], "arguments": _WHOLE}}
    yield once("two whole calls without ids and indices", {"tool_calls": [bare, bare]})
    yield once("two whole calls at one index, without ids", {"tool_calls": [bare]}, {"tool_calls": [bare]})
    yield once("text after a call", call_delta(_WHOLE), {"content": "I have searched."})
    no_arguments = Stream([call_delta("null", name="list_matters"), call_delta("", name="list_matters", index=1)], "tool_calls")
    yield Behaviour("no arguments, as null and as nothing", first(no_arguments, [SEARCH], ANSWER), max_requests=3)
