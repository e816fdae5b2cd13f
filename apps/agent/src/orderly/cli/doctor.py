from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import click
import httpx

from orderly.cli.people import installed_firm
from orderly.cli.session import json_option, operator_session, runs, show
from orderly.errors import Misconfigured, OrderlyError, StoreUnavailable
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents import EDITION
from orderly.services.engines import LegalEngine
from orderly.services.policy import PROCESSORS, permitting
from orderly.settings import Settings, load_settings
from orderly.store.base import WorkerStore
from orderly.store.functions.firm import InstallationTotals, list_users, stats_for_doctor
from orderly.store.functions.ingestion import QueueState, outdated_documents
from orderly.store.functions.usage import EngineUsage, engine_usage_totals
from orderly.version import version
from orderly.wiring.installation_checks import Check, installation_checks

USAGE_DAYS = 30

OPENAI = "https://api.openai.com/v1"

MODEL_SECONDS = 10.0


@click.command()
@json_option
@runs
async def doctor(as_json: bool) -> None:
    """Check the installation: what is configured, what works and what is missing."""
    settings = load_settings()
    installed = await installation_checks(settings)
    try:
        checks, data = await _checks()
    except (StoreUnavailable, Misconfigured) as error:
        checks, data = (
            {"store": (False, f"{_place(settings)} does not answer: {error.operator}"), **await _settled(settings)},
            {},
        )
    checks |= {**installed, "version": (True, await asyncio.to_thread(version))}
    lines = [f"{'✓' if works else '✗'} {name}: {what}" for name, (works, what) in checks.items() if what]
    shown = {name: {"works": works, "what": what} for name, (works, what) in checks.items()}
    show({"checks": shown, **data}, "\n".join(lines), as_json)
    if not all(works for works, _ in checks.values()):
        raise click.exceptions.Exit(1)


async def _checks() -> tuple[dict[str, Check], dict[str, Any]]:
    """Returns the checks, and the figures of the store behind them. Raises StoreUnavailable."""
    async with operator_session() as (s, operator):
        settings = s.services.settings
        store, stats, queue, used = await _try_store(operator.worker, settings)
        with permitting(PROCESSORS):  # the test sentence belongs to no matter
            engine_works, engine = await _try_engine(s.services.engine)
        checks = {
            "store": store,
            "readers": (True, await _outdated(operator.worker) if stats else ""),
            "queue": (queue is not None, _queue(queue) if queue else ""),
            "firm": await _try_firm(operator.worker, settings),
            "engine": (engine_works, engine),
            "files": await _try_reading(s.services.processor, settings),
            "usage": (True, _usage(used)),
            "other vectors": (True, _vectors(stats, s.services.engine) if stats else ""),
            **await _settled(settings),
        }
    return checks, {"stats": stats, "usage": used}


async def _settled(settings: Settings) -> dict[str, Check]:
    """The checks that need no store."""
    return {
        "chat model": await _try_model(settings),
        "scans": (True, _ocr(settings)),
        "sight": (True, _sight(settings)),
        "sign-in": (True, _sign_in(settings)),
    }


async def _try_store(
    worker: WorkerStore, settings: Settings
) -> tuple[tuple[bool, str], InstallationTotals | None, QueueState | None, list[EngineUsage]]:
    """The store's line, and what the store gave for the other lines."""
    from orderly.jobs import state_of_queue  # noqa: PLC0415  # the jobs load the framework of agents, the help does not need it

    try:
        stats = await stats_for_doctor(worker)
        queue = await state_of_queue(worker, settings.lease_seconds)
        used = await engine_usage_totals(worker, days=USAGE_DAYS)
    except OrderlyError as error:
        return (False, f"{_place(settings)} does not answer: {error.operator}"), None, None, []
    totals = f"{stats['matters']} matters, {stats['documents']} documents, {stats['chunks']} chunks"
    return (True, f"{_place(settings)}; {totals}"), stats, queue, used


async def _try_firm(worker: WorkerStore, settings: Settings) -> Check:
    """Whether `orderly user add` would add people to a firm that exists."""
    try:
        firms = sorted({user["tenant_name"] for user in await list_users(worker)})
    except OrderlyError:
        return True, ""  # the store's line says it
    if not firms and settings.firm == Settings.model_fields["firm"].default:
        return True, "none yet: set ORDERLY_FIRM, then `orderly user add EMAIL --admin`"
    if not firms:
        return True, f"{settings.firm}, without users: `orderly user add EMAIL --admin` adds the first"
    try:
        installed_firm(settings, set(firms))
    except Misconfigured as error:
        return False, error.operator
    return True, ", ".join(firms)


async def _outdated(worker: WorkerStore) -> str:
    count = await outdated_documents(worker, EDITION)
    what = "1 document was" if count == 1 else f"{count:,} documents were"
    return f"{what} read by an earlier edition; orderly reingest --outdated reads again" if count else ""


async def _try_engine(engine: LegalEngine) -> tuple[bool, str]:
    try:
        [vector] = await engine.embed(["limitation of liability"], task="retrieval/query")
    except OrderlyError as error:
        return False, f"{engine.description} does not answer: {error.message}"
    return True, f"{engine.description}, vectors of {len(vector)} dimensions"


async def _try_reading(processor: DocumentProcessor, settings: Settings) -> tuple[bool, str]:
    try:
        await processor.check()
    except (OSError, RuntimeError) as error:
        return False, f"the processes that read files do not start: {error}"
    return True, (
        f"read in up to {settings.reading_processes} processes, each file within {settings.reading_seconds:g} s "
        f"and {settings.reading_memory_mb} MB"
    )


def _place(settings: Settings) -> str:
    return {
        "embedded": f"embedded Postgres in {settings.home}",
        "postgres": "Postgres of DATABASE_URL",
        "supabase": "Supabase",
    }[settings.store_kind]


def _queue(state: QueueState) -> str:
    waiting = state["waiting"] + state["later"]
    if waiting and not state["workers"]:
        return f"{waiting} waiting, {state['working']} in work, no worker: start `orderly worker`"
    return f"{waiting} waiting, {state['working']} in work, {state['workers']} workers"


def _usage(used: Sequence[EngineUsage]) -> str:
    requests, tokens = sum(row["requests"] for row in used), sum(row["input_tokens"] for row in used)
    return f"{requests:,} requests and {tokens:,} tokens in {USAGE_DAYS} days; orderly usage says for what" if used else ""


async def _try_model(settings: Settings) -> Check:
    """Asks the endpoint for its list of models, which costs nothing. Not every endpoint has one."""
    if settings.openai_api_key is None:
        return True, "offline planner, by rule; set OPENAI_API_KEY (and OPENAI_BASE_URL, ORDERLY_MODEL) for a language model"
    named = f"{settings.model} at {settings.openai_base_url or 'the default OpenAI endpoint'}"
    address = f"{(settings.openai_base_url or OPENAI).rstrip('/')}/models"
    bearer = {"Authorization": f"Bearer {settings.openai_api_key.get_secret_value()}"}
    try:
        async with httpx.AsyncClient(timeout=MODEL_SECONDS) as http:
            status = (await http.get(address, headers=bearer)).status_code
    except (httpx.HTTPError, httpx.InvalidURL):
        return False, f"{named} does not answer; check OPENAI_BASE_URL"
    if status in (401, 403):
        return False, f"{named} refuses OPENAI_API_KEY (status {status})"
    return True, named


def _ocr(settings: Settings) -> str:
    if settings.deepseek_api_key is None:
        return "offline OCR (Tesseract, English); set DEEPSEEK_API_KEY for a vision endpoint"
    return f"vision model {settings.ocr_model}, with the offline OCR where it fails"


def _sight(settings: Settings) -> str:
    seeing = "" if settings.model_sees else "; the chat model is shown no pictures (ORDERLY_MODEL_SEES)"
    if settings.colivara_api_key is None:
        return f"embedded index of figures, tables and signatures; set COLIVARA_API_KEY to find pages by their looks{seeing}"
    return f"ColiVara at {settings.colivara_base_url}{seeing}"


def _vectors(stats: InstallationTotals, engine: LegalEngine) -> str:
    others = {model: n for model, n in stats["vectors_by_model"].items() if model != engine.embedding_model}
    listed = ", ".join(f"{count} of {model}" for model, count in others.items())
    return f"{listed}; this engine searches those documents by words only until orderly reembed has run" if listed else ""


def _sign_in(settings: Settings) -> str:
    jwt = settings.supabase_jwt_secret is not None or settings.supabase_jwks_url is not None
    kinds = ["tokens issued here (orderly user token)", *(["Supabase Auth"] if jwt else [])]
    return " and ".join(kinds)
