"""What the record costs: calls with it, and the same calls with the writing of entries taken out; and what a refusal costs."""

from __future__ import annotations

import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from orderly.errors import NotFound
from orderly.models import Caller
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from orderly.store.postgres import open_postgres, open_postgres_worker
from orderly.store.refusals import RecordsRefusals

ROUNDS = 400
NOTHING = """
create or replace function private.audit(action text, matter public.matters, document_id uuid default null, detail jsonb default '{}')
returns void language plpgsql security definer set search_path = '' as 'begin end'
"""


async def median_ms(call: Callable[[], Awaitable[object]]) -> float:
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        await call()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


async def measured(url: str) -> None:
    store, worker = await open_postgres(url), await open_postgres_worker(url)
    await worker.rpc("create_tenant", {"name": "Firm"})
    person = {"email": "ada@firm.example", "display_name": "Ada", "tenant": "Firm"}
    ada = Caller((await worker.rpc("create_user", person))["user_id"], thread_id="t", run_id="r")
    matter = await store.rpc(ada, "create_matter", {"title": "Matter"})

    async def read() -> None:
        await store.rpc(ada, "get_matter", {"matter_ref": matter["id"]})

    async def refused(through: RecordsRefusals | None) -> None:
        try:
            await (through or store).rpc(ada, "get_matter", {"matter_ref": "M-none"})
        except NotFound:
            return

    recorded = await median_ms(read)
    told, untold = await median_ms(lambda: refused(RecordsRefusals(store))), await median_ms(lambda: refused(None))
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(NOTHING)
    bare = await median_ms(read)
    sys.stdout.write(
        f"a read: {recorded:.2f} ms with its entry, {bare:.2f} ms without; the entry costs {recorded - bare:.2f} ms" + "\n"
    )
    sys.stdout.write(f"a refusal: {told:.2f} ms recorded, {untold:.2f} ms not" + "\n")
    await store.close()
    await worker.close()


async def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="orderly-bench-"))
    folder.chmod(0o711)
    try:
        async with EmbeddedPostgres(folder / "home") as server:
            await migrate(server.database_url)
            await measured(server.database_url)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    asyncio.run(main())
