"""Opens PDFs under a process-wide lock, since MuPDF is not thread-safe."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pymupdf

from orderly.errors import Damaged, PasswordProtected, Protected
from orderly.services.document_processor.garbage_collection import collection_paused

_lock = threading.Lock()

PDF_ERRORS = (pymupdf.FileDataError, pymupdf.mupdf.FzErrorBase, ValueError, IndexError)
"""Errors raised by PyMuPDF for malformed files and pages; its own checks use built-in exceptions."""

_OUT_OF_MEMORY = ("alloc (", "std::bad_alloc")
"""MuPDF's messages for failed allocations; parts of PyMuPDF raise them as RuntimeError."""

RIGHTS_MANAGEMENT = "the rights management of its publisher"
_ENCRYPTION = ("encryption handler", "encryption version", "encryption revision")
"""Parts of MuPDF's messages for methods of encryption other than passwords."""

_DAMAGED = "The PDF is damaged and could not be opened. Upload it again, or a copy saved anew by a PDF program."


@contextmanager
def mupdf_lock() -> Iterator[None]:
    """Holds the lock for other uses of MuPDF. Blocking."""
    with _lock, collection_paused():
        yield


@contextmanager
def open_pdf(path: Path) -> Iterator[pymupdf.Document]:
    """Opens a PDF for reading. Blocking.

    Raises:
        PasswordProtected: the file needs a user password. An owner password alone does not prevent reading.
        Protected: the file is encrypted by a method other than passwords.
        Damaged: the file is no PDF or beyond repair. Also raised for MuPDF errors inside the `with` block.
        MemoryError: the process has reached its memory limit.

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
        except (*PDF_ERRORS, RuntimeError) as exc:
            if is_out_of_memory(exc):
                raise MemoryError from exc
            if any(words in f"{exc} {exc.__cause__}" for words in _ENCRYPTION):
                raise Protected.by(RIGHTS_MANAGEMENT, "document") from exc
            if isinstance(exc, PDF_ERRORS):
                raise Damaged(_DAMAGED) from exc
            raise


def is_out_of_memory(exc: BaseException) -> bool:
    return any(words in str(exc) for words in _OUT_OF_MEMORY)
