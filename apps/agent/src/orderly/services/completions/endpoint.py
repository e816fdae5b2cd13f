"""The OpenAI-compatible endpoint that replies to single prompts."""

from __future__ import annotations

import openai

from orderly.errors import ModelFailed
from orderly.services.completions import Reply
from orderly.services.completions.replies import MALFORMED, answer_of, tokens_of

ATTEMPTS = 3


class Completions:
    def __init__(self, api_key: str, *, base_url: str | None, model: str, seconds: float) -> None:
        self.name = model
        self._client = openai.AsyncOpenAI(api_key=api_key, base_url=base_url, timeout=seconds, max_retries=ATTEMPTS - 1)

    async def complete(self, prompt: str) -> str:
        """The text of the reply to one prompt. Raises ModelFailed."""
        return (await self.reply(prompt)).text

    async def reply(self, prompt: str) -> Reply:
        """The reply to one prompt, with its tokens. Raises ModelFailed."""
        try:
            reply = await self._client.chat.completions.create(model=self.name, messages=[{"role": "user", "content": prompt}])
            text = answer_of(reply)
            sent, written = tokens_of(reply)
        except openai.AuthenticationError as exc:
            raise ModelFailed("key_rejected", "it did not accept this installation's key.") from exc
        except openai.OpenAIError as exc:
            raise ModelFailed("failed", "it did not answer.") from exc
        except MALFORMED as exc:
            raise ModelFailed("unreadable", "its reply could not be read.") from exc
        if not text:
            raise ModelFailed("empty", "its reply was empty.")
        return Reply(text, sent, written)

    async def close(self) -> None:
        await self._client.close()
