"""Receives NOTIFY payloads on a dedicated session connection."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import psycopg
from psycopg import AsyncConnection, sql

from orderly.store.postgres import translated_errors


async def notifications(url: str, channel: str) -> AsyncGenerator[str | None, None]:
    """Yields None once LISTEN is active, then each payload. `url`: no transaction pooler. Raises StoreUnavailable."""
    with translated_errors():
        connection = await AsyncConnection.connect(
            url, autocommit=True, prepare_threshold=None, application_name="orderly listener", connect_timeout=10
        )
        try:
            await connection.execute(sql.SQL("listen {}").format(sql.Identifier(channel)))
            yield None
            async for notification in connection.notifies():
                yield notification.payload
            raise psycopg.OperationalError("the connection ended")
        finally:
            await connection.close()
