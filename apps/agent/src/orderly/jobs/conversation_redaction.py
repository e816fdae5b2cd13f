"""Redacts the production server's conversations: deserialises each stored value, redacts it and writes it back."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from orderly.services.governance import Redactor
from orderly.store.conversations import ServerConversations, server_conversations

Stored = tuple[str, bytes]
"""(type, bytes) of a value serialised by the checkpointer."""


class RedactableConversations:
    """Implements `services.governance.redaction.Conversations`."""

    def __init__(self, conversations: ServerConversations) -> None:
        self._conversations = conversations
        self._serializer = JsonPlusSerializer()

    async def redact(self, thread_ids: Sequence[str], redactor: Redactor) -> bool:
        def rewrite_value(stored: Stored) -> Stored | None:
            value = self._serializer.loads_typed(stored)
            redacted = redactor.value(value)
            return None if redacted is value else self._serializer.dumps_typed(redacted)

        return await self._conversations.rewrite(thread_ids, rewrite_value, redactor.value)


async def redactable(database_url: str | None) -> RedactableConversations | None:
    """None if the production server's database does not exist."""
    found = await server_conversations(database_url)
    return None if found is None else RedactableConversations(found)
