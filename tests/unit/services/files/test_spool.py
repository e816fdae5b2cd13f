from __future__ import annotations

import hashlib
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from orderly.errors import Invalid, StorageFailed
from orderly.services.files.spool import MEGABYTE, copy_to_spool, open_spool, sha256_of


async def test_what_is_kept_aside_is_counted_hashed_and_gone_afterwards(tmp_path: Path) -> None:
    content = bytes(range(256)) * 5000
    (tmp_path / "a").write_bytes(content)
    async with open_spool("a", 10) as kept:
        copy_to_spool(tmp_path / "a", kept)
        assert (kept.size, kept.sha256) == (len(content), hashlib.sha256(content).hexdigest())
        assert sha256_of(kept.path) == kept.sha256 and kept.path.read_bytes() == content
    assert not kept.path.parent.exists()


async def test_an_empty_file_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    async with open_spool("empty", 1) as kept:
        copy_to_spool(tmp_path / "empty", kept)
        assert kept.size == 0 and kept.path.is_file()


async def test_the_limit_counts_what_arrives_not_what_was_announced(tmp_path: Path) -> None:
    async with open_spool("growing.txt", 1) as kept:
        kept.write(bytes(MEGABYTE))
        with pytest.raises(Invalid, match=r"growing\.txt is larger than 1 MB, the most that is accepted"):
            kept.write(b"x")
        assert kept.path.stat().st_size <= MEGABYTE


@pytest.fixture
def small_disk() -> Iterator[None]:
    """No file may become larger than 64 kB, which the system says much as it says that a disk is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("small_disk")
async def test_no_room_is_said_and_nothing_stays() -> None:
    async with open_spool("big.pdf", 10) as kept:
        with pytest.raises(StorageFailed, match=r"no room left on this machine to take in big\.pdf"):
            kept.write(bytes(1 << 20))
    assert not kept.path.parent.exists()
