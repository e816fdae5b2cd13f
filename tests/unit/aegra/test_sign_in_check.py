from __future__ import annotations

import logging

import pytest
from fastapi import FastAPI, HTTPException, Request

from orderly.aegra.sign_in_check import PROTECTED_ROUTES, require_sign_in
from orderly.errors import Misconfigured


def app_with(open_door: str | None, *, anyone_with_a_token: bool = False) -> FastAPI:
    app = FastAPI()

    def door(path: str):
        async def answer(request: Request) -> dict[str, str]:
            if path == open_door and (not anyone_with_a_token or request.headers.get("authorization")):
                return {}
            logging.getLogger("door").warning("Authentication failed.")
            raise HTTPException(401)

        return answer

    for method, path in PROTECTED_ROUTES:
        app.add_api_route(path, door(path), methods=[method])
    return app


async def test_a_server_that_turns_strangers_away_may_serve_and_its_log_tells_of_no_attack(
    caplog: pytest.LogCaptureFixture,
) -> None:
    await require_sign_in(app_with(None))
    assert not caplog.records
    logging.getLogger("door").warning("From now on they count.")
    assert len(caplog.records) == 1


@pytest.mark.parametrize("path", [path for _, path in PROTECTED_ROUTES])
async def test_one_open_door_is_enough_not_to_serve(path: str) -> None:
    with pytest.raises(Misconfigured, match=path):
        await require_sign_in(app_with(path))


async def test_a_token_that_nobody_issued_opens_nothing() -> None:
    with pytest.raises(Misconfigured, match="200"):
        await require_sign_in(app_with(PROTECTED_ROUTES[0][1], anyone_with_a_token=True))


async def test_a_server_that_fails_may_not_serve_either() -> None:
    with pytest.raises(Misconfigured, match="404"):
        await require_sign_in(FastAPI())
