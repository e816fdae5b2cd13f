"""The chat models: any OpenAI-compatible endpoint, or the offline planner if no key is set."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel

from orderly.agent.chat_models.planner import NAME, OfflinePlanner
from orderly.settings import Settings


def model_name(model: BaseChatModel) -> str:
    """Returns the name of a model for the audit record."""
    if isinstance(model, OfflinePlanner):
        return NAME
    return str(getattr(model, "model_name", "") or type(model).__name__)


def chat_model(settings: Settings) -> BaseChatModel:
    """Creates the chat model that the settings name."""
    if settings.openai_api_key is None:
        return OfflinePlanner()
    # The client of OpenAI takes a fifth of all imports, which the offline planner does without.
    from orderly.agent.chat_models.openai_compatible import MAX_SILENCE, OpenAICompatible  # noqa: PLC0415

    return OpenAICompatible(
        model=settings.model,
        api_key=settings.openai_api_key,
        base_url=settings.openai_base_url,
        max_retries=0,  # `OpenAICompatible` retries within its own limit of time
        timeout=min(MAX_SILENCE, settings.model_seconds),
        seconds=settings.model_seconds,
        stream_usage=True,
    )
