"""Files of conversations: Aegra stores none with a run, and deletes none with a thread that it made for one run.

Aegra ignores what `@auth.on` handlers change in the input of a run, and does not ask them before it deletes such a thread.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.exceptions import HTTPException

from orderly.aegra.environment import load_aegra
from orderly.errors import OrderlyError
from orderly.sign_in.langgraph_auth import delete_files, status_of, store_sent_files

_log = logging.getLogger(__name__)


def take_files(environment: Mapping[str, str]) -> None:
    """Wraps the functions that prepare runs and delete threads. Call it before Aegra's application is loaded."""
    preparation = load_aegra(environment, "aegra_api.services.run_preparation")
    preparation._prepare_run = _with_stored_files(preparation._prepare_run)
    cleanup = load_aegra(environment, "aegra_api.services.run_cleanup")
    cleanup.delete_thread_by_id = _with_deleted_files(cleanup.delete_thread_by_id)


def _with_stored_files(prepare: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def prepare_without_files(session: Any, thread_id: str, request: Any, user: Any, **options: Any) -> Any:
        """Replaces the files of the messages by documents of the conversation, before the run is stored."""
        sent = {"input": request.input, "command": request.command}
        try:
            await store_sent_files(user.identity, thread_id, sent)
        except OrderlyError as error:
            raise HTTPException(status_of(error), error.message) from error
        request.input, request.command = sent["input"], sent["command"]
        return await prepare(session, thread_id, request, user, **options)

    return prepare_without_files


def _with_deleted_files(delete: Callable[[str, str], Awaitable[None]]) -> Callable[[str, str], Awaitable[None]]:
    async def delete_with_files(thread_id: str, user_id: str) -> None:
        """Deletes the files first. While that fails, as under a legal hold, the thread stays; its user can delete it later."""
        try:
            await delete_files(user_id, thread_id)
        except OrderlyError as error:
            _log.warning("Thread %s was not deleted after its run: %s", thread_id, error.message)
            return
        await delete(thread_id, user_id)

    return delete_with_files
