"""Fixtures of the whole product: real store, real offline engine, real files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from integration.graph_runs import Put, run
from orderly.models import Caller
from orderly.settings import Settings
from orderly.sign_in.identity import USER_KEY, seal
from orderly.wiring.services import Operator, Services, open_operator, open_services

SECRET = "the secret of the tests' installation"


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return Settings(home=tmp_path, database_url=database_url, secret=SECRET, _env_file=None)


@pytest.fixture
async def services(settings: Settings) -> AsyncIterator[Services]:
    async with open_services(settings) as opened:
        yield opened


@pytest.fixture
async def operator(services: Services) -> AsyncIterator[Operator]:
    async with open_operator(services) as opened:
        yield opened


@pytest.fixture
async def ada(services: Services, make_user: Callable[..., Awaitable[Caller]]) -> Caller:
    return await make_user("ada@firm.example")


@pytest.fixture
async def stranger(services: Services, make_user: Callable[..., Awaitable[Caller]]) -> Caller:
    """A colleague in Ada's firm who is no member of her matters."""
    return await make_user("stranger@firm.example")


@pytest.fixture
async def matter(services: Services, ada: Caller) -> dict[str, Any]:
    made: dict[str, Any] = await services.store.rpc(ada, "create_matter", {"title": "Lease of 12 High Street"})
    return made


@pytest.fixture
def add_file(operator: Operator, ada: Caller, matter: dict[str, Any], tmp_path: Path) -> Callable[..., Awaitable[str]]:
    """`await add_file("lease.txt", text)` ingests a file as the product does; returns the document's id."""

    async def add(name: str, content: str | bytes) -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return (await operator.file_ingestor.add(ada, matter["id"], path)).document_id

    return add


@pytest.fixture
def acting() -> Callable[[Caller], dict[str, Any]]:
    """Returns a function from a caller to the run configuration that a server passes."""

    def config(caller: Caller) -> dict[str, Any]:
        return {"configurable": {USER_KEY: seal(caller.user_id, SECRET.encode())}}

    return config


@pytest.fixture
def put(settings: Settings, services: Services, ada: Caller, acting: Callable[[Caller], dict[str, Any]]) -> Put:
    return lambda script, *more, **changed: run(settings, script, acting(ada), *more, **changed)
