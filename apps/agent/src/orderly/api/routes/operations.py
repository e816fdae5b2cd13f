"""Health, readiness and metrics of the server."""

from __future__ import annotations

import asyncio
import hmac

from fastapi import APIRouter, Request
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel

from orderly.api.callers import CurrentServices
from orderly.api.errors import NotSignedIn, error_responses
from orderly.settings import is_loopback
from orderly.sign_in.bearer import bearer_token
from orderly.sign_in.identity import NOT_SIGNED_IN
from orderly.store.functions.tokens import authenticate_token
from orderly.telemetry.metrics import QUEUE, REGISTRY
from orderly.version import version

router = APIRouter(tags=["operations"])


class Health(BaseModel):
    status: str


class Ready(Health):
    version: str
    store: str
    queue: dict[str, float]
    """Last sampled numbers of documents (waiting, later, working) and live workers; empty before the first sample."""
    engine: str
    model: str


@router.get("/health")
async def health() -> Health:
    """Liveness: the process answers."""
    return Health(status="ok")


@router.get("/ready", responses={503: error_responses()[503]})
async def ready(services: CurrentServices) -> Ready:
    """Readiness: the store answers. Names the version, the store, the engine and the model."""
    await authenticate_token(services.store, "0" * 64)
    settings = services.settings
    return Ready(
        status="ready",
        version=await asyncio.to_thread(version),
        store=settings.store_kind,
        queue={s.labels["state"]: s.value for metric in QUEUE.collect() for s in metric.samples},
        engine=services.engine.description,
        model=settings.model if settings.openai_api_key else "offline planner",
    )


_FORWARDED = frozenset({"forwarded", "x-forwarded-for", "x-real-ip", "via"})


def _is_local(request: Request) -> bool:
    """Whether a program on this machine sent the request, not a proxy that forwards one from elsewhere."""
    return request.client is not None and is_loopback(request.client.host) and not _FORWARDED & set(request.headers)


@router.get("/api/metrics", response_class=Response, responses=error_responses())
async def metrics(request: Request, services: CurrentServices) -> Response:
    """Metrics for Prometheus: with the token ORDERLY_METRICS_TOKEN; if it is not set, only from this machine."""
    token = services.settings.metrics_token
    if token is None:
        if not is_loopback(services.settings.bind_host) or not _is_local(request):
            raise NotSignedIn(NOT_SIGNED_IN)
    elif not hmac.compare_digest(bearer_token(request.headers).encode(), token.get_secret_value().encode()):
        raise NotSignedIn(NOT_SIGNED_IN)
    return Response(generate_latest(REGISTRY), media_type=CONTENT_TYPE_LATEST)
