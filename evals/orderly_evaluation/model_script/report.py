"""Runs the whole model script in an installation of its own: every behaviour, then the cost of typical questions."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from orderly.models import Caller
from orderly.settings import Settings
from orderly.store.functions.matters import create_matter
from orderly.wiring.services import Operator, Services, open_operator, open_services
from orderly_evaluation.model_script.behaviour import DOCUMENT
from orderly_evaluation.model_script.behaviours import behaviours
from orderly_evaluation.model_script.costs import Cost, measure_costs
from orderly_evaluation.model_script.playing import Outcome, play_all

SCANNED = "scan"
"""Part of the name of the demonstration's scan, whose recognition would take most of the time."""

Progress = Callable[[str, int, int], None]
"""Called with (step, done, total)."""


@dataclass(frozen=True, slots=True)
class Report:
    outcomes: list[Outcome]
    costs: list[Cost]

    @property
    def faults(self) -> int:
        """Number of behaviours that did not end as they must."""
        return sum(bool(outcome.faults) for outcome in self.outcomes)

    def as_json(self) -> dict[str, Any]:
        return {"behaviours": [asdict(o) for o in self.outcomes], "costs": [asdict(c) for c in self.costs]}


async def run_model_script(settings: Settings, progress: Progress) -> Report:
    """Plays the script with a local store, engine and endpoint. Nothing leaves the machine."""
    with tempfile.TemporaryDirectory(prefix="orderly-model-script-") as folder:
        own = {"home": Path(folder), "database_url": None, "supabase_url": None, "isaacus_api_key": None}
        local = settings.model_copy(update={**own, "isaacus_sagemaker_endpoints": "", "tool_calls": 20})
        async with open_services(local) as services, open_operator(services) as operator:
            assert services.local_user is not None
            caller = Caller(services.local_user)
            outcomes = await _play_all(services, operator, caller, Path(folder), progress)
            progress("costs", 0, 1)
            costs = await _measure(services, operator, caller)
            progress("costs", 1, 1)
    return Report(outcomes, costs)


async def _play_all(services: Services, operator: Operator, caller: Caller, folder: Path, progress: Progress) -> list[Outcome]:
    matter = await create_matter(services.store, caller, "Misbehaving models")
    lease = folder / "lease.txt"
    await asyncio.to_thread(lease.write_text, DOCUMENT, encoding="utf-8")
    await operator.file_ingestor.add(caller, matter["id"], lease)
    every = behaviours()
    progress("behaviours", 0, len(every))
    return await play_all(services, caller, matter["id"], every, lambda done: progress("behaviours", done, len(every)))


async def _measure(services: Services, operator: Operator, caller: Caller) -> list[Cost]:
    """The costs with the demonstration's documents."""
    matter = await create_matter(services.store, caller, "Cost of questions")
    with as_file(files("orderly") / "demo_documents") as documents:
        for path in sorted(documents.iterdir()):
            if path.suffix != ".md" and SCANNED not in path.name:
                await operator.file_ingestor.add(caller, matter["id"], path)
    return await measure_costs(services, caller, matter["id"])
