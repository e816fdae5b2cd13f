"""What the folder of resumable uploads holds."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from orderly.errors import Conflict, NotFound, StorageFailed
from orderly.services.ingestion import Upload, Uploads

DRAFT = Upload(id="", owner="ada", filename="a.txt", matter_id="m", expires=0, length=3)
DOCUMENT = {"id": "d", "duplicate": False, "note": ""}


@pytest.fixture
def uploads(tmp_path: Path) -> Uploads:
    return Uploads(tmp_path, limit_mb=1, hours=1, most=10)


async def whole(uploads: Uploads) -> Upload:
    upload = await uploads.create(DRAFT)
    async with uploads.appending(upload) as appending:
        await appending.append(b"abc")
    return upload


async def test_a_request_that_found_the_upload_before_another_registered_it_sees_it_registered(uploads: Uploads) -> None:
    found = await whole(uploads)
    async with uploads.appending(found) as appending:
        await uploads.complete(appending.upload, DOCUMENT)
    assert await uploads.offset(found) == 3
    async with uploads.appending(found) as appending:
        assert (appending.upload.document, appending.size) == (DOCUMENT, 3)


async def test_an_upload_that_another_request_removed_is_not_found(uploads: Uploads) -> None:
    found = await whole(uploads)
    await uploads.remove(found)
    with pytest.raises(NotFound):
        await uploads.offset(found)
    with pytest.raises(NotFound):
        async with uploads.appending(found):
            pass


async def test_nothing_is_kept_in_memory_of_uploads_that_ended_here_or_at_another_node(
    uploads: Uploads, tmp_path: Path
) -> None:
    going_on, completed, removed = [await whole(uploads) for _ in range(3)]
    async with uploads.appending(completed) as appending:
        await uploads.complete(appending.upload, DOCUMENT)
    shutil.rmtree(tmp_path / removed.id)
    assert await uploads.sweep() == 0
    assert set(uploads._digests) == {going_on.id}


def full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


async def test_an_upload_that_cannot_be_written_leaves_no_folder(
    uploads: Uploads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(StorageFailed):
        await uploads.create(DRAFT)
    assert not list(tmp_path.iterdir())


async def test_a_completion_that_cannot_be_written_leaves_the_upload_unfinished(
    uploads: Uploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = await whole(uploads)
    with monkeypatch.context() as disk:
        disk.setattr(Path, "write_text", full)
        with pytest.raises(StorageFailed, match="try again later"):
            await uploads.complete(found, DOCUMENT)
    async with uploads.appending(found) as appending:
        assert (appending.upload.document, appending.size) == (None, 3)
        await uploads.complete(appending.upload, DOCUMENT)
    assert await uploads.offset(found) == 3


async def test_concurrent_creations_do_not_exceed_the_limit_of_a_user(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path, limit_mb=1, hours=1, most=3)
    created = await asyncio.gather(*(uploads.create(DRAFT) for _ in range(8)), return_exceptions=True)
    kept = [upload for upload in created if isinstance(upload, Upload)]
    assert {type(refused) for refused in created if not isinstance(refused, Upload)} == {Conflict}
    assert len(kept) <= 3
    assert {path.name for path in tmp_path.iterdir()} == {upload.id for upload in kept}
