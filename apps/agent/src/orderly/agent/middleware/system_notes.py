"""Says something to the model in its system message: some endpoints refuse system messages anywhere else."""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import ModelRequest
from langchain_core.messages import SystemMessage


def with_note(request: ModelRequest[Any], note: str) -> ModelRequest[Any]:
    own = request.system_message.text if request.system_message else ""
    return request.override(system_message=SystemMessage(f"{own}\n\n{note}".strip()))
