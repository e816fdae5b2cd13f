from __future__ import annotations

from dataclasses import asdict

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from orderly.cli.session import json_option, operator_session, runs, show
from orderly.services.engines import LegalEngine
from orderly.services.ingestion import Reembedded, Reembedder
from orderly.settings import Settings
from orderly.wiring.engines import engine_named


@click.command()
@click.argument("matter", required=False)
@click.option("--engine", type=click.Choice(["local", "isaacus"]), help="Engine that embeds. Default: the engine in use.")
@click.option("--drop-old", is_flag=True, help="Afterwards remove the vectors of other engines from completed documents.")
@json_option
@runs
async def reembed(matter: str | None, engine: str | None, drop_old: bool, as_json: bool) -> None:
    """Embed the documents of a matter, or of all matters, with another engine. Old vectors stay in use until you switch."""
    async with operator_session() as (s, operator):
        matter_id = None if matter is None else (await s.services.library.matter(s.caller, matter))["id"]
        chosen = _engine(s.services.settings, engine)
        try:
            work = Reembedder(operator.worker, chosen)
            report = await _run(work, matter_id)
            dropped = await work.drop_others(matter_id) if drop_old else (0, 0)
        finally:
            await chosen.close()
    data = {"model": chosen.embedding_model, **asdict(report), "dropped_vectors": dropped[1]}
    show(data, "\n".join(_lines(report, chosen, dropped)), as_json)
    if report.refused:
        raise click.exceptions.Exit(1)


def _engine(settings: Settings, name: str | None) -> LegalEngine:
    return engine_named(settings, name or ("isaacus" if settings.uses_isaacus else "local"))


async def _run(work: Reembedder, matter_id: str | None) -> Reembedded:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True, highlight=False)) as bar:
        row = bar.add_task("embedding", total=None)
        return await work.run(
            matter_id, lambda name, done, total: bar.update(row, description=name, completed=done, total=total)
        )


def _lines(report: Reembedded, engine: LegalEngine, dropped: tuple[int, int]) -> list[str]:
    lines = [f"{report.documents} documents now have vectors of {engine.embedding_model} ({report.vectors} made)."]
    lines += [f"- {name} got a new version meanwhile" for name in report.replaced]
    lines += [f"✗ {name}: {reason}" for name, reason in report.refused]
    if dropped[0]:
        lines.append(f"Removed {dropped[1]} vectors of other engines from {dropped[0]} documents.")
    return lines
