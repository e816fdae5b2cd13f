"""The id of a run, in the state."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware
from langgraph.runtime import Runtime

from orderly.agent.middleware.run_ledger import RunState


class RunId(AgentMiddleware[RunState, Any]):
    """Gives the run an id. Only for the orchestrator: a subagent has the run of its caller."""

    state_schema = RunState

    async def abefore_agent(self, state: RunState, runtime: Runtime[Any]) -> dict[str, Any]:
        return {"run": uuid4().hex}
