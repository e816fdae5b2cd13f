"""A document's text, page images, versions and files over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import httpx
import pymupdf
import pytest

from orderly.models import Caller
from orderly.services.files.links import FileLinks
from orderly.wiring.services import Operator, Services
from support.lease import LEASE

Add = Callable[[str, str | bytes], Awaitable[str]]


def pdf(*pages: str) -> bytes:
    made = pymupdf.open()
    for text in pages:
        made.new_page(width=300, height=400).insert_textbox((20, 20, 280, 380), text, fontsize=9)
    data: bytes = made.tobytes()
    return data


PDF = pdf("1. Term\nThe term is five years.", "2. Law\nThis lease is governed by the laws of Ohio.")
QUOTE = "governed by the laws of Ohio"


@pytest.fixture
async def lease(add_file: Add) -> str:
    return await add_file("lease.pdf", PDF)


async def test_text_pages_and_images_match_the_cited_words(http: httpx.AsyncClient, lease: str) -> None:
    at = f"/api/documents/{lease}"
    page = (await http.get(f"{at}/pages/2")).json()
    assert QUOTE in page["text"]
    assert (page["width"], page["height"], page["page_count"]) == (300, 400, 2)
    span = (await http.get(f"{at}/text", params={"start": page["start"], "end": page["end"]})).json()
    assert (span["text"], span["revision_id"]) == (page["text"], page["revision_id"])
    whole = (await http.get(f"{at}/text")).json()
    assert [p["number"] for p in whole["pages"]] == [1, 2]

    verdict = (await http.post(f"{at}/citations", json={"quote": QUOTE, "page": 2})).json()
    assert verdict["verified"]
    cited = verdict["citation"]
    assert (await http.get(f"/api/citations/{cited['id']}")).json() == cited
    assert (cited["quote"], cited["page_first"], cited["document_id"]) == (QUOTE, 2, lease)
    assert cited["citation"].startswith("[lease.pdf, Page 2")
    exact = (await http.get(f"{at}/text", params={"start": cited["start"], "end": cited["end"]})).json()
    assert exact["text"] == QUOTE
    boxes = (await http.get(f"{at}/pages/2/rectangles", params={"citation": cited["id"]})).json()
    assert boxes == cited["rectangles"]
    assert boxes
    assert (await http.get(f"{at}/pages/1/rectangles", params={"citation": cited["id"]})).json() == []

    plain = await http.get(f"{at}/pages/2/image", params={"dpi": 72})
    marked = await http.get(f"{at}/pages/2/image", params={"dpi": 72, "citation": cited["id"]})
    assert plain.headers["content-type"] == marked.headers["content-type"] == "image/png"
    drawn = pymupdf.Pixmap(marked.content)
    assert (drawn.width, drawn.height) == (300, 400)
    x0, y0, x1, _ = boxes[0]["box"]
    middle = int((x0 + x1) / 2), int(y0) + 1
    assert drawn.pixel(*middle) != pymupdf.Pixmap(plain.content).pixel(*middle), "the words must be marked at their position"

    refused = (await http.post(f"{at}/citations", json={"quote": "governed by the laws of Iowa"})).json()
    assert (refused["verified"], refused["citation"]) == (False, None)
    assert refused["difference"]
    assert [s["title"] for s in (await http.get(f"{at}/sections")).json()] == ["Term", "Law"]


async def test_the_openings_of_a_matters_documents_name_parties_and_dates(
    http: httpx.AsyncClient, matter: dict[str, Any], lease: str, add_file: Add
) -> None:
    deed = await add_file(
        "deed.txt",
        'DEED OF RELEASE made on 3 May 2021 between Alpha Mining Pty Ltd (the "Releasor") and Beta Steel Limited (the "Releasee").',
    )
    found = {o["document_id"]: o for o in (await http.get(f"/api/matters/{matter['number']}/openings")).json()}
    assert (found[deed]["parties"], found[deed]["date"]) == (["Alpha Mining Pty Ltd", "Beta Steel Limited"], "2021-05-03")
    assert (found[lease]["parties"], found[lease]["date"]) == ([], None)
    assert len((await http.get(f"/api/matters/{matter['number']}/openings", params={"offset": 1})).json()) == 1


async def test_an_unchanged_resource_is_not_sent_again(http: httpx.AsyncClient, lease: str, add_file: Add) -> None:
    at = f"/api/documents/{lease}"
    for path in (at, f"{at}/text", f"{at}/pages/1", f"{at}/pages/1/image"):
        first = await http.get(path)
        etag = first.headers["etag"]
        assert first.headers["cache-control"] == "private, no-cache", "a cached copy may only be used after an access check"
        again = await http.get(path, headers={"If-None-Match": f'"other", W/{etag}'})
        assert (again.status_code, again.content) == (304, b"")
        assert (await http.get(path, headers={"If-None-Match": '"other"'})).status_code == 200


async def test_versions_and_health_are_listed_and_reprocessing_makes_a_revision(
    http: httpx.AsyncClient, lease: str, operator: Operator
) -> None:
    at = f"/api/documents/{lease}"
    assert (await http.get(f"{at}/health")).json()["health"]["pages"] == 2
    queued = await http.post(f"{at}/reingest")
    assert (queued.status_code, queued.json()["id"]) == (202, lease)
    await operator.ingestor.finish(lease)
    [version] = (await http.get(f"{at}/revisions")).json()
    assert [r["current"] for r in version["revisions"]] == [True, False]
    assert version["received_by"] == "ada@firm.example"


async def test_missing_things_are_404_and_impossible_ones_422(http: httpx.AsyncClient, lease: str, add_file: Add) -> None:
    at = f"/api/documents/{lease}"
    other = await add_file("other.txt", LEASE)
    cited = (await http.post(f"/api/documents/{other}/citations", json={"quote": "five (5) years"})).json()["citation"]
    for path, status in (
        (f"{at}/pages/3", 404),
        (f"{at}/pages/0", 422),
        (f"{at}/pages/3/image", 422),
        (f"{at}/pages/1/image?dpi=9000", 422),
        (f"{at}/pages/1/image?citation={cited['id']}", 404),
        (f"{at}/pages/1/rectangles?citation={cited['id']}", 422),
        (f"{at}/text?start=5", 422),
        (f"{at}/text?start=5&end=3", 422),
        (f"{at}/text?start=0&end=99999", 422),
        (f"/api/documents/{cited['id']}/pages/1", 404),
        (f"/api/citations/{lease}", 404),
    ):
        answer = await http.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), (path, answer.text)


async def test_every_route_gives_a_non_member_the_same_reply_as_a_missing_id(
    http: httpx.AsyncClient, colleague: httpx.AsyncClient, lease: str, matter: dict[str, Any]
) -> None:
    cited = (await http.post(f"/api/documents/{lease}/citations", json={"quote": QUOTE})).json()["citation"]["id"]
    missing = "4f9d0c6e-0000-4000-8000-000000000000"
    routes = [
        *(("GET", f"/api/documents/{{d}}{end}") for end in (
            "", "/text", "/text?start=0&end=1", "/pages/1", "/pages/1/image", "/pages/1/rectangles?citation={c}", "/sections",
            "/revisions", "/health",
        )),
        *(("POST", f"/api/documents/{{d}}/{end}") for end in ("citations", "reingest", "hold", "link")),
        *(("GET", f"/api/matters/{{m}}/{end}") for end in ("folders", "receipts", "documents", "events")),
        ("DELETE", "/api/documents/{d}"), ("DELETE", "/api/documents/{d}/hold"), ("PATCH", "/api/documents/{d}"),
        ("GET", "/api/citations/{c}"), ("PATCH", "/api/matters/{m}"), ("POST", "/api/matters/{m}/folders"),
        ("PATCH", "/api/matters/{m}/folders/{d}"), ("DELETE", "/api/matters/{m}/folders/{d}"),
    ]  # fmt: skip
    bodies = {
        "citations": {"quote": QUOTE},
        "folders": {"name": "x"},
        "matters": {"title": "x"},
        "documents": {"filename": "x"},
    }
    for method, path in routes:
        body = next((b for word, b in bodies.items() if word in path.rpartition("/")[2]), None) or next(
            b for word, b in bodies.items() if word in path
        )
        body = {"name": "x"} if "folders" in path else body
        answers = []
        for ids in ({"d": lease, "c": cited, "m": matter["id"]}, {"d": missing, "c": missing, "m": missing}):
            sent = {} if method in ("GET", "DELETE") else {"json": body}
            answer = await colleague.request(method, path.format(**ids), **sent)
            assert answer.status_code == 404, (method, path, answer.text)
            told = answer.json()["detail"]
            for id in ids.values():
                told = told.replace(id, "ID")
            answers.append(told)
        assert answers[0] == answers[1], (method, path)


async def test_a_file_link_serves_ranges_and_never_renders_as_a_page(
    http: httpx.AsyncClient, address: str, lease: str, add_file: Add
) -> None:
    link = (await http.post(f"/api/documents/{lease}/link")).json()
    async with httpx.AsyncClient(base_url=address) as anyone:
        whole = await anyone.get(link["url"])
        assert whole.content == PDF
        assert whole.headers["x-content-type-options"] == "nosniff"
        assert whole.headers["content-disposition"] == "attachment; filename=\"lease.pdf\"; filename*=UTF-8''lease.pdf"
        head = await anyone.head(link["url"])
        assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", str(len(PDF)))
        size = len(PDF)
        for wanted, start, end in (("0-9", 0, 10), ("10-", 10, size), ("-7", size - 7, size), (f"5-{size * 2}", 5, size)):
            part = await anyone.get(link["url"], headers={"Range": f"bytes={wanted}"})
            assert (part.status_code, part.content) == (206, PDF[start:end])
            assert part.headers["content-range"] == f"bytes {start}-{end - 1}/{size}"
        assert (await anyone.get(link["url"], headers={"Range": f"bytes={size}-"})).status_code == 416
        for ignored in ("bytes=0-1,4-5", "lines=1-2", "bytes=-"):
            assert (await anyone.get(link["url"], headers={"Range": ignored})).content == PDF
        old = await anyone.get(link["url"], headers={"Range": "bytes=0-1", "If-Range": '"older"'})
        assert old.content == PDF
        shown = await anyone.get(link["url"], params={"inline": True})
        assert shown.headers["content-disposition"].startswith("inline;")
        assert shown.headers["content-type"] == "application/pdf"

        script = await add_file('a"b;\u00e4.html', "<p>A letter.</p><script>alert(1)</script>")
        link = (await http.post(f"/api/documents/{script}/link")).json()
        page = await anyone.get(link["url"], params={"inline": True})
        assert page.headers["content-type"] == "application/octet-stream"
        assert (
            page.headers["content-disposition"] == "attachment; filename=\"a_b__.html\"; filename*=UTF-8''a%22b%3B%C3%A4.html"
        )
        assert "sandbox" in page.headers["content-security-policy"]


async def test_a_link_expires_with_time_with_access_and_with_the_document(  # noqa: PLR0917
    http: httpx.AsyncClient,
    address: str,
    lease: str,
    add_file: Add,
    services: Services,
    ada: Caller,
    matter: dict[str, Any],
    stranger: Caller,
    colleague: httpx.AsyncClient,
    operator: Operator,
    make_user: Callable[..., Awaitable[Caller]],
) -> None:
    member = {"matter_ref": matter["id"], "member_email": "stranger@firm.example"}
    await services.store.rpc(ada, "add_matter_member", {**member, "member_role": "viewer"})
    theirs = (await colleague.post(f"/api/documents/{lease}/link")).json()["url"]
    own = (await http.post(f"/api/documents/{lease}/link")).json()["url"]
    picture = (await services.pages.view(ada, lease, 1)).link
    assert picture is not None
    key = (await services.store.rpc(ada, "get_document", {"document_id": lease}))["storage_key"]
    old = FileLinks(services.secret, -5).make(ada, lease, key).url
    forged = FileLinks(b"another secret", 300).make(ada, lease, key).url
    other_tenants_key = FileLinks(services.secret, 300).make(ada, lease, "x/y/z/../../secret").url
    async with httpx.AsyncClient(base_url=address) as anyone:
        assert (await anyone.get(picture)).content.startswith(b"\x89PNG")
        assert (await anyone.get(theirs)).content == PDF
        tampered = theirs.replace(theirs[12], "A" if theirs[12] != "A" else "B", 1)
        for url in (old, forged, other_tenants_key, tampered, "/files/x", "/files/.", "/files/\u00e4.\u00e4", own[:-1]):
            assert (await anyone.get(url)).status_code == 404, url
        await make_user("officer@firm.example")
        officer = {"email": "officer@firm.example", "is_officer": True}
        lifting = Caller((await operator.worker.rpc("set_conflicts_officer", officer))["user_id"])
        screen = {
            "matter_ref": matter["id"],
            "member_email": "stranger@firm.example",
            "reason": "Acted for the other side",
        }
        made = await services.store.rpc(ada, "add_matter_screen", screen)
        assert (await anyone.get(theirs)).status_code == 404
        await services.store.rpc(lifting, "lift_matter_screen", {"matter_ref": matter["id"], "screen_id": made["id"]})
        assert (await anyone.get(theirs)).status_code == 200
        await services.store.rpc(ada, "remove_matter_member", member)
        assert (await anyone.get(theirs)).status_code == 404
        assert (await anyone.get(own)).status_code == 200
        await http.delete(f"/api/documents/{lease}")
        for url in (own, picture):
            assert (await anyone.get(url)).status_code == 404


async def test_a_stored_response_is_not_fetched_after_a_wall_closed_its_conversation(
    services: Services, ada: Caller, stranger: Caller, matter: dict[str, Any], colleague: httpx.AsyncClient
) -> None:
    member = {"matter_ref": matter["id"], "member_email": "stranger@firm.example"}
    await services.store.rpc(ada, "add_matter_member", {**member, "member_role": "viewer"})
    inside = replace(stranger, thread_id="asked")
    await services.store.rpc(inside, "list_documents", {"matter_ref": matter["id"]})
    body = {"id": f"resp_{'a' * 32}", "output": []}
    stored = {"new_id": body["id"], "thread_id": "asked", "checkpoint_id": "c", "body": body, "document_ids": []}
    await services.store.rpc(inside, "save_response", stored)
    assert (await colleague.get(f"/v1/responses/{body['id']}")).json() == body
    await services.store.rpc(ada, "add_matter_screen", {**member, "reason": "Acted for the other side"})
    assert (await colleague.get(f"/v1/responses/{body['id']}")).status_code == 404


@pytest.mark.parametrize("path", ["text", "text?start=0&end=5", "pages/1", "pages/1/image", "sections"])
async def test_a_document_that_cannot_be_read_is_not_said_to_be_processing(
    http: httpx.AsyncClient, add_file: Add, path: str
) -> None:
    film = await add_file("film.mp4", b"\0\0\0\x18ftypmp42" + bytes(200))
    answer = await http.get(f"/api/documents/{film}/{path}")
    assert answer.status_code == 422
    assert "cannot read .mp4 files" in answer.json()["detail"]
