"""Notes to the model in the system message. Some endpoints reject further system messages."""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import ModelRequest
from langchain_core.messages import SystemMessage


def with_note(request: ModelRequest[Any], note: str) -> ModelRequest[Any]:
    """Appends `note` to the system message."""
    prompt = request.system_message.text if request.system_message else ""
    return request.override(system_message=SystemMessage(f"{prompt}\n\n{note}".strip()))
