"""Egress policy: the external processors that may receive a matter's text.

The policy of firm and matter is held in a context variable. Without one, no processor is permitted.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar

from orderly.models import Caller
from orderly.settings import Settings
from orderly.store.base import Store, WorkerStore
from orderly.store.functions.processors import Processor, allowed_processors, document_processors

PROCESSORS: tuple[Processor, ...] = ("model", "isaacus", "vision", "colivara")

NAMES: dict[Processor, str] = {
    "model": "the chat model's endpoint",
    "isaacus": "Isaacus",
    "vision": "the endpoint that reads scans and describes pages",
    "colivara": "ColiVara",
}

_allowed: ContextVar[frozenset[str] | None] = ContextVar("allowed processors", default=None)


def external_endpoints(settings: Settings) -> dict[str, str]:
    """Returns the endpoint of each configured processor."""
    isaacus = "SageMaker" if settings.isaacus_sagemaker_endpoints else settings.isaacus_base_url
    found = {
        "model": (settings.openai_base_url or "https://api.openai.com/v1") if settings.openai_api_key else "",
        "isaacus": isaacus if settings.uses_isaacus else "",
        "vision": settings.ocr_base_url if settings.deepseek_api_key else "",
        "colivara": settings.colivara_base_url if settings.colivara_api_key else "",
    }
    return {name: endpoint for name, endpoint in found.items() if endpoint}


def permitted(processor: Processor) -> bool:
    """Whether the current policy permits a processor; False without a policy."""
    return processor in (_allowed.get() or ())


def has_policy() -> bool:
    return _allowed.get() is not None


def refusal(processor: Processor) -> str:
    return f"This matter's documents may not be sent to {NAMES[processor]}."


@contextmanager
def permitting(allowed: Iterable[str]) -> Iterator[None]:
    token = _allowed.set(frozenset(allowed))
    try:
        yield
    finally:
        _allowed.reset(token)


@asynccontextmanager
async def policy_of(
    store: Store, caller: Caller, *, matter_ref: str | None = None, document_id: str | None = None
) -> AsyncIterator[None]:
    """Applies the policy of a matter or of a document's matter; without either, what all the caller's matters allow.

    Raises:
        MatterNotFound, DocumentNotFound: the item is missing, or the caller has no access to it.
    """
    with permitting(await allowed_processors(store, caller, matter_ref=matter_ref, document_id=document_id)):
        yield


@asynccontextmanager
async def policy_of_document(worker: WorkerStore, document_id: str) -> AsyncIterator[None]:
    """Applies the policy of a document for a worker. A missing document permits no processor."""
    with permitting(await document_processors(worker, document_id)):
        yield
