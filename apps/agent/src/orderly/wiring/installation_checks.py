"""What an installation stands on, for `orderly doctor` and before a node starts: database, Redis, conversations, disk."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from orderly.errors import Misconfigured, OrderlyError
from orderly.settings import Settings
from orderly.store.conversations import schema_revision
from orderly.store.postgres import check_connection_string
from orderly.store.rights import needs_of, told
from orderly.wiring.stores import conversations_url

Check = tuple[bool, str]
"""Whether it works, and what is configured or wrong."""

REDIS_SECONDS = 5.0
LEAST_FREE_GB = 1.0
"""Uploads, backups and the embedded database fail on a full disk, so less is reported."""


async def installation_checks(settings: Settings) -> dict[str, Check]:
    """The checks that need none of Orderly's tables."""
    checks: dict[str, Check] = {}
    if settings.database_url is not None and settings.store_kind == "postgres":
        checks |= await _database(settings, settings.database_url.get_secret_value())
    if settings.redis_url is not None:
        checks["redis"] = await _redis(settings.redis_url.get_secret_value())
    checks["disk"] = await asyncio.to_thread(_disk, settings.home)
    return checks


async def require_redis(settings: Settings) -> None:
    """Raises Misconfigured if ORDERLY_REDIS_URL is set and nothing answers there."""
    if settings.redis_url is not None:
        works, what = await _redis(settings.redis_url.get_secret_value())
        if not works:
            raise Misconfigured("Redis does not answer.", operator=what)


async def _database(settings: Settings, url: str) -> dict[str, Check]:
    """Each right in the database, and whether the production server's database of conversations is there."""
    check_connection_string("DATABASE_URL", url)
    own = settings.server_database_url is None
    conversations = conversations_url(settings, url)
    try:
        needs = await needs_of(url, conversations if own else None)
        revision = await schema_revision(conversations)
    except OrderlyError as error:
        return {"database": (False, error.operator)}
    lacking = {f"database, {need.name}": (False, told([need])) for need in needs if need.lacks}
    held = ", ".join(need.name for need in needs if not need.lacks)
    made = "migrated" if revision else "not made yet: nodes of the production server need `orderly node upgrade`"
    return {"database": (True, f"in order: {held}" if held else ""), **lacking, "conversations": (True, made)}


async def _redis(url: str) -> Check:
    """Sends PING, with the password of the address."""
    parts = urlsplit(url)
    place = parts.path if parts.scheme == "unix" else parts.netloc.rpartition("@")[2] or "localhost"
    try:
        async with asyncio.timeout(REDIS_SECONDS):
            reader, writer = await _open_redis(parts)
            try:
                if parts.password:
                    words = ["AUTH", *([unquote(parts.username)] if parts.username else []), unquote(parts.password)]
                    writer.write(_command(*words))
                    if not (said := await reader.readline()).startswith(b"+OK"):
                        return False, f"Redis at {place} refuses the password of ORDERLY_REDIS_URL: {_plain(said)}"
                writer.write(_command("PING"))
                said = await reader.readline()
            finally:
                writer.close()
    except TimeoutError:
        return False, f"Redis at {place} (ORDERLY_REDIS_URL) does not answer within {REDIS_SECONDS:g} s."
    except (OSError, ValueError) as error:
        return False, f"Redis at {place} (ORDERLY_REDIS_URL) cannot be reached: {error}"
    if not said.startswith(b"+PONG"):
        return False, f"What answers at {place} (ORDERLY_REDIS_URL) is no Redis that takes commands: {_plain(said)}"
    return True, f"answers at {place}"


async def _open_redis(parts: SplitResult) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connects to `redis://`, `rediss://` (TLS) or `unix://`, a socket in the file system."""
    if parts.scheme == "unix":
        return await asyncio.open_unix_connection(unquote(parts.path))
    return await asyncio.open_connection(
        parts.hostname or "localhost", parts.port or 6379, ssl=True if parts.scheme == "rediss" else None
    )


def _command(*words: str) -> bytes:
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in (w.encode() for w in words))


def _plain(said: bytes) -> str:
    return said.decode(errors="replace").strip()[:200] or "nothing"


def _disk(home: Path) -> Check:
    place = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(place).free / 1e9
    what = f"{free:,.1f} GB free for {home}"
    return (True, what) if free >= LEAST_FREE_GB else (False, f"only {what}, and uploads and backups need more")
