"""A file that harms its reader process fails alone; the next file is read."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orderly.errors import Damaged, TooCostly
from orderly.services.document_processor import READER, DocumentProcessor
from orderly.services.isolation.pool import ProcessPool
from orderly.services.isolation.process_limits import ProcessLimits
from support.hostile_files import WORD, endless_pdf, rewritten, swelling_pdf

FILES = Path(__file__).parents[3] / "fixtures" / "files"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

_others: set[int] = set()
"""Idle child processes that other tests have started."""


@pytest.fixture(autouse=True)
def _ignore_children_of_other_tests() -> None:
    _others.clear()
    _others.update(children(os.getpid()))


@pytest.fixture
def processes() -> Iterator[ProcessPool]:
    """A pool of one child, so that all files go to the same process."""
    opened = ProcessPool(READER, ProcessLimits(processes=1, seconds=150, memory_mb=512))
    yield opened
    opened.close()


@pytest.fixture
def impatient() -> Iterator[ProcessPool]:
    # A short file and the start of its process take less, also beside other work.
    opened = ProcessPool(READER, ProcessLimits(processes=1, seconds=5))
    yield opened
    opened.close()


def children(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if (
                int(fields[1]) == parent
                and fields[0] != "Z"
                and b"document_processor.child" in (entry / "cmdline").read_bytes()
            ):
                found.append(int(entry.name))
    return [child for child in found if child not in _others]


def is_busy(child: int) -> bool:
    """True if the process has used more CPU time (1.5 s) than its start takes."""
    fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12]) > 1.5 * os.sysconf("SC_CLK_TCK")


async def eventually(holds: Callable[[], object], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"the condition did not hold within {seconds} s"
        await asyncio.sleep(0.02)


async def reads_next_file(processes: ProcessPool, folder: Path) -> bool:
    path = folder / "next.txt"
    path.write_text("The next file is read.")
    return (await DocumentProcessor(None, processes=processes).extract(path, "next.txt")).text == "The next file is read."


async def test_an_endless_file_is_stopped_in_time_and_the_next_is_read(impatient: ProcessPool, tmp_path: Path) -> None:
    assert await reads_next_file(impatient, tmp_path)
    path = endless_pdf(tmp_path / "endless.pdf")
    start = time.monotonic()
    with pytest.raises(TooCostly, match="longer than 5 seconds, the limit for one file"):
        await DocumentProcessor(None, processes=impatient).extract(path, path.name)
    assert time.monotonic() - start < 60
    assert await reads_next_file(impatient, tmp_path)


async def test_the_event_loop_runs_on_while_a_file_is_read(impatient: ProcessPool, tmp_path: Path) -> None:
    path = endless_pdf(tmp_path / "endless.pdf")
    reading = asyncio.create_task(DocumentProcessor(None, processes=impatient).extract(path, path.name))
    worked = time.thread_time()
    await asyncio.wait({reading})
    assert isinstance(reading.exception(), TooCostly)
    assert time.thread_time() - worked < 0.5, "the file was read by the event loop's own thread"


@pytest.mark.parametrize("kind", ["docx", "pdf"])
async def test_a_file_that_exceeds_the_memory_limit_is_stopped_and_the_next_is_read(
    processes: ProcessPool, tmp_path: Path, kind: str
) -> None:
    if kind == "pdf":
        path = swelling_pdf(tmp_path / "swelling.pdf", 300)
    else:
        body = f"<w:document {WORD}><w:body><w:p><w:r><w:t>{'a' * (300 << 20)}</w:t></w:r></w:p></w:body></w:document>"
        path = rewritten(FILES / "own_tracked_changes.docx", tmp_path / "bomb.docx", {"word/document.xml": body.encode()})
    with pytest.raises(TooCostly, match="more than 512 MB of memory"):
        await DocumentProcessor(None, processes=processes).extract(path, path.name)
    assert await reads_next_file(processes, tmp_path)


async def test_a_file_that_crashes_its_reader_fails_alone(processes: ProcessPool, tmp_path: Path) -> None:
    path = endless_pdf(tmp_path / "endless.pdf")
    reading = asyncio.create_task(DocumentProcessor(None, processes=processes).extract(path, path.name))
    await eventually(lambda: any(is_busy(child) for child in children(os.getpid())))
    (child,) = children(os.getpid())
    os.kill(child, signal.SIGSEGV)
    with pytest.raises(Damaged, match="brought down the program that reads it"):
        await reading
    assert await reads_next_file(processes, tmp_path)


async def test_a_child_that_died_between_files_is_replaced(processes: ProcessPool, tmp_path: Path) -> None:
    assert await reads_next_file(processes, tmp_path)
    (child,) = children(os.getpid())
    os.kill(child, signal.SIGSEGV)
    assert await reads_next_file(processes, tmp_path)
    assert children(os.getpid()) != [child]


async def test_the_child_of_a_cancelled_read_is_stopped(processes: ProcessPool, tmp_path: Path) -> None:
    path = endless_pdf(tmp_path / "endless.pdf")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(DocumentProcessor(None, processes=processes).extract(path, path.name), 1)
    await eventually(lambda: not children(os.getpid()))
    assert await reads_next_file(processes, tmp_path)


async def test_a_child_inherits_none_of_the_servers_secrets(
    processes: ProcessPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISAACUS_API_KEY", "a-secret-of-the-server")
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret@nowhere")
    assert await reads_next_file(processes, tmp_path)
    (child,) = children(os.getpid())
    names = {pair.partition(b"=")[0] for pair in Path(f"/proc/{child}/environ").read_bytes().split(b"\0") if pair}
    assert names == {b"PYTHONPATH", b"LC_ALL", b"HOME", b"OMP_THREAD_LIMIT", b"OPENBLAS_NUM_THREADS", b"MALLOC_ARENA_MAX"}


async def test_a_child_that_starts_while_its_pool_closes_gets_no_work(tmp_path: Path) -> None:
    pool = ProcessPool(READER, ProcessLimits(processes=1, seconds=60))
    path = endless_pdf(tmp_path / "endless.pdf")
    reading = asyncio.create_task(DocumentProcessor(None, processes=pool).extract(path, path.name))
    await eventually(lambda: children(os.getpid()))
    began = time.monotonic()
    await asyncio.to_thread(pool.close)
    assert time.monotonic() - began < 20
    with pytest.raises(RuntimeError, match="were closed"):
        await reading
    assert not children(os.getpid())


async def test_children_end_when_the_pool_closes(tmp_path: Path) -> None:
    opened = ProcessPool(READER, ProcessLimits(processes=2))
    assert all(await asyncio.gather(reads_next_file(opened, tmp_path), reads_next_file(opened, tmp_path)))
    assert children(os.getpid())
    opened.close()
    assert not children(os.getpid())


# A shell's background job ignores SIGINT and child processes inherit that, so the program restores the handler.
_PROGRAM = """
import asyncio, signal, sys
from pathlib import Path
from orderly.services.document_processor import READER, DocumentProcessor
signal.signal(signal.SIGINT, signal.default_int_handler)
asyncio.run(DocumentProcessor(None).extract(Path(sys.argv[1]), "endless.pdf"))
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
async def test_a_busy_child_ends_with_its_program(tmp_path: Path, how: signal.Signals) -> None:
    path = endless_pdf(tmp_path / "endless.pdf")
    with subprocess.Popen([sys.executable, "-c", _PROGRAM, str(path)], stderr=subprocess.DEVNULL) as program:
        await eventually(lambda: children(program.pid))
        (child,) = children(program.pid)
        await asyncio.sleep(0.5)
        program.send_signal(how)
        try:
            await asyncio.to_thread(program.wait, 20)
        finally:
            program.kill()
    await eventually(lambda: not Path(f"/proc/{child}").exists())
