"""The application that the LangGraph server mounts its own routes on. Every route here authenticates its caller itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.routing import Route

from orderly.api.background import background
from orderly.api.errors import speak_problems
from orderly.api.mcp import McpDoor
from orderly.api.preflights import PrivateNetworkPreflights
from orderly.api.request_telemetry import Observing
from orderly.api.routes import (
    audit,
    documents,
    events,
    firm,
    grants,
    installation,
    matters,
    oidc,
    operations,
    page,
    processors,
    questions,
    responses,
    screens,
    session,
    uploads,
)
from orderly.api.routes.document_routes import router as filing
from orderly.api.traffic import Traffic
from orderly.telemetry.logs import carry_request_ids


def create_app() -> FastAPI:
    """Opens nothing: services are opened in the server's event loop, by its background work or the first request."""
    mcp = McpDoor()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with mcp.manager.run(), background():
            yield

    app = FastAPI(
        title="Orderly",
        version="1",
        summary="Documents of a law firm's matters: upload, read, search, and quotations that stand on the named page.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.include_router(filing)
    for part in (
        session,
        oidc,
        installation,
        matters,
        screens,
        grants,
        audit,
        firm,
        processors,
        documents,
        uploads,
        events,
        questions,
        responses,
        operations,
        page,
    ):
        app.include_router(part.router)
    app.router.routes.append(Route("/api/mcp", mcp, methods=["GET", "POST", "DELETE"]))
    speak_problems(app)
    app.add_middleware(PrivateNetworkPreflights)
    app.add_middleware(Traffic)
    app.add_middleware(Observing)
    carry_request_ids()
    return app


app = create_app()
