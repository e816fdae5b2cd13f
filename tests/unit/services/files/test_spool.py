from __future__ import annotations

import asyncio
import hashlib
import resource
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orderly.errors import Invalid, StorageFailed
from orderly.services.files.spool import MEGABYTE, copy_to_spool, open_spool, sha256_of


async def test_a_spooled_file_is_measured_hashed_and_deleted_afterwards(tmp_path: Path) -> None:
    content = bytes(range(256)) * 5000
    (tmp_path / "a").write_bytes(content)
    async with open_spool("a", 10) as kept:
        copy_to_spool(tmp_path / "a", kept)
        assert (kept.size, kept.sha256) == (len(content), hashlib.sha256(content).hexdigest())
        assert sha256_of(kept.path) == kept.sha256 and kept.path.read_bytes() == content
    assert not kept.path.parent.exists()


async def test_an_empty_file_is_spooled(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    async with open_spool("empty", 1) as kept:
        copy_to_spool(tmp_path / "empty", kept)
        assert kept.size == 0 and kept.path.is_file()


async def test_the_size_limit_counts_the_bytes_written(tmp_path: Path) -> None:
    async with open_spool("growing.txt", 1) as kept:
        kept.write(bytes(MEGABYTE))
        with pytest.raises(Invalid, match=r"growing\.txt is larger than 1 MB, the most that is accepted"):
            kept.write(b"x")
        assert kept.path.stat().st_size <= MEGABYTE


@pytest.fixture
def small_disk() -> Iterator[None]:
    """Limits files to 64 kB: the operating system then fails a write with an OSError, as it does on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("small_disk")
async def test_a_full_disk_is_reported_and_the_file_deleted() -> None:
    async with open_spool("big.pdf", 10) as kept:
        with pytest.raises(StorageFailed, match=r"no room left on this machine to take in big\.pdf"):
            kept.write(bytes(1 << 20))
    assert not kept.path.parent.exists()


async def test_a_spool_that_is_cancelled_again_while_threads_are_busy_leaves_no_file() -> None:
    ready, release, folders = asyncio.Event(), threading.Event(), []

    async def receive() -> None:
        async with open_spool("lease.txt", 1) as spool:
            folders.append(spool.path.parent)
            spool.write(b"secret")
            ready.set()
            await asyncio.sleep(60)

    with ThreadPoolExecutor(1) as threads:
        asyncio.get_running_loop().set_default_executor(threads)
        receiving = asyncio.create_task(receive())
        await ready.wait()
        busy = asyncio.create_task(asyncio.to_thread(release.wait))
        await asyncio.sleep(0)
        for _ in range(2):  # servers cancel a request again and again until it has ended
            receiving.cancel()
            await asyncio.sleep(0.01)
        release.set()
        await asyncio.gather(receiving, busy, return_exceptions=True)
        async with asyncio.timeout(5):
            while folders[0].exists():
                await asyncio.sleep(0.01)
