"""Which chat model answers: any OpenAI-compatible endpoint, or the offline planner where no key is set."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel

from orderly.agent.chat_models.openai_compatible import OpenAICompatible
from orderly.agent.chat_models.planner import NAME, OfflinePlanner
from orderly.settings import Settings


def model_name(model: BaseChatModel) -> str:
    """The name under which the record keeps a model's answers."""
    if isinstance(model, OfflinePlanner):
        return NAME
    return str(getattr(model, "model_name", "") or type(model).__name__)


def chat_model(settings: Settings) -> BaseChatModel:
    if settings.openai_api_key is None:
        return OfflinePlanner()
    return OpenAICompatible(
        model=settings.model,
        api_key=settings.openai_api_key,
        base_url=settings.openai_base_url,
        max_retries=3,
        timeout=120,
        stream_usage=True,
    )
