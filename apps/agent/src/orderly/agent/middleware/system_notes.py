"""Notes to the model: lasting ones in the system message, passing ones at the end of the last message.

Endpoints cache the beginning of a prompt, so what changes from call to call stands last. A passing note is no message of its
own, because some endpoints reject a system message after the first, or a user's message after a tool's.
"""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import ModelRequest
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage

PASSING = "[Orderly: {note}]"


def with_note(request: ModelRequest[Any], note: str) -> ModelRequest[Any]:
    """Appends a note that holds for the whole conversation to the system message."""
    prompt = request.system_message.text if request.system_message else ""
    return request.override(system_message=SystemMessage(f"{prompt}\n\n{note}".strip()))


def with_passing_note(request: ModelRequest[Any], note: str) -> ModelRequest[Any]:
    """Appends a note for this call to the last message, outside the fence of a tool's result."""
    text = PASSING.format(note=note)
    if not request.messages or not isinstance(request.messages[-1], HumanMessage | ToolMessage):
        return request.override(messages=[*request.messages, HumanMessage(text)])
    last = request.messages[-1]
    content: Any = (
        f"{last.content}\n\n{text}" if isinstance(last.content, str) else [*last.content, {"type": "text", "text": text}]
    )
    return request.override(messages=[*request.messages[:-1], last.model_copy(update={"content": content})])
