"""The matters and documents that a run is kept to, by id, whatever its client called them."""

from __future__ import annotations

from dataclasses import replace

from orderly.agent.middleware.bound_matter import find_bound_matter
from orderly.agent.middleware.run_context import RunContext
from orderly.agent.middleware.run_ledger import Ledger
from orderly.agent.tools.names import document_not_found, find_document, find_matter, is_name, matter_not_found
from orderly.models import Caller
from orderly.wiring.services import Services


async def scope_of(context: RunContext, services: Services, caller: Caller, ledger: Ledger) -> RunContext:
    """The context with ids in place of names and numbers. Looked up once per run, as the caller.

    Raises:
        NotFound: Nothing that the caller may see has one of the names.
        Invalid: Several have it.
    """
    if not (context.matters or context.documents):
        return context
    if ledger.scope is None:
        matters = [await _matter(services, caller, named) for named in context.kept_to or ()]
        if context.matter_id and not matters:
            bound = await find_bound_matter(services.library, caller, context.matter_id, ledger)
            context = replace(context, matter_id=bound["id"] if bound else None)
        where = matters[0] if len(matters) == 1 else context.matter_id or ""
        documents = [await _document(services, caller, named, where) for named in context.documents or ()]
        ledger.scope = replace(context, matter_ids=matters or None, document_ids=documents or None)
    scope: RunContext = ledger.scope
    return scope


async def _matter(services: Services, caller: Caller, named: str) -> str:
    for matter in await services.library.matters(caller):
        if named.strip().lower() in (matter["id"].lower(), matter["number"].lower()):
            return matter["id"]
    if not is_name(named):
        return named
    if (found := await find_matter(services.library, caller, named)) is None:
        raise await matter_not_found(services.library, caller, named)
    return found


async def _document(services: Services, caller: Caller, named: str, matter: str) -> str:
    if not is_name(named):
        return named.strip().lower()
    if (found := await find_document(services, caller, named, matter)) is None:
        raise await document_not_found(services, caller, named, matter)
    return found
