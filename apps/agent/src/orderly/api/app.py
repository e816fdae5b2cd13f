"""FastAPI application that the LangGraph server mounts its own routes on. Each route authenticates its caller."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.routing import Route

from orderly.api.background import background_work, share_interpreter
from orderly.api.errors import register_error_handlers
from orderly.api.graph_names import GraphNames
from orderly.api.mcp import McpEndpoint
from orderly.api.origins import Origins
from orderly.api.request_telemetry import RequestTelemetry
from orderly.api.routes import (
    audit,
    chat_completions,
    chat_documents,
    citations,
    conversation_search,
    conversations,
    document_pages,
    documents,
    events,
    files,
    firm,
    folders,
    grants,
    installation,
    matters,
    oidc,
    openai_elsewhere,
    openai_files,
    operations,
    page,
    processors,
    questions,
    responses,
    resumable_uploads,
    review_cells,
    review_columns,
    reviews,
    screens,
    session,
    uploads,
    vector_stores,
)
from orderly.api.seals import Seals
from orderly.api.traffic import TrafficLimits
from orderly.api.undeclared_methods import UndeclaredMethods
from orderly.telemetry.logs import carry_request_ids


def create_app() -> FastAPI:
    """Builds the application. The background work or the first request opens the services, in the server's event loop."""
    mcp = McpEndpoint()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        share_interpreter()
        async with mcp.manager.run(), background_work():
            yield

    app = FastAPI(
        title="Orderly",
        version="1",
        summary="Documents of a law firm's matters: upload, read, search, and quotations verified on the cited page.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    for module in (folders, document_pages, citations, files, resumable_uploads, chat_documents):
        app.include_router(module.router)
    app.include_router(page.front)
    for module in (
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
        reviews,
        review_cells,
        review_columns,
        questions,
        responses,
        chat_completions,
        conversations,
        conversation_search,
        openai_files,
        vector_stores,
        openai_elsewhere,
        operations,
        page,
    ):
        app.include_router(module.router)
    app.router.routes.append(Route("/api/mcp", mcp, methods=["GET", "POST", "DELETE"]))
    register_error_handlers(app)
    app.add_middleware(UndeclaredMethods, documented=app)
    app.add_middleware(GraphNames)
    app.add_middleware(Seals)
    app.add_middleware(Origins)
    app.add_middleware(TrafficLimits)
    app.add_middleware(RequestTelemetry)
    carry_request_ids()
    return app


app = create_app()
