"""Creations of the same thing at once: one is made, the others are refused."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

AT_ONCE = 4


@pytest.mark.parametrize("kind", ["matter", "folder", "review"])
async def test_of_creations_of_one_name_at_once_one_is_made(http: httpx.AsyncClient, matter: dict[str, Any], kind: str) -> None:
    path, body = {
        "matter": ("/api/matters", {"title": "Low Street", "number": "2026-77"}),
        "folder": (f"/api/matters/{matter['id']}/folders", {"name": "Leases"}),
        "review": (f"/api/matters/{matter['id']}/reviews", {"name": "Rent", "columns": []}),
    }[kind]
    replies = await asyncio.gather(*(http.post(path, json=body) for _ in range(AT_ONCE)))
    assert sorted(reply.status_code for reply in replies) == [201, *([409] * (AT_ONCE - 1))]
