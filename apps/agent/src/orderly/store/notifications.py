"""What the database announces with NOTIFY, on a session connection of its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import psycopg
from psycopg import AsyncConnection, sql

from orderly.store.postgres import translated_errors


async def notifications(url: str, channel: str) -> AsyncGenerator[str | None, None]:
    """None once it is listening, then each payload. `url`: not of a transaction pooler. Raises StoreUnavailable."""
    with translated_errors():
        connection = await AsyncConnection.connect(
            url, autocommit=True, prepare_threshold=None, application_name="orderly listener", connect_timeout=10
        )
        try:
            await connection.execute(sql.SQL("listen {}").format(sql.Identifier(channel)))
            yield None
            async for told in connection.notifies():
                yield told.payload
            raise psycopg.OperationalError("the connection ended")
        finally:
            await connection.close()
