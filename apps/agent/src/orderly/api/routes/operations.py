"""For the machines that watch the server."""

from __future__ import annotations

import hmac

from fastapi import APIRouter, Request
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel

from orderly.api.callers import Held
from orderly.api.errors import NotSignedIn, answers
from orderly.settings import is_loopback
from orderly.sign_in.bearer import bearer_token
from orderly.sign_in.identity import NOT_SIGNED_IN
from orderly.store.functions.tokens import authenticate_token
from orderly.telemetry.metrics import QUEUE, REGISTRY

router = APIRouter(tags=["operations"])


class Health(BaseModel):
    status: str


class Ready(Health):
    store: str
    queue: dict[str, float]
    """Documents waiting, due later and worked on, and workers alive, as last seen; empty before that."""
    engine: str
    model: str


@router.get("/health")
async def health() -> Health:
    """Whether the process answers at all."""
    return Health(status="ok")


@router.get("/ready", responses={503: answers()[503]})
async def ready(held: Held) -> Ready:
    """Whether the store answers, and with what this server works."""
    await authenticate_token(held.store, "0" * 64)
    settings = held.settings
    return Ready(
        status="ready",
        store=settings.store_kind,
        queue={s.labels["state"]: s.value for metric in QUEUE.collect() for s in metric.samples},
        engine=held.engine.description,
        model=settings.model if settings.openai_api_key else "offline planner",
    )


_FORWARDED = frozenset({"forwarded", "x-forwarded-for", "x-real-ip", "via"})


def _asked_here(request: Request) -> bool:
    """By a program on this machine. What a proxy on it passes on comes from elsewhere."""
    return request.client is not None and is_loopback(request.client.host) and not _FORWARDED & set(request.headers)


@router.get("/api/metrics", response_class=Response, responses=answers())
async def metrics(request: Request, held: Held) -> Response:
    """For Prometheus: with the token that ORDERLY_METRICS_TOKEN sets, or without one from this machine."""
    token = held.settings.metrics_token
    if token is None:
        if not is_loopback(held.settings.bind_host) or not _asked_here(request):
            raise NotSignedIn(NOT_SIGNED_IN)
    elif not hmac.compare_digest(bearer_token(request.headers).encode(), token.get_secret_value().encode()):
        raise NotSignedIn(NOT_SIGNED_IN)
    return Response(generate_latest(REGISTRY), media_type=CONTENT_TYPE_LATEST)
