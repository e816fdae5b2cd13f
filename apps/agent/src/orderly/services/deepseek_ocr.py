"""OCR by a vision model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import base64
import os

import openai
from openai.types.chat import ChatCompletionMessageParam

from orderly.errors import Misconfigured, OcrFailed
from orderly.prompts import prompt
from orderly.services.completions import MALFORMED, answer_of
from orderly.services.ocr.protocol import OcrPage

DEFAULT_BASE_URL = "https://api.deepseek.com"
DEFAULT_MODEL = "deepseek-ocr"

_UNUSABLE = "The vision endpoint gave no usable answer."

_VENDOR_ERRORS: tuple[tuple[type[openai.OpenAIError], str], ...] = (
    (openai.APITimeoutError, "The vision endpoint did not answer in time."),
    (openai.APIConnectionError, "The vision endpoint could not be reached."),
    (openai.AuthenticationError, "The vision endpoint rejected the API key."),
    (openai.PermissionDeniedError, "The vision endpoint rejected the API key."),
    (openai.RateLimitError, "The vision endpoint refused for now: too many requests."),
    (openai.BadRequestError, "The vision endpoint refused the page's picture."),
    (openai.APIStatusError, "The vision endpoint answered with an error."),
)


class DeepSeekOCR:
    """Implements `Ocr`. The pages have no word boxes and no confidence, which a vision model does not give."""

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str = DEFAULT_BASE_URL,
        model: str = DEFAULT_MODEL,
        http_client: openai.DefaultAsyncHttpxClient | None = None,
        timeout_s: float = 120.0,
        max_retries: int = 2,
    ) -> None:
        self.api_key = api_key or os.environ.get("DEEPSEEK_API_KEY")
        if not self.api_key:
            raise Misconfigured("OCR by a vision endpoint needs a key: set DEEPSEEK_API_KEY.")
        self._model = model
        self.client = openai.AsyncOpenAI(
            api_key=self.api_key,
            base_url=base_url,
            http_client=http_client,
            timeout=timeout_s,
            max_retries=max_retries,
        )

    @property
    def name(self) -> str:
        return self._model

    async def extract_text_from_images(self, images: list[bytes], language: str = "en") -> str:
        """The pages' texts, joined by line feeds. Raises OcrFailed.

        The specification names this method for callers of the client; Orderly itself calls `recognise`.
        """
        return "\n".join([(await self.recognise(image, language=language)).text for image in images])

    async def recognise(self, png: bytes, *, language: str = "en") -> OcrPage:
        try:
            reply = await self.client.chat.completions.create(
                model=self._model, temperature=0, messages=_ocr_messages(png, language)
            )
            text = answer_of(reply)
        except (openai.OpenAIError, *MALFORMED) as exc:
            raise OcrFailed(_error_message(exc)) from exc
        if not reply.choices:
            raise OcrFailed(_UNUSABLE)
        if reply.choices[0].finish_reason == "length":
            raise OcrFailed("The vision endpoint broke off before the end of the page.")
        if reply.choices[0].message.content is None:
            raise OcrFailed(_UNUSABLE)
        return OcrPage(text.replace("\r\n", "\n"))

    async def close(self) -> None:
        await self.client.close()


def _ocr_messages(png: bytes, language: str) -> list[ChatCompletionMessageParam]:
    picture = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
    return [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": prompt("ocr").format(language=language)},
                {"type": "image_url", "image_url": {"url": picture}},
            ],
        }
    ]


def _error_message(exc: Exception) -> str:
    return next((message for kind, message in _VENDOR_ERRORS if isinstance(exc, kind)), _UNUSABLE)
