"""Which matter a conversation is about: the one that the run names, the one that the user chose, or its own workspace."""

from __future__ import annotations

from typing import Any

from orderly.middleware.run_ledger import Ledger
from orderly.models import Caller
from orderly.services.library import Library


async def bound_matter(library: Library, caller: Caller, named: str | None, ledger: Ledger) -> dict[str, Any] | None:
    """As `library.matter` gives it, looked up once a run; None where the conversation is about no matter in particular.

    Raises:
        MatterNotFound: the one named is missing or not the caller's to see.
    """
    chosen = named or ledger.chosen_matter
    if chosen not in ledger.bound:
        ledger.bound[chosen] = await library.matter(caller, chosen) if chosen else await library.workspace(caller)
    return ledger.bound[chosen]


async def own_matters(library: Library, caller: Caller, ledger: Ledger) -> list[dict[str, Any]]:
    """The caller's matters, looked up once a run."""
    if ledger.matters is None:
        ledger.matters = await library.matters(caller)
    return ledger.matters
