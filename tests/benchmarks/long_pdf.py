"""A PDF of many pages of text, for benchmarks: `python long_pdf.py FOLDER PAGES` writes long.pdf."""

from __future__ import annotations

import sys
from pathlib import Path

import pymupdf

FIXTURES = Path(__file__).parents[1] / "fixtures" / "files"
SOURCES = ("cuad_consulting_agreement.pdf", "render1_distributor_agreement.pdf", "OpenContracts__USC_Title_1_-_CHAPTER_1.pdf")
PAGES = 300


def long_pdf(folder: Path, pages: int = PAGES) -> Path:
    """At least so many pages of text, the fixtures over and over."""
    whole = pymupdf.open()
    while whole.page_count < pages:
        for name in SOURCES:
            with pymupdf.open(FIXTURES / name) as part:
                whole.insert_pdf(part)
    path = folder / "long.pdf"
    whole.save(path, garbage=4, deflate=True)
    return path


def bare_text(path: Path) -> int:
    with pymupdf.open(path) as document:
        return sum(len(page.get_text("text")) for page in document)


if __name__ == "__main__":
    long_pdf(Path(sys.argv[1]), int(sys.argv[2]))
