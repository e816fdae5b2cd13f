"""What the folder of resumable uploads holds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from orderly.errors import NotFound, StorageFailed
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


async def test_an_upload_that_cannot_be_written_leaves_no_folder(
    uploads: Uploads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(StorageFailed):
        await uploads.create(DRAFT)
    assert not list(tmp_path.iterdir())
