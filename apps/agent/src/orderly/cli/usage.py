from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import click

from orderly.cli.session import json_option, runs, session, show
from orderly.store.functions.usage import DailyUsage, list_engine_usage

NOTHING = "Nothing has been asked of a legal engine that counts. The offline engine is not counted."


@click.command()
@click.argument("matter", required=False)
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="First day, in UTC. Default: all days.")
@json_option
@runs
async def usage(matter: str | None, since: datetime | None, as_json: bool) -> None:
    """Show requests to the legal engine and their tokens, for one matter or all your matters."""
    async with session() as s:
        rows = await list_engine_usage(
            s.services.store, s.caller, matter_ref=matter, since=None if since is None else since.date().isoformat()
        )
    show(rows, report(rows), as_json)


def report(rows: Sequence[DailyUsage]) -> str:
    """The usage by matter, summed over all days."""
    by_matter: dict[str, list[DailyUsage]] = {}
    for row in rows:
        title = f"{row['matter_number']} {row['matter_title']}" if row["matter_id"] else "Questions to several matters at once"
        by_matter.setdefault(title, []).append(row)
    lines = []
    for title, mine in by_matter.items():
        days = sorted({row["day"] for row in mine})
        lines += ["", f"{title} ({days[0]} to {days[-1]})", *lines_of(mine)]
    return "\n".join(lines[1:]) if lines else NOTHING


def lines_of(rows: Sequence[DailyUsage]) -> list[str]:
    totals: dict[tuple[str, str], tuple[int, int]] = {}
    for row in rows:
        key = row["endpoint"], row["model"]
        requests, tokens = totals.get(key, (0, 0))
        totals[key] = requests + row["requests"], tokens + row["input_tokens"]
    totals[("together", "")] = sum(r for r, _ in totals.values()), sum(t for _, t in totals.values())
    return [
        f"  {' '.join(filter(None, name)):<56} {requests:>9,} requests {tokens:>14,} tokens"
        for name, (requests, tokens) in totals.items()
    ]
