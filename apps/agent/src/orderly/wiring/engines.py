"""Constructs the legal engine: Isaacus (public API or private deployment), or the offline engine; the proposer of cells."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import cache

from pydantic import SecretStr

from orderly.errors import Misconfigured
from orderly.services.completions import PromptModel
from orderly.services.engines import Enricher, LegalEngine, PermittedEngine
from orderly.services.engines.isaacus import (
    NO_KEY,
    CallLog,
    Credentials,
    Models,
    RequestLimiter,
    SageMakerTransport,
    SigV4,
    parse_endpoints,
)
from orderly.services.engines.local import LocalEngine
from orderly.services.isaacus_client import IsaacusClient
from orderly.services.reviews import Proposer
from orderly.settings import Settings

_limiters: dict[str, RequestLimiter] = {}
"""One limiter per account, shared by all event loops."""


def legal_engine(settings: Settings) -> LegalEngine:
    """Creates the configured engine. Isaacus is limited by the egress policy."""
    offline = engine_named(settings, "local")
    return PermittedEngine(isaacus(settings), offline) if settings.uses_isaacus else offline


def engine_named(settings: Settings, name: str) -> LegalEngine:
    """Creates the engine "isaacus" or "local". Raises Misconfigured if Isaacus has no key."""
    if name == "local":
        return _offline()
    if not settings.uses_isaacus:
        raise Misconfigured("The engine isaacus needs ISAACUS_API_KEY, or ISAACUS_SAGEMAKER_ENDPOINTS.")
    return isaacus(settings)


@cache
def _offline() -> LocalEngine:
    """One for all event loops of a process: the model is loaded, and kept in memory, once."""
    return LocalEngine()


def enricher(settings: Settings, engine: LegalEngine) -> Enricher | None:
    """Returns None unless ORDERLY_ENRICH is set. Raises Misconfigured if Isaacus is not configured."""
    if not settings.enrich:
        return None
    remote = engine.remote if isinstance(engine, PermittedEngine) else engine
    if not isinstance(remote, IsaacusClient):
        raise Misconfigured("ORDERLY_ENRICH needs Isaacus: set ISAACUS_API_KEY, or leave ORDERLY_ENRICH out.")
    return remote


def isaacus(settings: Settings) -> IsaacusClient:
    """Creates a client of the public API, or of the private deployment if one is configured."""
    private = bool(settings.isaacus_sagemaker_endpoints)
    key = settings.isaacus_api_key
    account = settings.isaacus_sagemaker_endpoints or f"{settings.isaacus_base_url} {key.get_secret_value() if key else ''}"
    limiter = _limiters.setdefault(account, RequestLimiter(settings.isaacus_concurrency, queue=settings.isaacus_queue))
    return IsaacusClient(
        NO_KEY if private or key is None else key.get_secret_value(),
        settings.isaacus_base_url,
        models=Models(
            embedder=settings.isaacus_embedder,
            dimensions=settings.isaacus_dimensions,
            reranker=settings.isaacus_reranker,
            extractor=settings.isaacus_extractor,
            classifier=settings.isaacus_classifier,
            enricher=settings.isaacus_enricher,
        ),
        limiter=limiter,
        observer=None if settings.call_log is None else CallLog(settings.call_log),
        transport=sagemaker(settings) if private else None,
    )


def sagemaker(settings: Settings) -> SageMakerTransport:
    secret, session = settings.aws_secret_access_key, settings.aws_session_token
    if not settings.aws_access_key_id or secret is None:
        raise Misconfigured("The SageMaker endpoints need AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
    credentials = Credentials(
        settings.aws_access_key_id, secret.get_secret_value(), session.get_secret_value() if session else None
    )
    auth = SigV4(credentials, settings.aws_region, "sagemaker")
    return SageMakerTransport(parse_endpoints(settings.isaacus_sagemaker_endpoints), settings.aws_region, auth)


def proposer(settings: Settings, stack: AsyncExitStack) -> Proposer | None:
    """Creates what asks the chat model for cells of reviews; None without a chat model."""
    if settings.openai_api_key is None:
        return None
    model = _completions(settings.openai_api_key, settings.model, settings, stack)
    return Proposer(model, 2 * settings.context_tokens)  # two characters per token: half of the context in English


def second_reader(settings: Settings, stack: AsyncExitStack) -> PromptModel | None:
    """Creates the model that reads answers again: the one named for it, else the one that writes, where Isaacus does not read.

    None without a chat model, or if nobody is to read again.
    """
    if settings.openai_api_key is None or not settings.reads_again:
        return None
    model = settings.second_model.strip() or ("" if settings.uses_isaacus else settings.model)
    return _completions(settings.openai_api_key, model, settings, stack) if model else None


def _completions(key: SecretStr, model: str, settings: Settings, stack: AsyncExitStack) -> PromptModel:
    from orderly.services.completions.endpoint import Completions  # noqa: PLC0415  # imports openai

    url = settings.openai_base_url
    completions = Completions(key.get_secret_value(), base_url=url, model=model, seconds=settings.model_seconds)
    stack.push_async_callback(completions.close)
    return completions
