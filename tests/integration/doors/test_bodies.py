"""Every request body of Orderly's own API refuses fields that it does not know, by the API's own description."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

import httpx
import pytest

from orderly.api.app import create_app

API: dict[str, Any] = create_app().openapi()


def resolved(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The object schemas that a body's schema is, or may be."""
    if "$ref" in schema:
        return resolved(API["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if alternatives := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return [found for one in alternatives for found in resolved(one)]
    return [schema] if schema.get("type") == "object" or "properties" in schema else []


BODIES = {
    f"{method.upper()} {path}": operation["requestBody"]["content"]["application/json"]["schema"]
    for path, operations in API["paths"].items()
    if path.startswith("/api/")
    for method, operation in operations.items()
    if "application/json" in operation.get("requestBody", {}).get("content", {})
}


@pytest.mark.parametrize("operation", BODIES)
def test_a_body_refuses_unknown_fields(operation: str) -> None:
    found = resolved(BODIES[operation])
    assert found and all(schema.get("additionalProperties") is False for schema in found), found


def test_bodies_were_found() -> None:
    assert len(BODIES) >= 20


@pytest.mark.parametrize("body", [{}, {"gruop": None}, {"group": None, "also": 1}])
async def test_a_restriction_is_not_lifted_by_a_body_without_it(
    http: httpx.AsyncClient, add_file: Any, body: dict[str, Any]
) -> None:
    document = await add_file("lease.txt", "LEASE\n\n1. The rent is $900.")
    reply = await http.put(f"/api/documents/{document}/group", json=body)
    assert reply.status_code == 422, reply.text


@pytest.mark.parametrize("operation", BODIES)
async def test_a_misspelt_body_is_refused_and_changes_nothing(http: httpx.AsyncClient, operation: str) -> None:
    method, path = operation.split(" ")
    before = (await http.get("/api/matters")).json()
    reply = await http.request(method, re.sub(r"\{\w+\}", str(UUID(int=7)), path), json={"titel": "x", "documentid": "y"})
    assert reply.status_code in (401, 403, 404, 422), f"{reply.status_code} {reply.text}"
    assert (await http.get("/api/matters")).json() == before
