"""Single prompts to a language model, outside a conversation.

`endpoint.py` is no part of the face: it imports openai.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from orderly.services.completions.replies import MALFORMED, answer_of, tokens_of


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    """As the endpoint counts them; 0 if it does not."""


class PromptModel(Protocol):
    name: str

    async def reply(self, prompt: str) -> Reply:
        """The reply to one prompt, with its tokens. Raises ModelFailed."""
        ...

    async def complete(self, prompt: str) -> str:
        """The text of the reply to one prompt. Raises ModelFailed."""
        ...


__all__ = ["MALFORMED", "PromptModel", "Reply", "answer_of", "tokens_of"]
