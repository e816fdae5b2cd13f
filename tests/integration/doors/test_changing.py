"""Listing, renaming, moving, archiving and holding over HTTP, with optimistic locking by ETag."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from orderly.models import Caller
from orderly.wiring.services import Operator, Services
from support.lease import LEASE

Add = Callable[[str, str | bytes], Awaitable[str]]


async def test_documents_are_filtered_by_glob_and_type_and_paginated(
    http: httpx.AsyncClient, add_file: Add, matter: dict[str, Any]
) -> None:
    names = ["b_1.txt", "bX1.txt", "A 100%.md", "c.html"]
    ids = [await add_file(name, f"{name}: words of its own{' more' * n}") for n, name in enumerate(names)]
    at = f"/api/matters/{matter['number']}/documents"

    async def found(**params: Any) -> list[str]:
        answer = await http.get(at, params=params)
        assert answer.status_code == 200, answer.text
        return [d["filename"] for d in answer.json()]

    assert await found() == names
    assert await found(filename="B_?.TXT") == ["b_1.txt"]
    assert await found(filename="*%*") == ["A 100%.md"]
    assert await found(content_type="text/h") == ["c.html"]
    assert await found(sort="name") == ["A 100%.md", "b_1.txt", "bX1.txt", "c.html"]
    assert await found(sort="-name") == ["c.html", "bX1.txt", "b_1.txt", "A 100%.md"]
    assert await found(sort="-size") == sorted(names, key=lambda n: -len(f"{n}: words of its own{' more' * names.index(n)}"))
    assert await found(sort="-uploaded") == names[::-1]
    page = await http.get(at, params={"limit": 3, "sort": "-uploaded"})
    assert (len(page.json()), page.headers["x-total-count"]) == (3, "4")
    following = page.headers["link"].removeprefix("<").partition(">")[0]
    assert [d["filename"] for d in (await http.get(following)).json()] == [names[0]]
    folder = (await http.post(f"/api/matters/{matter['id']}/folders", json={"name": "Leases"})).json()["id"]
    await http.patch(f"/api/documents/{ids[0]}", json={"folder_id": folder})
    assert await found(folder_id=folder) == [names[0]]
    assert await found(folder_id="top") == names[1:]
    assert (await http.get(at, params={"sort": "secret"})).status_code == 422


async def test_a_document_is_renamed_and_moved_unless_it_was_changed_in_between(
    http: httpx.AsyncClient, add_file: Add, matter: dict[str, Any], operator: Operator
) -> None:
    document = await add_file("lease.txt", LEASE)
    at = f"/api/documents/{document}"
    etag = (await http.get(at)).headers["etag"]
    renamed = await http.patch(at, json={"filename": "Head lease.txt"}, headers={"If-Match": etag})
    assert (renamed.status_code, renamed.json()["filename"]) == (200, "Head lease.txt")
    late = await http.patch(at, json={"filename": "Other.txt"}, headers={"If-Match": etag})
    assert (late.status_code, late.json()["type"]) == (412, "urn:orderly:changed")
    fresh = await http.patch(at, json={"folder_id": None}, headers={"If-Match": renamed.headers["etag"]})
    assert fresh.json()["filename"] == "Head lease.txt", "omitted fields must not change"
    await http.post(f"{at}/reingest")
    await operator.ingestor.finish(document)
    assert (await http.get(at)).json()["filename"] == "Head lease.txt"
    for wrong in ({}, {"filename": "  "}, {"filename": "a/b"}, {"filename": "a\nb"}, {"filename": None}):
        assert (await http.patch(at, json=wrong)).status_code == 422, wrong
    assert (await http.patch(at, json={"folder_id": matter["id"]})).status_code == 404


async def test_the_store_refuses_a_change_based_on_a_stale_version(services: Services, ada: Caller, add_file: Add) -> None:
    """Another change may happen between the check of the ETag and the update."""
    document = await add_file("lease.txt", LEASE)
    change = {"document_id": document, "changes": {"filename": "b.txt"}, "seen": {"filename": "older.txt", "folder_id": None}}
    try:
        await services.store.rpc(ada, "edit_document", change)
    except Exception as error:  # noqa: BLE001
        assert type(error).__name__ == "Changed"
    else:
        raise AssertionError("it was changed")


async def test_folders_are_created_renamed_moved_and_deleted(http: httpx.AsyncClient, matter: dict[str, Any]) -> None:
    at = f"/api/matters/{matter['number']}/folders"
    top = (await http.post(at, json={"name": "Leases"})).json()
    below = (await http.post(at, json={"name": "2024", "parent_id": top["id"]})).json()
    assert (await http.post(at, json={"name": "leases"})).status_code == 409
    changed = await http.patch(f"{at}/{below['id']}", json={"name": "2025", "parent_id": None})
    assert (changed.json()["name"], changed.json()["parent_id"]) == ("2025", None)
    stale = await http.patch(f"{at}/{below['id']}", json={"name": "x"}, headers={"If-Match": '"old"'})
    assert stale.status_code == 412
    fresh = await http.patch(
        f"{at}/{below['id']}", json={"parent_id": top["id"]}, headers={"If-Match": changed.headers["etag"]}
    )
    assert (fresh.status_code, fresh.json()["name"]) == (200, "2025")
    assert {(f["name"], f["folder_count"]) for f in (await http.get(at)).json()} == {("2025", 0), ("Leases", 1)}
    assert (await http.delete(f"{at}/{top['id']}")).status_code == 409
    for folder in (below, top):
        assert (await http.delete(f"{at}/{folder['id']}")).status_code == 200
    other = (await http.post("/api/matters", json={"title": "Other"})).json()["number"]
    elsewhere = (await http.post(f"/api/matters/{other}/folders", json={"name": "Theirs"})).json()["id"]
    assert (await http.patch(f"{at}/{elsewhere}", json={"name": "Mine"})).status_code == 404
    assert (await http.delete(f"{at}/{elsewhere}")).status_code == 404


async def test_an_archived_matter_refuses_documents_until_it_is_reopened(
    http: httpx.AsyncClient, matter: dict[str, Any]
) -> None:
    at = f"/api/matters/{matter['number']}"
    etag = (await http.get(at)).headers["etag"]
    archived = await http.patch(at, json={"archived": True, "title": "Old lease"}, headers={"If-Match": etag})
    assert archived.json()["archived_at"]
    assert archived.json()["title"] == "Old lease"
    assert (await http.patch(at, json={"title": "x"}, headers={"If-Match": etag})).status_code == 412
    refused = await http.post(f"{at}/documents", files={"file": ("a.txt", b"words")})
    assert (refused.status_code, "archived" in refused.json()["detail"]) == (409, True)
    assert (await http.get(f"{at}/documents")).json() == []
    reopened = await http.patch(at, json={"archived": False})
    assert (reopened.json()["archived_at"], reopened.json()["title"]) == (None, "Old lease")
    assert (await http.post(f"{at}/documents", files={"file": ("a.txt", b"words")})).status_code == 201
    for wrong in ({}, {"title": " "}, {"archived": None}, {"number": "X"}):
        assert (await http.patch(at, json=wrong)).status_code == 422, wrong


async def test_a_held_document_cannot_be_deleted_and_a_deleted_one_leaves_a_receipt(
    http: httpx.AsyncClient, add_file: Add, matter: dict[str, Any]
) -> None:
    document = await add_file("lease.txt", LEASE)
    at = f"/api/documents/{document}"
    assert (await http.post(f"{at}/hold")).json()["legal_hold"] is True
    assert (await http.delete(at)).status_code == 409
    assert (await http.delete(f"{at}/hold")).json()["legal_hold"] is False
    receipt = (await http.delete(at)).json()
    assert (await http.get(at)).status_code == 404
    [past] = (await http.get(f"/api/matters/{matter['id']}/receipts")).json()
    assert (past["receipt_id"], past["deleted_by"]) == (receipt["receipt_id"], "ada@firm.example")
