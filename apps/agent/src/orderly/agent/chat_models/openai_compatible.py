"""LangChain's client of OpenAI-compatible endpoints, for requests that carry many tools."""

from __future__ import annotations

from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_openai import ChatOpenAI


class OpenAICompatible(ChatOpenAI):
    """Sends the tools' descriptions as they are. OpenAI's client goes through every part of every one at every request, to find
    what it might have to translate, which for fifteen tools takes longer than all that Orderly does around the call.
    """

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        if tools := payload.pop("tools", None):
            payload["extra_body"] = {**(payload.get("extra_body") or {}), "tools": tools}
        return payload
