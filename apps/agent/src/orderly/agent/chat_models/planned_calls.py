"""The message with which the offline planner calls tools."""

from __future__ import annotations

import uuid
from typing import Any

from langchain_core.messages import AIMessage


def call(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    """`calls`: names of tools, each with its arguments."""
    return AIMessage("", tool_calls=[{"name": n, "args": a, "id": f"call_{uuid.uuid4().hex[:12]}"} for n, a in calls])
