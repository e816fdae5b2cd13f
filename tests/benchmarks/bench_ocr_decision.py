"""How often the decision about OCR is right, and what it costs: `python tests/benchmarks/bench_ocr_decision.py FOLDER`.

FOLDER holds PDFs whose pages are text, and scans, whose names begin with "scan". Each text page is judged as it is; every
twentieth is also made into pages that need OCR and pages that look as if they did:

    wanted    scans; pages drawn as pictures at 100 and 150 dpi; drawn and laid under a layer of words that are none;
              letters turned into outlines; letters whose codes are others' (a font without a map);
              a page with a paragraph as a picture
    unwanted  text pages; pages drawn under a layer of their own words; pages with a photograph; blank pages
"""

from __future__ import annotations

import random
import string
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pymupdf

from orderly.services.document_processor.drafts import Draft
from orderly.services.document_processor.mupdf import open_pdf
from orderly.services.document_processor.pdf import READER, _Findings, _read_page

EVERY = 20
LEAST = 500
"""Characters of a page that is worth making others from."""

CHANCE = random.Random(20)
PLAIN_S, OTHER_S = 0.003, 0.035

Maker = Callable[[pymupdf.Page], pymupdf.Document]
_SHUFFLED = str.maketrans(
    string.ascii_letters,
    "".join(CHANCE.sample(string.ascii_lowercase, 26)) + "".join(CHANCE.sample(string.ascii_uppercase, 26)),
)


def _empty(page: pymupdf.Page) -> tuple[pymupdf.Document, pymupdf.Page]:
    document = pymupdf.open()
    return document, document.new_page(width=page.rect.width, height=page.rect.height)


def drawn(page: pymupdf.Page, dpi: int = 150) -> pymupdf.Document:
    document, new = _empty(page)
    grey = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY, alpha=False)
    new.insert_image(new.rect, stream=grey.tobytes("jpeg", jpg_quality=60))
    return document


def drawn_coarsely(page: pymupdf.Page) -> pymupdf.Document:
    return drawn(page, 100)


def layered(page: pymupdf.Page, change: dict[int, str] | None = None) -> pymupdf.Document:
    document = drawn(page)
    for x0, _, _, y1, word, *_ in page.get_text("words"):
        document[0].insert_text((x0, y1), word.translate(change) if change else word, fontsize=9, render_mode=3)
    return document


def layered_with_junk(page: pymupdf.Page) -> pymupdf.Document:
    return layered(page, _SHUFFLED)


def outlined(page: pymupdf.Page) -> pymupdf.Document:
    svg = pymupdf.open(stream=page.get_svg_image(text_as_path=True).encode(), filetype="svg")
    return pymupdf.open("pdf", svg.convert_to_pdf())


def shuffled(page: pymupdf.Page) -> pymupdf.Document:
    document, new = _empty(page)
    for x0, _, _, y1, word, *_ in page.get_text("words"):
        new.insert_text((x0, y1), word.translate(_SHUFFLED), fontsize=9)
    return document


def with_pictured_paragraph(page: pymupdf.Page) -> pymupdf.Document:
    document, new = _empty(page)
    half = pymupdf.Rect(0, 0, page.rect.width, page.rect.height / 2)
    for x0, _, _, y1, word, *_ in page.get_text("words", clip=half):
        new.insert_text((x0, y1), word, fontsize=9)
    lower = pymupdf.Rect(0, half.y1, page.rect.width, page.rect.height)
    new.insert_image(lower, pixmap=page.get_pixmap(dpi=150, clip=lower, colorspace=pymupdf.csGRAY))
    return document


def with_photograph(page: pymupdf.Page) -> pymupdf.Document:
    document, new = _empty(page)
    new.show_pdf_page(new.rect, page.parent, page.number)
    rough = np.random.default_rng(page.number).normal(128, 30, (12, 16))
    smooth = np.kron(rough, np.ones((20, 20))) + np.random.default_rng(1).normal(0, 6, (240, 320))
    grey = np.clip(smooth, 0, 255).astype(np.uint8).tobytes()
    new.insert_image(pymupdf.Rect(100, 100, 260, 220), pixmap=pymupdf.Pixmap(pymupdf.csGRAY, 320, 240, grey, False))
    return document


def blank(page: pymupdf.Page) -> pymupdf.Document:
    return _empty(page)[0]


WANTED: tuple[Maker, ...] = (drawn, drawn_coarsely, layered_with_junk, outlined, shuffled, with_pictured_paragraph)
UNWANTED: tuple[Maker, ...] = (layered, with_photograph, blank)


def judged(page: pymupdf.Page) -> bool:
    draft = Draft(READER, paged=True, pages=[])
    _read_page(page, draft, _Findings())
    return bool(draft.ocr)


def cases(folder: Path) -> Iterator[tuple[str, bool, bool, str]]:
    """Class, wanted, judged, place."""
    for path in sorted(folder.rglob("*.pdf")):
        scan = path.name.startswith("scan")
        with open_pdf(path) as document:
            for page in document:
                place = f"{path.name} page {page.number + 1}"
                yield "scan" if scan else "text", scan, judged(page), place
                if not scan and page.number % EVERY == 0 and len(page.get_text()) >= LEAST:
                    yield from made(page, place)


def made(page: pymupdf.Page, place: str) -> Iterator[tuple[str, bool, bool, str]]:
    for makers, wanted in ((WANTED, True), (UNWANTED, False)):
        for maker in makers:
            with pymupdf.open("pdf", maker(page).tobytes()) as document:
                yield maker.__name__, wanted, judged(document[0]), place


def main(folder: Path) -> int:
    right: Counter[str] = Counter()
    wrong: dict[str, list[str]] = defaultdict(list)
    table: Counter[tuple[bool, bool]] = Counter()
    for kind, wanted, found, place in cases(folder):
        table[wanted, found] += 1
        if wanted == found:
            right[kind] += 1
        else:
            wrong[kind].append(place)
    for kind in sorted({*right, *wrong}):
        sys.stdout.write(f"{kind:26} {right[kind]:5} right {len(wrong[kind]):4} wrong  {'; '.join(wrong[kind][:6])}\n")
    hit, missed, extra = table[True, True], table[True, False], table[False, True]
    sys.stdout.write(f"{sum(table.values())} pages: precision {hit / (hit + extra):.3f}, recall {hit / (hit + missed):.3f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
