"""Descriptions of pages by a vision model, for pages without text."""

from __future__ import annotations

import base64

import openai

from orderly.errors import SightFailed
from orderly.prompts import prompt
from orderly.services.completions import MALFORMED, answer_of


class VisionModel:
    """A vision model at an OpenAI-compatible endpoint."""

    def __init__(
        self, api_key: str, *, base_url: str, model: str, http_client: openai.DefaultAsyncHttpxClient | None = None
    ) -> None:
        self.name = model
        self._client = openai.AsyncOpenAI(
            api_key=api_key, base_url=base_url, http_client=http_client, timeout=30.0, max_retries=0
        )

    async def describe(self, png: bytes, question: str) -> str:
        """Describes the page in a few sentences, with regard to `question`. Raises SightFailed."""
        picture = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
        try:
            reply = await self._client.chat.completions.create(
                model=self.name,
                temperature=0,
                messages=[
                    {
                        "role": "user",
                        "content": [
                            {"type": "text", "text": prompt("describe_page").replace("$question", question)},
                            {"type": "image_url", "image_url": {"url": picture}},
                        ],
                    }
                ],
            )
            text = answer_of(reply)
        except (openai.OpenAIError, *MALFORMED) as exc:
            raise SightFailed("The vision model gave no description.") from exc
        if not text:
            raise SightFailed("The vision model gave no description.")
        return text

    async def close(self) -> None:
        await self._client.close()
