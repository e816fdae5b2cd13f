"""From a tool's run configuration to the library and the caller."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from langchain_core.runnables import RunnableConfig

from orderly.identity import caller_of
from orderly.models import Caller
from orderly.services.library import Library
from orderly.wiring import current_services


async def library_and_caller(config: RunnableConfig | None) -> tuple[Library, Caller]:
    """Raises Denied when nobody is signed in."""
    services = await current_services()
    configurable = (config or {}).get("configurable") or {}
    return services.library, caller_of(configurable, services.secret, local_user=services.local_user)


async def firm_zone() -> ZoneInfo:
    """The time zone in which dates are written."""
    return ZoneInfo((await current_services()).settings.timezone)
