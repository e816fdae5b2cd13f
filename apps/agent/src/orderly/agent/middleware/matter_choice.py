"""Asks the user which matter is meant, where that is unclear: the run stops and goes on with the answer. It never guesses.

A model that does not know the matter delegates without naming one; that is how the question is put.
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
from orderly.agent.middleware.bound_matter import bound_matter, own_matters
from orderly.agent.middleware.briefing import RunContext, context_of
from orderly.agent.middleware.run_ledger import RunState, ledger_of
from orderly.errors import OrderlyError
from orderly.store.functions.matters import Matter
from orderly.wiring.services import current_services

KIND = "which_matter"
QUESTION = "Which matter do you mean?"
NOT_ONE = "That is none of these matters. Answer with the number or the id of one."

_NAMES_SOMETHING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:all|every|each)\b[^.]{0,20}\bmatters?\b", re.IGNORECASE
)
"""An id of any kind, or every matter: nothing is left to ask."""


class MatterChoice(AgentMiddleware[RunState, RunContext]):
    """The orchestrator's alone."""

    state_schema = RunState

    async def aafter_model(self, state: RunState, runtime: Runtime[RunContext]) -> dict[str, Any] | None:
        last = state["messages"][-1]
        if not isinstance(last, AIMessage) or not last.tool_calls:
            return None
        try:
            context = context_of(runtime)
            matters = () if context.kept_to else await _choices(context.matter_id, state)
        except OrderlyError:
            return None  # the tools refuse in their own words
        unnamed = [call["id"] for call in last.tool_calls if _unnamed(call, matters)]
        if not unnamed or len(matters) < 2:
            return None
        matter = _asked(matters)
        calls = [_about(call, matter) if call["id"] in unnamed else call for call in last.tool_calls]
        return {"messages": [last.model_copy(update={"tool_calls": calls})], "chosen_matter": matter["id"]}


async def _choices(named: str | None, state: Any) -> Sequence[Matter]:
    """The matters that may be meant; none where the conversation is bound to one."""
    services = await current_services()
    caller = current_caller(services)
    ledger = ledger_of(state)
    if await bound_matter(services.library, caller, named, ledger):
        return ()
    return [m for m in await own_matters(services.library, caller, ledger) if m["archived_at"] is None]


def _unnamed(call: Any, matters: Sequence[Matter]) -> bool:
    if call["name"] != "task":
        return "matter_id" in call["args"] and not str(call["args"]["matter_id"] or "").strip()
    description = str(call["args"].get("description", ""))
    numbers = "|".join(re.escape(m["number"]) for m in matters)
    named = re.search(rf"(?<!\w)(?:{numbers})(?!\w)", description, re.IGNORECASE)
    return named is None and not _NAMES_SOMETHING.search(description)


def _asked(matters: Sequence[Matter]) -> Matter:
    """Stops the run here until the user has named one of them."""
    question = {"kind": KIND, "question": QUESTION, "choices": [_choice(m) for m in matters]}
    while (matter := _named(interrupt(question), matters)) is None:
        question = {**question, "question": f"{NOT_ONE} {QUESTION}"}
    return matter


def _choice(matter: Matter) -> dict[str, Any]:
    return {
        "matter_id": matter["id"],
        "number": matter["number"],
        "title": matter["title"],
        "document_count": matter["document_count"],
    }


def _named(answer: Any, matters: Sequence[Matter]) -> Matter | None:
    """The answer: an id or a number, alone or as `matter_id` of an object."""
    given = answer.get("matter_id") if isinstance(answer, Mapping) else answer
    wanted = str(given or "").strip().lower()
    return next((m for m in matters if wanted in (m["id"].lower(), m["number"].lower())), None)


def _about(call: Any, matter: Matter) -> Any:
    arguments = dict(call["args"])
    if call["name"] == "task":
        arguments["description"] = f"Matter: {matter['number']} (ID: {matter['id']})\n{arguments['description']}"
    else:
        arguments["matter_id"] = matter["id"]
    return {**call, "args": arguments}
