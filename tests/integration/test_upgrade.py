"""An installation of 0.1.0 with data is upgraded in place: documents, conversations, a review, a record that verifies.

`tests/fixtures/upgrade/0.1.0` is a backup that commit 7f761fe8 made.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner, Result

from orderly.cli import cli
from orderly.errors import Misconfigured, StorageFailed
from orderly.store import migrate as migrations
from orderly.store.conversations import make_database, sibling
from orderly.store.dumps import dump, restore
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate, migrations_folder
from orderly.version import version
from store.catalogue import catalogue, differences

KEPT = Path(__file__).parents[1] / "fixtures" / "upgrade" / "0.1.0"
BASELINE = "20261124000000_baseline"
COLUMN = "alter table public.folders add column note text"


@dataclass(frozen=True)
class Home:
    """A home with its running database. Commands run in this process."""

    folder: Path
    url: str

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(cli, arguments, env={"ORDERLY_HOME": str(self.folder), "NO_COLOR": "1"})

    def done(self, *arguments: str) -> str:
        result = self.run(*arguments)
        assert result.exit_code == 0, (result.output, result.exception)
        return result.output

    def backups(self) -> list[Path]:
        return sorted((self.folder / "backups").glob("*/manifest.json"))


@pytest.fixture
def new_home(fast_folder: str | None) -> Iterator[Callable[[], Home]]:
    parent = Path(tempfile.mkdtemp(prefix="orderly-upgrade-", dir=fast_folder))
    parent.chmod(0o711)
    servers: list[EmbeddedPostgres] = []

    def made() -> Home:
        folder = parent / str(len(servers))
        folder.mkdir(mode=0o711)
        servers.append(EmbeddedPostgres(folder / "postgres"))
        asyncio.run(servers[-1].__aenter__())
        return Home(folder, servers[-1].database_url)

    yield made
    for server in servers:
        asyncio.run(server.__aexit__(None, None, None))
        shutil.rmtree(server.folder, ignore_errors=True)
    shutil.rmtree(parent, ignore_errors=True)


@pytest.fixture
def old(new_home: Callable[[], Home]) -> Home:
    """The installation of 0.1.0 as its version left it."""
    home = new_home()

    async def filled() -> None:
        await restore(home.url, KEPT / "database.dump")
        await make_database(sibling(home.url, "_conversations"))
        await restore(sibling(home.url, "_conversations"), KEPT / "conversations.dump")

    asyncio.run(filled())
    for folder in ("files", "audit"):
        shutil.copytree(KEPT / folder, home.folder / folder)
    for key in KEPT.with_name("0.1.0-keys").iterdir():
        shutil.copyfile(key, home.folder / key.name)
    return home


@pytest.fixture
def later_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes this version one with a further migration of the given text; without a text, the present one again."""
    present = migrations_folder()

    def with_migration(script: str | None) -> None:
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        for path in present.glob("*.sql"):
            shutil.copyfile(path, folder / path.name)
        if script is not None:
            (folder / "29991231000000_further.sql").write_text(script)
        monkeypatch.setattr(migrations, "migrations_folder", lambda: folder)

    return with_migration


def require_all_data(home: Home) -> None:
    assert "All is accounted for: 2 texts" in home.done("verify-store")
    assert "✗" not in home.done("audit", "verify")
    assert "$4,200" in home.done("ask", "How much is the rent?", "--matter", "Kept lease")
    shown = home.done("review", "show", "Kept lease", "Terms")
    assert "New South Wales" in shown and "accepted" in shown
    with psycopg.connect(sibling(home.url, "_conversations")) as conversations:
        assert conversations.execute("select count(*) from thread").fetchone() == (1,)


def test_an_installation_of_0_1_0_has_this_schema_and_its_data_after_the_upgrade(
    old: Home, new_home: Callable[[], Home], embedded_postgres: EmbeddedPostgres, template_database: str, tmp_path: Path
) -> None:
    """At every change of the schema: the migrations are applied to the kept data, and make what an empty database gets."""
    old.done("node", "upgrade")
    fresh = (
        new_home()
    )  # its tables went through a dump too, since Postgres writes conditions of triggers differently afterwards
    asyncio.run(dump(embedded_postgres.url_of(template_database), tmp_path / "fresh.dump"))
    asyncio.run(restore(fresh.url, tmp_path / "fresh.dump"))
    with psycopg.connect(old.url) as upgraded, psycopg.connect(fresh.url) as empty:
        assert differences(catalogue(empty), catalogue(upgraded)) == []
    require_all_data(old)


def test_the_upgrade_makes_a_backup_and_is_needed_once(old: Home, later_version: Callable[..., None]) -> None:
    later_version(COLUMN)
    refused = old.run("list", "Kept lease").exception
    assert isinstance(refused, Misconfigured)
    assert "Orderly 0.1.0" in refused.message and version() in refused.message and "orderly node upgrade" in refused.message
    said = old.done("node", "upgrade")
    assert version() in said
    (manifest,) = old.backups()
    assert str(manifest.parent) in said
    assert json.loads(manifest.read_text())["conversations_sha256"]
    with psycopg.connect(old.url) as database:
        row = database.execute("select version, needs from private.schema_migrations where name like '%further'").fetchone()
    assert row == (version(), None)
    require_all_data(old)
    old.done("node", "upgrade")
    assert old.backups() == [manifest], "nothing is migrated, so nothing is backed up"


def test_without_a_backup_only_where_it_is_said(old: Home, later_version: Callable[..., None]) -> None:
    later_version(COLUMN)
    (old.folder / "backups").write_text("a file where the folder of the backups would be")
    assert isinstance(old.run("node", "upgrade").exception, StorageFailed)
    with psycopg.connect(old.url, autocommit=True) as database:
        count = "select count(*) from private.schema_migrations where name like '%further'"
        assert database.execute(count).fetchone() == (0,)
        old.done("node", "upgrade", "--without-backup")
        assert database.execute(count).fetchone() == (1,)


@pytest.mark.parametrize("needs", ["", f"-- Needs: {BASELINE}\n"], ids=["a column more", "what the version before knows"])
def test_the_version_before_works_on_beside_it(needs: str, old: Home, later_version: Callable[..., None]) -> None:
    later_version(needs + COLUMN)
    old.done("node", "upgrade")
    later_version(None)
    require_all_data(old)


def test_the_version_before_refuses_what_it_cannot_work_with_and_goes_back_by_the_backup(
    old: Home, new_home: Callable[[], Home], later_version: Callable[..., None]
) -> None:
    later_version(f"-- Needs: 29991231000000_further\n{COLUMN}")
    old.done("node", "upgrade")
    later_version(None)
    refused = old.run("list", "Kept lease").exception
    assert isinstance(refused, Misconfigured)
    assert f"Orderly {version()} has upgraded this database" in refused.message and "backup" in refused.message
    back = new_home()
    back.done("restore", str(old.backups()[0].parent), "--keys", str(KEPT.with_name("0.1.0-keys")))
    require_all_data(back)


def test_upgrades_at_once_take_turns(old: Home, later_version: Callable[..., None]) -> None:
    later_version(COLUMN)

    async def at_once() -> list[list[str]]:
        return await asyncio.gather(*(migrate(old.url, upgrade=True) for _ in range(3)))

    *waited, applied = sorted(asyncio.run(at_once()))
    assert waited == [[], []] and applied[-1] == "29991231000000_further"
