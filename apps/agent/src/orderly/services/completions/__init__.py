"""Single prompts to a language model, outside a conversation.

`endpoint.py` is no part of the face: it imports openai.
"""

from __future__ import annotations

from typing import Protocol

from orderly.services.completions.replies import MALFORMED, answer_of


class PromptModel(Protocol):
    name: str

    async def complete(self, prompt: str) -> str:
        """The reply to one prompt. Raises ModelFailed."""
        ...


__all__ = ["MALFORMED", "PromptModel", "answer_of"]
