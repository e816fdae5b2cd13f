"""Errors as the routes render them."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from orderly.api.errors import register_error_handlers
from orderly.errors import EngineFailed, OrderlyError, RunFailed


@pytest.mark.parametrize("error", [RunFailed("The run ended with an error."), EngineFailed("The engine did not answer.")])
def test_what_failed_behind_the_server_is_no_fault_of_the_server(error: OrderlyError) -> None:
    app = FastAPI()
    register_error_handlers(app)

    @app.post("/v1/chat/completions")
    @app.post("/api/ask")
    async def fail() -> None:
        raise error

    with TestClient(app) as client:
        openai, problem = client.post("/v1/chat/completions"), client.post("/api/ask")
    assert (openai.status_code, openai.json()["error"]["type"]) == (502, "server_error")
    assert openai.json()["error"]["message"] == error.message
    assert (problem.status_code, problem.json()["detail"]) == (502, error.message)
