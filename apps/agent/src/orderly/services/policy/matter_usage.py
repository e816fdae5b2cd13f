"""Records engine usage by matter. Written once when the block ends, also after an error or cancellation."""

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


def charge_matter(store: Store, caller: Caller, matter_ref: str) -> AbstractAsyncContextManager[None]:
    return _record_usage(lambda used: record_engine_usage(store, caller, used, matter_ref=matter_ref))


def charge_document(store: Store, caller: Caller, document_id: str) -> AbstractAsyncContextManager[None]:
    return _record_usage(lambda used: record_engine_usage(store, caller, used, document_id=document_id))


def charge_caller(store: Store, caller: Caller) -> AbstractAsyncContextManager[None]:
    """Charges the caller: for requests to several matters."""
    return _record_usage(lambda used: record_engine_usage(store, caller, used))


def charge_ingestion(worker: WorkerStore, document_id: str) -> AbstractAsyncContextManager[None]:
    return _record_usage(lambda used: record_document_usage(worker, document_id, used))


@asynccontextmanager
async def _record_usage(save: Callable[[list[EngineUsage]], Awaitable[None]]) -> AsyncIterator[None]:
    with metering() as meter:
        try:
            yield
        finally:
            if used := meter.entries():
                await _save_or_log(save, used)


async def _save_or_log(save: Callable[[list[EngineUsage]], Awaitable[None]], used: list[EngineUsage]) -> None:
    """Logs the usage if it cannot be recorded, so that the answer is still returned."""
    try:
        await save(used)
    except OrderlyError as error:
        _log.error("Usage of the legal engine was not recorded (%s): %s", error.message, used)
