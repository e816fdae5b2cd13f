from __future__ import annotations

import logging

import pytest
from fastapi import APIRouter, FastAPI, HTTPException, Request

from orderly.aegra.sign_in_check import ESSENTIAL, OPEN, closed_routes, require_sign_in
from orderly.api.app import create_app
from orderly.errors import Misconfigured

ROUTES = [
    *((method, path) for path in sorted(ESSENTIAL) for method in ("GET", "POST")),
    ("DELETE", "/api/anything/{id}"),
    ("PATCH", "/included/{path:path}"),
    ("GET", "/mounted/inner/{id}"),
]


def app_with_open_route(open_route: tuple[str, str] | None, *, accepts_any_token: bool = False) -> FastAPI:
    app, included, mounted = FastAPI(openapi_url=None), APIRouter(), FastAPI(openapi_url=None)

    def door(route: tuple[str, str]):
        async def answer(request: Request) -> dict[str, str]:
            if route == open_route and (not accepts_any_token or request.headers.get("authorization")):
                return {}
            logging.getLogger("door").warning("Authentication failed.")
            raise HTTPException(401)

        return answer

    for method, path in ROUTES:
        home = {"included": included, "mounted": mounted}.get(path.split("/")[1], app)
        home.add_api_route(path.removeprefix("/mounted"), door((method, path)), methods=[method])
    app.include_router(included)
    app.mount("/mounted", mounted)
    app.add_api_route("/health", lambda: {}, methods=["GET"])
    return app


async def test_a_server_that_rejects_anonymous_requests_starts_and_the_check_logs_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    await require_sign_in(app_with_open_route(None))
    assert not caplog.records
    logging.getLogger("door").warning("Logged after the check.")
    assert len(caplog.records) == 1


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
async def test_a_single_open_route_stops_the_server(route: tuple[str, str]) -> None:
    with pytest.raises(Misconfigured) as stopped:
        await require_sign_in(app_with_open_route(route))
    assert f"{route[0]} {route[1]} answered 200" in stopped.value.message


async def test_a_route_that_accepts_an_unknown_token_stops_the_server() -> None:
    with pytest.raises(Misconfigured, match="200"):
        await require_sign_in(app_with_open_route(ROUTES[0], accepts_any_token=True))


async def test_a_server_without_a_part_of_the_application_does_not_start() -> None:
    with pytest.raises(Misconfigured, match="no route"):
        await require_sign_in(FastAPI(openapi_url=None))


def test_every_open_route_of_our_own_exists_and_every_other_is_checked() -> None:
    """A route that is added is checked, unless somebody writes it into the list of the open ones."""
    app = create_app()
    closed = set(closed_routes(app.routes))
    described = {(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods}
    unchecked = {(method, path) for method, path in described - closed}
    assert {f"{m} {p}" for m, p in unchecked if p not in OPEN} <= OPEN
    assert len(closed) > 100
