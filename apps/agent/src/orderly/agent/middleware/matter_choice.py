"""Asks the user which matter a question is about, by an interrupt. The run resumes with the answer.

The middleware asks when the model calls a tool or delegates a task without naming a matter and the user has several.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from orderly.agent.caller import current_caller
from orderly.agent.middleware.bound_matter import find_bound_matter, list_own_matters
from orderly.agent.middleware.run_context import RunContext, context_of
from orderly.agent.middleware.run_ledger import RunState, ledger_of
from orderly.agent.tools import ALL_TOOLS
from orderly.errors import OrderlyError
from orderly.store.functions.matters import Matter
from orderly.wiring.services import current_services

KIND = "which_matter"
"""Value of `kind` in the interrupt."""

MATTER_TOOLS = frozenset(tool.name for tool in ALL_TOOLS if "matter_id" in tool.args)
"""Tools that work in one matter."""

QUESTION = "Which matter do you mean?"
UNKNOWN_MATTER = "That is none of these matters. Answer with the number or the id of one."

_ID_OR_ALL_MATTERS = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:all|every|each)\b[^.]{0,20}\bmatters?\b", re.IGNORECASE
)
"""A UUID or words for all matters: no question is needed."""


class MatterChoice(AgentMiddleware[RunState, RunContext]):
    """Inserts the chosen matter into the tool calls. Only for the orchestrator."""

    state_schema = RunState

    async def aafter_model(self, state: RunState, runtime: Runtime[RunContext]) -> dict[str, Any] | None:
        last = state["messages"][-1]
        if not isinstance(last, AIMessage) or not last.tool_calls:
            return None
        try:
            context = context_of(runtime)
            matters = () if context.kept_to else await _candidates(context.matter_id, state)
        except OrderlyError:
            return None  # the tools fail with a message
        unnamed = [call["id"] for call in last.tool_calls if _lacks_matter(call, matters)]
        if not unnamed or len(matters) < 2:
            return None
        matter = _ask_user(matters)
        calls = [_insert_matter(call, matter) if call["id"] in unnamed else call for call in last.tool_calls]
        return {"messages": [last.model_copy(update={"tool_calls": calls})], "chosen_matter": matter["id"]}


async def _candidates(named: str | None, state: Any) -> Sequence[Matter]:
    """The caller's matters that are not archived; none if the run is bound to a matter."""
    services = await current_services()
    caller = current_caller(services)
    ledger = ledger_of(state)
    if await find_bound_matter(services.library, caller, named, ledger):
        return ()
    return [m for m in await list_own_matters(services.library, caller, ledger) if m["archived_at"] is None]


def _lacks_matter(call: Any, matters: Sequence[Matter]) -> bool:
    if call["name"] != "task":
        arguments = call["args"]
        return (
            call["name"] in MATTER_TOOLS and not str(arguments.get("matter_id") or "").strip() and not arguments.get("within")
        )
    description = str(call["args"].get("description", ""))
    numbers = "|".join(re.escape(m["number"]) for m in matters)
    named = re.search(rf"(?<!\w)(?:{numbers})(?!\w)", description, re.IGNORECASE)
    return named is None and not _ID_OR_ALL_MATTERS.search(description)


def _ask_user(matters: Sequence[Matter]) -> Matter:
    """Interrupts the run until the user has named one of the matters."""
    question = {"kind": KIND, "question": QUESTION, "choices": [_format_choice(m) for m in matters]}
    while (matter := _match_answer(interrupt(question), matters)) is None:
        question = {**question, "question": f"{UNKNOWN_MATTER} {QUESTION}"}
    return matter


def _format_choice(matter: Matter) -> dict[str, Any]:
    return {
        "matter_id": matter["id"],
        "number": matter["number"],
        "title": matter["title"],
        "document_count": matter["document_count"],
    }


def _match_answer(answer: Any, matters: Sequence[Matter]) -> Matter | None:
    """Finds the matter by id or number, from a string or from `matter_id` of an object."""
    reference = answer.get("matter_id") if isinstance(answer, Mapping) else answer
    wanted = str(reference or "").strip().lower()
    return next((m for m in matters if wanted in (m["id"], m["slug"], m["number"].lower(), m["title"].strip().lower())), None)


def _insert_matter(call: Any, matter: Matter) -> Any:
    arguments = dict(call["args"])
    if call["name"] == "task":
        arguments["description"] = f"Matter: {matter['number']} (ID: {matter['id']})\n{arguments['description']}"
    else:
        arguments["matter_id"] = matter["id"]
    return {**call, "args": arguments}
