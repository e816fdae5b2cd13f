"""The production server's conversations, whose words can be changed: each value is taken apart and put together again."""

from __future__ import annotations

from collections.abc import Sequence

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from orderly.services.governance import Redactor
from orderly.store.conversations import ServerConversations, server_conversations

Stored = tuple[str, bytes]
"""Kind and bytes, as the server's checkpointer keeps a value."""


class RedactableConversations:
    """`services.redaction.Conversations`."""

    def __init__(self, conversations: ServerConversations) -> None:
        self._conversations = conversations
        self._serializer = JsonPlusSerializer()

    async def redact(self, thread_ids: Sequence[str], redactor: Redactor) -> bool:
        def rewritten(stored: Stored) -> Stored | None:
            value = self._serializer.loads_typed(stored)
            redacted = redactor.value(value)
            return None if redacted is value else self._serializer.dumps_typed(redacted)

        return await self._conversations.rewrite(thread_ids, rewritten, redactor.value)


async def redactable(database_url: str | None) -> RedactableConversations | None:
    """None where the production server has never been."""
    found = await server_conversations(database_url)
    return None if found is None else RedactableConversations(found)
