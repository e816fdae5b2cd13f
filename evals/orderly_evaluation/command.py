from __future__ import annotations

import asyncio
import importlib
import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from orderly.cli.session import runs
from orderly.errors import Invalid
from orderly.settings import load_settings
from orderly_evaluation import TASKS, tasks_without_data
from orderly_evaluation.baselines import changes, figures
from orderly_evaluation.bench import Bench, open_bench
from orderly_evaluation.dataset import Dataset
from orderly_evaluation.isaacus_cost import estimate


@click.command(name="eval")
@click.argument("data", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--out",
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
    help="Number of cases per task, always the same. For a quick look.",
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
@click.option(
    "--model-script",
    is_flag=True,
    help="Instead of DATA: play a chat model that misbehaves, show what the user sees, and count the tokens of prompts.",
)
@click.option("--yes", is_flag=True, help="Do not ask before calls to Isaacus, which cost money.")
@runs
async def evaluate(  # noqa: PLR0913, PLR0917  # one argument per option
    data: Path | None,
    out: Path | None,
    engine: str,
    only: tuple[str, ...],
    limit: int | None,
    held_out: Path | None,
    compare: Path | None,
    model_script: bool,
    yes: bool,
) -> None:
    """Measure search, extraction and classification on a folder of documents with gold answers."""
    if model_script:
        await _play_model_script(out)
        return
    if data is None or out is None:
        raise click.UsageError("Give DATA and --out, or --model-script.")
    selected = tuple(name.strip() for value in only for name in value.split(",") if name.strip())
    names = selected or tuple(task for task in TASKS if task not in tasks_without_data(data))
    if unknown := [name for name in names if name not in TASKS]:
        raise click.BadParameter(f"{unknown[0]} is not one of {', '.join(TASKS)}", param_hint="--only")
    console = Console(stderr=True, highlight=False)
    if left_out := [task for task in TASKS if task not in names and not selected]:
        console.print(f"Not measured, because {data} has no data for it: {', '.join(left_out)}.")
    if engine == "isaacus":
        console.print(str(estimate(Dataset(data), names, limit)), soft_wrap=True)
        if not yes:
            click.confirm("Start?", abort=True, err=True)
    with _bars(console) as progress:
        async with open_bench(load_settings(), data, out, engine, held_out, limit, progress) as bench:
            metrics = await _measure(bench, names)
    _print(metrics)
    if compare is not None:
        _compare(compare, metrics, console)


@contextmanager
def _bars(console: Console) -> Iterator[Callable[[str, int, int], None]]:
    """Shows a bar for each step; yields the function that takes (step, done, total)."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as bars:
        rows: dict[str, Any] = {}

        def progress(name: str, done: int, total: int) -> None:
            if name not in rows:
                rows[name] = bars.add_task(name, total=total)
            bars.update(rows[name], completed=done)

        yield progress


async def _play_model_script(out: Path | None) -> None:
    """Prints what the user sees of each behaviour and what questions cost. Exits with 1 if a behaviour ends badly."""
    from orderly_evaluation.model_script.report import run_model_script  # noqa: PLC0415  # imports the graph

    logging.getLogger("orderly").setLevel(logging.ERROR)
    with _bars(Console(stderr=True, highlight=False)) as progress:
        report = await run_model_script(load_settings(), progress)
    seen = Table("behaviour", "seconds", "requests", "what the user saw")
    for outcome in report.outcomes:
        faults = f"WRONG: {'; '.join(outcome.faults)}. " if outcome.faults else ""
        seen.add_row(outcome.behaviour, f"{outcome.seconds:.1f}", str(outcome.requests), Text(faults + outcome.seen))
    costs = Table("question", "shape", "requests", "prompt tokens", "largest prompt", "cached", "repeated")
    for cost in report.costs:
        shares = f"{cost.cached_share:.0%}", f"{cost.repeated_share:.0%}"
        costs.add_row(cost.name, cost.shape, str(cost.requests), f"{cost.prompt_tokens:,}", f"{cost.largest:,}", *shares)
    console = Console(highlight=False)
    console.print(seen, costs, f"{len(report.outcomes) - report.faults} of {len(report.outcomes)} ended as they must.")
    if out is not None:
        await asyncio.to_thread(out.mkdir, parents=True, exist_ok=True)
        text = json.dumps(report.as_json(), indent=1, ensure_ascii=False) + "\n"
        await asyncio.to_thread((out / "model_script.json").write_text, text, encoding="utf-8")
    if report.faults:
        raise click.exceptions.Exit(1)


async def _measure(bench: Bench, names: tuple[str, ...]) -> dict[str, Any]:
    metrics: dict[str, Any] = {
        "engine": bench.services.engine.description,
        "weights": bench.held_out.description,
        "limit": bench.limit,
    }
    for name in names:
        module, function = TASKS[name].split(":")
        began = time.perf_counter()
        figures = await getattr(importlib.import_module(f"orderly_evaluation.{module}"), function)(bench)
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
