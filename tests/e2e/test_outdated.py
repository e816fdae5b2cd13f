"""`orderly reingest --outdated`: files that an earlier edition of the readers has read are read again."""

from __future__ import annotations

from pathlib import Path

import psycopg

from orderly.store.embedded import EmbeddedPostgres
from support.installation import Installation


async def test_what_an_earlier_edition_has_read_is_counted_and_read_again(installation: Installation, tmp_path: Path) -> None:
    for name in ("lease.txt", "deed.txt"):
        (tmp_path / name).write_text(f"The rent in the {name} is $900 a week.")
    reports = installation.data("ingest", str(tmp_path), "--matter", "Outdated")
    lease = next(one["document_id"] for one in reports if one["filename"] == "lease.txt")
    assert "earlier edition" not in installation.run("health", lease).stdout
    await _age(installation, lease)
    assert "earlier edition" in installation.run("health", lease).stdout
    assert "1 document was read by an earlier edition" in installation.run("doctor").stdout
    assert "Name a document" in installation.run("reingest", code=2).stderr
    done = installation.run("reingest", "--outdated")
    assert done.stdout.strip().endswith("1 document was read again.") and "lease.txt" in done.stderr
    assert "earlier edition" not in installation.run("health", lease).stdout
    assert installation.run("reingest", "--outdated").stdout.strip() == "0 documents were read again."


async def test_what_cannot_be_read_again_stays_served(empty_installation: Installation, tmp_path: Path) -> None:
    installation = empty_installation
    (tmp_path / "lease.txt").write_text("The rent under the lease is $900 a week.")
    (report,) = installation.data("ingest", str(tmp_path / "lease.txt"), "--matter", "Outdated")
    await _age(installation, report["document_id"])
    (stored,) = (installation.home / "files").rglob("lease.txt")
    stored.unlink()
    done = installation.run("reingest", "--outdated", code=1)
    assert done.stdout.strip() == (
        "0 documents were read again. 1 could not be read; what was read before is searched and quoted as it was."
    )
    health = installation.run("health", report["document_id"]).stdout
    assert "The stored file is missing" in health and "earlier version, which is searched" in health
    assert "$900 a week" in installation.run("ask", "What is the rent?", "--matter", "Outdated").stdout


async def _age(installation: Installation, document_id: str) -> None:
    """Makes the document's revision one that an earlier edition of the readers has read."""
    async with EmbeddedPostgres(installation.home / "postgres") as server:
        with psycopg.connect(server.database_url, autocommit=True) as database:
            database.execute(
                "update document_revisions set health = health - 'edition' where document_id = %s and id in"
                " (select current_revision_id from documents)",
                (document_id,),
            )
