"""What one run shares between the orchestrator and its subagents: calls made, answers given, the fence around quoted text.

The ledger is kept in memory, and what must outlive the process is in the state: a run that goes on elsewhere begins its ledger
from there.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Annotated, Any, NotRequired
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain.agents.middleware.types import OmitFromInput
from langgraph.runtime import Runtime

from orderly.services.library import Opening
from orderly.store.functions.matters import Matter

KEPT = 1_000
"""Ledgers of past runs that are kept; the oldest go first."""


def merge_calls(held: list[str] | None, new: list[str] | None) -> list[str]:
    """The calls of the newest run, each once. They come back whole from every subagent, so merging must be idempotent."""
    if not new:
        return list(held or ())
    run = new[-1].partition(":")[0]
    return [call for call in dict.fromkeys((*(held or ()), *new)) if call.partition(":")[0] == run]


class RunState(AgentState[Any]):
    run: NotRequired[Annotated[str, OmitFromInput]]
    """Which run of the conversation this is. A new question is a new run; an answer to an interrupt is not."""
    calls: NotRequired[Annotated[list[str], OmitFromInput, merge_calls]]
    """The tool calls counted so far, as "run:message:call"."""
    chosen_matter: NotRequired[Annotated[str, OmitFromInput]]
    """The id of the matter that the user named when a run asked which is meant. It holds for the conversation."""


@dataclass(slots=True)
class Ledger:
    run: str
    fence: str = field(default_factory=lambda: secrets.token_hex(8))
    """No document can know it, so none can close the fence that it stands in."""
    spent: set[str] = field(default_factory=set)
    answers: dict[str, asyncio.Future[Any]] = field(default_factory=dict)
    """By tool and arguments: what the first such call gave, None where it failed."""
    kept_from_model: bool = False
    """Something that the conversation has read may not be sent to the chat model."""
    chosen_matter: str | None = None
    """The id of the matter that the user named when the run asked which is meant."""
    looked_at: set[str] = field(default_factory=set)
    """Documents whose health was looked at for hidden text."""
    briefings: dict[tuple[str, str | None], str] = field(default_factory=dict)
    """By name of the prompt and chosen matter: the prompt, its marks filled."""
    opening: Opening | None = None
    """None before it was looked up."""
    bound: dict[str, Matter] = field(default_factory=dict)
    """Matters that the conversation may be about, by the reference that names one."""
    hidden_tools: frozenset[str] | None = None
    """Names of the tools that the run has not; None before they were looked up."""
    shown: list[dict[str, Any]] | None = None
    """Records of the passages put beside the user's message; None before they were looked up. Never in the state."""


_ledgers: OrderedDict[str, Ledger] = OrderedDict()
_current: ContextVar[Ledger | None] = ContextVar("ledger", default=None)


def ledger_of(state: Any) -> Ledger:
    """A subagent's ledger is that of the run that called it."""
    ledger = _current.get()
    if ledger is None:
        run = state.get("run") or uuid4().hex
        ledger = _ledgers.setdefault(run, Ledger(run))
        _ledgers.move_to_end(run)
        while len(_ledgers) > KEPT:
            _ledgers.popitem(last=False)
    ledger.chosen_matter = state.get("chosen_matter") or ledger.chosen_matter
    ledger.spent.update(call for call in state.get("calls") or () if call.partition(":")[0] == ledger.run)
    return ledger


def forget(state: Any) -> None:
    """The run has ended. What broke off or waits for an answer is kept, among the last `KEPT`."""
    _ledgers.pop(state.get("run") or "", None)


@contextmanager
def handed_down(ledger: Ledger) -> Iterator[None]:
    """A subagent is called in the context of its tool call: its middleware finds the ledger there."""
    token = _current.set(ledger)
    try:
        yield
    finally:
        _current.reset(token)


class BeginRun(AgentMiddleware[RunState, Any]):
    """Gives the run its id. For the orchestrator alone: a subagent belongs to the run that calls it."""

    state_schema = RunState

    async def abefore_agent(self, state: RunState, runtime: Runtime[Any]) -> dict[str, Any]:
        return {"run": uuid4().hex}
