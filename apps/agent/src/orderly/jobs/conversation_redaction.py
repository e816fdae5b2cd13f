"""Redaction of deleted text in the production server's conversations: deserializes, redacts and serializes each value."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from orderly.services.governance import Redactor
from orderly.store.conversations import ServerConversations, server_conversations

Stored = tuple[str, bytes]
"""Type and bytes of a value in the server's checkpointer."""


class RedactableConversations:
    """Implements the protocol `Conversations` of `services.governance`."""

    def __init__(self, conversations: ServerConversations) -> None:
        self._conversations = conversations
        self._serializer = JsonPlusSerializer()

    async def redact(self, thread_ids: Sequence[str], redactor: Redactor) -> bool:
        def redact_value(stored: Stored) -> Stored | None:
            value = self._serializer.loads_typed(stored)
            redacted = redactor.value(value)
            return None if redacted is value else self._serializer.dumps_typed(redacted)

        return await self._conversations.rewrite(thread_ids, redact_value, redactor.value)


async def open_redactable_conversations(database_url: str | None) -> RedactableConversations | None:
    """None if the production server's database does not exist."""
    found = await server_conversations(database_url)
    return None if found is None else RedactableConversations(found)
