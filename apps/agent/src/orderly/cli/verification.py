from __future__ import annotations

from typing import Any

import click

from orderly.agent import rendering
from orderly.cli.session import json_option, runs, session, show
from orderly.services.citations import Resolution

REFUSED = 3
"""Exit code of a quotation that the gate refuses."""


@click.command()
@click.argument("document")
@click.argument("quote")
@click.option("--page", default=None, type=click.IntRange(1), help="The claimed page of the quotation.")
@click.option("--start", default=None, type=click.IntRange(0), help="The claimed start offset of the quotation.")
@click.option("--section", default=None, help='The claimed section of the quotation, such as "Section 10.2(a)".')
@json_option
@runs
async def verify(document: str, quote: str, page: int | None, start: int | None, section: str | None, as_json: bool) -> None:
    """Verify that DOCUMENT contains a quotation word for word. DOCUMENT is an id, also of an earlier citation.

    Exits with 0 if it does, with 3 if it does not.
    """
    async with session() as s:
        result = await s.services.library.resolve(s.caller, document, quote, page, start, section)
    show(_data(result), rendering.resolution(result), as_json)
    if not result.citation:
        raise click.exceptions.Exit(REFUSED)


def _data(result: Resolution) -> dict[str, Any]:
    return {
        "verified": result.citation is not None,
        "document": result.document_name,
        "quote": result.quote,
        "citation": result.citation,
        "reason": result.reason or None,
        "difference": result.difference or None,
        "nearest": result.nearest.record() if result.nearest else None,
        "parts": [
            {"text": part.text, "place": part.place.record() if part.place else None, "reason": part.reason or None}
            for part in result.parts
        ],
    }
