"""Makes a PDF of many text pages for benchmarks: `python long_pdf.py FOLDER PAGES` writes long.pdf."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pymupdf

FIXTURES = Path(__file__).parents[1] / "fixtures" / "files"
SOURCES = ("cuad_consulting_agreement.pdf", "render1_distributor_agreement.pdf", "OpenContracts__USC_Title_1_-_CHAPTER_1.pdf")
PAGES = 300


def long_pdf(folder: Path, pages: int = PAGES) -> Path:
    """Writes at least `pages` pages of text by repeating the fixtures."""
    whole = pymupdf.open()
    while whole.page_count < pages:
        for name in SOURCES:
            with pymupdf.open(FIXTURES / name) as part:
                whole.insert_pdf(part)
    path = folder / "long.pdf"
    whole.save(path, garbage=4, deflate=True)
    return path


def varied_pdf(folder: Path, pages: int = PAGES, first: int = 1) -> Path:
    """Writes at least `pages` pages of text, no two alike: equal pieces of text are embedded once.

    Each copy of the fixtures has the words of its lines turned, from `first` words on.
    """
    whole = pymupdf.open()
    turned = first
    while whole.page_count < pages:
        for name in SOURCES:
            with pymupdf.open(FIXTURES / name) as part:
                for page in part:
                    lines = [line.split() for line in page.get_text().splitlines()]
                    text = [
                        " ".join([*words[turned % len(words) :], *words[: turned % len(words)]]) for words in lines if words
                    ]
                    whole.new_page().insert_text((50, 50), [f"{turned}.{page.number + 1} {name}", *text], fontsize=8)
        turned += 1
    path = folder / f"varied-{first}.pdf"
    whole.save(path, garbage=4, deflate=True)
    return path


def pictured_pdf(path: Path, folder: Path) -> Path:
    """Copies a PDF and adds a letterhead, a photograph and a stamp to every page, each stored once in the file."""
    rows, columns = np.mgrid[0:600, 0:800]
    shades = ((rows // 3 + columns // 2) % 256).astype(np.uint8).tobytes()
    photograph = pymupdf.Pixmap(pymupdf.csGRAY, 800, 600, shades, False).tobytes("jpeg")
    target = folder / "pictured.pdf"
    with pymupdf.open(path) as document:
        stored = 0
        for page in document:
            wide, high = page.rect.width, page.rect.height
            for place in ((20, 10, 120, 40), (wide - 150, 10, wide - 20, 60), (wide - 120, high - 90, wide - 20, high - 20)):
                stored = page.insert_image(pymupdf.Rect(place), stream=photograph, xref=stored)
        document.save(target, garbage=4, deflate=True)
    return target


def bare_text(path: Path) -> int:
    with pymupdf.open(path) as document:
        return sum(len(page.get_text("text")) for page in document)


if __name__ == "__main__":
    long_pdf(Path(sys.argv[1]), int(sys.argv[2]))
