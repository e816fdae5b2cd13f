"""Messages of a thread as items of a conversation, in OpenAI's format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient

from orderly.errors import NotFound

Message = Mapping[str, Any]


async def thread_messages(client: LangGraphClient, thread_id: str, checkpoint_id: str | None = None) -> list[Message]:
    """The messages of people and of the orchestrator, oldest first. Raises NotFound for another user's thread."""
    try:
        state = await client.threads.get_state(thread_id, checkpoint_id=checkpoint_id)
    except httpx.HTTPStatusError as error:
        raise NotFound(f"Conversation {thread_id} not found or you don't have access.") from error
    return spoken(state["values"])


def spoken(values: Any) -> list[Message]:
    """The messages of people and of the orchestrator among a thread's values."""
    messages = values.get("messages") or [] if isinstance(values, dict) else []
    return [m for m in messages if m["type"] == "human" or (m["type"] == "ai" and text_of(m))]


def last_question(messages: Sequence[Message]) -> list[Message]:
    """The user's messages before the last answer, as far back as the answer before it."""
    question: list[Message] = []
    for message in reversed(messages):
        if message["type"] == "human":
            question.insert(0, message)
        elif question:
            break
    return question


def message_item(message: Message) -> dict[str, Any]:
    """A message as an item."""
    person = message["type"] == "human"
    part = {"type": "input_text" if person else "output_text", "text": text_of(message)}
    content = [part if person else {**part, "annotations": []}]
    role = "user" if person else "assistant"
    return {"type": "message", "id": message["id"], "role": role, "status": "completed", "content": content}


def text_of(message: Message) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)
