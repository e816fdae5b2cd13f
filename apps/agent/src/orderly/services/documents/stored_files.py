"""Texts of stored files that have no published revision, read in child processes and kept in memory."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from orderly.errors import NotReady, Unreadable
from orderly.models import Caller
from orderly.services.document_processor import DocumentProcessor
from orderly.services.files import temporary_folder
from orderly.store.base import CallersBlobs
from orderly.store.functions.documents import FullDocument

KEPT_CHARACTERS = 20_000_000
"""Characters of all kept texts; the least recently read are dropped first."""
REASON_CHARACTERS = 10_000
"""Characters that a kept reason counts as, so that the number of reasons has a limit too."""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """`text[start:end]` is the page's text."""

    number: int
    start: int
    end: int
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredText:
    """The text of a stored file."""

    text: str
    paged: bool
    pages: Sequence[StoredPage]
    notes: Sequence[str]

    def page_at(self, offset: int) -> int:
        """Returns the number of the page that contains `offset`."""
        return self.pages[max(0, bisect_right(self.pages, offset, key=lambda page: page.start) - 1)].number


class StoredFiles:
    """Reads stored files. A file's text, or the reason why it has none, is kept while there is room.

    Calls for the same file at the same time may each read it.
    Every call downloads nothing that the caller may not read: `document` must come from the store under the same caller.
    """

    def __init__(self, blobs: CallersBlobs, processor: DocumentProcessor) -> None:
        self._blobs = blobs
        self._with_ocr, self._without_ocr = processor, processor.without_ocr()
        self._kept: OrderedDict[tuple[str, bool], StoredText | Unreadable] = OrderedDict()

    async def read(self, caller: Caller, document: FullDocument, *, ocr: bool) -> StoredText:
        """Reads the file of a document. `ocr` False: pages that are pictures stay without text.

        Raises:
            NotReady: the file is not stored yet.
            StorageFailed: the file cannot be downloaded.
            Unreadable: the file has no text, or cannot be read.
        """
        if document["status"] in ("uploading", "deleted"):
            raise NotReady
        key = (document["storage_key"], ocr)
        kept = self._kept.get(key)
        if kept is None:
            kept = await self._extract(caller, document, ocr=ocr)
            if not ocr or _complete(kept):
                self._keep(key, kept)
        else:
            self._kept.move_to_end(key)
        if isinstance(kept, Unreadable):
            raise kept.with_traceback(None)  # each raise would add to the traceback, which holds the frames of its callers
        return kept

    async def _extract(self, caller: Caller, document: FullDocument, *, ocr: bool) -> StoredText | Unreadable:
        processor = self._with_ocr if ocr else self._without_ocr
        async with temporary_folder() as folder:
            path = folder / "file"
            await self._blobs.of(caller).get(document["storage_key"], path)
            try:
                extracted = await processor.extract(path, document["filename"], content_type=document["content_type"])
            except Unreadable as error:
                return error
        pages = [StoredPage(page.number, page.start, page.end, page.flags) for page in extracted.pages]
        return StoredText(extracted.text, extracted.paged, pages, extracted.notes)

    def _keep(self, key: tuple[str, bool], text: StoredText | Unreadable) -> None:
        self._kept[key] = text
        while sum(map(_size, self._kept.values())) > KEPT_CHARACTERS:
            self._kept.popitem(last=False)


def _complete(read: StoredText | Unreadable) -> bool:
    """Whether another attempt would find no more: text recognition can fail for a time."""
    return isinstance(read, StoredText) and not any("ocr_failed" in page.flags for page in read.pages)


def _size(kept: StoredText | Unreadable) -> int:
    return len(kept.text) if isinstance(kept, StoredText) else REASON_CHARACTERS
