"""PDF packages and portfolios: a cover, and the documents inside."""

from __future__ import annotations

from pathlib import Path

import pytest

from orderly.errors import Empty, Protected
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents.health import incomplete_because
from support.odd_pdfs import COVER, package

NAMES = ("a.txt", "b.txt", "c.txt")
PACKAGES: dict[str, bytes] = {
    "with a cover": package(NAMES),
    "with a blank cover": package(NAMES, cover=""),
    "without pages": package(NAMES, pages=0),
    "with a tree of names": package(NAMES, kids=True),
    "with a tree and a blank cover": package(NAMES, kids=True, cover=""),
    "with old names": package(NAMES, keys=("F",)),
    "with names for Unix": package(NAMES, keys=("Unix",)),
    "named in the tree only": package(NAMES, keys=()),
    "with associated files": package(NAMES, associated=True),
    "with several covers": package(NAMES, pages=3),
    "that opens at a file": package(NAMES, more="/PageMode/UseAttachments"),
}


@pytest.mark.parametrize("data", PACKAGES.values(), ids=PACKAGES)
async def test_the_files_of_a_package_are_taken_out(processor: DocumentProcessor, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "package.pdf").write_bytes(data)
    extracted = await processor.extract(tmp_path / "package.pdf", "package.pdf")
    assert [(file.name, file.data) for file in extracted.attachments] == [
        (name, f"Annex text {number}".encode()) for number, name in enumerate(NAMES)
    ]
    if COVER in extracted.text:
        assert incomplete_because(extracted) == ()
    else:
        assert extracted.text == "[Files inside]\na.txt\nb.txt\nc.txt"
        [reason] = incomplete_because(extracted)
        assert "no text of its own" in reason


async def test_files_that_are_not_inside_are_counted(processor: DocumentProcessor, tmp_path: Path) -> None:
    (tmp_path / "package.pdf").write_bytes(package(NAMES, content=False))
    extracted = await processor.extract(tmp_path / "package.pdf", "package.pdf")
    [reason] = incomplete_because(extracted)
    assert reason.startswith("3 of the files inside the PDF could not be taken out")


async def test_an_empty_package_is_not_ready(processor: DocumentProcessor, tmp_path: Path) -> None:
    (tmp_path / "package.pdf").write_bytes(package((), cover=""))
    with pytest.raises(Empty):
        await processor.extract(tmp_path / "package.pdf", "package.pdf")


@pytest.mark.parametrize("relation", ["/AFRelationship/EncryptedPayload", "/EP<</Type/EncryptedPayload/Subtype/X>>"])
async def test_a_cover_around_an_encrypted_pdf_is_protected(
    processor: DocumentProcessor, tmp_path: Path, relation: str
) -> None:
    (tmp_path / "wrapper.pdf").write_bytes(package(["inner.pdf"], relation=relation))
    with pytest.raises(Protected, match="The document is protected"):
        await processor.extract(tmp_path / "wrapper.pdf", "wrapper.pdf")


async def test_an_unknown_method_of_encryption_is_not_called_damage(processor: DocumentProcessor, tmp_path: Path) -> None:
    data = package(()).replace(b"trailer<<", b"trailer<</Encrypt<</Filter/Adobe.APS/V 4/R 4/Length 128>>/ID[<00><00>]")
    (tmp_path / "locked.pdf").write_bytes(data)
    with pytest.raises(Protected, match="rights management"):
        await processor.extract(tmp_path / "locked.pdf", "locked.pdf")
