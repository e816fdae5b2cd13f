"""A child that its file has taken over reaches neither keys nor database: every attempt below is made by a child's own code."""

from __future__ import annotations

import ctypes
import logging
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from orderly.services.document_processor import READER, DocumentProcessor
from orderly.services.isolation import ProcessLimits, ProcessPool, child_process, pool


def has_landlock() -> bool:
    """Whether the kernel names a version of Landlock, in answer to landlock_create_ruleset(NULL, 0, 1)."""
    return sys.platform == "linux" and ctypes.CDLL(None).syscall(444, None, 0, 1) > 0


pytestmark = pytest.mark.skipif(not has_landlock(), reason="the system has no Landlock")

TAKEN_OVER = """
import os, resource, socket, sys
from orderly.services.isolation.confinement import confine_access

confine_access(sys.argv[1])
exec(sys.argv[2])
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    for name in ("secret", "audit.key", ".env"):
        (tmp_path / "home" / name).write_text("key")
    (tmp_path / "temporary" / "orderly-a1b2").mkdir(parents=True)
    (tmp_path / "temporary" / "orderly-a1b2" / "file").write_text("lease")
    return tmp_path


def attempt(home: Path, code: str) -> str:
    """Runs code in a confined process. Returns what it printed, or the name of its error."""
    run = subprocess.run(
        [sys.executable, "-P", "-c", TAKEN_OVER, str(home / "temporary"), code],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout.strip() or run.stderr.strip().rpartition("\n")[2].partition(":")[0]


@pytest.mark.parametrize(
    "code",
    [
        "print(open('{home}/home/secret').read())", "print(open('{home}/home/audit.key').read())", "print(open('{home}/home/.env').read())",
        "print(os.listdir('{home}/home'))", "print(os.listdir('{home}/temporary'))", "print(open('/etc/passwd').read())",
        "print(open('/proc/{parent}/environ').read())", "print(open('{home}/temporary/new', 'w'))",
        "print(os.unlink('{home}/temporary/orderly-a1b2/file'))", "print(socket.socket(socket.AF_UNIX).connect('{home}/database'))",
        "print(socket.create_connection(('127.0.0.1', {port})))", "print(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))",
        "print(os.chmod('{home}/home/secret', 0o777))", "print(os.utime('{home}/home/secret'))",
        "print(os.chown('{home}/home/secret', os.getuid(), os.getgid()))", "print(os.setxattr('{home}/home/secret', 'user.a', b'b'))",
        "print(resource.prlimit({parent}, resource.RLIMIT_CORE))", "print(os.kill({parent}, 0))",
    ],
)  # fmt: skip
def test_keys_other_files_processes_and_the_database_are_out_of_reach(
    home: Path, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX) as database, socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.chdir(home)
        database.bind("database")  # a longer path is refused
        database.listen()
        given = code.format(home=home, parent=os.getpid(), port=server.getsockname()[1])
        assert attempt(home, given) == "PermissionError"


def test_the_file_to_be_read_programs_and_the_process_itself_are_within_reach(home: Path) -> None:
    assert attempt(home, f"print(open('{home}/temporary/orderly-a1b2/file').read())") == "lease"
    assert attempt(home, "print(open('/dev/null', 'w').write('a message'))") == "9"
    limit = "resource.setrlimit(resource.RLIMIT_CPU, (5, -1)); print(resource.prlimit(os.getpid(), resource.RLIMIT_CPU)[0])"
    assert attempt(home, limit) == "5"
    signalled = "import signal; signal.signal(signal.SIGUSR1, lambda *_: print('sent')); signal.raise_signal(signal.SIGUSR1)"
    assert attempt(home, signalled) == "sent"
    assert attempt(home, "import wave, sqlite3; print('imported')") == "imported"


@pytest.fixture
def children() -> Iterator[ProcessPool]:
    opened = ProcessPool(READER, ProcessLimits(processes=1))
    yield opened
    opened.close()


async def test_reader_processes_are_confined(children: ProcessPool, caplog: pytest.LogCaptureFixture) -> None:
    await children.call("check", None, bool)
    [child] = children._children
    assert child.unconfined == ""
    status = Path(f"/proc/{child._process.pid}/status").read_text()
    assert "NoNewPrivs:\t1" in status and "Seccomp:\t2" in status
    assert not caplog.records


async def test_a_system_that_cannot_confine_is_named_in_the_log(
    children: ProcessPool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pool._warn_unconfined.cache_clear()
    monkeypatch.setattr(child_process.tempfile, "gettempdir", lambda: "/nowhere")
    with caplog.at_level(logging.WARNING):
        await children.call("check", None, bool)
    assert "could reach" in caplog.text


async def test_a_child_reads_the_files_of_the_folder_that_is_now_the_one_for_temporary_files(
    children: ProcessPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = DocumentProcessor(None, processes=children)
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "note.txt").write_text("A short note.\n")
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        assert await reader.survey(folder / "note.txt", "note.txt") == ("text/plain", 1)
