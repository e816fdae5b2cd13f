from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import click

from orderly.cli.session import Session, json_option, runs, session, show
from orderly.store.functions import screens
from orderly.store.functions.screens import Screen

DAY = click.DateTime(["%Y-%m-%d"])


@click.group("screen")
def screen() -> None:
    """Ethical walls: deny one person access to a matter, whatever roles the person has."""


@screen.command("add")
@click.argument("matter")
@click.argument("email")
@click.option("--reason", required=True, help="Reason, shown to conflicts officers.")
@click.option("--from", "first", type=DAY, default=None, help="First day. Default: now.")
@click.option("--until", "last", type=DAY, default=None, help="Last day. Default: until the wall is lifted.")
@json_option
@runs
async def add(matter: str, email: str, reason: str, first: datetime | None, last: datetime | None, as_json: bool) -> None:
    """Create a wall between EMAIL and MATTER. For owners of the matter and conflicts officers."""
    async with session() as s:
        zone = _zone(s)
        made = await screens.add_matter_screen(
            s.services.store,
            s.caller,
            matter,
            member_email=email,
            reason=reason,
            starts_at=first.replace(tzinfo=zone).isoformat() if first else None,
            ends_at=(last + timedelta(days=1)).replace(tzinfo=zone).isoformat() if last else None,
        )
    show(made, _line(made, zone), as_json)


@screen.command("lift")
@click.argument("matter")
@click.argument("screen_id")
@json_option
@runs
async def lift(matter: str, screen_id: str, as_json: bool) -> None:
    """Lift a wall; it stays in the list. For conflicts officers."""
    async with session() as s:
        lifted = await screens.lift_matter_screen(s.services.store, s.caller, matter, screen_id)
        zone = _zone(s)
    show(lifted, _line(lifted, zone), as_json)


@screen.command("list")
@click.argument("matter", required=False)
@click.option("--all", "lifted", is_flag=True, help="Without MATTER: include walls that have ended.")
@json_option
@runs
async def list_screens(matter: str | None, lifted: bool, as_json: bool) -> None:
    """List the walls of MATTER; without MATTER, the walls of the firm (for conflicts officers)."""
    async with session() as s:
        if matter is None:
            found = await screens.list_screens(s.services.store, s.caller, lifted=lifted)
        else:
            found = await screens.list_matter_screens(s.services.store, s.caller, matter)
        zone = _zone(s)
    show(found, "\n".join(_line(row, zone) for row in found) or "There are no walls.", as_json)


def _zone(s: Session) -> ZoneInfo:
    return ZoneInfo(s.services.settings.timezone)


def _line(row: Screen, zone: ZoneInfo) -> str:
    def day(value: str) -> str:
        return f"{datetime.fromisoformat(value).astimezone(zone):%Y-%m-%d %H:%M}"

    until = f" until {day(row['ends_at'])}" if row["ends_at"] else ""
    state = f"lifted {day(row['lifted_at'])}" if row["lifted_at"] else "in force" if row["in_force"] else "not in force"
    reason = f" ({row['reason']})" if row["reason"] else ""
    return f"{row['matter_number']}  {row['email']}  from {day(row['starts_at'])}{until}: {state}{reason}\nID: {row['id']}"
