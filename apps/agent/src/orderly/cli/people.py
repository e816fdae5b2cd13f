from __future__ import annotations

from collections.abc import Set
from datetime import UTC, datetime, timedelta

import click

from orderly.cli.session import json_option, operator_session, runs, show
from orderly.errors import Misconfigured
from orderly.settings import Settings
from orderly.sign_in.tokens import new_local_token, token_hash
from orderly.store.functions.firm import ListedUser, create_tenant, create_user, list_users, set_conflicts_officer
from orderly.store.functions.tokens import issue_token, reinstate_user, revoke_user


@click.group()
def user() -> None:
    """Users of this installation, and their tokens."""


@user.command("add")
@click.argument("email")
@click.option("--name", default="", help="Display name.")
@click.option("--firm", default=None, help="Tenant, created if new. Default: the installation's firm.")
@click.option("--admin", is_flag=True, help="Make the user an administrator: manages people, groups and membership.")
@json_option
@runs
async def add(email: str, name: str, firm: str | None, admin: bool, as_json: bool) -> None:
    """Add a user."""
    async with operator_session() as (session, operator):
        known = {u["tenant_name"] for u in await list_users(operator.worker)}
        tenant = firm or installed_firm(session.services.settings, known)
        if tenant not in known:
            await create_tenant(operator.worker, tenant)
        made = await create_user(operator.worker, email, display_name=name or email, tenant=tenant, is_admin=admin)
    show(made, f"Added {made['email']} to {made['tenant_name']}.", as_json)


@user.command("list")
@json_option
@runs
async def listing(as_json: bool) -> None:
    """List the users."""
    async with operator_session() as (_, operator):
        users = await list_users(operator.worker)
    lines = [f"{u['email']}  {u['tenant_name']}{_roles(u)}" for u in users]
    show(users, "\n".join(lines), as_json)


@user.command("officer")
@click.argument("email")
@click.option("--off", is_flag=True, help="Remove the role.")
@json_option
@runs
async def officer(email: str, off: bool, as_json: bool) -> None:
    """Make a user a conflicts officer: manages the walls of the firm. The role gives no access to documents."""
    async with operator_session() as (_, operator):
        made = await set_conflicts_officer(operator.worker, email, is_officer=not off)
    show(made, f"{made['email']} is {'no longer ' if off else 'now '}a conflicts officer of {made['tenant_name']}.", as_json)


@user.command("token")
@click.argument("email")
@click.option("--days", default=30, show_default=True, type=click.IntRange(1, 365), help="Lifetime of the token.")
@click.option("--label", default="", help="Purpose of the token.")
@json_option
@runs
async def issue(email: str, days: int, label: str, as_json: bool) -> None:
    """Issue a token. It is printed once; only its hash is stored."""
    token = new_local_token()
    expires = datetime.now(UTC) + timedelta(days=days)
    async with operator_session() as (session, operator):
        await issue_token(operator.worker, email, token_sha256=token_hash(token), expires_at=expires.isoformat(), label=label)
        click.echo(f"For the installation in {session.services.settings.home}:", err=True)
    show({"token": token, "expires_at": expires.isoformat()}, token, as_json)


@user.command("revoke")
@click.argument("email")
@json_option
@runs
async def revoke(email: str, as_json: bool) -> None:
    """End a user's access at once: tokens, sessions, running questions, links to files and sign-ins to come."""
    async with operator_session() as (_, operator):
        count = await revoke_user(operator.worker, email)
    tokens = f"{count} token{'' if count == 1 else 's'}"
    show({"revoked": count}, f"Ended the access of {email}, with {tokens}. `orderly user reinstate` gives it back.", as_json)


@user.command("reinstate")
@click.argument("email")
@json_option
@runs
async def reinstate(email: str, as_json: bool) -> None:
    """Give a user whose access was revoked the access of their matters and roles again. Issue a new token afterwards.

    The identity provider's next sign-in with the user's verified address is linked to the user anew.
    """
    async with operator_session() as (_, operator):
        made = await reinstate_user(operator.worker, email)
    show(made, f"{made['email']} has access to {made['tenant_name']} again.", as_json)


def installed_firm(settings: Settings, known: Set[str]) -> str:
    """The firm of ORDERLY_FIRM; without that setting, the only one. Raises Misconfigured if it is not among those known."""
    default = Settings.model_fields["firm"].default
    if settings.firm == default and len(known) < 2:
        if not known:
            raise Misconfigured("The firm has no name yet: set ORDERLY_FIRM, or give --firm NAME.")
        return next(iter(known))
    if known and settings.firm not in known:
        raise Misconfigured(
            f"There is no firm {settings.firm} (ORDERLY_FIRM), but {', '.join(sorted(known))}: "
            "correct the setting, rename the firm (orderly firm rename), or give --firm NAME for another one."
        )
    return settings.firm


def _roles(user: ListedUser) -> str:
    named = {
        "admin": user["is_admin"],
        "conflicts officer": user["is_conflicts_officer"],
        "access revoked": user["revoked_at"] is not None,
    }
    return "".join(f"  {name}" for name, holds in named.items() if holds)
