"""What may leave the installation. Whatever sends text outside asks here first, and nothing is permitted until it is said.

The store knows the policy of firm and matter; whoever works for a matter opens a scope with it, and all inside is held to it.
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


def places(settings: Settings) -> dict[str, str]:
    """Where text goes that leaves the installation, by processor; only those that are set up."""
    isaacus = "SageMaker" if settings.isaacus_sagemaker_endpoints else settings.isaacus_base_url
    found = {
        "model": (settings.openai_base_url or "https://api.openai.com/v1") if settings.openai_api_key else "",
        "isaacus": isaacus if settings.uses_isaacus else "",
        "vision": settings.ocr_base_url if settings.deepseek_api_key else "",
        "colivara": settings.colivara_base_url if settings.colivara_api_key else "",
    }
    return {name: place for name, place in found.items() if place}


def permitted(processor: Processor) -> bool:
    """Outside any scope nothing is."""
    return processor in (_allowed.get() or ())


def in_scope() -> bool:
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
    """What the matter, or the document's, allows; without either, what all matters of the caller allow.

    Raises:
        MatterNotFound, DocumentNotFound: it is none of the caller's.
    """
    with permitting(await allowed_processors(store, caller, matter_ref=matter_ref, document_id=document_id)):
        yield


@asynccontextmanager
async def policy_of_document(worker: WorkerStore, document_id: str) -> AsyncIterator[None]:
    """For the worker. Of a document that is gone, nothing may be sent."""
    with permitting(await document_processors(worker, document_id)):
        yield
