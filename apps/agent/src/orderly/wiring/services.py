"""Constructs the services from the settings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import httpx

from orderly.services.citations import LearnedReader
from orderly.services.completions import PromptModel
from orderly.services.document_processor import DocumentProcessor
from orderly.services.documents import AdaptiveReader, Navigation, PageImages, StoredFiles
from orderly.services.engines import LegalEngine
from orderly.services.exports import Exports
from orderly.services.files import FileLinks
from orderly.services.governance import AnchorStore, Witness
from orderly.services.ingestion import FileIngestor, Ingestor, Registrar, Uploads
from orderly.services.isolation import REGEX, ProcessLimits, RegexMatcher, shared_pool
from orderly.services.library import Library
from orderly.services.live import Announcements
from orderly.services.policy import ConcurrencyLimiter, KnownTokens, RateLimiter, UserSlots
from orderly.services.reviews import Reviews, RowAnswerer
from orderly.services.search import KeywordSearch
from orderly.services.visuals import VisualIndexer, VisualSearch
from orderly.settings import Settings, load_settings
from orderly.sign_in.oidc import OpenIdProvider, openid_provider
from orderly.sign_in.supabase import SupabaseSignIn
from orderly.sign_in.tokens import LOCAL_PREFIX, SupabaseTokens, local_user
from orderly.store.base import Blobs, CallersBlobs, Store, WorkerStore
from orderly.wiring.engines import enricher, legal_engine, proposer, second_reader
from orderly.wiring.keys import audit_anchors, audit_witness, installation_secret
from orderly.wiring.readers import colivara, document_processor, vision_model
from orderly.wiring.sign_in import embedded_user, supabase_sign_in, supabase_tokens
from orderly.wiring.stores import known_conversations_url, open_stores, open_worker_stores

WAITING_SEARCHES = 100
"""Searches and tool calls of a user that may wait for others of the same user."""

WAITING_RUNS = 16
"""Runs of a user that may wait. They hold a place of the server (`orderly serve --jobs`), so others need to be left."""

REGEX_LIMITS = ProcessLimits(processes=4, seconds=10, memory_mb=1024)
"""Shared by all searches document by document, so that one slow expression does not block other searches."""


@dataclass(frozen=True)
class Services:
    """The agent's services in one event loop. None of them holds a key that bypasses the caller's permissions."""

    settings: Settings
    store: Store
    blobs: CallersBlobs
    engine: LegalEngine
    processor: DocumentProcessor
    registrar: Registrar
    library: Library
    navigation: Navigation
    reader: AdaptiveReader
    keywords: KeywordSearch
    pages: PageImages
    visuals: VisualSearch
    reviews: Reviews
    exports: Exports
    links: FileLinks
    secret: bytes = field(repr=False)
    local_user: str | None
    """User id for tools called outside a run; only with the embedded store."""
    supabase_tokens: SupabaseTokens
    supabase_sign_in: SupabaseSignIn
    announcements: Announcements
    uploads: Uploads
    limiter: RateLimiter
    sign_in_limiter: RateLimiter
    event_streams: ConcurrencyLimiter
    open_requests: ConcurrencyLimiter
    requests: UserSlots
    calculations: UserSlots
    runs: UserSlots
    known_tokens: KnownTokens = field(default_factory=KnownTokens)
    second_model: PromptModel | None = None
    """Reads the sentences of answers against their quotations; None: Isaacus does, or nobody."""
    learned_reader: LearnedReader | None = None
    """Reads them where neither does."""
    oidc: OpenIdProvider | None = None
    """None if no OpenID provider is configured."""

    async def user_of_token(self, token: str) -> str:
        """Returns the user id of a token. Raises Denied if it is invalid or expired."""
        local = token.startswith(LOCAL_PREFIX)
        user = await local_user(self.store, token) if local else await self.supabase_tokens.user(token)
        self.known_tokens.learn(token, user)
        return user


@dataclass(frozen=True)
class Operator:
    """The service role's services, for the operator's command line and the workers."""

    worker: WorkerStore
    ingestor: Ingestor
    rows: RowAnswerer
    file_ingestor: FileIngestor
    blobs: Blobs
    witness: Witness
    anchors: Sequence[AnchorStore]
    queue_url: str | None = field(repr=False)
    conversations_url: str | None = field(default=None, repr=False)
    """The production server's database, which may not exist."""


_current: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[Services]] = WeakKeyDictionary()
_closing_tasks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[None]] = WeakKeyDictionary()
"""Tasks that close the services of an event loop when it ends."""


async def current_services() -> Services:
    """Returns the services of the running event loop. Opens them on first use."""
    loop = asyncio.get_running_loop()
    task = _current.get(loop)
    if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
        task = _current[loop] = loop.create_task(_open_for_process())
    return task.result() if task.done() else await asyncio.shield(task)  # shield takes an iteration of the loop


async def _open_for_process() -> Services:
    """Opens services until `close_current_services`, or until `asyncio.run` cancels the task that closes them."""
    loop, stack = asyncio.get_running_loop(), AsyncExitStack()
    settings = await asyncio.to_thread(load_settings)  # files are read and paths made whole, which block
    services = await stack.enter_async_context(_services(settings))
    _closing_tasks[loop] = loop.create_task(_close_at_end(loop, stack))
    return services


async def _close_at_end(loop: asyncio.AbstractEventLoop, stack: AsyncExitStack) -> None:
    """Closes in one task. `loop.shutdown_asyncgens` would close several generators of the stack concurrently, which fails."""
    try:
        await loop.create_future()
    finally:
        del _current[loop], _closing_tasks[loop]
        await stack.aclose()


async def close_current_services() -> None:
    """Closes what `current_services` opened. A server that was stopped by SIGTERM is ended before its event loop is."""
    if (closing := _closing_tasks.get(asyncio.get_running_loop())) is not None:
        closing.cancel()
        await asyncio.gather(closing, return_exceptions=True)


@asynccontextmanager
async def open_services(settings: Settings, engine: LegalEngine | None = None) -> AsyncIterator[Services]:
    """Opens services, and closes them at exit. Tools and graph use them inside the block.

    Args:
        settings: Settings of the installation.
        engine: Legal engine; None: the engine of the settings.
    """
    loop = asyncio.get_running_loop()
    outer = _current.get(loop)
    async with _services(settings, engine) as services:
        _current[loop] = loop.create_task(_return(services))
        try:
            yield services
        finally:
            if outer is None:
                del _current[loop]
            else:
                _current[loop] = outer


@asynccontextmanager
async def open_operator(services: Services) -> AsyncIterator[Operator]:
    """Opens the service role's services, and closes them at exit."""
    async with open_worker_stores(services.settings) as stores, AsyncExitStack() as stack:
        worker, blobs = stores.worker, stores.blobs
        indexer = VisualIndexer(worker, blobs, services.visuals.colivara, services.processor)
        document_enricher = enricher(services.settings, services.engine)
        ingestor = Ingestor(worker, blobs, services.processor, services.engine, services.settings, indexer, document_enricher)
        yield Operator(
            worker=worker,
            ingestor=ingestor,
            rows=RowAnswerer(worker, services.engine, services.settings, proposer(services.settings, stack)),
            file_ingestor=FileIngestor(services.store, services.blobs, ingestor, services.settings),
            blobs=blobs,
            witness=await asyncio.to_thread(audit_witness, services.settings),
            anchors=await asyncio.to_thread(audit_anchors, services.settings),
            queue_url=stores.queue_url,
            conversations_url=known_conversations_url(services.settings, stores.queue_url),
        )


async def _return(services: Services) -> Services:
    return services


@asynccontextmanager
async def _services(settings: Settings, engine: LegalEngine | None = None) -> AsyncIterator[Services]:
    async with AsyncExitStack() as stack:
        stores = await stack.enter_async_context(open_stores(settings))
        engine = engine or legal_engine(settings)
        stack.push_async_callback(engine.close)
        http = await stack.enter_async_context(httpx.AsyncClient())
        processor = document_processor(settings, stack)
        secret = await asyncio.to_thread(installation_secret, settings)
        links = FileLinks(secret, settings.link_seconds, settings.public_url.rstrip("/"))
        reviews = Reviews(stores.store, engine, settings.max_review_cells)
        looking = document_processor(settings, stack, purpose="looking")
        pages = PageImages(stores.store, stores.blobs, looking, links)
        visuals = VisualSearch(stores.store, pages, colivara(settings, http), vision_model(settings, stack))
        files = StoredFiles(stores.blobs, looking)
        yield Services(
            settings=settings,
            store=stores.store,
            blobs=stores.blobs,
            engine=engine,
            processor=processor,
            registrar=Registrar(stores.store, stores.blobs, processor, settings),
            library=Library(
                stores.store,
                files,
                engine,
                settings.isaacus_seconds,
                sight=visuals if visuals.by_sight else None,
            ),
            navigation=Navigation(stores.store),
            reader=AdaptiveReader(stores.store),
            keywords=KeywordSearch(
                stores.store,
                files,
                RegexMatcher(shared_pool(REGEX, REGEX_LIMITS)),
                settings.search_seconds,
            ),
            pages=pages,
            visuals=visuals,
            reviews=reviews,
            exports=Exports(stores.store, reviews, pages, settings.timezone),
            secret=secret,
            links=links,
            local_user=await embedded_user(stores, settings),
            supabase_tokens=supabase_tokens(settings, http),
            second_model=second_reader(settings, stack),
            oidc=openid_provider(settings, http),
            limiter=RateLimiter(settings.requests_per_minute),
            sign_in_limiter=RateLimiter(settings.sign_ins_per_minute),
            event_streams=ConcurrencyLimiter(settings.event_streams),
            open_requests=ConcurrencyLimiter(settings.open_requests),
            requests=UserSlots(settings.requests_at_a_time, settings.open_requests or 10_000, "requests"),
            calculations=UserSlots(settings.searches_at_a_time, WAITING_SEARCHES, "searches"),
            runs=UserSlots(_runs_at_a_time(settings), WAITING_RUNS, "runs"),
            supabase_sign_in=supabase_sign_in(settings, http),
            announcements=Announcements(),
            uploads=Uploads(
                settings.uploads_dir or settings.home / "uploads",
                limit_mb=settings.max_file_mb,
                hours=settings.upload_hours,
                most=settings.max_open_uploads,
            ),
        )


def _runs_at_a_time(settings: Settings) -> int:
    """Runs with a model wait for it most of the time. Those of the offline planner calculate: half as many."""
    most = settings.runs_at_a_time
    return most if settings.openai_api_key is not None else (most + 1) // 2
