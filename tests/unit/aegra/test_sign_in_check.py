from __future__ import annotations

import logging

import pytest
from fastapi import FastAPI, HTTPException, Request

from orderly.aegra.sign_in_check import PROTECTED_ROUTES, require_sign_in
from orderly.errors import Misconfigured


def app_with_open_route(open_path: str | None, *, accepts_any_token: bool = False) -> FastAPI:
    app = FastAPI()

    def door(path: str):
        async def answer(request: Request) -> dict[str, str]:
            if path == open_path and (not accepts_any_token or request.headers.get("authorization")):
                return {}
            logging.getLogger("door").warning("Authentication failed.")
            raise HTTPException(401)

        return answer

    for method, path in PROTECTED_ROUTES:
        app.add_api_route(path, door(path), methods=[method])
    return app


async def test_a_server_that_rejects_anonymous_requests_starts_and_the_check_logs_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    await require_sign_in(app_with_open_route(None))
    assert not caplog.records
    logging.getLogger("door").warning("Logged after the check.")
    assert len(caplog.records) == 1


@pytest.mark.parametrize("path", [path for _, path in PROTECTED_ROUTES])
async def test_a_single_open_route_stops_the_server(path: str) -> None:
    with pytest.raises(Misconfigured, match=path):
        await require_sign_in(app_with_open_route(path))


async def test_a_route_that_accepts_an_unknown_token_stops_the_server() -> None:
    with pytest.raises(Misconfigured, match="200"):
        await require_sign_in(app_with_open_route(PROTECTED_ROUTES[0][1], accepts_any_token=True))


async def test_a_server_without_the_checked_routes_does_not_start() -> None:
    with pytest.raises(Misconfigured, match="404"):
        await require_sign_in(FastAPI())
