"""The Python API, orderly.document_service, without a server."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pymupdf
import pytest

from orderly.document_service import DocumentService, extract_for_attachment, extract_text
from orderly.errors import Denied, Invalid, Unreadable
from orderly.settings import Settings

CLAUSE = "The supplier shall keep record number {n} of every delivery at its registered office for seven years. "
LONG = "".join(CLAUSE.format(n=n) for n in range(60))


@pytest.fixture(scope="module")
def documents(embedded_postgres: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DocumentService]:
    """A service on the embedded store of a new home, as its local user."""
    home = tmp_path_factory.mktemp("python-api")
    home.chmod(0o711)
    settings = Settings(home=home, _env_file=None)
    with DocumentService(settings=settings) as opened:
        yield opened


def test_ingest_text_returns_the_number_of_passages(documents: DocumentService) -> None:
    assert documents.ingest_text("A short note on storage fees.", "short.txt") == 1
    assert documents.ingest_text(LONG, "long.txt") > 1


def test_neighbouring_passages_of_one_clause_overlap(documents: DocumentService) -> None:
    documents.ingest_text(LONG, "long.txt")
    found = {h["chunk_index"]: h for h in documents.search("record of every delivery", 20) if h["source_file"] == "long.txt"}
    assert {0, 1} <= set(found)
    first, second = found[0]["content"], found[1]["content"]
    shared = max(n for n in range(1, 201) if second.startswith(first[-n:]) or n == 1)
    assert 50 <= shared <= 200


def test_search_finds_the_passage_with_its_metadata(documents: DocumentService) -> None:
    documents.ingest_text("The umbrella policy excludes flood damage below the first floor.", "policy.txt")
    best, *_ = documents.search("Is damage by flood covered?", n=3)
    assert best["source_file"] == "policy.txt"
    assert best["content"] == "The umbrella policy excludes flood damage below the first floor."
    assert (best["chunk_index"], best["page"]) == (0, None)
    assert best["score"] is not None and 0 <= best["score"] <= 1
    assert len(documents.search("delivery", n=1)) == 1


def test_the_same_text_is_not_duplicated_and_other_text_replaces_it(documents: DocumentService) -> None:
    count = documents.ingest_text(LONG, "again.txt")
    assert documents.ingest_text(LONG, "again.txt") == count
    assert documents.list_sources().count("again.txt") == 1
    assert documents.ingest_text("It was withdrawn on the ides of March.", "again.txt") == 1
    assert documents.list_sources().count("again.txt") == 1
    contents = [h["content"] for h in documents.search("withdrawn on the ides of March", 10) if h["source_file"] == "again.txt"]
    assert contents == ["It was withdrawn on the ides of March."], "no passage of the longer earlier text may remain"
    assert documents.ingest_text(LONG, "again.txt") == count


def test_an_earlier_text_again_replaces_what_came_between(documents: DocumentService) -> None:
    first, second = "The deposit is held by the agent.", "The deposit is held by the landlord in a trust account."
    for text in (first, second, first, second, first):
        assert documents.ingest_text(text, "deposit.txt") == 1
        found = [h["content"] for h in documents.search("Who holds the deposit?", 10) if h["source_file"] == "deposit.txt"]
        assert found == [text]
    assert documents.list_sources().count("deposit.txt") == 1


def test_files_whose_ingestion_failed_are_no_sources(documents: DocumentService, tmp_path: Path) -> None:
    for name, content in (("torn.pdf", b"%PDF-1.7 torn"), ("void.txt", b"  \n"), ("odd.xyz", bytes(range(256)))):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(Unreadable):
            documents.ingest_file(tmp_path / name)
        assert name not in documents.list_sources()
        documents.delete_source(name)
    documents.ingest_text("The roof is repaired by the landlord.", "roof.txt")
    with pytest.raises(Unreadable):
        documents.ingest_text(" ", "roof.txt")
    assert "roof.txt" in documents.list_sources(), "the earlier version is still searched"


def test_sources_are_listed_and_deleted_by_name(documents: DocumentService) -> None:
    count = documents.ingest_text("A kangaroo clause.", "gone.txt")
    assert "gone.txt" in documents.list_sources()
    assert documents.delete_source("gone.txt") == count
    assert "gone.txt" not in documents.list_sources()
    assert all(h["source_file"] != "gone.txt" for h in documents.search("kangaroo clause", 20))
    assert documents.delete_source("gone.txt") == 0


def test_files_are_ingested_and_files_without_text_are_refused(documents: DocumentService, tmp_path: Path) -> None:
    (tmp_path / "terms.md").write_text("# Terms\n\nPayment is due within thirty days of invoice.\n")
    assert documents.ingest_file(tmp_path / "terms.md") == 1, "a heading with its clause"
    (tmp_path / "blob.bin").write_bytes(bytes(range(256)))
    with pytest.raises(Unreadable):
        documents.ingest_file(tmp_path / "blob.bin")
    with pytest.raises(Invalid):
        documents.ingest_file(tmp_path / "missing.txt")
    with pytest.raises(Invalid):
        documents.ingest_text("x", "../../etc/passwd")


def test_text_and_attachments_are_extracted_without_storing_anything(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Call the registrar.")
    assert extract_text(tmp_path / "note.txt").strip() == "Call the registrar."
    assert extract_for_attachment(tmp_path / "note.txt") == {
        "type": "text",
        "name": "note.txt",
        "data": extract_text(tmp_path / "note.txt"),
    }
    (tmp_path / "pixel.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    attached = extract_for_attachment(tmp_path / "pixel.png")
    assert attached["type"] == "image" and base64.b64decode(attached["data"]) == b"\x89PNG\r\n\x1a\n"
    (tmp_path / "blob.bin").write_bytes(bytes(range(256)))
    with pytest.raises(Unreadable):
        extract_text(tmp_path / "blob.bin")


@pytest.fixture
def vision_endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A configured vision endpoint; yields the paths that were asked for."""
    asked: list[str] = []

    class Endpoint(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.send_error(400)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("DEEPSEEK_API_KEY", "key")
        monkeypatch.setenv("ORDERLY_OCR_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
        yield asked
        server.shutdown()


def test_extracting_the_text_of_a_scan_sends_nothing_to_the_vision_endpoint(tmp_path: Path, vision_endpoint: list[str]) -> None:
    """The file belongs to no matter, so nobody has allowed a processor to get it; the firm may work --local-only."""
    with pymupdf.open() as made:
        made.new_page().insert_text((72, 72), "Payment is due within thirty days of invoice.", fontsize=14)
        picture = made[0].get_pixmap(dpi=200).tobytes("png")
    with pymupdf.open() as scan:
        page = scan.new_page()
        page.insert_image(page.rect, stream=picture)
        scan.save(tmp_path / "scan.pdf")
    assert "thirty days" in extract_text(tmp_path / "scan.pdf")
    assert "thirty days" in extract_for_attachment(tmp_path / "scan.pdf")["data"]
    assert vision_endpoint == []


def test_the_service_is_a_context_manager_and_needs_a_known_user(documents: DocumentService) -> None:
    with pytest.raises(Invalid, match="with statement"):
        DocumentService().list_sources()
    with pytest.raises(Denied), DocumentService(token="ord_made-up", settings=documents._settings):
        raise AssertionError
