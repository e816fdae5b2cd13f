"""Embedded store: start, publication relative to bare COPY, and search: `python tests/benchmarks/bench_store.py`."""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from uuid import UUID, uuid4, uuid5

import numpy as np
import psycopg

sys.path.insert(0, str(Path(__file__).parents[1]))

from orderly.models import Caller, Chunk, Embedding, Extracted, Page, RevisionContent
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from orderly.store.postgres import PostgresStore, PostgresWorkerStore, open_postgres, open_postgres_worker
from orderly.store.postgres_copy import binary_copies
from support.revisions import claim, publish

DOCUMENTS, CHUNKS, DIMENSIONS = 50, 100, 384
MODEL = "bench"
RNG = np.random.default_rng(7)
WORDS = [
    f"{a}{b}"
    for a in ["term", "part", "law", "pay", "own", "use", "hold", "sell", "ship", "lease"]
    for b in ["er", "ing", "ment", "ion", "al", "ive", "s", "ed", "ly", "ness"]
]
WEIGHTS = [1 / (rank + 1) for rank in range(len(WORDS))]


def revision(document_id: str, count: int = CHUNKS) -> RevisionContent:
    picker = random.Random(document_id)
    revision_id = str(uuid4())
    passages = [" ".join(picker.choices(WORDS, WEIGHTS, k=200)) for _ in range(count)]
    starts = [0]
    for passage in passages:
        starts.append(starts[-1] + len(passage) + 1)
    text = "\n".join(passages)
    vectors = RNG.standard_normal((count, DIMENSIONS))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return RevisionContent(
        document_id=document_id,
        revision_id=revision_id,
        extracted=Extracted(text, (Page(1, 0, len(text)),), False, "bench"),
        sections=(),
        chunks=tuple(Chunk(i, starts[i], starts[i] + len(p), None, 1, 1) for i, p in enumerate(passages)),
        chunk_ids=tuple(str(uuid5(UUID(document_id), f"{revision_id}:{i}")) for i in range(count)),
        embedding_model=MODEL,
        embeddings=tuple(Embedding(i, 0, tuple(v)) for i, v in enumerate(vectors.tolist())),
        status="ready",
        reason="",
        health={},
    )


async def timed(what: str, action: Callable[[], Awaitable[object]], repeat: int = 1) -> float:
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        await action()
        times.append(time.perf_counter() - started)
    median = statistics.median(times)
    sys.stdout.write(f"{what:45} {median * 1000:9.1f} ms   (min {min(times) * 1000:.1f}, max {max(times) * 1000:.1f})\n")
    return median


COPIED = ("document_revisions", "chunks", "chunk_embeddings")
COLUMNS = """
select string_agg(quote_ident(column_name), ', ' order by ordinal_position) from information_schema.columns
where table_schema = 'public' and table_name = %s and is_generated = 'NEVER'
"""


def bare_copy(url: str, document_id: str) -> float:
    """Returns the seconds of psycopg's COPY of one document's encoded rows into tables with the same indexes."""
    took = 0.0
    with psycopg.connect(url, autocommit=True) as db:
        (revision_id,) = db.execute("select current_revision_id from documents where id = %s", (document_id,)).fetchone() or (
            "",
        )
        for table in COPIED:
            [columns] = db.execute(COLUMNS, (table,)).fetchone() or ("",)
            db.execute(f"drop table if exists bare_{table}")
            db.execute(f"create table bare_{table} (like public.{table} including all)")
            key = "id" if table == "document_revisions" else "revision_id"
            query = f"copy (select {columns} from public.{table} where {key} = '{revision_id}') to stdout (format binary)"
            with db.cursor().copy(query) as reading:
                blocks = [bytes(block) for block in reading]
            started = time.perf_counter()
            with db.cursor().copy(f"copy bare_{table} ({columns}) from stdin (format binary)") as writing:
                for block in blocks:
                    writing.write(block)
            took += time.perf_counter() - started
    return took


async def measure_publishing(
    url: str, store: PostgresStore, me: Caller, worker: PostgresWorkerStore, document_ids: Sequence[str]
) -> None:
    """Measures publication and bare COPY alternately. Publication also writes text, revision, foreign keys and audit, and switches the
    revision; the database's time excludes the construction of rows.
    """
    rows, published, making, bare = DOCUMENTS * CHUNKS, [], [], []
    for document_id in document_ids:
        content = revision(document_id, rows)
        await store.rpc(me, "reprocess_document", {"document_id": document_id})
        held = await claim(worker, document_id)
        started = time.perf_counter()
        await worker.publish(content, held)
        published.append(time.perf_counter() - started)
        started = time.perf_counter()
        await asyncio.to_thread(binary_copies, content)
        making.append(time.perf_counter() - started)
        bare.append(await asyncio.to_thread(bare_copy, url, document_id))
    ours, plain, made = (statistics.median(times) for times in (published, bare, making))
    sys.stdout.write(f"publish {rows} chunks in one document: {rows / ours:.0f}/s; bare COPY {rows / plain:.0f}/s; ")
    sys.stdout.write(f"ratio {plain / ours:.2f}, of the database's side alone {plain / (ours - made):.2f}\n")


async def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="orderly-bench-"))
    home.chmod(0o711)
    started = time.perf_counter()
    async with EmbeddedPostgres(home / "home") as server:
        sys.stdout.write(f"cold start {time.perf_counter() - started:.2f} s\n")
    started = time.perf_counter()
    async with EmbeddedPostgres(home / "home") as server:
        sys.stdout.write(f"warm start {time.perf_counter() - started:.2f} s\n")
        url = server.database_url
        await migrate(url)
        await measure(url)


async def measure(url: str) -> None:
    store, worker = await open_postgres(url), await open_postgres_worker(url)
    await worker.rpc("create_tenant", {"name": "Bench"})
    user = await worker.rpc("create_user", {"email": "b@e.nch", "display_name": "B", "tenant": "Bench"})
    me = Caller(user["user_id"])
    matter = (await store.rpc(me, "create_matter", {"title": "Bench"}))["id"]
    contents = []
    for number in range(DOCUMENTS):
        file = {"filename": f"{number}.txt", "content_type": "text/plain", "size_bytes": 1, "sha256": f"{number:064x}"}
        made = await store.rpc(me, "register_document", {"matter_ref": matter, **file})
        await store.rpc(me, "document_stored", {"document_id": made["document"]["id"]})
        contents.append(revision(made["document"]["id"]))

    async def publish_all() -> None:
        for content in contents:
            await publish(worker, content)

    rows = DOCUMENTS * CHUNKS
    took = await timed(f"publish {rows} chunks + {rows} vectors", publish_all)
    sys.stdout.write(f"  {rows / took:.0f} chunks (with vector) a second\n")
    vector = "[" + ",".join(map(repr, RNG.standard_normal(DIMENSIONS).tolist())) + "]"
    nearest = {"matter_id": matter, "query_embedding": vector, "model": MODEL, "match_count": 30}
    words = {"matter_id": matter, "query": "when may the leaseness terminate shipal and payment", "match_count": 30}
    await timed("match_document_embeddings", lambda: store.rpc(me, "match_document_embeddings", nearest), 20)
    await timed("search_chunks", lambda: store.rpc(me, "search_chunks", words), 20)
    await timed("search_chunks, rare word", lambda: store.rpc(me, "search_chunks", {**words, "query": "lawness"}), 20)
    await timed("list_documents", lambda: store.rpc(me, "list_documents", {"matter_ref": matter}), 20)
    await timed("whoami", lambda: store.rpc(me, "whoami", {}), 50)
    await timed("get_matter (audited)", lambda: store.rpc(me, "get_matter", {"matter_ref": matter}), 50)
    await measure_publishing(url, store, me, worker, [c.document_id for c in contents[:5]])
    await store.close()
    await worker.close()


if __name__ == "__main__":
    asyncio.run(main())
