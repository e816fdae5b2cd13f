"""A matter's number, slug and title, and a document's file name, stand wherever a route takes an id."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from orderly.agent.tools import ALL_TOOLS, REVIEW_TOOLS
from orderly.agent.tools.references import ANYTHING, DOCUMENTS, MATTERS
from orderly.api.app import create_app

STREAMS = ("/events",)
"""Ends of the paths whose answers do not end."""
BODIES: dict[str, dict[str, Any]] = {
    "POST /api/matters/{matter}/search": {"query": "insurance"},
    "POST /api/matters/{matter}/find": {"query": "insures"},
    "POST /api/documents/{document}/extract": {"question": "Who insures the building?"},
    "POST /api/documents/{document}/classify": {"clause_types": ["insurance"]},
    "POST /api/documents/{document}/link": {},
    "POST /api/documents/{document}/hold": {},
    "DELETE /api/documents/{document}/hold": {},
    "POST /v1/vector_stores/{matter}/search": {"query": "insurance"},
}
"""Bodies of the routes that change nothing, or what the next call changes back."""

QUERY = {"start": 0, "end": 4, "words": "tenant", "query": "tenant"}
"""Arguments that some of the routes need."""
REFUSED = frozenset({"GET /api/documents/{document}/pages/{number}/rectangles", "GET /api/firm/matters/{matter}/members"})
"""Routes that refuse this request in any case: one needs spans, the other an administrator."""


async def test_every_route_takes_a_name_where_it_takes_an_id(
    http: httpx.AsyncClient, matter: dict[str, Any], add_file: Callable[..., Awaitable[str]]
) -> None:
    document = await add_file(
        "Deed of Release.txt", "DEED\n\n1. The tenant insures the building against fire at its own cost.\n"
    )
    named = {
        "matter": (matter["id"], [matter["slug"], matter["title"]]),
        "document": (document, ["deed of release.TXT"]),
    }
    routes = [
        (method.upper(), path, {p["name"] for p in operation.get("parameters", ()) if p["in"] == "path"})
        for path, operations in create_app().openapi()["paths"].items()
        for method, operation in operations.items()
    ]
    tried: list[str] = []
    faults: list[str] = []
    for method, path, slots in routes:
        taken = slots & named.keys()
        if len(taken) != 1 or slots - taken - {"number"} or path.endswith(STREAMS):
            continue
        route = f"{method} {path}"
        if method != "GET" and route not in BODIES:
            continue
        slot = taken.pop()
        id, names = named[slot]
        expected = await _send(http, method, path.replace("{number}", "1").replace(f"{{{slot}}}", id), BODIES.get(route))
        if expected >= 300 and route not in REFUSED:
            faults.append(f"{route} with an id: {expected}")
        for name in names:
            got = await _send(http, method, path.replace("{number}", "1").replace(f"{{{slot}}}", name), BODIES.get(route))
            if got != expected:
                faults.append(f"{route} with {name}: {got} instead of {expected}")
        tried.append(route)
    assert not faults, "\n".join(faults)
    assert len(tried) >= 20, tried


async def _send(http: httpx.AsyncClient, method: str, path: str, body: dict[str, Any] | None) -> int:
    return (await http.request(method, path, params=QUERY, json=body)).status_code


def test_every_argument_of_a_tool_that_takes_an_id_takes_a_name_but_that_of_a_passage() -> None:
    ids = {
        argument
        for tool in (*ALL_TOOLS, *REVIEW_TOOLS)
        for argument in tool.args
        if argument.endswith(("_id", "_ids")) or argument == "within"
    }
    assert ids - {"chunk_id"} == MATTERS | DOCUMENTS | {ANYTHING}
