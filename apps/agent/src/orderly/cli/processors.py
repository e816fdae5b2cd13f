from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from orderly.cli.session import json_option, runs, session, show
from orderly.services.policy import NAMES, PROCESSORS, places
from orderly.store.functions.processors import (
    Processor,
    Processors,
    get_processors,
    set_firm_processors,
    set_matter_processors,
)


@click.command("processors")
@click.argument("matter", required=False)
@click.option("--allow", multiple=True, type=click.Choice(PROCESSORS), help="Only these; may be given several times.")
@click.option("--local-only", is_flag=True, help="None: nothing of the matter leaves this installation.")
@click.option("--no-limit", is_flag=True, help="As the firm allows; for the firm: all that is set up.")
@json_option
@runs
async def processors(matter: str | None, allow: Sequence[Processor], local_only: bool, no_limit: bool, as_json: bool) -> None:
    """Show or set which outside processors may get the text of MATTER, or, without one, of the firm's matters.

    Owners set it for their matter, administrators for the firm. A matter may allow less than the firm, never more.
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
        used = places(s.services.settings)
    show({**found, "set_up": used}, _text(found, used), as_json)


def _text(found: Processors, used: Mapping[str, str]) -> str:
    def line(name: Processor) -> str:
        state = "allowed" if name in found["allowed"] else "not allowed"
        return f"{name}: {state}, {'in use at ' + used[name] if name in used else 'not set up'} ({NAMES[name]})"

    return "\n".join(line(name) for name in PROCESSORS)
