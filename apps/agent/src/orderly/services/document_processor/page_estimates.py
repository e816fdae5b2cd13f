"""How many pages a file will have, or what counts as one, before it is read: the measure of what waits."""

from __future__ import annotations

from pathlib import Path

from orderly.errors import Unreadable
from orderly.services.document_processor.media_types import JSON, PDF, XML

TEXT_BYTES = 3_000
"""Of a text that count as a page."""

OTHER_BYTES = 50_000
"""Of packed formats, pictures and damaged PDFs that count as a page."""

MOST_COUNTED = 20_000_000
"""Bytes of the largest PDF that is opened to count its pages."""


def estimate_pages(path: Path, kind: str) -> int:
    """Blocking."""
    size = path.stat().st_size
    if kind == PDF and size <= MOST_COUNTED:
        from orderly.services.document_processor.mupdf import open_pdf  # noqa: PLC0415  # texts need no MuPDF

        try:
            with open_pdf(path) as document:
                return max(1, int(document.page_count))
        except Unreadable:
            pass
    return 1 + size // (TEXT_BYTES if kind.startswith("text/") or kind in (JSON, XML) else OTHER_BYTES)
