"""The REST API of a running server, with bearer token, with cookie and without access."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tusclient.client import TusClient

from support.installation import Server
from support.lease import LEASE
from support.process_memory import listening_process, peak, reset_peak

pytestmark = pytest.mark.server


@pytest.fixture
def http(server: Server) -> Iterator[httpx.Client]:
    """A client signed in as the owner of the matter."""
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {server.office.token}"}, timeout=60) as client:
        yield client


@pytest.fixture
def colleague(server: Server) -> Iterator[httpx.Client]:
    """A client signed in as a user who is no member of the matter."""
    with httpx.Client(base_url=server.url, headers={"x-api-key": server.office.colleague_token}, timeout=60) as client:
        yield client


def test_a_passage_found_over_rest_is_a_slice_of_the_document(server: Server, http: httpx.Client) -> None:
    matter = server.office.matter
    found = http.post(f"/api/matters/{matter}/search", json={"query": "Which law governs the lease?"}).json()
    best = found["passages"][0]
    assert LEASE[best["start"] : best["end"]] == best["text"]
    assert "New South Wales" in best["text"]
    answer = http.post(f"/api/documents/{server.office.document_id}/extract", json={"question": "Which law governs?"}).json()
    assert LEASE[answer["answer"]["start"] : answer["answer"]["end"]] == answer["answer"]["text"]


def test_words_are_found_as_they_are_written_and_counted(server: Server, http: httpx.Client) -> None:
    found = http.post(f"/api/matters/{server.office.matter}/find", json={"query": "this Lease"}).json()
    assert found["count"] == LEASE.lower().count("this lease")
    assert (found["document_count"], found["word_forms"], found["complete"]) == (1, False, True)
    for place in found["places"]:
        assert LEASE[place["start"] : place["end"]] == place["text"]
        assert "this lease" in place["text"].lower()
    assert sum(place["matches"] for place in found["places"]) == found["count"]
    absent = http.post(f"/api/matters/{server.office.matter}/find", json={"query": '"this Lease" "submarine"'}).json()
    assert absent["word_forms"], "no document has both"


def test_matters_and_documents_are_listed_by_number_and_by_id(
    server: Server, http: httpx.Client, colleague: httpx.Client
) -> None:
    assert server.office.matter in [m["number"] for m in http.get("/api/matters").json()]
    assert colleague.get("/api/matters").json() == []
    for ref in (server.office.matter, server.office.matter_id):
        [document] = http.get(f"/api/matters/{ref}/documents").json()
        assert document["id"] == server.office.document_id
        assert document["status"] == "ready"
    assert http.get(f"/api/matters/{ref}/documents", params={"filename_pattern": "*.pdf"}).json() == []
    [page] = http.get(f"/api/documents/{document['id']}/text").json()["pages"]
    assert page["text"].strip() == LEASE.strip()


@pytest.mark.parametrize("path", ["/api/matters/{matter}", "/api/matters/{matter}/documents", "/api/documents/{document}/text"])
def test_a_non_member_gets_the_same_reply_as_for_a_missing_id(server: Server, colleague: httpx.Client, path: str) -> None:
    real = {"matter": server.office.matter_id, "document": server.office.document_id}
    made_up = dict.fromkeys(real, "4f9d0c6e-0000-4000-8000-000000000000")
    answers = [colleague.get(path.format(**ids)) for ids in (real, made_up)]
    for answer, ids in zip(answers, (real, made_up), strict=True):
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert any(f"{id} not found or you don't have access." in answer.json()["detail"] for id in ids.values())


def test_every_route_needs_a_sign_in(server: Server) -> None:
    document = httpx.get(f"{server.url}/api/openapi.json").json()
    open_to_all = {
        ("get", "/health"),
        ("get", "/ready"),
        ("get", "/api/sign-in"),
        ("get", "/api/oidc/login"),
        ("get", "/api/oidc/callback"),
        ("post", "/api/session"),
        ("post", "/api/session/password"),
        ("post", "/api/session/link"),
        ("get", "/api/session/link"),
        ("delete", "/api/session"),
        # A signed link contains its user.
        ("get", "/files/{token}"),
    }
    for path, methods in document["paths"].items():
        for method in methods:
            if (method, path) in open_to_all or not path.startswith(("/api", "/chat", "/v1", "/files")):
                continue
            # Metrics without a token are for local programs only, and not for requests through a proxy.
            proxied = {"x-forwarded-for": "203.0.113.9"} if path == "/api/metrics" else {}
            answer = httpx.request(method, f"{server.url}{path}".replace("{", "").replace("}", ""), json={}, headers=proxied)
            assert answer.status_code == 401, (method, path)


def test_the_session_cookie_allows_no_changes_from_another_site(server: Server) -> None:
    with httpx.Client(base_url=server.url, timeout=60) as page:
        assert page.post("/api/session", json={"token": "ord_made-up"}).status_code == 401
        signed_in = page.post("/api/session", json={"token": server.office.token})
        assert signed_in.json()["email"] == server.office.lawyer
        assert {"HttpOnly", "SameSite=strict"} <= set(signed_in.headers["set-cookie"].split("; "))
        assert page.get("/api/matters").status_code == 200
        new = {"title": "Made by another site"}
        for headers in ({}, {"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
            assert page.post("/api/matters", json=new, headers=headers).status_code == 403
        assert "X-Requested-With: orderly" in page.post("/api/matters", json=new).json()["detail"], "what to send"
        made = page.post("/api/matters", json={"title": "Low Street"}, headers={"sec-fetch-site": "same-origin"})
        assert made.status_code == 201
        marked = page.post("/api/matters", json={"title": "Marked Street"}, headers={"x-requested-with": "orderly"})
        assert marked.status_code == 201
        page.delete("/api/session")
        assert page.get("/api/matters").status_code == 401


def test_the_session_cookie_opens_conversations_only_for_the_installations_page(server: Server) -> None:
    with httpx.Client(base_url=server.url, timeout=60) as page:
        page.post("/api/session", json={"token": server.office.token})
        for headers in ({}, {"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "none"}):
            refused = page.post("/threads", json={}, headers=headers).status_code
            assert refused == (403 if "origin" in headers else 401), headers
        made = page.post("/threads", json={}, headers={"sec-fetch-site": "same-origin"})
        assert made.is_success
        assert page.get(f"/threads/{made.json()['thread_id']}", headers={"x-requested-with": "orderly"}).is_success
        page.delete("/api/session")
        assert page.post("/threads", json={}, headers={"sec-fetch-site": "same-origin"}).status_code == 401


def test_a_program_deletes_a_chats_file_with_the_cookie_alone(server: Server) -> None:
    """As in the examples of stock chat clients: a DELETE with a cookie, no Origin, no Sec-Fetch-Site."""
    with httpx.Client(base_url=server.url, timeout=60) as page:
        page.post("/api/session", json={"token": server.office.token})
        chat = page.post("/threads", json={}, headers={"sec-fetch-site": "same-origin"}).json()["thread_id"]
        at = f"/chat/api/{chat}/documents"
        own = {"x-requested-with": "orderly"}
        sent = page.post(at, files={"file": ("a.txt", LEASE.encode(), "text/plain")}, headers=own).json()["artifact_id"]
        for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
            assert page.delete(f"{at}/{sent}", headers=headers).status_code == 403
        assert page.delete(f"{at}/{sent}").json() == {"deleted": True, "artifact_id": sent}


def test_the_page_gets_the_engines_and_the_sign_in_methods(server: Server, http: httpx.Client) -> None:
    assert httpx.get(f"{server.url}/api/sign-in").json() == {"password": False, "link": False, "provider": False}
    here = http.get("/api/installation").json()
    assert (here["model_offline"], here["engine_offline"]) == (True, True)
    assert "offline" in here["model"]
    assert "Offline" in here["engine"]
    refused = httpx.post(f"{server.url}/api/session/password", json={"email": "ada@firm.example", "password": "x"})
    assert refused.status_code == 422
    assert "token" in refused.json()["detail"]


def test_invalid_requests_are_refused_as_problem_documents(server: Server, http: httpx.Client) -> None:
    matter = server.office.matter
    for answer in (
        http.post(f"/api/matters/{matter}/search", json={"query": ""}),
        http.post(f"/api/matters/{matter}/search", json={"query": "rent", "max_results": 101}),
        http.post(f"/api/matters/{matter}/search", json={"query": "a\u0000b"}),
        http.post("/api/matters", json={"title": "Twice", "number": matter}),
        http.get("/api/nothing-here"),
    ):
        assert answer.headers["content-type"] == "application/problem+json", answer.text
        assert answer.status_code == answer.json()["status"]
        assert answer.status_code in (404, 409, 422)


def test_an_uploaded_file_is_processed_by_the_server(http: httpx.Client) -> None:
    matter = http.post("/api/matters", json={"title": "Uploads"}).json()["number"]
    sent = http.post(f"/api/matters/{matter}/documents", files={"file": ("lease.txt", LEASE.encode())})
    assert sent.status_code == 201, sent.text
    deadline = time.monotonic() + 30
    while (document := http.get(f"/api/documents/{sent.json()['id']}").json())["status"] != "ready":
        assert time.monotonic() < deadline, document
        time.sleep(0.2)
    found = http.post(f"/api/matters/{matter}/search", json={"query": "Which law governs the lease?"}).json()
    assert "New South Wales" in found["passages"][0]["text"]


def test_a_wall_closes_the_matter_to_a_colleague_at_once(server: Server, http: httpx.Client, colleague: httpx.Client) -> None:
    path, data = f"/api/matters/{server.office.matter}", server.office.installation.data
    assert http.get("/api/screens").status_code == 403
    data("user", "officer", server.office.lawyer)
    http.post(f"{path}/members", json={"email": server.office.colleague, "role": "owner"})
    assert colleague.get(path).status_code == 200
    new = {"email": server.office.colleague, "reason": "Acted for the Lessee"}
    made = http.post(f"{path}/screens", json=new)
    assert made.status_code == 201
    assert made.json()["in_force"]
    assert http.post(f"{path}/screens", json=new).status_code == 409
    assert colleague.get(path).status_code == 404
    assert colleague.get("/api/matters").json() == []
    assert colleague.get(f"{path}/screens").status_code == 404
    assert [s["id"] for s in http.get("/api/screens").json()] == [made.json()["id"]]
    entries = http.get(f"{path}/audit", params={"limit": 10_000}).json()
    denied = [e for e in entries if e["action"] == "denied" and e["user_id"] == server.office.colleague_id]
    assert [e["detail"]["screened"] for e in denied][-2:] == [True, True]
    lifted = http.delete(f"{path}/screens/{made.json()['id']}").json()
    assert (lifted["in_force"], lifted["lifted_by"]) == (False, server.office.lawyer)
    assert colleague.get(path).status_code == 200
    listed = data("--as", server.office.lawyer, "matters", "screen", "list", server.office.matter)
    assert [s["id"] for s in listed] == [made.json()["id"]]
    http.delete(f"{path}/members/{server.office.colleague}")
    assert colleague.get(f"{path}/audit").status_code == 404


LARGE_MB, GROWTH_MB = 150, 75  # holding the file would grow memory by all of it; the slack is for other work of the server


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize("way", ["in one piece", "in pieces"])
def test_a_large_file_is_never_held_in_memory(server: Server, http: httpx.Client, way: str, tmp_path: Path) -> None:
    path = tmp_path / "large.bin"
    with path.open("wb") as file:
        file.write(f"Sent {way}.".encode())
        file.truncate(LARGE_MB << 20)
    process = listening_process(server.pid, server.url)
    small = http.post(f"/api/matters/{server.office.matter}/documents", files={"file": (f"{way}.small", b"small")}).json()["id"]
    while http.get(f"/api/documents/{small}").json()["status"] not in (
        "ready",
        "unsupported",
        "failed",
    ):  # the first file loads models, which stay in memory
        time.sleep(0.1)
    before = reset_peak(process)
    if way == "in one piece":
        with path.open("rb") as file:
            sent = http.post(f"/api/matters/{server.office.matter}/documents", files={"file": ("one.bin", file)}, timeout=120)
        assert sent.status_code == 201
    else:
        client = TusClient(f"{server.url}/api/uploads", headers={"Authorization": f"Bearer {server.office.token}"})
        metadata = {"filename": "pieces.bin", "matter_id": server.office.matter}
        with path.open("rb") as file:
            client.uploader(file_stream=file, chunk_size=40_000_000, metadata=metadata).upload()
    assert peak(process) - before < GROWTH_MB
    [document] = http.get(f"/api/matters/{server.office.matter}/documents", params={"filename": "*.bin"}).json()
    assert document["size_bytes"] == LARGE_MB << 20
    for id in (document["id"], small):
        assert http.delete(f"/api/documents/{id}").is_success


@pytest.mark.parametrize("path", ["/api/matters", "/v1/responses", "/threads", "/app"])
def test_a_method_of_no_address_answers_405(http: httpx.Client, path: str) -> None:
    refused = http.request("TRACE", path)
    assert refused.status_code == 405 and "GET" in refused.headers["allow"]
