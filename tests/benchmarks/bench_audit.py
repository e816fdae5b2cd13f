"""Cost of the audit record: calls with an audit entry, with an entry without fsync, and without an entry; and the cost of a refusal."""

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
from orderly.store.base import Store
from orderly.store.embedded import EmbeddedPostgres
from orderly.store.migrate import migrate
from orderly.store.postgres import open_postgres, open_postgres_worker
from orderly.store.refusals import RecordsRefusals

ROUNDS = 400
# The variants are measured alternately, so that all run under the same load.
TARGET_MS = 5.0

UNRECORDED = """
do $$ begin
  execute replace(replace(
    pg_get_functiondef('public.get_matter'::regproc), 'public.get_matter', 'public.get_matter_unrecorded'),
    'perform private.audit(', 'perform private.no_audit(');
end $$;
create function private.no_audit(action text, matter public.matters, document_id uuid default null, detail jsonb default '{}')
returns void language plpgsql security definer set search_path = '' as 'begin end';
grant execute on function public.get_matter_unrecorded to authenticated;
"""

Call = Callable[[], Awaitable[object]]


async def in_turn(**calls: Call) -> dict[str, list[float]]:
    """Runs the calls alternately; returns milliseconds per call."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            began = time.perf_counter()
            await call()
            taken[name].append((time.perf_counter() - began) * 1000)
    return taken


async def measured(url: str) -> float:
    """Returns the median cost of an entry in milliseconds."""
    store, worker = await open_postgres(url), await open_postgres_worker(url)
    hasty = await open_postgres(url + "&options=-csynchronous_commit%3Doff")
    await worker.rpc("create_tenant", {"name": "Firm"})
    person = {"email": "ada@firm.example", "display_name": "Ada", "tenant": "Firm"}
    ada = Caller((await worker.rpc("create_user", person))["user_id"], thread_id="t", run_id="r")
    matter = {"matter_ref": (await store.rpc(ada, "create_matter", {"title": "Matter"}))["id"]}
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(UNRECORDED)

    async def refused(through: Store) -> None:
        try:
            await through.rpc(ada, "get_matter", {"matter_ref": "M-none"})
        except NotFound:
            return

    taken = await in_turn(
        recorded=lambda: store.rpc(ada, "get_matter", matter),
        hasty=lambda: hasty.rpc(ada, "get_matter", matter),
        bare=lambda: store.rpc(ada, "get_matter_unrecorded", matter),
        told=lambda: refused(RecordsRefusals(store)),
        untold=lambda: refused(store),
    )
    ms = {name: statistics.median(times) for name, times in taken.items()}
    costs = [a - b for a, b in zip(taken["recorded"], taken["bare"], strict=True)]
    sys.stdout.write(
        f"a read: {ms['recorded']:.2f} ms with its entry, {ms['bare']:.2f} ms without\n"
        f"an entry: {statistics.median(costs):.2f} ms (95 of 100 within {sorted(costs)[int(len(costs) * 0.95)]:.2f} ms), of which the disk "
        f"{ms['recorded'] - ms['hasty']:.2f} ms and all else {ms['hasty'] - ms['bare']:.2f} ms\n"
        f"a refusal: {ms['told']:.2f} ms recorded, {ms['untold']:.2f} ms not\n"
    )
    for opened in (store, worker, hasty):
        await opened.close()
    return statistics.median(costs)


async def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="orderly-bench-"))
    folder.chmod(0o711)
    try:
        async with EmbeddedPostgres(folder / "home") as server:
            await migrate(server.database_url)
            return 0 if await measured(server.database_url) <= TARGET_MS else 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
