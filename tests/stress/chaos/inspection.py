"""Inspects an installation: its searchable documents, and leftovers that should not exist."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from orderly.store.embedded import EmbeddedPostgres

FINAL = {"ready", "partial", "failed", "unsupported"}

DOCUMENTS = """
select d.sha256, d.filename, d.status, d.storage_key, r.text,
  (select array_agg(c.text order by c.ordinal) from chunks c where c.revision_id = r.id),
  (select count(*) from chunk_embeddings e where e.revision_id = r.id)
from documents d left join document_revisions r on r.id = d.current_revision_id
where d.deleted_at is null
"""
LEFTOVERS = {
    "chunk of no current revision or document": "select count(*) from chunks c where not exists"
    " (select from documents d where d.current_revision_id = c.revision_id and d.id = c.document_id)",
    "vector without a chunk": "select count(*) from chunk_embeddings e where not exists"
    " (select from chunks c where c.id = e.chunk_id and c.revision_id = e.revision_id)",
    "revision never published": "select count(*) from document_revisions where published_at is null",
    "second revision of a document": "select count(*) from document_revisions where ordinal > 1",
    "job left in the queue": "select count(*) from queue.procrastinate_jobs where task_name = 'process_document'",
    "claim on a finished document": "select count(*) from documents where claimed_at is not null and status = any"
    " (array['ready', 'partial', 'failed', 'unsupported'])",
}
# Every column that refers to a document or a revision, with or without a foreign key.
REFERRING_COLUMNS = """
select c.table_schema, c.table_name, c.column_name from information_schema.columns c
join information_schema.tables t using (table_schema, table_name)
where c.table_schema in ('public', 'private') and t.table_type = 'BASE TABLE' and c.column_name in ('document_id', 'revision_id')
  and c.table_name not in ('audit_log', 'receipts')
"""


@dataclass(frozen=True)
class Document:
    sha256: str
    status: str
    text: str | None
    chunks: tuple[str, ...]
    vectors: int


@dataclass(frozen=True)
class Holdings:
    documents: tuple[Document, ...]
    unfinished: dict[str, str]
    """File name -> status of documents in no final state, without unfinished uploads, which `uploading` counts."""
    uploading: int
    violations: tuple[str, ...]


async def inspect(home: Path) -> Holdings:
    async with EmbeddedPostgres(home / "postgres") as server:
        with psycopg.connect(server.database_url) as db:
            rows = db.execute(DOCUMENTS).fetchall()
            violations = [f"{n} × {what}" for what, query in LEFTOVERS.items() if (n := _count(db, query))]
            violations += _dangling(db) + _leftover_ocr_pages(db) + _stray_files(db, home / "files", [row[3] for row in rows])
    done = [row for row in rows if row[2] in FINAL]
    return Holdings(
        documents=tuple(Document(r[0], r[2], _digest(r[4]), tuple(r[5] or ()), r[6]) for r in done),
        unfinished={row[1]: row[2] for row in rows if row[2] not in FINAL and row[2] != "uploading"},
        uploading=sum(row[2] == "uploading" for row in rows),
        violations=tuple(violations),
    )


def differences(undisturbed: Holdings, disturbed: Holdings) -> list[str]:
    """Returns documents lost, duplicated or with different searchable content."""
    before, after = Counter(d.sha256 for d in undisturbed.documents), Counter(d.sha256 for d in disturbed.documents)
    found = [f"lost: {n} × {sha}" for sha, n in (before - after).items()]
    found += [f"duplicated: {n} × {sha}" for sha, n in (after - before).items()]
    known = {d.sha256: d for d in undisturbed.documents}
    for d in disturbed.documents:
        if d.sha256 in known and d != known[d.sha256]:
            k = known[d.sha256]
            found.append(f"differs: {d.sha256[:12]} {k.status} → {d.status}, vectors {k.vectors} → {d.vectors}")
    return found


def _count(db: psycopg.Connection[Any], query: str) -> int:
    row = db.execute(query).fetchone()  # type: ignore[arg-type]
    assert row is not None
    return int(row[0])


def _digest(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()


def _dangling(db: psycopg.Connection[Any]) -> list[str]:
    found = []
    for schema, table, column in db.execute(REFERRING_COLUMNS).fetchall():
        home = "documents" if column == "document_id" else "document_revisions"
        query = f"select count(*) from {schema}.{table} t where t.{column} is not null and not exists (select from {home} h where h.id = t.{column})"
        if n := _count(db, query):
            found.append(f"{n} × row of {table} whose {column} does not exist")
    return found


def _leftover_ocr_pages(db: psycopg.Connection[Any]) -> list[str]:
    """OCR pages may exist only while a document is being processed, or after a failure for the next attempt."""
    row = db.execute("select to_regclass('ocr_pages')").fetchone()
    if row is None or row[0] is None:
        return []
    n = _count(db, "select count(*) from ocr_pages p join documents d on d.id = p.document_id where d.status <> 'failed'")
    return [f"{n} × OCR page of a finished document"] if n else []


def _stray_files(db: psycopg.Connection[Any], root: Path, known: list[str]) -> list[str]:
    keys = {*known, *(row[0] for row in db.execute("select storage_key from document_revisions"))}
    on_disk = {str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()} if root.exists() else set()
    missing = {row[0] for row in db.execute("select storage_key from documents where status <> 'uploading'")} - on_disk
    return [f"blob without a document: {key}" for key in sorted(on_disk - keys)] + [
        f"blob missing: {key}" for key in sorted(missing)
    ]
