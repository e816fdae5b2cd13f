"""Traces follow the standard environment variables and contain no words of documents, names or questions."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from orderly.agent.tools import get_document_text, isaacus_search
from orderly.api.app import create_app
from orderly.api.callers import caller as signed_in
from orderly.api.callers import provide_services
from orderly.errors import OrderlyError
from orderly.models import Caller
from orderly.telemetry import spans
from orderly.wiring.services import Services

FORBIDDEN = (b"zirconium", b"secret-name", b"lustrum")


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """Request bodies that a local OTLP collector receives."""
    bodies: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "orderly-of-the-firm")
    spans.provider.cache_clear()
    yield bodies
    spans.provider.cache_clear()
    server.shutdown()
    thread.join()
    server.server_close()


def sent(bodies: list[bytes]) -> tuple[set[str], dict[str, Span]]:
    """Returns the service names, and the spans by name."""
    spans.provider().shutdown()
    services, found = set(), {}
    for body in bodies:
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            services |= {a.value.string_value for a in resource.resource.attributes if a.key == "service.name"}
            found |= {span.name: span for scope in resource.scope_spans for span in scope.spans}
    return services, found


async def test_requests_tools_and_processing_are_traced_without_content(
    received: list[bytes], services: Services, ada: Caller, matter: dict[str, Any], add_file: Any, acting: Any
) -> None:
    app = create_app()
    app.dependency_overrides = {provide_services: lambda: services, signed_in: lambda: ada}
    document = await add_file("secret-name.txt", "1. Zirconium\nThe supplier delivers zirconium once a lustrum.\n")
    with pytest.raises(OrderlyError), spans.span("failed on purpose"):
        raise OrderlyError("secret-name.txt cannot be read")
    await isaacus_search.ainvoke({"matter_id": matter["id"], "query": "zirconium"}, acting(ada))
    await get_document_text.ainvoke({"document_id": document}, acting(ada))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        asked = {"query": "lustrum"}
        answer = await client.post(f"/api/matters/{matter['id']}/search", json=asked, headers={"x-request-id": "r-12345678"})
        assert answer.status_code == 200
    names, found = sent(received)
    assert names == {"orderly-of-the-firm"}
    assert {"read document", "tool isaacus_search", "tool get_document_text", "POST request"} <= found.keys()
    request = {a.key: a.value.string_value for a in found["POST request"].attributes}
    assert request == {"request_id": "r-12345678"}
    assert found["failed on purpose"].status.message == "OrderlyError"
    for word in FORBIDDEN:
        assert word not in b"".join(received).lower()


@pytest.mark.parametrize("disabled", [False, True])
async def test_nothing_is_traced_by_default_or_where_it_is_disabled(
    received: list[bytes], monkeypatch: pytest.MonkeyPatch, disabled: bool
) -> None:
    if disabled:
        monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    else:
        for name in spans.ENDPOINTS:
            monkeypatch.delenv(name, raising=False)
    with spans.span("anything"):
        pass
    assert spans.provider() is None
