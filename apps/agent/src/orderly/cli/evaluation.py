from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import click

from orderly.cli.session import runs
from orderly.evaluation import PREDICTORS, Row, predictor
from orderly.settings import load_settings


@click.command("eval")
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--only", default="", help=f"Comma-separated, of: {', '.join(PREDICTORS)}. Default: all.")
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder for the predictions.")
@runs
async def evaluate(data: Path, only: str, out: Path) -> None:
    """Write predictions for a data folder with gold answers; a scorer reads them."""
    names = [name.strip() for name in only.split(",") if name.strip()] or list(PREDICTORS)
    if unknown := [name for name in names if name not in PREDICTORS]:
        raise click.BadParameter(f"{unknown[0]} is not one of {', '.join(PREDICTORS)}", param_hint="--only")
    settings = load_settings()
    for name in names:
        rows = list(await predictor(name)(data, settings))
        _write(out / f"{name}.jsonl", rows)
        click.echo(f"{name}: {len(rows)} rows")


def _write(path: Path, rows: Iterable[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
