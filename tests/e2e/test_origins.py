"""Pages of other origins: only listed ones may use the server, and none may use the session cookie or Studio's sign-in."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from support.installation import Office, Server, started

pytestmark = pytest.mark.server

STUDIO = "https://smith.langchain.com"
EVIL = "https://evil.example"
PATHS = ["/threads", "/api/matters", "/v1/responses"]
SCHEME = {"x-auth-scheme": "langsmith"}


@pytest.fixture(scope="module")
def running(office: Office) -> Iterator[Server]:
    with started(
        office, {"ORDERLY_STUDIO_TOKEN": office.token, "ORDERLY_ORIGINS": f"{STUDIO} http://localhost:3000"}
    ) as server:
        yield server


@pytest.mark.parametrize("path", PATHS)
def test_a_preflight_of_a_listed_origin_is_granted_by_name(server: Server, path: str) -> None:
    asked = {"Origin": STUDIO, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-auth-scheme"}
    private = {**asked, "Access-Control-Request-Private-Network": "true"}
    plain, answer = (httpx.options(f"{server.url}{path}", headers=headers) for headers in (asked, private))
    assert (plain.status_code, plain.headers["access-control-allow-origin"]) == (204, STUDIO)
    assert "x-auth-scheme" in plain.headers["access-control-allow-headers"]
    assert "access-control-allow-private-network" not in plain.headers
    assert answer.headers["access-control-allow-private-network"] == "true"


@pytest.mark.parametrize("origin", [EVIL, "null", "http://localhost:3001", f"{STUDIO}.evil.example"])
@pytest.mark.parametrize("path", PATHS)
def test_no_other_origin_gets_anything(server: Server, path: str, origin: str) -> None:
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Private-Network": "true"}
    refused = httpx.options(f"{server.url}{path}", headers=asked)
    assert refused.status_code == 403
    answers = [
        refused,
        httpx.post(f"{server.url}{path}", json={}, headers={"Origin": origin, "X-Api-Key": server.office.token}),
    ]
    assert not [name for answer in answers for name in answer.headers if name.startswith("access-control-")]


def test_a_listed_page_reads_answers_and_their_headers(server: Server) -> None:
    answer = httpx.post(f"{server.url}/threads/search", json={}, headers={"Origin": STUDIO, "X-Api-Key": server.office.token})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == STUDIO
    assert "origin" in answer.headers["vary"].lower()
    readable = answer.headers["access-control-expose-headers"].split(", ")
    assert {"X-Pagination-Total", "X-Total-Count", "Link", "Orderly-Document-Id", "Orderly-Duplicate"} <= set(readable)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": EVIL},
        {"Origin": "null"},
        {"Origin": "http://evil.example:2024", "Host": "evil.example:2024"},
        {"Origin": STUDIO, "Host": "evil.example:2024"},
        {"Host": "evil.example:2024"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-origin"},
    ],
)
def test_studios_sign_in_is_refused_to_pages_that_are_not_listed(server: Server, headers: dict[str, str]) -> None:
    assert httpx.post(f"{server.url}/threads/search", json={}, headers={**SCHEME, **headers}).status_code == 401


def test_studios_own_page_signs_in_as_the_user_of_its_token(running: Server) -> None:
    headers = {**SCHEME, "Origin": STUDIO, "Sec-Fetch-Site": "cross-site"}
    made = httpx.post(f"{running.url}/threads", json={}, headers=headers)
    assert made.status_code == 200
    thread = f"{running.url}/threads/{made.json()['thread_id']}"
    assert httpx.get(thread, headers={"X-Api-Key": running.office.token}).status_code == 200
    assert httpx.get(thread, headers={"X-Api-Key": running.office.colleague_token}).status_code == 404


@pytest.mark.parametrize("path", ["/threads/search", "/api/session", "/api/matters"])
@pytest.mark.parametrize(
    "others", [{}, {"sec-fetch-site": "same-origin"}, {"x-requested-with": "orderly"}, {"authorization": "Bearer x"}]
)
def test_a_cookie_with_a_foreign_origin_is_refused(server: Server, path: str, others: dict[str, str]) -> None:
    method = "POST" if path.startswith("/threads") else "GET"
    with httpx.Client(base_url=server.url, headers={"cookie": f"session={server.office.token}"}) as page:
        for origin in (EVIL, "null", STUDIO):
            assert page.request(method, path, headers={**others, "origin": origin}).status_code == 403
        own = {"origin": server.url, "sec-fetch-site": "same-origin"}
        assert page.request(method, path, headers=own, **({"json": {}} if method == "POST" else {})).status_code == 200
