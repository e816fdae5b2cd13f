"""The matter that a run is bound to, and the caller's matters. Loaded once per run."""

from __future__ import annotations

from orderly.agent.middleware.run_ledger import Ledger
from orderly.agent.tools.names import find_matter, is_name, matter_not_found
from orderly.errors import MatterNotFound
from orderly.models import Caller
from orderly.services.library import Library, RunStart
from orderly.services.policy import restrict_matters
from orderly.store.functions.matters import Matter

CLIENT = "orderly"
"""Id of the agents in the firm's grants."""


async def find_bound_matter(library: Library, caller: Caller, named: str | None, ledger: Ledger) -> Matter | None:
    """Finds the matter that the client named or the user chose, else the workspace of the thread, else None.

    Raises:
        NotFound: The named matter does not exist or the caller may not see it.
    """
    chosen = named or ledger.chosen_matter
    if not chosen:
        return (await load_run_start(library, caller, ledger)).workspace
    if chosen not in ledger.bound:
        ledger.bound[chosen] = await _matter(library, caller, chosen)
    return ledger.bound[chosen]


async def _matter(library: Library, caller: Caller, named: str) -> Matter:
    """The matter of an id, number, slug or title."""
    try:
        return await library.matter(caller, named)
    except MatterNotFound:
        if not is_name(named):
            raise
        if (found := await find_matter(library, caller, named)) is None:
            raise await matter_not_found(library, caller, named) from None
        return await library.matter(caller, found)


async def list_own_matters(library: Library, caller: Caller, ledger: Ledger) -> list[Matter]:
    """Lists the caller's matters, limited to those that the run is restricted to."""
    return restrict_matters(caller, (await load_run_start(library, caller, ledger)).matters)


async def load_run_start(library: Library, caller: Caller, ledger: Ledger) -> RunStart:
    """Loads matters, workspace and withheld tools as of the start of the run. Tools check access again at each call."""
    if ledger.run_start is None:
        ledger.run_start = await library.run_start(caller, CLIENT)
    return ledger.run_start
