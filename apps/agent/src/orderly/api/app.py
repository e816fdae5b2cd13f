"""The application that the LangGraph server mounts its own routes on. Every route here authenticates its caller itself."""

from __future__ import annotations

from fastapi import FastAPI

from orderly.api.errors import speak_problems
from orderly.api.routes import documents, matters, operations, questions, session


def create_app() -> FastAPI:
    """Opens nothing: services are opened by the first request of the server's event loop."""
    app = FastAPI(
        title="Orderly",
        version="1",
        summary="Documents of a law firm's matters: upload, read, search, and quotations that stand on the named page.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    for part in (session, matters, documents, questions, operations):
        app.include_router(part.router)
    speak_problems(app)
    return app


app = create_app()
