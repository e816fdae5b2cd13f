"""Prompt tokens of typical questions, with the product's own prompts, tools and results, in both shapes of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

from orderly.agent.middleware.run_context import RunContext
from orderly.agent.run import Conversation, ask
from orderly.graph import build_graph
from orderly.models import Caller
from orderly.wiring.services import Services
from orderly_evaluation.model_script.peer import Reply, Script, ScriptedModel, serve, tool_names
from orderly_evaluation.model_script.tokens import prompt_tokens, shared_prefix_tokens

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one question."""

    name: str
    shape: str
    requests: int
    prompt_tokens: int
    largest: int
    """Tokens of the largest prompt."""
    cached_share: float
    """Share of the prompt tokens that an earlier request begins with: of this conversation, or of one about nothing in
    common that came before, as of other users of the installation."""
    repeated_share: float
    """Least share of a prompt that the same agent's next prompt in the answer to this question begins with."""
    calls: tuple[tuple[int, int], ...]
    """Prompt tokens of each request, and how many of them an earlier request begins with."""


QUESTIONS = ("What is the notice period for termination?", "Which law governs it?")
LIST = "List the files of all matters."
"""A task of a conversation that is bound to no matter, and about all of them: the user is not asked for one."""
COMPARISON = "Compare the governing law of {0} and {1}."


def one_agent(steps: Sequence[Sequence[Call]], answer: str) -> Script:
    """The model calls the document tools itself, one list of calls per message, then answers."""

    def script(request: dict[str, Any]) -> Reply:
        done = _calls_since_question(request)
        return list(steps[done]) if done < len(steps) else answer

    return script


def delegated(tasks: Sequence[str], steps: Mapping[str, Sequence[Sequence[Call]]], report: str, answer: str) -> Script:
    """The orchestrator delegates `tasks` in one message; the document agent makes the steps of its task and reports."""

    def script(request: dict[str, Any]) -> Reply:
        done = _calls_since_question(request)
        if "task" in tool_names(request):
            return answer if done else [("task", {"description": t, "subagent_type": "document-agent"}) for t in tasks]
        given = str(request["messages"][1:])  # without the system prompt, which names every document
        mine = next(calls for task, calls in steps.items() if task in given)
        return list(mine[done]) if done < len(mine) else report

    return script


def _calls_since_question(request: Mapping[str, Any]) -> int:
    """Number of messages with tool calls since the last question."""
    messages = request["messages"]
    began = max((n for n, m in enumerate(messages) if m["role"] == "user"), default=0)
    return sum(bool(m.get("tool_calls")) for m in messages[began:])


async def measure_costs(services: Services, caller: Caller, matter_id: str) -> list[Cost]:
    """Asks two questions in one conversation, then a comparison, in both shapes.

    Args:
        services: Open services; documents of the matter are ready.
        caller: The user who asks.
        matter_id: A matter with at least two documents.
    """
    documents = (await services.library.documents(caller, matter_id)).documents
    first, second = documents[0], documents[1]
    compared = COMPARISON.format(first["filename"], second["filename"])
    found: list[Cost] = []
    searches: list[list[Call]] = [[("isaacus_search", {"matter_id": matter_id, "query": question})] for question in QUESTIONS]
    both: list[list[Call]] = [
        [("isaacus_search", {"matter_id": matter_id, "query": "governing law", "within": [d["id"]]}),
         ("isaacus_extract", {"document_id": d["id"], "question": "Which law governs this agreement?"})]
        for d in (first, second)
    ]  # fmt: skip
    answer = "The documents say it, with the place and the words that settle the question, in two or three sentences."
    one = [one_agent([step], answer) for step in searches]
    many = [delegated([q], {q: [step]}, answer, answer) for q, step in zip(QUESTIONS, searches, strict=True)]
    asks = [d["filename"] for d in (first, second)]
    listing: Call = ("list_matter_documents", {})
    before = await _requests(services, caller, "Which files are there?", delegated([LIST], {LIST: [[listing]]}, answer, answer))

    async def measure(shape: str, names: Sequence[str], questions: Sequence[str], scripts: Sequence[Script]) -> None:
        found.extend(await _conversation(services, caller, matter_id, shape, names, questions, scripts, before))

    await measure("one agent", ("simple", "second turn"), QUESTIONS, one)
    await measure("delegated", ("simple", "second turn"), QUESTIONS, many)
    alone = one_agent([[both[0][0], both[1][0]], [both[0][1], both[1][1]]], answer)
    split = delegated(asks, {n: [[c] for c in calls] for n, calls in zip(asks, both, strict=True)}, answer, answer)
    await measure("one agent", ("comparison",), (compared,), [alone])
    await measure("delegated", ("comparison",), (compared,), [split])
    return found


async def _requests(services: Services, caller: Caller, question: str, script: Script) -> list[dict[str, Any]]:
    """The requests of a conversation that is bound to no matter."""
    with serve(script) as model:
        await ask(_graph(services, model), services, caller, question, context=RunContext())
    return model.requests


async def _conversation(
    services: Services,
    caller: Caller,
    matter_id: str,
    shape: str,
    names: Sequence[str],
    questions: Sequence[str],
    scripts: Sequence[Script],
    earlier: Sequence[Mapping[str, Any]],
) -> list[Cost]:
    current: list[Script] = list(scripts[:1])
    costs = []

    def play(request: dict[str, Any]) -> Reply:
        return current[0](request)

    with serve(play) as model:
        graph, conversation = _graph(services, model), Conversation()
        for name, question, script in zip(names, questions, scripts, strict=True):
            current[0], before = script, len(model.requests)
            context = RunContext(matter_id=matter_id)
            await ask(graph, services, caller, question, context=context, conversation=conversation)
            made = range(before, len(model.requests))
            sizes = [prompt_tokens(model.requests[n]) for n in made]
            shared = [shared_prefix_tokens(model.requests[n], [*earlier, *model.requests[:n]]) for n in made]
            share, calls = sum(shared) / sum(sizes), tuple(zip(sizes, shared, strict=True))
            repeated = _repeated_share(model.requests[before:])
            costs.append(Cost(name, shape, len(sizes), sum(sizes), max(sizes), share, repeated, calls))
    return costs


def _graph(services: Services, model: ScriptedModel) -> Any:
    endpoint = {"openai_api_key": SecretStr(model.key), "openai_base_url": model.base_url}
    return build_graph(services.settings.model_copy(update=endpoint))


def _repeated_share(requests: Sequence[Mapping[str, Any]]) -> float:
    shares: list[float] = [1.0]
    last: dict[tuple[bool, str], Mapping[str, Any]] = {}
    for request in requests:
        asked = next(m["content"] for m in reversed(request["messages"]) if m["role"] == "user")  # the question or the task
        agent = "task" in tool_names(dict(request)), str(asked)
        if agent in last:
            whole = shared_prefix_tokens(last[agent], [last[agent]])
            shares.append(shared_prefix_tokens(request, [last[agent]]) / whole)
        last[agent] = request
    return min(shares)
