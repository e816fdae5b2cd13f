"""Whose account a legal engine's work goes on. Written once, when the work is over, also where it failed or was given up."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from orderly.errors import OrderlyError
from orderly.models import Caller
from orderly.services.policy.call_meter import metering
from orderly.store.base import Store, WorkerStore
from orderly.store.functions.usage import EngineUsage, record_document_usage, record_engine_usage

_log = logging.getLogger(__name__)


def on_matter(store: Store, caller: Caller, matter_ref: str) -> AbstractAsyncContextManager[None]:
    return _charged(lambda used: record_engine_usage(store, caller, used, matter_ref=matter_ref))


def on_matter_of(store: Store, caller: Caller, document_id: str) -> AbstractAsyncContextManager[None]:
    return _charged(lambda used: record_engine_usage(store, caller, used, document_id=document_id))


def on_caller(store: Store, caller: Caller) -> AbstractAsyncContextManager[None]:
    """What is asked of several matters at once belongs to none of them."""
    return _charged(lambda used: record_engine_usage(store, caller, used))


def on_ingestion(worker: WorkerStore, document_id: str) -> AbstractAsyncContextManager[None]:
    return _charged(lambda used: record_document_usage(worker, document_id, used))


@asynccontextmanager
async def _charged(save: Callable[[list[EngineUsage]], Awaitable[None]]) -> AsyncIterator[None]:
    with metering() as meter:
        try:
            yield
        finally:
            if used := meter.entries():
                await _saved(save, used)


async def _saved(save: Callable[[list[EngineUsage]], Awaitable[None]], used: list[EngineUsage]) -> None:
    """An answer is not withheld because it could not be accounted for; the figures are then in the log."""
    try:
        await save(used)
    except OrderlyError as error:
        _log.error("Usage of the legal engine was not recorded (%s): %s", error.message, used)
