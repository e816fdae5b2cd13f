from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from orderly.agent import rendering
from orderly.cli.session import json_option, runs, session, show
from orderly.models import FEW_RESULTS


@click.command()
@click.argument("id")
@click.argument("number", required=False, type=click.IntRange(1))
@click.option("--highlight", default=None, help="Id of a citation, passage or section to highlight.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Default: page-N.png here.")
@json_option
@runs
async def page(id: str, number: int | None, highlight: str | None, out: Path | None, as_json: bool) -> None:
    """Write an image of a page, with a citation highlighted, to a PNG file."""
    async with session() as s:
        image = await s.services.pages.view(s.caller, id, number, highlight)
    target = out or Path(f"page-{image.page or 'excerpt'}.png")
    target.write_bytes(image.png)
    data = {key: value for key, value in asdict(image).items() if key != "png"}
    show({**data, "file": str(target)}, f"{rendering.page_image(image)}\nWritten to {target}", as_json)


@click.command()
@click.argument("matter")
@click.argument("query")
@click.option("--max-results", default=FEW_RESULTS, show_default=True, type=click.IntRange(1, 10))
@json_option
@runs
async def look(matter: str, query: str, max_results: int, as_json: bool) -> None:
    """Find pages by their visual content: drawings, tables, signatures, stamps."""
    async with session() as s:
        result = await s.services.visuals.search(s.caller, matter, query, max_results)
    show(asdict(result), rendering.visual_results(result), as_json)
