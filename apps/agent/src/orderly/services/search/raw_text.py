"""Searches the files of documents that have no passages yet, word by word."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orderly.errors import DocumentNotFound, NotReady, StorageFailed, TooCostly, Unreadable
from orderly.models import Caller
from orderly.services.documents import ReadCoverage, StoredFiles, StoredText, coverage_of_file
from orderly.services.search.raw_ranking import rank_in_child
from orderly.store.base import Store
from orderly.store.functions.documents import get_document
from orderly.store.functions.search import SearchedDocument

READING_SECONDS = 15.0
"""Time limit for reading all files of one search. Files beyond it are reported as not searched."""

CONCURRENT_FILES = 2

NO_TIME = "its file could not be read in the time of a search"
NO_TEXT = "its file has no text without text recognition"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RawPassage:
    """A piece of a stored file's text. A quotation of it cannot be verified before the document is indexed."""

    document_id: str
    document_name: str
    text: str
    paged: bool
    page: int


@dataclass(frozen=True, slots=True)
class FileTexts:
    """Texts of stored files by document id."""

    texts: Mapping[str, StoredText] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    """Document id -> reason why its file was not searched."""


@dataclass(frozen=True, slots=True)
class RawResult:
    """The files that were read, and the pieces of them that the query found, best first."""

    files: FileTexts = field(default_factory=FileTexts)
    passages: Sequence[RawPassage] = ()
    coverage: Mapping[str, ReadCoverage] = field(default_factory=dict)
    """How each file in `files.texts` was read, by document id."""


async def search_raw(
    store: Store, files: StoredFiles, caller: Caller, documents: Sequence[SearchedDocument], query: str, limit: int
) -> RawResult:
    """Searches the files of those documents that have no passages yet."""
    waiting = without_passages(documents)
    if not waiting:
        return RawResult()
    read = await read_files(store, files, caller, waiting)
    try:
        passages = await _rank(waiting, read, query, limit)
    except TooCostly as error:
        _log.warning("Files without passages were not searched: %s", error.message)
        read, passages = FileTexts(unread=dict.fromkeys(read.texts, NO_TIME) | dict(read.unread)), []
    return RawResult(read, passages, file_coverage(waiting, read))


def without_passages(documents: Sequence[SearchedDocument]) -> list[SearchedDocument]:
    """Selects the documents whose files may have a text and that have no passages yet."""
    return [d for d in documents if d["chunk_count"] is None and d["status"] not in ("uploading", "unsupported")]


async def read_files(
    store: Store, files: StoredFiles, caller: Caller, documents: Sequence[SearchedDocument], seconds: float = READING_SECONDS
) -> FileTexts:
    """Reads the files of documents, without OCR, within READING_SECONDS and within `seconds`."""
    texts: dict[str, StoredText] = {}
    unread = {d["id"]: NO_TIME for d in documents}
    waiting = iter(documents)

    async def work() -> None:
        for document in waiting:
            try:
                row = await get_document(store, caller, document["id"])
                texts[document["id"]] = await files.read(caller, row, ocr=False)
                del unread[document["id"]]
            except Unreadable as error:
                unread[document["id"]] = error.message.rstrip(".") if error.message else NO_TEXT
            except StorageFailed:
                unread[document["id"]] = "its file could not be downloaded"
            except (NotReady, DocumentNotFound):  # deleted meanwhile
                unread[document["id"]] = "its file is not stored"

    tasks = [asyncio.create_task(work()) for _ in range(min(CONCURRENT_FILES, len(documents)))]
    try:
        async with asyncio.timeout(min(seconds, READING_SECONDS)):
            await asyncio.gather(*tasks)
    except TimeoutError:
        pass  # `unread` holds the documents that were not reached
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return FileTexts(texts, unread)


def file_coverage(documents: Sequence[SearchedDocument], files: FileTexts) -> dict[str, ReadCoverage]:
    """Reports by document id how the files were read."""
    return {d["id"]: coverage_of_file(d["filename"], files.texts[d["id"]]) for d in documents if d["id"] in files.texts}


async def _rank(documents: Sequence[SearchedDocument], files: FileTexts, query: str, limit: int) -> list[RawPassage]:
    """Finds the best pieces of the files. Raises TooCostly."""
    read = [(document, files.texts[document["id"]]) for document in documents if document["id"] in files.texts]
    if not read:
        return []
    texts = [(stored.text, [(page.start, page.end) for page in stored.pages]) for _, stored in read]
    pieces = await rank_in_child(texts, query, limit)
    return [
        RawPassage(document["id"], document["filename"], stored.text[start:end], stored.paged, stored.pages[page].number)
        for (document, stored), page, start, end in ((read[text], page, start, end) for text, page, start, end in pieces)
    ]
