"""The ledger of a run: counted tool calls, their results and lookups, shared by the orchestrator and its subagents.

Ledgers are in memory. Data that must outlive the process are in the state, from which another process rebuilds the ledger of a
resumed run.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Annotated, Any, NotRequired
from uuid import uuid4

from langchain.agents.middleware import AgentState
from langchain.agents.middleware.types import OmitFromInput

from orderly.services.citations import Asking
from orderly.services.library import RunStart
from orderly.store.functions.matters import Matter

MAX_LEDGERS = 1_000
"""Ledgers in memory. The least recently used are dropped first."""


def merge_calls(stored: list[str] | None, new: list[str] | None) -> list[str]:
    """The calls of the newest run without duplicates. Idempotent, because every subagent returns the whole list."""
    if not new:
        return list(stored or ())
    run = new[-1].partition(":")[0]
    return [call for call in dict.fromkeys((*(stored or ()), *new)) if call.partition(":")[0] == run]


def merge_handles(stored: dict[str, str] | None, new: dict[str, str] | None) -> dict[str, str]:
    """The handles of both; a handle that was given first stays."""
    return {**(new or {}), **(stored or {})}


class RunState(AgentState[Any]):
    run: NotRequired[Annotated[str, OmitFromInput]]
    """Id of the run. A new question starts a run; the answer to an interrupt does not."""
    calls: NotRequired[Annotated[list[str], OmitFromInput, merge_calls]]
    """Counted tool calls, each as "run:message:call"."""
    fence: NotRequired[Annotated[str, OmitFromInput]]
    """Random code of the fence. One per conversation, so that the beginning of its prompts stays the same."""
    quoted_before: NotRequired[Annotated[int, OmitFromInput]]
    """Number of passages that earlier runs of the thread returned."""
    handles: NotRequired[Annotated[dict[str, str], OmitFromInput, merge_handles]]
    """Handle of each id that a model of this thread has read (`Handles`)."""
    chosen_matter: NotRequired[Annotated[str, OmitFromInput]]
    """Id of the matter that the user chose when a run asked. Valid for the rest of the thread."""


FENCE_LETTERS = 14
"""Letters of the code of a fence: 65 bits. A model reads letters in half the tokens of hexadecimal digits."""


def new_fence() -> str:
    return "".join(secrets.choice(ascii_lowercase) for _ in range(FENCE_LETTERS))


@dataclass(slots=True)
class Ledger:
    run: str
    fence: str = field(default_factory=new_fence)
    """Random code of the fence. No document contains the code, so no document can close its fence."""
    counted_calls: set[str] = field(default_factory=set)
    """Tool calls of this run, each as "run:message:call"."""
    handles: dict[str, str] = field(default_factory=dict)
    """Handle by id, shared by all agents of the run, so that no handle stands for two ids."""
    tokens: int = 0
    """Tokens of the chat model in this run."""
    results: dict[str, asyncio.Future[Any]] = field(default_factory=dict)
    """Results of tool calls, by tool and arguments; None for a failed call."""
    model_forbidden: bool = False
    """Whether the thread has read text that may not be sent to the chat model."""
    chosen_matter: str | None = None
    """Id of the matter that the user chose when the run asked."""
    checked_ids: set[str] = field(default_factory=set)
    """Ids of documents that were checked for hidden text."""
    briefings: dict[tuple[str, str | None], str] = field(default_factory=dict)
    """Filled prompts, by name of the prompt and chosen matter."""
    run_start: RunStart | None = None
    """None until loaded."""
    bound: dict[str, Matter] = field(default_factory=dict)
    """Looked-up matters, by id or number as given."""
    scope: Any = None
    """The run's context with ids in place of names (`run_scope`); None until loaded."""
    hidden_tools: frozenset[str] | None = None
    """Names of tools that the run may not use; None until loaded."""
    askings: list[Asking] = field(default_factory=list)
    """Questions put to documents one by one. The gate counts an answer's claims over documents against them."""
    shown_arguments: dict[str, str] = field(default_factory=dict)
    """Texts of tool calls whose quotations the gate replaced in what people see, each with what is shown instead."""
    context_passages: list[dict[str, Any]] | None = None
    """Records of the passages added before the user's message; None until loaded. Never in the state."""


_ledgers: OrderedDict[str, Ledger] = OrderedDict()
_current: ContextVar[Ledger | None] = ContextVar("ledger", default=None)


def ledger_of(state: Any) -> Ledger:
    """The ledger of the current run. A subagent has the ledger of its caller."""
    ledger = _current.get()
    if ledger is None:
        run = state.get("run") or uuid4().hex
        ledger = _ledgers.setdefault(run, Ledger(run))
        _ledgers.move_to_end(run)
        while len(_ledgers) > MAX_LEDGERS:
            _ledgers.popitem(last=False)
    ledger.fence = state.get("fence") or ledger.fence
    ledger.handles.update(state.get("handles") or {})
    ledger.chosen_matter = state.get("chosen_matter") or ledger.chosen_matter
    ledger.counted_calls.update(call for call in state.get("calls") or () if call.partition(":")[0] == ledger.run)
    return ledger


def drop_ledger(state: Any) -> None:
    """Removes the ledger of a finished run. Ledgers of failed and of interrupted runs stay until they are the oldest."""
    _ledgers.pop(state.get("run") or "", None)


def shown_argument(text: str) -> str:
    """Returns the gated text of a tool's argument, which people see, in a tool that runs with a shared ledger."""
    ledger = _current.get()
    return ledger.shown_arguments.get(text, text) if ledger else text


@contextmanager
def share_ledger(ledger: Ledger) -> Iterator[None]:
    """Makes `ledger` the ledger of subagents called in this context."""
    token = _current.set(ledger)
    try:
        yield
    finally:
        _current.reset(token)
