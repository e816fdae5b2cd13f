"""Blob storage: one contract for local files and Supabase Storage, and the failures of each."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest
import respx
from pydantic import SecretStr

from orderly.errors import Conflict, Denied, StorageFailed
from orderly.store.blobs_local import LocalBlobs
from orderly.store.blobs_supabase import SupabaseBlobs
from support.storage_peer import StoragePeer

URL = "https://project.example"
CONTENT = os.urandom(3 * (1 << 20) + 17)


def new_key(name: str = "lease.pdf") -> str:
    return f"{uuid4()}/{uuid4()}/{uuid4()}/{name}"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.bin"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture(params=["local", "supabase"])
async def blobs(request, tmp_path):
    if request.param == "local":
        yield LocalBlobs(tmp_path / "files")
        return
    with respx.mock(assert_all_called=False) as mock:
        mock.route(url__startswith=URL).mock(side_effect=StoragePeer("service"))
        opened = SupabaseBlobs(URL, SecretStr("service"))
        yield opened
        await opened.close()


async def test_a_stored_file_is_returned_unchanged(blobs, source, tmp_path):
    key = new_key()
    await blobs.put(key, source)
    await blobs.get(key, tmp_path / "back.bin")
    assert (tmp_path / "back.bin").read_bytes() == CONTENT
    assert b"".join([block async for block in blobs.stream(key)]) == CONTENT


async def test_parts_of_a_file_are_returned(blobs, source, tmp_path):
    key, empty = new_key(), new_key()
    await blobs.put(key, source)
    assert await blobs.size(key) == len(CONTENT)
    for start, end in ((0, 1), (5, 5), (1 << 20, (2 << 20) + 3), (len(CONTENT) - 7, None), (3, len(CONTENT))):
        assert b"".join([block async for block in blobs.stream(key, start, end)]) == CONTENT[start:end]
    (tmp_path / "empty").touch()
    await blobs.put(empty, tmp_path / "empty")
    assert await blobs.size(empty) == 0
    with pytest.raises(StorageFailed, match="missing"):
        await blobs.size(new_key())


async def test_a_file_is_never_replaced(blobs, source, tmp_path):
    key = new_key()
    await blobs.put(key, source)
    (tmp_path / "other").write_bytes(b"other")
    with pytest.raises(Conflict):
        await blobs.put(key, tmp_path / "other")
    await blobs.get(key, tmp_path / "back.bin")
    assert (tmp_path / "back.bin").read_bytes() == CONTENT


async def test_a_missing_file_is_reported_and_can_be_deleted_without_an_error(blobs, source, tmp_path):
    key = new_key()
    with pytest.raises(StorageFailed, match="missing"):
        await blobs.get(key, tmp_path / "back.bin")
    with pytest.raises(StorageFailed, match="missing"):
        _ = [block async for block in blobs.stream(key)]
    await blobs.delete(key)
    await blobs.put(key, source)
    await blobs.delete(key)
    with pytest.raises(StorageFailed):
        await blobs.get(key, tmp_path / "back.bin")


ID = UUID(int=1)
BAD_KEYS = [
    "", "/etc/passwd", "../x", f"{ID}/../{ID}/x", f"{ID}/{ID}/{ID}/../../x",
    f"{ID}/{ID}/{ID}/..", f"{ID}/{ID}/{ID}/.hidden", f"{ID}/{ID}/{ID}/a/b",
    f"{ID}/{ID}/{ID}/a\n", f"{ID}/{ID}/{ID}/a\x00", f"{ID}/{ID}/{ID}/%2e%2e",
    f"{ID}/{ID}/{ID}/" + "a" * 300, f"{ID}/{ID}/{ID}/ａ",
]  # fmt: skip


@pytest.mark.parametrize("key", BAD_KEYS)
async def test_an_invalid_key_touches_no_file(blobs, source, tmp_path, key):
    for attempt in (blobs.put(key, source), blobs.get(key, tmp_path / "t"), blobs.delete(key)):
        with pytest.raises(StorageFailed, match="not the key"):
            await attempt
    with pytest.raises(StorageFailed, match="not the key"):
        _ = [block async for block in blobs.stream(key)]


async def test_a_local_file_appears_whole_or_not_at_all(source, tmp_path, monkeypatch):
    blobs = LocalBlobs(tmp_path / "files")
    key = new_key()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageFailed) as caught:
        await blobs.put(key, source)
    assert str(tmp_path) not in caught.value.message
    assert [p for p in (tmp_path / "files").rglob("*") if p.is_file()] == []


async def test_local_files_are_private_and_empty_folders_are_deleted(source, tmp_path):
    blobs = LocalBlobs(tmp_path / "files")
    key = new_key()
    await blobs.put(key, source)
    assert stat.S_IMODE((tmp_path / "files").stat().st_mode) == 0o700
    await blobs.delete(key)
    assert list((tmp_path / "files").iterdir()) == []


async def test_a_wrong_key_a_broken_connection_and_server_errors_are_translated(source, tmp_path):
    with respx.mock() as mock:
        mock.route(url__startswith=URL).mock(side_effect=StoragePeer("service"))
        wrong = SupabaseBlobs(URL, SecretStr("anon"))
        with pytest.raises(Denied) as caught:
            await wrong.put(new_key(), source)
        assert "secret" not in caught.value.message
        await wrong.close()
    blobs = SupabaseBlobs(URL, SecretStr("service"))
    for answer, kind in (
        (httpx.ConnectError("no route to /secret"), StorageFailed),
        (httpx.Response(502, text="<html>"), StorageFailed),
        (httpx.Response(413, json={"statusCode": "413", "error": "Payload too large", "message": ""}), StorageFailed),
        (httpx.Response(400, json=["odd"]), StorageFailed),
    ):
        with respx.mock() as mock:
            mock.post(url__startswith=URL).mock(side_effect=[answer])
            with pytest.raises(kind):
                await blobs.put(new_key(), source)
    await blobs.close()
