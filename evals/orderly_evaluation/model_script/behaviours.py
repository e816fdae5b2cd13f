"""The misbehaviours of chat models that `orderly eval --model-script` plays, and what the user must see of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from orderly_evaluation.model_script.behaviour import (
    ANSWER,
    ANSWERED,
    FOUND,
    QUESTION,
    SEARCH,
    SHOWN,
    Behaviour,
    answered_if_found,
    call_delta,
    first,
)
from orderly_evaluation.model_script.peer import Failure, Reply, Script, Stream, tool_names
from orderly_evaluation.model_script.servers import server_behaviours
from orderly_evaluation.model_script.vendors import vendor_behaviours


def behaviours() -> list[Behaviour]:
    return [
        *_endpoint(),
        *_streams(),
        *_replies(),
        *_written_calls(),
        *_calls(),
        *_loops(),
        *_oddities(),
        *vendor_behaviours(),
        *server_behaviours(),
    ]


def _endpoint() -> Iterator[Behaviour]:
    key = "did not accept this installation's key"
    yield Behaviour("401 at once", first(Failure(401, "Incorrect API key provided: sk-abc")), [key, "sign-in is not affected"])
    yield Behaviour("401 after a search", first([SEARCH], Failure(401, "Incorrect API key")), [key, FOUND])
    yield Behaviour("403", first(Failure(403, "Country not supported")), [key])
    yield Behaviour("402", first(Failure(402, "Payment required")), ["no credit left"])
    yield Behaviour("429, quota used up", first(Failure(429, "quota", "insufficient_quota")), ["no credit left"])
    yield Behaviour("404, unknown model", first(Failure(404, "The model does not exist")), ["was not found at its endpoint"])
    yield Behaviour("429 always", first([SEARCH], Failure(429, "Rate limit")), ["too many requests", FOUND])
    yield Behaviour("429 once", first([SEARCH], Failure(429, "Rate limit", headers={"retry-after": "0.1"}), ANSWER))
    yield Behaviour("500 always", first([SEARCH], Failure(500)), ["not working just now", FOUND])
    yield Behaviour("503 once", first(Failure(503), [SEARCH], ANSWER))
    yield Behaviour("a proxy's page, 502", first(Failure(502, body="<html>Bad gateway</html>")), ["not working"], ["<html>"])
    yield Behaviour(
        "a page, 200", first(Failure(200, body="<html>Sign in</html>")), ["could not be read|broke off"], ["<html>"]
    )
    context = Failure(400, "This model's maximum context length is 8192 tokens", "context_length_exceeded")
    yield Behaviour("400, context too long", first([SEARCH], context), ["too long for the language model", FOUND])
    yield Behaviour("400, content filter", first(Failure(400, "filtered", "content_filter")), ["content filter"])
    yield Behaviour("400, other", first(Failure(400, "Unknown parameter")), ["rejected the request"])
    silent = Stream([{"content": "Late."}], seconds_before=60)
    yield Behaviour("no reply", first([SEARCH], silent), ["did not answer in time", FOUND], model_seconds=4, max_seconds=20)
    drip = Stream([item for n in range(600) for item in ({"content": "a" if n else SHOWN}, 0.1)])
    yield Behaviour("a slow drip", first([SEARCH], drip), ["did not answer in time", FOUND], model_seconds=4, max_seconds=20)
    yield Behaviour("an error inside the stream", first(_error_event(), [SEARCH], ANSWER))


def _error_event() -> Stream:
    return Stream([f"data: {json.dumps({'error': {'message': 'overloaded', 'code': 529}})}"], finish=None, done=False)


def _streams() -> Iterator[Behaviour]:
    half = f"{SHOWN} “Either party may ter"
    yield Behaviour("broken before the first word", first(Stream([], breaks=True), [SEARCH], ANSWER))
    yield Behaviour("broken in a word, once", first([SEARCH], Stream([{"content": half}], breaks=True), ANSWER))
    yield Behaviour(
        "broken in a word, always",
        first([SEARCH], Stream([{"content": half}], breaks=True)),
        [SHOWN.rstrip("."), "broke off", FOUND],
    )
    ended = Stream([{"content": half}], finish=None, done=False)
    yield Behaviour("ended without a reason, once", first([SEARCH], ended, ANSWER))
    yield Behaviour("broken in a call, once", first(Stream([call_delta('{"query": "not')], breaks=True), [SEARCH], ANSWER))
    yield Behaviour("broken in a call, always", first(Stream([call_delta('{"query": "not')], breaks=True)), ["broke off"])
    yield Behaviour("a line that is no JSON", first(Stream(["data: {not json"], finish=None), [SEARCH], ANSWER))


def _replies() -> Iterator[Behaviour]:
    yield Behaviour("empty, once", first(Stream([]), [SEARCH], ANSWER))
    yield Behaviour("empty, always", first([SEARCH], Stream([])), ["empty reply", FOUND])
    yield Behaviour("white space only", first([SEARCH], Stream([{"content": "\n\n  "}])), ["empty reply", FOUND])
    yield Behaviour("thoughts only", first([SEARCH], "<think>Which clause?</think>"), ["empty reply"], ["Which clause"])
    yield Behaviour(
        "thoughts, then the answer", first([SEARCH], f"<think>Which clause?</think>{ANSWER}"), hides=["Which clause"]
    )
    divided = Stream([{"content": c} for c in ("<thi", "nk>Which cla", "use?</th", "ink>", ANSWER)])
    yield Behaviour("thoughts in pieces", first([SEARCH], divided), hides=["Which clause"])
    apart = Stream([{"reasoning_content": "Which clause?"}, {"content": ANSWER}])
    yield Behaviour("thoughts in a field of their own", first([SEARCH], apart), hides=["Which clause"])
    refusal = Stream([{"refusal": "I can't help with that."}])
    yield Behaviour("a refusal", first(refusal), ["declined to answer", "I can't help with that."])
    yield Behaviour("filtered before a word", first([SEARCH], Stream([], finish="content_filter")), ["content filter", FOUND])
    begun = [{"content": f"{SHOWN} And the ren"}]
    yield Behaviour(
        "filtered in the answer", first([SEARCH], Stream(begun, "content_filter")), [SHOWN.rstrip("."), "content filter"]
    )
    yield Behaviour(
        "length reached in the answer", first([SEARCH], Stream(begun, "length")), [SHOWN.rstrip("."), "not complete"]
    )
    yield Behaviour("length reached before a word", first([SEARCH], Stream([], "length")), ["limit of length", FOUND])


def _written_calls() -> Iterator[Behaviour]:
    name, arguments = SEARCH[0], json.dumps(SEARCH[1])
    call = f'{{"name": "{name}", "arguments": {arguments}}}'
    forms = {
        "JSON": call,
        "JSON in a fence": f"```json\n{call}\n```",
        "JSON after a sentence": f"I will search.\n\n{call}",
        "Hermes": f"<tool_call>\n{call}\n</tool_call>",
        "Llama": f'<|python_tag|>{{"name": "{name}", "parameters": {arguments}}}',
        "Llama, as Python": f'[{name}(query="ending the lease by notice")]',
        "Mistral": f"[TOOL_CALLS][{call}]",
        "Mistral, name first": f"[TOOL_CALLS]{name}[ARGS]{arguments}",
        "Qwen": f"<function={name}>\n<parameter=query>\nending the lease\n</parameter>\n</function>",
        "XML": f'<invoke name="{name}"><parameter name="query">ending the lease</parameter></invoke>',
        "OpenAI's own form": json.dumps({"tool_calls": [{"function": {"name": name, "arguments": arguments}}]}),
    }
    for form, text in forms.items():
        yield Behaviour(f"a call written as text: {form}", answered_if_found(text))
    broken = f"<tool_call>\n{call[:-12]}"
    yield Behaviour("a written call cut off, once", first(broken, [SEARCH], ANSWER))
    yield Behaviour("a written call cut off, always", first([SEARCH], broken), ["wrote tool calls as text", FOUND])


def _calls() -> Iterator[Behaviour]:
    whole = json.dumps(SEARCH[1])
    other = json.dumps({"query": "rent"})

    def calls(*deltas: dict[str, Any]) -> Stream:
        return Stream(deltas, "tool_calls")

    yield Behaviour("a call without an id", answered_if_found(calls(call_delta(whole, id=None))))
    yield Behaviour("a call without an index", answered_if_found(calls(call_delta(whole, index=None))))
    same = calls(call_delta(whole), call_delta(other, index=1))
    yield Behaviour("two calls with one id", answered_if_found(same))
    yield Behaviour("the same id in every message", answered_if_found(calls(call_delta(whole)), calls(call_delta(other))))
    yield Behaviour("all calls with one index", answered_if_found(calls(call_delta(whole), call_delta(other, id="call_2"))))
    pieces = [call_delta(""), *({"tool_calls": [{"index": 0, "function": {"arguments": c}}]} for c in whole)]
    yield Behaviour("arguments letter by letter", answered_if_found(calls(*pieces)))
    yield Behaviour("arguments cut off, once", first(calls(call_delta(whole[:-5])), [SEARCH], ANSWER))
    yield Behaviour(
        "arguments cut off, always", first([SEARCH], calls(call_delta(whole[:-5]))), ["used up", FOUND], max_requests=22
    )
    yield Behaviour("length reached in a call", first(Stream([call_delta(whole[:-5])], "length"), [SEARCH], ANSWER))
    yield Behaviour("arguments that are a list", first(calls(call_delta('["ending the lease"]')), [SEARCH], ANSWER))
    yield Behaviour("arguments of 2 MB", first(calls(call_delta(json.dumps({"query": "x" * 2_000_000}))), [SEARCH], ANSWER))
    yield Behaviour("a tool that does not exist", first([("open_browser", {"url": "https://example.com"})], [SEARCH], ANSWER))
    yield Behaviour("a call without a name", first(calls(call_delta(whole, name="")), [SEARCH], ANSWER))
    yield Behaviour("arguments of wrong types", first([(SEARCH[0], {"query": 5, "within": {"a": 1}})], [SEARCH], ANSWER))
    empty = {**SEARCH[1], "matter_id": "", "within": [], "mode": None}
    yield Behaviour("empty and null arguments", answered_if_found([(SEARCH[0], empty)]))
    yield Behaviour("text beside a call", answered_if_found(calls({"content": "I will look."}, call_delta(whole))))
    yield Behaviour("five calls in one message", answered_if_found([(SEARCH[0], {"query": f"notice {n}"}) for n in range(5)]))


def _loops() -> Iterator[Behaviour]:
    yield Behaviour("the same call for ever", first([SEARCH]), ["used up", FOUND], max_requests=22)
    both = Stream([{"content": SHOWN}, call_delta(json.dumps(SEARCH[1]))], "tool_calls")
    yield Behaviour("text with a call for ever", first(both), [SHOWN.rstrip("."), "used up", FOUND], max_requests=22)
    think = ("think_tool", {"reflection": "Perhaps."})
    yield Behaviour("thinking for ever", first([SEARCH], [think]), ["used up", FOUND], max_requests=22)
    many = [(SEARCH[0], {"query": f"notice {n}"}) for n in range(100)]
    yield Behaviour("a hundred calls in one message", answered_if_found(many), max_requests=3)
    task = ("task", {"description": QUESTION, "subagent_type": "document-agent"})

    def delegating() -> Script:
        return lambda request: [task] if "task" in tool_names(request) else [SEARCH]

    yield Behaviour("delegating and searching for ever", delegating, ["used up|No tool calls are left"], max_requests=26)
    few = {"question_tokens": 1_000}
    yield Behaviour("more tokens than a question has", first([SEARCH]), ["used up", FOUND], max_requests=6, settings=few)


def _oddities() -> Iterator[Behaviour]:
    yield Behaviour("no usage", answered_if_found(Stream([call_delta(json.dumps(SEARCH[1]))], "tool_calls", usage=None)))
    yield Behaviour("another model's name", first([SEARCH], Stream([{"content": ANSWER}], model="other-model-0613")))
    yield Behaviour("the user's role", first([SEARCH], Stream([{"role": "user", "content": ANSWER}])))
    yield Behaviour("a role that nobody knows", first([SEARCH], Stream([{"role": "tool", "content": ANSWER}])))
    yield Behaviour("no role and null content", first([SEARCH], Stream([{"content": None}, {"content": ANSWER}])))
    parts = Stream([{"content": [{"type": "text", "text": ANSWER}]}])
    yield Behaviour("content in parts", first([SEARCH], parts))
    junk = Stream(['data: {"choices": [{"index": 0, "delta": {"content": "\\ud83d\\u0000 \\udfff"}}]}', {"content": ANSWER}])
    yield Behaviour("half characters and zero bytes", first([SEARCH], junk))
    yield Behaviour("a failed task beside a healthy one", _one_task_fails, [ANSWERED, "could not be done"])
    yield Behaviour("the document agent's key is rejected", _tasks_fail, ["could not be done"])


def _one_task_fails() -> Script:
    tasks = [("task", {"description": d, "subagent_type": "document-agent"}) for d in ("Find the notice.", "Find the moon.")]

    def script(request: dict[str, Any]) -> Reply:
        text = json.dumps(request["messages"][1:])
        if "task" in tool_names(request):
            if request["messages"][-1]["role"] != "tool":
                return tasks
            return f"{ANSWER}. The other task could not be done." if "Error: The task stopped." in text else "No error."
        if "moon" in text:
            return Failure(400, "Unknown parameter")
        return ANSWER if request["messages"][-1]["role"] == "tool" else [SEARCH]

    return script


def _tasks_fail() -> Script:
    task = ("task", {"description": "Find the notice.", "subagent_type": "document-agent"})

    def script(request: dict[str, Any]) -> Reply:
        if "task" not in tool_names(request):
            return Failure(401, "Incorrect API key")
        failed = "Error: The task stopped. The language model did not accept" in json.dumps(request["messages"][1:])
        return "It could not be done." if failed else [task]

    return script
