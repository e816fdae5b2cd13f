"""The context of an evaluation task: dataset, services with a separate store, and output folder."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from orderly.errors import Invalid, Misconfigured
from orderly.models import READABLE_STATUSES, Caller
from orderly.services.documents import read_revision
from orderly.services.library import Library
from orderly.settings import Settings
from orderly.store.functions.matters import create_matter
from orderly.wiring.services import Operator, Services, open_operator, open_services
from orderly_evaluation.dataset import Dataset, write_rows
from orderly_evaluation.held_out import HeldOut, RoutedEngine

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with (step, done, total)."""


def sample_of(cases: Sequence[T], limit: int | None) -> list[T]:
    """At most `limit` cases in their order, always the same, chosen at random.

    Equal steps through the 41 questions about each contract would meet the same twenty questions again and again.
    """
    if limit is None or limit >= len(cases):
        return list(cases)
    chosen = random.Random(len(cases)).sample(range(len(cases)), limit)  # noqa: S311 - a fixed choice
    return [cases[number] for number in sorted(chosen)]


@dataclass(frozen=True, slots=True)
class Matter:
    id: str
    documents: Mapping[str, str]
    """File name -> document id; the names of contracts and NDAs are without ".txt"."""

    @property
    def names(self) -> dict[str, str]:
        """Document id -> name."""
        return {id: name for name, id in self.documents.items()}


@dataclass
class Bench:
    data: Dataset
    out: Path
    services: Services
    operator: Operator
    caller: Caller
    held_out: HeldOut
    limit: int | None
    """Cases per task, by `sample_of`; None: all cases."""
    progress: Progress
    _matters: dict[str, Matter] = field(default_factory=dict)

    async def matter(self, folder: str) -> Matter:
        """The matter that holds the folder's files; ingests the files on first use."""
        if folder not in self._matters:
            self._matters[folder] = await self._ingest(folder)
        return self._matters[folder]

    def library(self, document: str) -> Library:
        """The library with an engine that was not trained on this document, if held-out weights are given."""
        return replace(self.services.library, engine=self.held_out.engine(self.services.engine, document))

    def sample(self, cases: Sequence[T]) -> list[T]:
        return sample_of(cases, self.limit)

    def track(self, what: str, cases: Sequence[T]) -> Iterable[T]:
        """Yields the cases and reports progress."""
        for done, case in enumerate(cases):
            self.progress(what, done, len(cases))
            yield case
        self.progress(what, len(cases), len(cases))

    def write(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        write_rows(self.out / f"{name}.jsonl", rows)

    async def files(self, folder: str, names: Iterable[str]) -> Matter:
        """The matter that holds these files of any format, each by its name with its ending."""
        id = await self._matter_id(folder)
        found = self.track(f"reading {folder}", sorted(names))
        return Matter(id, {name: await self._add(id, self.data.folder / folder / name) for name in found})

    async def _ingest(self, folder: str) -> Matter:
        id = await self._matter_id(folder)
        documents = {}
        for path in self.track(f"reading {folder}", self.data.sources(folder)):
            documents[path.stem] = await self._add(id, path)
            view = await read_revision(self.services.store, self.caller, documents[path.stem])
            if view.text != path.read_text(encoding="utf-8"):
                raise Invalid(f"{path.name} was not read as it stands, so that offsets would not be comparable.")
        return Matter(id, documents)

    async def _matter_id(self, folder: str) -> str:
        title = f"Evaluation: {folder}"
        known = await self.services.library.matters(self.caller)
        id = next((m["id"] for m in known if m["title"] == title), None)
        return id or (await create_matter(self.services.store, self.caller, title))["id"]

    async def _add(self, matter_id: str, path: Path) -> str:
        report = await self.operator.file_ingestor.add(self.caller, matter_id, path)
        if report.status not in READABLE_STATUSES:
            raise Invalid(f"{path.name} could not be read: {report.reason}")
        return report.document_id


@asynccontextmanager
async def open_bench(
    settings: Settings, data: Path, out: Path, engine: str, held_out: Path | None, limit: int | None, progress: Progress
) -> AsyncIterator[Bench]:
    """Opens an embedded store in `out`, which later runs reuse. Raises Misconfigured if `engine` has no API key."""
    await asyncio.to_thread(out.mkdir, parents=True, exist_ok=True)
    own: dict[str, object] = {"home": out / "store", "database_url": None, "supabase_url": None}
    if engine == "local":
        own |= {"isaacus_api_key": None, "isaacus_sagemaker_endpoints": ""}
    elif not settings.uses_isaacus:
        raise Misconfigured("The engine isaacus needs ISAACUS_API_KEY, or ISAACUS_SAGEMAKER_ENDPOINTS.")
    dataset, weights = Dataset(data), HeldOut(held_out)
    settings = settings.model_copy(update=own)
    routed = RoutedEngine(weights, dataset.names_by_text()) if held_out else None
    async with open_services(settings, routed) as services, open_operator(services) as operator:
        assert services.local_user is not None
        yield Bench(dataset, out, services, operator, Caller(services.local_user), weights, limit, progress)
