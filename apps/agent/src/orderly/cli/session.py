"""Services and caller of one command, and options and output that all commands share."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec

import click

from orderly.errors import Denied
from orderly.models import Caller
from orderly.settings import load_settings
from orderly.store.functions.firm import list_users
from orderly.wiring.services import Operator, Services, open_operator, open_services

P = ParamSpec("P")


@dataclass(frozen=True)
class Session:
    services: Services
    user_id: str | None
    """None where nobody was named: commands of the operator need no user."""

    @property
    def caller(self) -> Caller:
        """Raises Denied where nobody was named."""
        if self.user_id is None:
            raise Denied("Say who is asking: set ORDERLY_TOKEN, or give --as EMAIL.")
        return Caller(self.user_id)


@asynccontextmanager
async def session() -> AsyncIterator[Session]:
    async with open_services(load_settings()) as services:
        yield Session(services, await _user_id(services))


@asynccontextmanager
async def operator_session() -> AsyncIterator[tuple[Session, Operator]]:
    """Opens the services with the service role, which ingests documents and manages users."""
    async with open_services(load_settings()) as services, open_operator(services) as operator:
        yield Session(services, await _user_id(services)), operator


async def _user_id(services: Services) -> str | None:
    """`--as EMAIL`, else the token of ORDERLY_TOKEN, else the local user of the embedded store, else None."""
    if email := click.get_current_context().find_root().obj.user:
        async with open_operator(services) as operator:
            users = await list_users(operator.worker)
        found = next((u["user_id"] for u in users if u["email"] == email.lower()), None)
        if found is None:
            raise Denied(f"There is no user {email}.")
        return str(found)
    if token := os.environ.get("ORDERLY_TOKEN"):
        return await services.user_of_token(token)
    return services.local_user


def runs(command: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Decorator: runs a command that is a coroutine function."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(command(*args, **kwargs))

    return run


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def show(data: Any, text: str, as_json: bool) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, indent=2, default=str) if as_json else text)
