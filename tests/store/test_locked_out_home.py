"""Homes of ordinary users, in which an earlier version that ran as root left folders of another account."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from orderly.store.embedded import postgres_binaries
from orderly.store.server_account import ServerAccount

OWNER, OTHER = pwd.getpwnam("nobody").pw_uid, 54_321
"""initdb needs an owner who is in the list of users."""

# Modules are loaded first, since the owner may be unable to enter the interpreter's folder.
START = """
import asyncio, concurrent.futures.thread, os, sys, tempfile
from pathlib import Path
import psycopg
from orderly.errors import Misconfigured
from orderly.store.embedded import EmbeddedPostgres

async def main():
    try:
        async with EmbeddedPostgres(Path(sys.argv[1])) as server:
            psycopg.connect(server.database_url).close()
            print("answers")
    except Misconfigured as error:
        print(error.message)

asyncio.run(asyncio.to_thread(tempfile.gettempdir))
os.setgroups([])
os.setgid(int(sys.argv[2]))
os.setuid(int(sys.argv[2]))
asyncio.run(main())
"""

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to act as several users"),
    pytest.mark.skipif(
        os.geteuid() == 0 and not ServerAccount(OWNER, OWNER).may_reach(postgres_binaries() / "bin" / "postgres"),
        reason="the installation is in a folder that only root may enter",
    ),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    """Of the owner."""
    made = Path(tempfile.mkdtemp(prefix="orderly-owner-"))
    os.chown(made, OWNER, OWNER)
    yield made
    shutil.rmtree(made)


def start(home: Path, temporary: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", START, str(home), str(OWNER)],
        env={**os.environ, "TMPDIR": str(temporary)}, cwd="/", capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_owner_of_a_home_whose_socket_folder_root_gave_away_starts_again(folder: Path) -> None:
    home = folder / "home"
    assert start(home, folder) == "answers"
    os.chown(home / "postgres" / "run", OTHER, OTHER)
    assert start(home, folder) == "answers"
    assert (home / "postgres" / "run").stat().st_uid == OWNER


def test_a_socket_folder_of_somebody_else_that_the_owner_may_not_move_is_named_with_what_to_do(folder: Path) -> None:
    home, temporary = folder / ("long " * 20), folder / "temporary"
    temporary.mkdir()
    temporary.chmod(0o1777)
    assert start(home, temporary) == "answers"
    [socket] = temporary.glob("orderly-*")
    os.chown(socket, OTHER, OTHER)
    assert start(home, temporary).endswith(f"{socket} belongs to somebody else: remove it (sudo rm -r {socket}).")
