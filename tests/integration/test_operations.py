"""Metrics, readiness and logs for monitoring."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from integration.graph_runs import run
from orderly.agent.middleware.run_context import RunContext
from orderly.api.app import create_app
from orderly.api.callers import caller as signed_in
from orderly.api.callers import provide_services
from orderly.models import Caller
from orderly.settings import Settings
from orderly.telemetry.logs import JsonLines, carry_request_ids, request_id
from orderly.telemetry.metrics import REGISTRY
from orderly.wiring.services import Services, open_operator
from support.scripted_model import Reply, texts, tool_names


@pytest.fixture
def app(services: Services, ada: Caller) -> Any:
    made = create_app()
    made.dependency_overrides = {provide_services: lambda: services, signed_in: lambda: ada}
    return made


@pytest.fixture
async def client(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as opened:
        yield opened


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def with_settings(services: Services, **changes: Any) -> Services:
    return dataclasses.replace(services, settings=services.settings.model_copy(update=changes))


async def test_requests_are_counted_by_route_and_carry_their_id(client: httpx.AsyncClient, matter: dict[str, Any]) -> None:
    labels = {"method": "GET", "route": "/api/matters/{matter}", "status": "200"}
    before = counted("orderly_requests_total", **labels)
    answered = await client.get(f"/api/matters/{matter['number']}", headers={"X-Request-Id": "given-by-the-proxy"})
    assert answered.headers["x-request-id"] == "given-by-the-proxy"
    assert counted("orderly_requests_total", **labels) == before + 1
    other = await client.get("/made/up", headers={"X-Request-Id": "no\tgood"})
    assert len(other.headers["x-request-id"]) == 32
    assert counted("orderly_requests_total", method="GET", route="other", status="404") >= 1


async def test_metrics_need_their_token_and_name_no_matter(
    app: Any, client: httpx.AsyncClient, services: Services, matter: dict[str, Any], add_file: Any, ada: Caller
) -> None:
    await add_file("secret-name.txt", "1. Zirconium\nThe supplier delivers zirconium.\n")
    await services.library.search(ada, matter["id"], "zirconium", 5)
    assert (await client.get("/api/metrics")).status_code == 401, (
        "metrics without a token must be refused unless the server is bound to localhost"
    )
    app.dependency_overrides[provide_services] = lambda: with_settings(services, bind_host="127.0.0.1")
    assert (await client.get("/api/metrics")).status_code == 200
    app.dependency_overrides[provide_services] = lambda: with_settings(services, metrics_token=SecretStr("scrape"))
    assert (await client.get("/api/metrics")).status_code == 401
    assert (await client.get("/api/metrics", headers={"Authorization": "Bearer wrong"})).status_code == 401
    told = (await client.get("/api/metrics", headers={"Authorization": "Bearer scrape"})).text
    assert 'orderly_documents_total{status="ready"}' in told
    assert 'orderly_ingestion_stage_seconds_count{stage="embedding"}' in told
    for secret in ("zirconium", "secret-name", matter["number"], matter["id"], ada.user_id):
        assert secret.lower() not in told.lower()


async def test_tools_and_spent_budgets_are_counted(settings: Settings, services: Services, ada: Caller, acting: Any) -> None:
    stops = counted("orderly_budget_stops_total")
    calls = counted("orderly_tool_seconds_count", tool="list_matters", outcome="finished")
    failures = counted("orderly_tool_seconds_count", tool="get_document_text", outcome="failed")

    def script(request: dict[str, Any]) -> Reply:
        if "task" in tool_names(request) and not texts(request, "tool"):
            return [("list_matters", {}), ("task", {"description": "Read", "subagent_type": "document-agent"})]
        if tool_names(request) and not texts(request, "tool"):
            return [("get_document_text", {"document_id": "missing"})]
        return "Done."

    await run(settings.model_copy(update={"tool_calls": 3, "tool_calls_warning": 0}), script, acting(ada), "Go", RunContext())
    assert counted("orderly_tool_seconds_count", tool="list_matters", outcome="finished") == calls + 1
    assert counted("orderly_tool_seconds_count", tool="get_document_text", outcome="failed") == failures + 1
    assert counted("orderly_budget_stops_total") > stops


async def test_ready_reports_the_servers_components(client: httpx.AsyncClient) -> None:
    told = (await client.get("/ready")).json()
    assert told["status"] == "ready" and told["model"] == "offline planner" and "MiniLM" in told["engine"]
    assert (await client.get("/health")).json() == {"status": "ok"}


def test_log_lines_are_json_with_the_request_id() -> None:
    carry_request_ids()
    token = request_id.set("r-12345678")
    try:
        record = logging.getLogger("orderly.test").makeRecord("orderly.test", logging.INFO, "f", 1, "Read %s.", ("it",), None)
    finally:
        request_id.reset(token)
    line = json.loads(JsonLines().format(record))
    assert {k: line[k] for k in ("level", "logger", "event", "request_id")} == {
        "level": "info",
        "logger": "orderly.test",
        "event": "Read it.",
        "request_id": "r-12345678",
    }


async def test_a_body_that_is_not_utf8_is_a_validation_error(client: httpx.AsyncClient) -> None:
    answered = await client.post("/api/matters", content=b"\xff\xfe9", headers={"Content-Type": "application/json"})
    assert answered.status_code == 422
    assert answered.headers["content-type"] == "application/problem+json"
    openai = await client.post("/v1/responses", content=b"\xff\xfe9", headers={"Content-Type": "application/json"})
    assert openai.status_code == 400 and openai.json()["error"]["type"] == "invalid_request_error"


async def test_the_operator_opens_no_connections_for_callers(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("orderly.wiring.stores.open_postgres", opened.append)
    async with open_operator(services):
        assert opened == []
