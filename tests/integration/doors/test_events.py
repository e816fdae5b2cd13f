"""Live document events reach users with access, and only while they have access."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import psycopg
import pytest

from integration.doors.conftest import SignedIn
from orderly.errors import StoreUnavailable
from orderly.models import Caller
from orderly.services.document_processor import DocumentProcessor
from orderly.services.library import Library
from orderly.services.live import document_events
from orderly.wiring.services import Operator, Services
from support.lease import LEASE


@dataclass
class Event:
    kind: str
    id: int | None
    data: dict[str, Any]


async def parsed(lines: AsyncIterator[str]) -> AsyncIterator[Event]:
    fields: dict[str, str] = {}
    async for line in lines:
        if line and not line.startswith(":"):
            name, _, value = line.partition(":")
            fields[name] = value.lstrip()
        elif fields.get("event"):
            number = int(fields["id"]) if "id" in fields else None
            yield Event(fields["event"], number, json.loads(fields["data"]))
            fields = {}


@asynccontextmanager
async def events(http: httpx.AsyncClient, matter: str, **headers: str) -> AsyncIterator[AsyncIterator[Event]]:
    async with http.stream("GET", f"/api/matters/{matter}/events", headers=headers) as response:
        assert response.status_code == 200, await response.aread()
        assert response.headers["content-type"].startswith("text/event-stream")
        yield parsed(response.aiter_lines())


async def until(stream: AsyncIterator[Event], kind: str, **wanted: Any) -> list[Event]:
    """Returns all events up to the first of `kind` with the fields `wanted`."""
    seen: list[Event] = []
    async with asyncio.timeout(20):
        async for event in stream:
            seen.append(event)
            if event.kind == kind and wanted.items() <= event.data.items():
                return seen
    raise AssertionError(seen)


@pytest.fixture
def documents(matter: dict[str, Any]) -> str:
    return f"/api/matters/{matter['number']}/documents"


@pytest.mark.parametrize("announced", [True, False])
async def test_an_upload_has_an_event_per_stage_and_the_stream_resumes_after_the_last_event(
    http: httpx.AsyncClient, matter: dict[str, Any], documents: str, announced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document_events, "POLL_SECONDS", 60.0 if announced else 0.1)
    stage_seen, extract = asyncio.Event(), DocumentProcessor.extract

    async def held(processor: DocumentProcessor, *arguments: Any, **options: Any) -> Any:
        await stage_seen.wait()
        return await extract(processor, *arguments, **options)

    monkeypatch.setattr(DocumentProcessor, "extract", held)
    if announced:
        monkeypatch.setattr(document_events, "QUIET_SECONDS", 60.0)
    else:
        monkeypatch.setattr(document_events.Announcements, "_wake", lambda *_: None)
        monkeypatch.setattr(document_events, "QUIET_SECONDS", 0.01)
    async with events(http, matter["number"]) as stream:
        assert [e.kind for e in await until(stream, "current")] == ["current"]
        sent = await http.post(documents, files={"file": ("lease.txt", LEASE.encode())})
        seen = await until(stream, "document")
        stage_seen.set()
        seen += await until(stream, "document", status="ready")
        seen = [e for e in seen if e.kind == "document"]
    assert {e.data["id"] for e in seen} == {sent.json()["id"]}
    assert {"id", "filename", "status", "stage", "page", "pages", "reason"} <= seen[-1].data.keys()
    assert [e.id for e in seen] == sorted({e.id for e in seen})
    assert len({e.data["status"] for e in seen}) >= 2, "stages before the last must be reported too"

    other = (await http.post(documents, files={"file": ("b.txt", b"Other words of a second letter.")})).json()["id"]
    await http.delete(f"/api/documents/{sent.json()['id']}")
    async with events(http, matter["number"], **{"Last-Event-ID": str(seen[-1].id)}) as stream:
        missed = await until(stream, "current")
    assert {(e.data["id"], e.data["status"] == "deleted") for e in missed[:-1]} == {
        (other, False), (sent.json()["id"], True),
    }  # fmt: skip
    async with events(http, matter["number"]) as stream:
        fresh = await until(stream, "current")
    assert [e.data["id"] for e in fresh[:-1]] == [other], "a new client gets only the current documents"
    async with events(http, matter["number"], **{"Last-Event-ID": str(fresh[-1].id)}) as stream:
        assert all(e.data.get("status") != "deleted" for e in await until(stream, "current"))


async def test_a_failure_event_has_its_reason(http: httpx.AsyncClient, matter: dict[str, Any], documents: str) -> None:
    async with events(http, matter["id"]) as stream:
        await http.post(documents, files={"file": ("broken.pdf", b"%PDF-1.7 and then nothing")})
        (*_, last) = await until(stream, "document", status="failed")
    assert last.data["reason"]


async def test_a_non_member_gets_no_events_and_the_stream_ends_when_access_is_lost(  # noqa: PLR0917
    http: httpx.AsyncClient,
    colleague: httpx.AsyncClient,
    services: Services,
    operator: Operator,
    ada: Caller,
    matter: dict[str, Any],
    documents: str,
    signed_in: SignedIn,
    make_user: Callable[..., Awaitable[Caller]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for ref in (matter["id"], "M-1999-001"):
        answer = await colleague.get(f"/api/matters/{ref}/events")
        assert (answer.status_code, answer.json()["detail"]) == (404, f"Matter {ref} not found or you don't have access.")
    removed, screened, revoked = [await make_user(f"{name}@firm.example") for name in ("removed", "screened", "revoked")]
    for name in ("removed", "screened", "revoked"):
        member = {"matter_ref": matter["id"], "member_email": f"{name}@firm.example", "member_role": "viewer"}
        await services.store.rpc(ada, "add_matter_member", member)
    ends = {}
    for name, caller, end in (
        ("removed", removed, lambda: services.store.rpc(ada, "remove_matter_member", {
            "matter_ref": matter["id"], "member_email": "removed@firm.example"})),
        ("screened", screened, lambda: services.store.rpc(ada, "add_matter_screen", {
            "matter_ref": matter["id"], "member_email": "screened@firm.example", "reason": "Acted for the other side"})),
        ("revoked", revoked, lambda: operator.worker.rpc("revoke_user", {"email": "revoked@firm.example"})),
    ):  # fmt: skip
        if name == "revoked":  # nothing announces it: the next poll finds out
            monkeypatch.setattr(document_events, "QUIET_SECONDS", 0.3)
        async with events(await signed_in(caller), matter["id"]) as stream:
            await until(stream, "current")
            await end()
            async with asyncio.timeout(4):
                ends[name] = (await until(stream, "end"))[-1].data["reason"]
            await http.post(documents, files={"file": (f"{name}.txt", f"Secret of {name}".encode())})
            assert [e async for e in stream] == []
    assert all(ends.values())


async def test_the_number_of_streams_per_user_is_limited(
    http: httpx.AsyncClient, services: Services, ada: Caller, stranger: Caller, signed_in: SignedIn, matter: dict[str, Any]
) -> None:
    member = {"matter_ref": matter["id"], "member_email": "stranger@firm.example", "member_role": "viewer"}
    await services.store.rpc(ada, "add_matter_member", member)
    other = await signed_in(stranger)
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(events(http, matter["id"])) for _ in range(services.settings.event_streams)]
        for stream in streams:
            await until(stream, "current")
        for address in (f"/api/matters/{matter['number']}/events", "/chat/api/any-chat/events"):
            refused = await http.get(address)
            assert refused.status_code == 429
            assert refused.headers["retry-after"] == "2"
            assert refused.json()["detail"].startswith("You have 3 streams of events open, the most that one user may.")
        async with events(other, matter["id"]) as theirs:
            await until(theirs, "current")
    async with asyncio.timeout(10):  # the server notices closed connections after a moment
        while True:
            async with http.stream("GET", f"/api/matters/{matter['id']}/events") as again:
                if again.status_code == 200:
                    return
            await asyncio.sleep(0.05)


async def test_events_of_a_groups_document_reach_only_the_group(
    http: httpx.AsyncClient,
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    documents: str,
    database_url: str,
    signed_in: SignedIn,
    make_user: Callable[..., Awaitable[Caller]],
) -> None:
    pat = await make_user("pat@firm.example")
    member = {"matter_ref": matter["id"], "member_email": "pat@firm.example", "member_role": "viewer"}
    await services.store.rpc(ada, "add_matter_member", member)
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as admin:
        row = await (await admin.execute(
            "insert into groups (tenant_id, name) select tenant_id, 'Partners' from profiles where user_id = %s returning id",
            (ada.user_id,),
        )).fetchone()  # fmt: skip
        assert row is not None
        await admin.execute("insert into group_members values (%s, %s)", (row[0], ada.user_id))
        secret = (await http.post(documents, files={"file": ("secret.txt", b"For partners only.")})).json()["id"]
        await admin.execute("update documents set group_id = %s where id = %s", (row[0], secret))
        await admin.execute("update private.document_changes set was_open = false where document_id = %s", (secret,))
    async with events(await signed_in(pat), matter["id"], **{"Last-Event-ID": "0"}) as stream:
        assert [e.data.get("id") for e in await until(stream, "current")] == [None]
    async with events(http, matter["id"], **{"Last-Event-ID": "0"}) as stream:
        assert (await until(stream, "current"))[0].data["id"] == secret


async def test_an_event_stream_is_audited_once_and_not_at_every_poll(
    http: httpx.AsyncClient, matter: dict[str, Any], documents: str, database_url: str
) -> None:
    async with events(http, matter["id"]) as stream:
        await http.post(documents, files={"file": ("lease.txt", LEASE.encode())})
        await until(stream, "document", status="ready")
    async with await psycopg.AsyncConnection.connect(database_url) as admin:
        count = await (await admin.execute("select count(*) from audit_log where action = 'document_changes'")).fetchone()
    assert count == (1,)


async def test_one_scope_of_a_stream_that_fails_for_a_while_ends_the_stream_so_that_the_client_reconnects(
    http: httpx.AsyncClient, matter: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unavailable(*_: Any, **__: Any) -> Any:
        raise StoreUnavailable("The database cannot be reached.")

    async def lines(scopes: dict[str, list[str]]) -> list[str]:
        async with asyncio.timeout(10), http.stream("GET", "/api/events", params=scopes) as response:
            return [line async for line in response.aiter_lines() if line]

    odd = {"matters": ["no matter"], "reviews": ["no review:0"]}
    async with http.stream("GET", "/api/events", params=odd) as response:
        stream = parsed(response.aiter_lines())
        ended = [await anext(stream), await anext(stream)]
    assert {(event.kind, event.data["scope"]) for event in ended} == {
        ("end", "matters:no matter"),
        ("end", "reviews:no review:0"),
    }
    scopes = {"matters": [matter["id"]], "chats": ["a-chat-without-files"]}
    with monkeypatch.context() as patched:
        patched.setattr(Library, "workspace", unavailable)
        assert ": The database cannot be reached." in await lines(scopes)
    monkeypatch.setattr(document_events, "document_changes", unavailable)
    assert (await lines(scopes))[0] == ": The database cannot be reached."
