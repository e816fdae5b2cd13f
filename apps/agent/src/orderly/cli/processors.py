from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from orderly.cli.session import json_option, runs, session, show
from orderly.services.policy import NAMES, PROCESSORS, external_endpoints
from orderly.store.functions.processors import (
    Processor,
    Processors,
    get_processors,
    set_firm_processors,
    set_matter_processors,
)


@click.command("processors")
@click.argument("matter", required=False)
@click.option("--allow", multiple=True, type=click.Choice(PROCESSORS), help="Allow only this one; may be given several times.")
@click.option("--local-only", is_flag=True, help="Allow no processor: no text of the matter leaves this installation.")
@click.option("--no-limit", is_flag=True, help="Allow what the firm allows; for the firm: all configured processors.")
@json_option
@runs
async def processors(matter: str | None, allow: Sequence[Processor], local_only: bool, no_limit: bool, as_json: bool) -> None:
    """Show or set the external processors that may receive the text of MATTER; without MATTER, of all matters of the firm.

    For owners of the matter, and administrators of the firm. A matter cannot allow more than the firm.
    """
    if bool(allow) + local_only + no_limit > 1:
        raise click.UsageError("Give one of --allow, --local-only and --no-limit.")
    changes = bool(allow) or local_only or no_limit
    wanted = None if no_limit else list(allow)
    async with session() as s:
        if not changes:
            found = await get_processors(s.services.store, s.caller, matter_ref=matter)
        elif matter is None:
            found = await set_firm_processors(s.services.store, s.caller, wanted)
        else:
            found = await set_matter_processors(s.services.store, s.caller, matter, wanted)
        used = external_endpoints(s.services.settings)
    show({**found, "set_up": used}, _text(found, used), as_json)


def _text(found: Processors, used: Mapping[str, str]) -> str:
    def line(name: Processor) -> str:
        state = "allowed" if name in found["allowed"] else "not allowed"
        return f"{name}: {state}, {'in use at ' + used[name] if name in used else 'not set up'} ({NAMES[name]})"

    return "\n".join(line(name) for name in PROCESSORS)
