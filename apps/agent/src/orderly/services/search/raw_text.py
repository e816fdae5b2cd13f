"""Searches the files of documents that have no passages yet, word by word."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log1p

from orderly.errors import DocumentNotFound, NotReady, StorageFailed, Unreadable
from orderly.models import Caller
from orderly.services.documents import ReadCoverage, StoredFiles, StoredText, coverage_of_file
from orderly.services.engines.local import stems
from orderly.store.base import Store
from orderly.store.functions.documents import get_document
from orderly.store.functions.search import SearchedDocument

READING_SECONDS = 15.0
"""Time limit for reading all files of one search. Files beyond it are reported as not searched."""

CONCURRENT_FILES = 2

PIECE_CHARS = 1_200
"""Characters up to which paragraphs of a page are joined to one piece."""

MAX_PIECES = 2_000
"""Pieces that are ranked, the ones with the most words of the query."""

NO_TIME = "its file could not be read in the time of a search"
NO_TEXT = "its file has no text without text recognition"

_PARAGRAPH_END = re.compile(r"\n[ \t]*\n\s*")


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
    passages = await asyncio.to_thread(rank_pieces, waiting, read, query, limit)
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


def rank_pieces(documents: Sequence[SearchedDocument], files: FileTexts, query: str, limit: int) -> list[RawPassage]:
    """Ranks pieces of the files by the words of the query, each by its rarity. Blocking."""
    wanted = list(dict.fromkeys(stems(query)))
    found = [
        (piece, words)
        for document in documents
        if (stored := files.texts.get(document["id"])) is not None
        for piece in _pieces(document, stored)
        if (words := _words_in(piece.text, wanted))
    ]
    found = sorted(found, key=lambda pair: -len(pair[1]))[:MAX_PIECES]
    rarity = {word: log1p(len(found) / sum(word in words for _, words in found)) for _, words in found for word in words}
    ranked = sorted(found, key=lambda pair: -sum(rarity[word] for word in pair[1]))
    return [piece for piece, _ in ranked[:limit]]


def _words_in(text: str, wanted: Sequence[str]) -> frozenset[str]:
    """Returns the stems that occur. The substring test, which is fast, comes first."""
    lower = text.lower()
    possible = {word for word in wanted if word in lower}
    return frozenset(possible.intersection(stems(text))) if possible else frozenset()


def _pieces(document: SearchedDocument, stored: StoredText) -> Iterator[RawPassage]:
    for page in stored.pages:
        for start, end in _split(stored.text, page.start, page.end):
            yield RawPassage(document["id"], document["filename"], stored.text[start:end], stored.paged, page.number)


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields spans of whole paragraphs up to PIECE_CHARS; a longer paragraph is cut at a space."""
    ends = [match.end() for match in _PARAGRAPH_END.finditer(text, start, end)] + [end]
    first = last = start
    for stop in ends:
        if stop - first > PIECE_CHARS and last > first:
            yield from _trimmed(text, first, last)
            first = last
        while stop - first > PIECE_CHARS:
            space = text.rfind(" ", first + PIECE_CHARS // 2, first + PIECE_CHARS)
            cut = space + 1 if space > 0 else first + PIECE_CHARS
            yield from _trimmed(text, first, cut)
            first = cut
        last = stop
    yield from _trimmed(text, first, last)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if piece.strip():
        yield start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
