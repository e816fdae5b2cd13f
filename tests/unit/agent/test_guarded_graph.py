"""Limits of a conversation that goes on."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from orderly.agent.guarded_graph import MOST_CHARACTERS, MOST_MESSAGES, GuardedGraph
from orderly.errors import Invalid


@pytest.mark.parametrize(
    "held",
    [[HumanMessage("a")] * (MOST_MESSAGES + 1), [HumanMessage("a" * (MOST_CHARACTERS // 4 + 1))] * 4],
    ids=["messages", "characters"],
)
async def test_a_conversation_has_a_largest_size(held: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    async def state(*_: Any) -> dict[str, Any]:
        return {"messages": held}

    monkeypatch.setattr(GuardedGraph, "_state", state)
    with pytest.raises(Invalid, match="reached its limit"):
        await GuardedGraph._clean(object.__new__(GuardedGraph), {"messages": []}, {})
