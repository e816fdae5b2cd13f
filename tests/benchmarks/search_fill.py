"""Fills a database with matters of three sizes for the search benchmark, with the product's publication. The database is kept between runs."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from search_corpus import Source, Writer

from orderly.models import Caller
from orderly.store.base import Store, WorkerStore

PASSAGES = 50
"""Passages per document."""
AT_ONCE = 3
"""Documents published concurrently."""
SMALL, USUAL, HUGE = 250, 5_000, 100_000
SHARE_OF_HUGE = 0.3


@dataclass(frozen=True, slots=True)
class Shape:
    """Number and size (in passages) of the matters of each kind."""

    sizes: dict[str, int]
    counts: dict[str, int]

    @classmethod
    def of(cls, chunks: int, matters: int) -> Shape:
        """Returns a shape with about `chunks` passages in total; a small fill has smaller matters."""
        huge, usual, small = min(HUGE, chunks // 3), min(USUAL, chunks // 20), min(SMALL, max(50, chunks // 80))
        huge_ones = max(1, int(SHARE_OF_HUGE * chunks / huge))
        rest, left = chunks - huge_ones * huge, matters - huge_ones
        usual_ones = max(1, min(left - 1, (rest - left * small) // (usual - small)))
        return cls(
            {"small": small, "usual": usual, "huge": huge},
            {"small": left - usual_ones, "usual": usual_ones, "huge": huge_ones},
        )

    @property
    def total(self) -> int:
        return sum(self.sizes[kind] * count for kind, count in self.counts.items())


@dataclass(frozen=True, slots=True)
class Filled:
    user_id: str
    matters: dict[str, list[str]]
    """Kind -> ids of matters."""
    parties: dict[str, list[str]]
    """Matter -> some party names in its documents."""


async def filled(marker: Path, store: Store, worker: WorkerStore, source: Source, model: str, shape: Shape) -> Filled:
    """Returns the fill that `marker` describes, or fills the database. Raises SystemExit after an interrupted fill."""
    if marker.exists():
        return Filled(**json.loads(marker.read_text()))
    if any(t["email"] == "bench@orderly.invalid" for t in await worker.rpc("list_users", {})):
        raise SystemExit("An earlier fill was interrupted: remove the benchmark's home folder and start again.")
    await worker.rpc("create_tenant", {"name": "Bench"})
    person = {"email": "bench@orderly.invalid", "display_name": "Bench", "tenant": "Bench"}
    user = (await worker.rpc("create_user", person))["user_id"]
    made = await _Filler(store, worker, Caller(user), Writer(source, model, seed=7), shape).fill()
    marker.write_text(json.dumps(asdict(made)))
    return made


class _Filler:
    def __init__(self, store: Store, worker: WorkerStore, caller: Caller, writer: Writer, shape: Shape) -> None:
        self._store, self._worker, self._caller, self._writer, self._shape = store, worker, caller, writer, shape
        self._done, self._started = 0, time.perf_counter()

    async def fill(self) -> Filled:
        kinds = [kind for kind, count in self._shape.counts.items() for _ in range(count)]
        # The kinds are mixed, so that the passages of one kind are scattered on disk.
        kinds.sort(key=lambda kind: (kind == "small", kind))
        made = Filled(self._caller.user_id, {kind: [] for kind in self._shape.sizes}, {})
        places = asyncio.Queue[str]()
        for kind in kinds:
            places.put_nowait(kind)

        async def work() -> None:
            while not places.empty():
                kind = places.get_nowait()
                title = {"title": f"{kind} {self._writer.name()}"}
                matter = (await self._store.rpc(self._caller, "create_matter", title))["id"]
                made.parties[matter] = await self._matter(matter, self._shape.sizes[kind])
                made.matters[kind].append(matter)

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
        return made

    async def _matter(self, matter: str, passages: int) -> list[str]:
        names: list[str] = []
        for number, start in enumerate(range(0, passages, PASSAGES)):
            parties = [self._writer.name(), self._writer.name()]
            names += parties if len(names) < 40 else []
            file = {
                "filename": f"{number:05} {parties[0]} {parties[1]}.txt",
                "content_type": "text/plain",
                "size_bytes": 1,
                "sha256": f"{number:064x}",
            }
            made = await self._store.rpc(self._caller, "register_document", {"matter_ref": matter, **file})
            document = made["document"]["id"]
            await self._store.rpc(self._caller, "document_stored", {"document_id": document})
            count = min(PASSAGES, passages - start)
            revision = await asyncio.to_thread(self._writer.revision, document, parties, count)
            taking = {"document_id": document, "lease_seconds": 300, "max_attempts": 1}
            taken = await self._worker.rpc("claim_document", taking)
            await self._worker.publish(revision, taken["claim"])
            self._done += count
            self._print_progress(count)
        return names

    def _print_progress(self, count: int) -> None:
        """Prints the progress after every 5 %."""
        step = self._shape.total // 20
        if self._done // step > (self._done - count) // step:
            rate = self._done / (time.perf_counter() - self._started)
            sys.stdout.write(f"{self._done:,} of {self._shape.total:,} passages, {rate:,.0f} a second\n")
            sys.stdout.flush()
