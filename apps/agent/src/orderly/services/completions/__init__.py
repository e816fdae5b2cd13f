"""Single prompts to a language model, outside a conversation.

`endpoint.py` is no part of the face: it imports openai.
"""

from __future__ import annotations

from typing import Protocol


class PromptModel(Protocol):
    name: str

    async def complete(self, prompt: str) -> str:
        """The reply to one prompt. Raises ModelFailed."""
        ...


__all__ = ["PromptModel"]
