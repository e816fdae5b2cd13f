from __future__ import annotations

import importlib
import json
import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from orderly.cli.session import runs
from orderly.errors import Invalid
from orderly.evaluation import TASKS, tasks_without_data
from orderly.evaluation.baselines import changes, figures
from orderly.evaluation.bench import Bench, open_bench
from orderly.evaluation.dataset import Dataset
from orderly.evaluation.isaacus_cost import estimate
from orderly.settings import load_settings


@click.command(name="eval")
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for predictions, figures and the store.",
)
@click.option("--engine", type=click.Choice(["local", "isaacus"]), default="local", show_default=True)
@click.option(
    "--only",
    multiple=True,
    help=f"One or more of {', '.join(TASKS)}; separated by commas or given several times. Default: all.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    help="Number of cases per task, spread evenly. For a quick look, not for published figures.",
)
@click.option(
    "--held-out",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Weights by fold, from evals/train.py: no document is measured by an engine that was trained on it.",
)
@click.option(
    "--compare",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An earlier metrics.json; exits with 1 if a figure dropped.",
)
@click.option("--yes", is_flag=True, help="Do not ask before calls to Isaacus, which cost money.")
@runs
async def evaluate(
    data: Path,
    out: Path,
    engine: str,
    only: tuple[str, ...],
    limit: int | None,
    held_out: Path | None,
    compare: Path | None,
    yes: bool,
) -> None:
    """Measure search, extraction and classification on a folder of documents with gold answers."""
    selected = tuple(name.strip() for value in only for name in value.split(",") if name.strip())
    names = selected or tuple(task for task in TASKS if task not in tasks_without_data(data))
    if unknown := [name for name in names if name not in TASKS]:
        raise click.BadParameter(f"{unknown[0]} is not one of {', '.join(TASKS)}", param_hint="--only")
    console = Console(stderr=True, highlight=False)
    if left_out := [task for task in TASKS if task not in names and not selected]:
        console.print(f"Not measured, because {data} has no data for it: {', '.join(left_out)}.")
    if engine == "isaacus":
        console.print(str(estimate(Dataset(data), names, limit)))
        if not yes:
            click.confirm("Start?", abort=True, err=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bars:
        rows: dict[str, Any] = {}

        def progress(name: str, done: int, total: int) -> None:
            if name not in rows:
                rows[name] = bars.add_task(name, total=total)
            bars.update(rows[name], completed=done)

        async with open_bench(load_settings(), data, out, engine, held_out, limit, progress) as bench:
            metrics = await _measure(bench, names)
    _print(metrics)
    if compare is not None:
        _compare(compare, metrics, console)


async def _measure(bench: Bench, names: tuple[str, ...]) -> dict[str, Any]:
    metrics: dict[str, Any] = {
        "engine": bench.services.engine.description,
        "weights": bench.held_out.description,
        "limit": bench.limit,
    }
    for name in names:
        module, function = TASKS[name].split(":")
        began = time.perf_counter()
        figures = await getattr(importlib.import_module(f"orderly.evaluation.{module}"), function)(bench)
        metrics[name] = {**figures, "seconds": round(time.perf_counter() - began, 1)}
        (bench.out / "metrics.json").write_text(json.dumps(metrics, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return metrics


def _print(metrics: dict[str, Any]) -> None:
    table = Table("figure", "value")
    for name, value in figures(metrics):
        if ".labels." not in name:
            table.add_row(name, f"{value:.4f}")
    Console(highlight=False).print(table)


def _compare(baseline: Path, after: dict[str, Any], console: Console) -> None:
    before = json.loads(baseline.read_text(encoding="utf-8"))
    if before.get("limit") != after.get("limit") or before.get("weights") != after.get("weights"):
        raise Invalid("The baseline was measured on other cases or with other weights; these figures cannot be compared.")
    changed = changes(before, after)
    for change in changed:
        mark = "DROPPED " if change.dropped else ""
        console.print(f"{mark}{change.figure}: {change.before:.4f} -> {change.after:.4f}")
    if any(change.dropped for change in changed):
        raise click.exceptions.Exit(1)
