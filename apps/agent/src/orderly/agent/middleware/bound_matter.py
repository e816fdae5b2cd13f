"""What a run is about and has: the matter that it names, or that the user chose, or its own workspace; the caller's matters."""

from __future__ import annotations

from orderly.agent.middleware.run_ledger import Ledger
from orderly.models import Caller
from orderly.services.library import Library, Opening
from orderly.services.policy import kept
from orderly.store.functions.matters import Matter

CLIENT = "orderly"
"""Under which the firm's grants name the agents."""


async def bound_matter(library: Library, caller: Caller, named: str | None, ledger: Ledger) -> Matter | None:
    """As `library.matter` gives it, looked up once a run; None where the conversation is about no matter in particular.

    Raises:
        MatterNotFound: the one named is missing or not the caller's to see.
    """
    chosen = named or ledger.chosen_matter
    if not chosen:
        return (await opening(library, caller, ledger)).workspace
    if chosen not in ledger.bound:
        ledger.bound[chosen] = await library.matter(caller, chosen)
    return ledger.bound[chosen]


async def own_matters(library: Library, caller: Caller, ledger: Ledger) -> list[Matter]:
    """The caller's matters, those that the question is kept to, looked up once a run."""
    return kept(caller, (await opening(library, caller, ledger)).matters)


async def opening(library: Library, caller: Caller, ledger: Ledger) -> Opening:
    """As the run began; what a tool reads is decided anew at each call."""
    if ledger.opening is None:
        ledger.opening = await library.opening(caller, CLIENT)
    return ledger.opening
