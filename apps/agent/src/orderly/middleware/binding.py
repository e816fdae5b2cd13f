"""Which matter a conversation is about: the one that the run names, the one that the user chose, or its own workspace."""

from __future__ import annotations

from typing import Any

from orderly.middleware.run_ledger import Ledger
from orderly.models import Caller
from orderly.services.library import Library


async def bound_matter(library: Library, caller: Caller, named: str | None, ledger: Ledger) -> dict[str, Any] | None:
    """As `library.matter` gives it; None where the conversation is about no matter in particular.

    Raises:
        MatterNotFound: the one named is missing or not the caller's to see.
    """
    if chosen := named or ledger.chosen_matter:
        return await library.matter(caller, chosen)
    return await library.workspace(caller)
