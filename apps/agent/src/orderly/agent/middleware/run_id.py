"""The id of a run and the code of a conversation's fence, in the state."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware
from langgraph.runtime import Runtime

from orderly.agent.middleware.run_ledger import RunState, new_fence


class RunId(AgentMiddleware[RunState, Any]):
    """Gives the run an id, and the conversation its fence. Only for the orchestrator: a subagent has the run of its caller."""

    state_schema = RunState

    async def abefore_agent(self, state: RunState, runtime: Runtime[Any]) -> dict[str, Any]:
        values: Any = state
        quoted_before = len(values.get("quoted") or ())
        return {"run": uuid4().hex, "fence": state.get("fence") or new_fence(), "quoted_before": quoted_before}
