"""The one place where PDFs are opened. MuPDF is not thread-safe: whoever has one open holds the process's lock."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pymupdf

from orderly.errors import Damaged, PasswordProtected
from orderly.services.document_processor.garbage_collection import collection_paused

_lock = threading.Lock()

BROKEN = (pymupdf.FileDataError, pymupdf.mupdf.FzErrorBase, ValueError, IndexError)
"""What PyMuPDF raises for a file or a page that is not what it promises; its own checks use the built-in errors."""

_NO_MEMORY = ("alloc (", "std::bad_alloc")
"""MuPDF's words when the system refuses it memory; part of PyMuPDF says so in a RuntimeError."""

_DAMAGED = "The PDF is damaged and could not be opened. Upload it again, or a copy saved anew by a PDF program."


@contextmanager
def alone() -> Iterator[None]:
    """For whatever else uses MuPDF: it is not safe to use from two threads at once. Blocking."""
    with _lock, collection_paused():
        yield


@contextmanager
def open_pdf(path: Path) -> Iterator[pymupdf.Document]:
    """Open for reading; blocking, so call it in a worker thread.

    Raises:
        PasswordProtected: it takes a user password. An owner password alone does not stop a reader.
        Damaged: it is no PDF, or MuPDF cannot mend it. Also raised where MuPDF fails inside the `with` block.
        MemoryError: the process may take no more.

    """
    with _lock, collection_paused():
        pymupdf.TOOLS.mupdf_display_errors(False)
        pymupdf.TOOLS.mupdf_display_warnings(False)
        pymupdf.TOOLS.reset_mupdf_warnings()
        try:
            with pymupdf.open(path, filetype="pdf") as document:
                if document.needs_pass:
                    raise PasswordProtected
                yield document
        except (*BROKEN, RuntimeError) as exc:
            if out_of_memory(exc):
                raise MemoryError from exc
            if isinstance(exc, BROKEN):
                raise Damaged(_DAMAGED) from exc
            raise


def out_of_memory(exc: BaseException) -> bool:
    return any(words in str(exc) for words in _NO_MEMORY)
