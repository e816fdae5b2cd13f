"""Python API to ingest, search and delete files without a server. All calls block. Documented in docs/python.md.

with DocumentService(matter="Knowledge base") as documents:
    documents.ingest_file("lease.pdf")
    for hit in documents.search("Who pays for repairs?"):
        print(hit["source_file"], hit["page"], hit["content"])
"""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Coroutine
from contextlib import AsyncExitStack, ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypedDict, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from orderly.document_reviews import DocumentReviews
from orderly.errors import Denied, Invalid, MatterNotFound, Unreadable
from orderly.models import FEW_RESULTS, PENDING_STATUSES, Caller
from orderly.services.files import temporary_folder, visible_name
from orderly.services.ingestion import Choice, Duplicates, Ingested
from orderly.services.text import Passage
from orderly.settings import Settings, load_settings
from orderly.store.functions.deletion import delete_document
from orderly.store.functions.documents import Document
from orderly.store.functions.matters import create_matter
from orderly.wiring.readers import document_processor
from orderly.wiring.services import Operator, Services, open_operator, open_services

T = TypeVar("T")

DEFAULT_MATTER = "Documents"


class Hit(TypedDict):
    content: str
    source_file: str
    chunk_index: int | None
    """Index of the passage in its document, from 0; None if the text is not chunked yet."""
    page: int | None
    """None if the format has no pages."""
    score: float | None
    """Score of the last ranking stage, 0..1; None if the hit is unranked."""
    document_id: str
    chunk_id: str


class Attached(TypedDict):
    type: Literal["text", "image"]
    name: str
    data: str
    """The text, or the image in base64."""


class DocumentService:
    """Access to one matter of one user. Use it in a `with` statement. Thread-safe.

    Args:
        matter: Number, id, slug or title of a matter. A matter with this title is created if none exists.
        token: Token of the user; default: the local user of the embedded store.
        settings: Default: the settings of the environment.

    All methods may raise errors of `orderly.errors`: Denied (invalid token), MatterNotFound, StoreUnavailable.
    """

    def __init__(self, matter: str = DEFAULT_MATTER, *, token: str | None = None, settings: Settings | None = None) -> None:
        self._matter, self._token, self._settings = matter, token, settings
        self._open = ExitStack()
        self._portal: BlockingPortal | None = None
        self._opened: tuple[Services, Operator, Caller, str]

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            self._opened = stack.enter_context(self._portal.wrap_async_context_manager(_OpenServices(self)))
            self._open = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._portal = None
        self._open.close()

    def ingest_file(self, path: str | Path) -> int:
        """Ingests a file and returns its number of passages.

        Other content under a known name becomes a new version; the same content under the same name is skipped.

        Raises:
            Unreadable: no text can be read; the message states the reason.
            Invalid: the file is too large or cannot be opened.

        """
        return self._run(self._ingest(Path(path)))

    def ingest_text(self, text: str, source_name: str) -> int:
        """Like `ingest_file`, for a text. `source_name`: used as the file name."""
        return self._run(self._ingest_text(text, source_name))

    def search(self, query: str, n: int | None = None) -> list[Hit]:
        """At most `n` passages (1..100, default 5), best first."""
        return self._run(self._search(query, n or FEW_RESULTS))

    def list_sources(self) -> list[str]:
        """Distinct names of the files that were ingested, in order of ingestion. Files whose ingestion failed are left out."""
        read = (d for d in self._run(self._documents()) if d["has_revision"] or d["status"] in PENDING_STATUSES)
        return list(dict.fromkeys(d["filename"] for d in read))

    def delete_source(self, source_file: str) -> int:
        """Deletes the files of this name and returns the number of deleted passages; 0 if there is no such file.

        Raises:
            Conflict: one of the files is under a legal hold.

        """
        return self._run(self._delete(source_file))

    @property
    def reviews(self) -> DocumentReviews:
        """The reviews of the matter."""
        return DocumentReviews(self._run, lambda: self._opened)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self._portal is None:
            work.close()
            raise Invalid("Use DocumentService in a with statement.")
        done: T = self._portal.call(lambda: work)
        return done

    async def _ingest(self, path: Path) -> int:
        _, operator, caller, matter = self._opened
        return _passages(await operator.file_ingestor.add(caller, matter, path, choose=self._choose))

    async def _ingest_text(self, text: str, source_name: str) -> int:
        name = visible_name(source_name)
        if "/" in name or name in (".", ".."):
            raise Invalid("The name of a source must be a file's name.")
        async with temporary_folder() as folder:
            path = folder / name
            path.write_text(text, encoding="utf-8")
            return await self._ingest(path)

    async def _choose(self, found: Duplicates) -> Choice:
        """Keeps one document per name: other content becomes its new version, earlier content too; the same is skipped."""
        if found.same_name is not None:
            return Choice("new_version", found.same_name["id"])
        known = found.same_content
        if known is not None and known["superseded"] and known["filename"] == found.filename:
            return Choice("new_version", known["id"])
        named = any(d["filename"] == found.filename for d in await self._documents())
        return Choice("skip" if named else "keep")

    async def _search(self, query: str, n: int) -> list[Hit]:
        services, _, caller, matter = self._opened
        result = await services.library.search(caller, matter, query, n)
        return [_hit(passage) for passage in result.passages]

    async def _documents(self) -> list[Document]:
        services, _, caller, matter = self._opened
        return list((await services.library.documents(caller, matter)).documents)

    async def _delete(self, source_file: str) -> int:
        services, _, caller, _ = self._opened
        named = [d for d in await self._documents() if d["filename"] == source_file]
        for document in named:
            await delete_document(services.store, caller, document["id"])
        return sum(d["chunk_count"] or 0 for d in named)

    async def _begin(self, stack: AsyncExitStack) -> tuple[Services, Operator, Caller, str]:
        services = await stack.enter_async_context(open_services(self._settings or load_settings()))
        operator = await stack.enter_async_context(open_operator(services))
        user = await services.user_of_token(self._token) if self._token else services.local_user
        if user is None:
            raise Denied("Say who is asking: give a token.")
        caller = Caller(user)
        return services, operator, caller, await _matter_called(services, caller, self._matter)


class _OpenServices:
    """Context manager for the services of a DocumentService, in its event loop."""

    def __init__(self, service: DocumentService) -> None:
        self._service, self._stack = service, AsyncExitStack()

    async def __aenter__(self) -> tuple[Services, Operator, Caller, str]:
        async with AsyncExitStack() as stack:
            opened = await self._service._begin(stack)  # private: both classes form one unit
            self._stack = stack.pop_all()
        return opened

    async def __aexit__(self, *error: Any) -> None:
        await self._stack.aclose()


async def _matter_called(services: Services, caller: Caller, name: str) -> str:
    try:
        return (await services.library.matter(caller, name))["id"]
    except MatterNotFound:
        return (await create_matter(services.store, caller, name))["id"]


def _passages(done: Ingested) -> int:
    if not done.chunks:
        raise Unreadable(done.reason or f"{done.filename} was stored, and is not read yet: {done.status}.")
    return done.chunks


def _hit(passage: Passage) -> Hit:
    return {
        "content": passage.text,
        "source_file": passage.document_name,
        "chunk_index": passage.ordinal,
        "page": passage.page_first if passage.paged else None,
        "score": passage.score,
        "document_id": passage.document_id,
        "chunk_id": passage.id,
    }


def extract_text(path: str | Path) -> str:
    """Extracts the text of a file as ingestion does, with the offline OCR alone. Stores nothing and sends nothing away.

    Raises:
        Unreadable: the file is unsupported, damaged, empty or password-protected.

    """
    with start_blocking_portal() as portal:
        return portal.call(partial(_text_of, Path(path)))


async def _text_of(path: Path) -> str:
    if not path.is_file():  # noqa: ASYNC240  # the loop has no other tasks
        raise Invalid(f"{path.name} is not a file.")
    # Outside any policy no processor is permitted: the file belongs to no matter, whose firm could have allowed one.
    return (await document_processor(load_settings()).extract(path, path.name)).text


def extract_for_attachment(path: str | Path) -> Attached:
    """A file as a chat attachment: images in base64, other files as text."""
    path = Path(path)
    kind = mimetypes.guess_type(path.name)[0] or ""
    if kind in ("image/png", "image/jpeg", "image/gif", "image/webp"):
        try:
            data = path.read_bytes()
        except OSError as error:
            raise Invalid(f"{path.name} cannot be opened.") from error
        return {"type": "image", "name": path.name, "data": base64.b64encode(data).decode()}
    return {"type": "text", "name": path.name, "data": extract_text(path)}
