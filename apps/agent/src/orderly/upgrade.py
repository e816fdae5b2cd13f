"""Brings an installation's databases up to date with this version, after a backup."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from orderly.backup import back_up
from orderly.settings import Settings
from orderly.store.base import Blobs
from orderly.store.migrate import migrate, pending_migrations
from orderly.store.start_lock import start_lock
from orderly.wiring.keys import audit_folder
from orderly.wiring.stores import conversations_url, open_database

Outdated = Callable[[str], Awaitable[bool]]
"""Whether the database of the conversations at an address has tables of an earlier version."""

Prepare = Callable[[str], Awaitable[None]]
"""Makes the database of the conversations, or brings it up to date."""


@dataclass(frozen=True)
class Upgraded:
    applied: list[str]
    backup: Path | None


async def upgrade(settings: Settings, outdated: Outdated | None, prepare: Prepare | None, *, backup: bool) -> Upgraded:
    """Migrates both databases under a lock: concurrent upgrades take turns. An empty database gets its tables.

    Raises StoreUnavailable, and Misconfigured if the user lacks rights or the tables are another version's. Without its backup
    nothing is migrated.

    Args:
        settings: Settings of the installation. On Supabase its own command line migrates Orderly's tables.
        outdated: None where the production server is not installed; its conversations are left as they are.
        prepare: As `outdated`.
        backup: Whether a backup is made first, in the home's folder `backups`, if a database has tables of an earlier version.
    """
    async with AsyncExitStack() as stack:
        url, blobs = await open_database(settings, stack)
        conversations = conversations_url(settings, url)
        await stack.enter_async_context(start_lock(url))
        behind = bool(await pending_migrations(url)) or (outdated is not None and await outdated(conversations))
        made = await _back_up(settings, url, blobs, conversations) if behind and backup else None
        applied = await migrate(url, upgrade=True)
        if prepare is not None:
            await prepare(conversations)
    return Upgraded(applied, made)


async def _back_up(settings: Settings, url: str, blobs: Blobs, conversations: str) -> Path:
    folder = settings.home / "backups" / f"before-upgrade-{datetime.now(UTC):%Y-%m-%dT%H%M%S}"
    await back_up(url, blobs, folder, conversations=conversations, audit=audit_folder(settings))
    return folder
