"""LangChain's client of OpenAI-compatible endpoints, for requests with many tools."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_openai import ChatOpenAI


class OpenAICompatible(ChatOpenAI):
    """Sends tool schemas in `extra_body`, which OpenAI's client does not traverse.

    The client transforms each value of `tools` at each request. For fifteen tools, this takes longer than all middleware.
    """

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        if tools := payload.pop("tools", None):
            payload["extra_body"] = {**(payload.get("extra_body") or {}), "tools": tools}
        return payload
