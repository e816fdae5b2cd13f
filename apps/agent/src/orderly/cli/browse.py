from __future__ import annotations

from dataclasses import asdict
from typing import Any
from zoneinfo import ZoneInfo

import click

from orderly.agent import rendering
from orderly.cli.session import json_option, runs, session, show
from orderly.services.documents import FindKind
from orderly.services.search import KeywordMode, KeywordQuery

limit_option = click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 100))
offset_option = click.option("--offset", default=0, show_default=True, type=click.IntRange(0))


@click.command()
@click.argument("id", required=False)
@limit_option
@offset_option
@json_option
@runs
async def browse(id: str | None, limit: int, offset: int, as_json: bool) -> None:
    """List your matters, or the content of a matter or folder."""
    async with session() as s:
        listing = await s.services.navigation.contents(s.caller, id, limit, offset)
    show({**asdict(listing), "next_offset": listing.next_offset}, rendering.contents(listing), as_json)


@click.command()
@click.argument("name")
@click.option("--kind", type=click.Choice(["FOLDER", "DOCUMENT"], case_sensitive=False), default=None)
@limit_option
@offset_option
@json_option
@runs
async def find(name: str, kind: FindKind | None, limit: int, offset: int, as_json: bool) -> None:
    """Find matters, folders and documents by a part of their name."""
    async with session() as s:
        found = await s.services.navigation.find(s.caller, name, kind, limit, offset)
    show({**asdict(found), "next_offset": found.next_offset}, rendering.found_by_name(found, name, kind), as_json)


@click.command()
@click.argument("id")
@json_option
@runs
async def info(id: str, as_json: bool) -> None:
    """Describe an id: what it names, its path, and for a document its outline and how well it could be read."""
    async with session() as s:
        found = await s.services.navigation.info(s.caller, id)
        zone = ZoneInfo(s.services.settings.timezone)
    show({**found.node.row, "outline": found.sections}, rendering.info(found, zone), as_json)


@click.command()
@click.argument("id")
@limit_option
@offset_option
@json_option
@runs
async def read(id: str, limit: int, offset: int, as_json: bool) -> None:
    """Read a document, section or passage. Prints a short text whole, and the contents of a long one."""
    async with session() as s:
        found = await s.services.reader.read(s.caller, id, limit, offset)
    data: dict[str, Any] = {
        "path": found.node.path,
        "passages": [passage.record() for passage in found.passages],
        "contents": found.contents and [asdict(row) for row in found.contents],
        "offset": found.offset,
        "total": found.total,
        "next_offset": found.next_offset if found.contents is None else None,
    }
    show(data, rendering.reading(found), as_json)


@click.command()
@click.argument("chunk_id")
@click.option("--window", default=1, show_default=True, type=click.IntRange(1, 10))
@json_option
@runs
async def around(chunk_id: str, window: int, as_json: bool) -> None:
    """Read the text before and after a passage that a search found."""
    async with session() as s:
        found = await s.services.reader.around(s.caller, chunk_id, window)
    data = {
        "passages": [passage.record() for passage in found.passages],
        "anchor": found.anchor,
        "whole_section": found.whole_section,
    }
    show(data, rendering.around(found), as_json)


@click.command()
@click.argument("matter")
@click.argument("query")
@click.option("--regex", "mode", flag_value="regex", default="keyword", help="The query is a regular expression.")
@click.option("--case-sensitive", is_flag=True)
@click.option("--context", default=2, show_default=True, type=click.IntRange(0, 20), help="Lines before and after a match.")
@click.option("--within", multiple=True, help="Id of a document, folder or section to search; may be given several times.")
@limit_option
@offset_option
@json_option
@runs
async def grep(  # noqa: PLR0913, PLR0917  # one argument per option
    matter: str,
    query: str,
    mode: KeywordMode,
    case_sensitive: bool,
    context: int,
    within: tuple[str, ...],
    limit: int,
    offset: int,
    as_json: bool,
) -> None:
    """Count and show exact words, or matches of a regular expression, in a matter ("all": in every matter)."""
    question = KeywordQuery(query, mode, case_sensitive, context, within or None, limit, offset)
    async with session() as s:
        result = await s.services.keywords.search(s.caller, matter, question)
    data = {
        "query": result.query,
        "count": result.count,
        "documents": [asdict(document) for document in result.by_document],
        "places": [{**place.passage.record(), "matches": place.matches, "matched": place.matched} for place in result.places],
        "place_count": result.place_count,
        "next_offset": result.next_offset,
        "word_forms": result.word_forms,
        "searched": len(result.searched),
        "too_slow": result.too_slow,
        "out_of_time": result.out_of_time,
        "not_searched": rendering.unread_notes(result.documents, result.raw_searched, result.raw_unread),
    }
    show(data, rendering.keyword_results(result), as_json)
