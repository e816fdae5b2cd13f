"""Texts of stored files that have no published revision."""

from __future__ import annotations

from pathlib import Path
from typing import cast
from unittest.mock import patch
from uuid import uuid4

import pytest

from orderly.errors import Empty
from orderly.models import Caller
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents import StoredFiles, stored_files
from orderly.store.blobs_local import LocalBlobs
from orderly.store.functions.documents import FullDocument

ADA = Caller("ada")


async def stored(blobs: LocalBlobs, tmp_path: Path) -> FullDocument:
    """A document whose file has no text."""
    key = f"{uuid4()}/{uuid4()}/{uuid4()}/file"
    source = tmp_path / "empty.txt"
    source.write_text(" ")
    await blobs.put(key, source)
    row = {"status": "queued", "storage_key": key, "filename": "empty.txt", "content_type": "text/plain"}
    return cast(FullDocument, row)


async def raised(files: StoredFiles, document: FullDocument) -> Empty:
    with pytest.raises(Empty) as caught:
        await files.read(ADA, document, ocr=False)
    return caught.value


def frames(error: BaseException) -> int:
    at, number = error.__traceback__, 0
    while at is not None:
        at, number = at.tb_next, number + 1
    return number


async def test_the_reason_why_a_file_has_no_text_is_kept_without_its_callers(tmp_path: Path) -> None:
    blobs = LocalBlobs(tmp_path / "files")
    files, document = StoredFiles(blobs, DocumentProcessor(None)), await stored(blobs, tmp_path)
    await raised(files, document)
    second = frames(await raised(files, document))
    assert frames(await raised(files, document)) == second


async def test_the_number_of_kept_reasons_has_a_limit(tmp_path: Path) -> None:
    blobs = LocalBlobs(tmp_path / "files")
    files = StoredFiles(blobs, DocumentProcessor(None))
    first, second = await stored(blobs, tmp_path), await stored(blobs, tmp_path)
    with patch.object(stored_files, "KEPT_CHARACTERS", stored_files.REASON_CHARACTERS):
        kept = await raised(files, first)
        assert await raised(files, first) is kept
        await raised(files, second)
        assert await raised(files, first) is not kept
