"""A server of the firm's own: Orderly's user has the documented rights and no more, and each missing one is named with its mend."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from click.testing import CliRunner

from orderly.cli import cli
from orderly.errors import Misconfigured, StoreUnavailable
from orderly.store.conversations import make_database, sibling
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.functions.firm import stats_for_doctor
from orderly.store.migrate import migrate
from orderly.store.postgres import open_postgres_worker

PREPARED = (
    "create role {user} login createrole createdb bypassrls",
    "create database {database} owner {user} template template0 encoding 'UTF8' locale 'C.UTF-8'",
)
KEPT = Path(__file__).parents[1] / "fixtures" / "upgrade" / "0.1.0"

INSIDE = ("create schema extensions authorization {user}", "create extension vector with schema extensions")
"""The statements of docs/operations.md; the database's are run inside it."""


@pytest.fixture
def server(fast_folder: str | None) -> Iterator[EmbeddedPostgres]:
    """A server without any of Orderly's roles, which all databases of a server share."""
    parent = Path(tempfile.mkdtemp(prefix="orderly-own-", dir=fast_folder))
    parent.chmod(0o711)
    running = EmbeddedPostgres(parent / "home")
    asyncio.run(running.__aenter__())
    try:
        yield running
    finally:
        asyncio.run(running.__aexit__(None, None, None))
        shutil.rmtree(running.folder, ignore_errors=True)
        shutil.rmtree(parent, ignore_errors=True)


def as_superuser(server: EmbeddedPostgres, database: str, *statements: str) -> None:
    with psycopg.connect(server.url_of(database), autocommit=True) as admin:
        for statement in statements:
            admin.execute(statement)


def prepared(server: EmbeddedPostgres, change: Callable[[str], str] = str) -> str:
    """A database made with the documented statements; returns the URL of its user."""
    names = {"user": f"orderly_{uuid4().hex[:8]}", "database": f"firm_{uuid4().hex[:8]}"}
    as_superuser(server, "postgres", *(change(statement).format(**names) for statement in PREPARED))
    as_superuser(server, names["database"], *(change(statement).format(**names) for statement in INSIDE))
    return server.url_of(names["database"], user=names["user"])


def test_the_documented_rights_suffice_and_can_be_taken_away_after_the_first_upgrade(server: EmbeddedPostgres) -> None:
    url = prepared(server)
    user = psycopg.conninfo.conninfo_to_dict(url)["user"]

    async def works() -> None:
        await migrate(url)
        await make_database(sibling(url, "_conversations"))
        worker = await open_postgres_worker(url)
        assert (await stats_for_doctor(worker))["matters"] == 0
        await worker.close()

    asyncio.run(works())
    as_superuser(server, "postgres", f"alter role {user} nocreaterole nocreatedb nobypassrls")
    asyncio.run(works())


def test_a_second_installation_on_the_same_server_is_told_how_it_gets_the_shared_roles(server: EmbeddedPostgres) -> None:
    asyncio.run(migrate(prepared(server)))
    url = prepared(server)
    with pytest.raises(Misconfigured) as refused:
        asyncio.run(migrate(url))
    mend(server, url, refused.value)
    asyncio.run(migrate(url))


LACKING = {
    "createrole": ("createrole", ""),
    "bypassrls": ("bypassrls", ""),
    "the extension in another schema": (" with schema extensions", ""),
    "the schema of another user": (" authorization {user}", ""),
    "a database of another user": (" owner {user}", ""),
    "an encoding that is not UTF-8": ("encoding 'UTF8' locale 'C.UTF-8'", "encoding 'SQL_ASCII' locale 'C'"),
}


@pytest.mark.parametrize(("what", "instead"), LACKING.values(), ids=LACKING.keys())
def test_what_is_missing_is_named_with_the_statements_that_mend_it(
    server: EmbeddedPostgres, what: str, instead: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    url = prepared(server, lambda statement: statement.replace(what, instead))
    before = list(names(server, url))
    with pytest.raises(Misconfigured) as refused:
        asyncio.run(migrate(url))
    assert names(server, url) == before, "nothing may be made before everything can be"
    assert refused.value.message != refused.value.operator, "callers of a server are not told names of the database"
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("ORDERLY_HOME", str(tmp_path))
    doctor = CliRunner().invoke(cli, ["doctor"])
    assert doctor.exit_code == 1
    for line in refused.value.operator.splitlines():
        assert line.strip() in doctor.output
    mend(server, url, refused.value)
    asyncio.run(migrate(url))


def names(server: EmbeddedPostgres, url: str) -> list[str]:
    database = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
    with psycopg.connect(server.url_of(str(database))) as admin:
        found = admin.execute("select rolname from pg_roles union all select nspname from pg_namespace order by 1")
        return [row[0] for row in found.fetchall()]


def mend(server: EmbeddedPostgres, url: str, refused: Misconfigured) -> None:
    """Runs the statements of the message as psql would."""
    database = str(psycopg.conninfo.conninfo_to_dict(url)["dbname"])
    statements = [line.strip() for line in refused.operator.splitlines() if line.startswith("  ")]
    assert statements
    for statement in statements:
        if statement.startswith("\\c "):
            database = statement.removeprefix("\\c ")
        else:
            as_superuser(server, database, statement)


def test_a_database_with_tables_is_never_told_to_be_dropped(server: EmbeddedPostgres) -> None:
    url = prepared(
        server, lambda statement: statement.replace("encoding 'UTF8' locale 'C.UTF-8'", "encoding 'SQL_ASCII' locale 'C'")
    )
    as_superuser(server, str(psycopg.conninfo.conninfo_to_dict(url)["dbname"]), "create table public.kept (id int)")
    with pytest.raises(Misconfigured) as refused:
        asyncio.run(migrate(url))
    assert "documents need UTF8" in refused.value.operator and "drop" not in refused.value.operator


def test_without_the_right_to_make_databases_the_statement_makes_the_conversations(server: EmbeddedPostgres) -> None:
    url = prepared(server, lambda statement: statement.replace("createdb", ""))
    asyncio.run(migrate(url))
    with pytest.raises(Misconfigured) as refused:
        asyncio.run(make_database(sibling(url, "_conversations")))
    mend(server, url, refused.value)
    assert asyncio.run(make_database(sibling(url, "_conversations"))) is False


def test_a_wrong_address_is_told_with_host_database_and_reason(server: EmbeddedPostgres) -> None:
    for url, told in (
        ("postgresql://orderly@127.0.0.1:1/firm", r"firm.*127\.0\.0\.1.*1.*refused"),
        (server.url_of("nothing"), r"nothing.*does not exist"),
        (server.url_of("postgres", user="nobody"), r'role "nobody" does not exist'),
    ):
        with pytest.raises(StoreUnavailable) as refused:
            asyncio.run(migrate(url))
        assert re.search(told, refused.value.operator)
        assert refused.value.message == "The database cannot be reached just now. Please try again."


def test_a_trials_backup_is_restored_into_a_prepared_database_without_a_superuser(
    server: EmbeddedPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = prepared(server)
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv("ORDERLY_HOME", str(tmp_path))
    done = CliRunner().invoke(cli, ["restore", str(KEPT), "--keys", str(KEPT.with_name("0.1.0-keys"))])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "All is accounted for: 2 texts" in done.output
    with psycopg.connect(url) as restored, psycopg.connect(sibling(url, "_conversations")) as conversations:
        row = restored.execute("select has_default from (select count(*) > 0 as has_default from pg_default_acl) a").fetchone()
        assert row == (True,), "tables of later migrations get their grants"
        assert conversations.execute("select count(*) from thread").fetchone() == (1,)
