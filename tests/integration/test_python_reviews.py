"""Reviews from Python: DocumentService.reviews, without a server."""

from __future__ import annotations

from pathlib import Path

import pytest
from docx import Document

from orderly.document_service import DocumentService
from orderly.errors import Invalid, NotFound
from orderly.settings import Settings

LEASE = "LEASE\n\n1. Term\n1.1 The term of this Lease is {} years from the commencement date.\n"


def test_a_review_is_made_run_judged_and_exported(embedded_postgres: object, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for folder in (home, tmp_path):
        folder.chmod(0o711)
    with DocumentService(settings=Settings(home=home, _env_file=None)) as documents:
        for name, years in (("shop.txt", "five (5)"), ("office.txt", "two (2)")):
            documents.ingest_text(LEASE.format(years), name)
        reviews = documents.reviews
        reviews.make("Terms", ["How long is the term?"])
        assert reviews.run("Terms") == 2
        [shop, office] = reviews.cells("Terms")
        assert (shop["source_file"], shop["state"], shop["value"]) == ("shop.txt", "found", "5 years")
        assert shop["quotation"] == "The term of this Lease is five (5) years from the commencement date."
        column = shop["column"]
        reviews.judge("Terms", "shop.txt", column, "accepted")
        reviews.judge("Terms", "office.txt", column, "corrected", value="30 months", note="As amended")
        judged = [(cell["state"], cell["value"]) for cell in reviews.cells("Terms")]
        assert judged == [("accepted", "5 years"), ("corrected", "30 months")]
        with pytest.raises(Invalid):
            reviews.judge("Terms", "office.txt", column, "corrected", value="as long as they like")
        with pytest.raises(NotFound):
            reviews.judge("Terms", "other.txt", column, "accepted")
        reviews.export("Terms", tmp_path / "terms.docx")
        assert any("5 years" in c.text for t in Document(tmp_path / "terms.docx").tables for r in t.rows for c in r.cells)
        for _ in range(2):
            reviews.add_columns("Terms", ["Which law governs the lease?"])
        assert reviews.run("Terms") == 4, "a known column is not added again"
        assert [cell["column"] for cell in reviews.cells("Terms")] == [column, "Governing law"] * 2
        with pytest.raises(Invalid, match="xlsx"):
            reviews.export("Terms", tmp_path / "terms.pdf")
        assert office["state"] == "found"
