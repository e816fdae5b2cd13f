"""Accuracy and CPU time of the decision to run OCR: `python tests/benchmarks/bench_ocr_decision.py [FOLDER]`.

FOLDER holds text PDFs, and scans whose names begin with "scan"; the default is the contracts among the
test fixtures. Each text page is judged unchanged; every tenth page with enough text is also turned into pages that need OCR and
pages that only appear to need it:

    wanted    scans; pages rendered as images at 100 and 150 dpi; rendered with a text layer of junk;
              letters converted to outlines; letters with wrong codes (a font without a Unicode map);
              a page with one paragraph as an image
    unwanted  text pages; rendered pages above or beneath a correct text layer; pages with a photograph; blank pages

Text pages with images are counted separately, since only a person can tell whether the images contain text.
"""

from __future__ import annotations

import random
import string
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pymupdf

from orderly.services.document_processor import pdf
from orderly.services.document_processor.drafts import Draft
from orderly.services.document_processor.mupdf import open_pdf

FIXTURES = Path(__file__).parents[1] / "fixtures" / "files"
CONTRACTS = (
    "cuad_consulting_agreement.pdf",
    "render1_distributor_agreement.pdf",
    "render4_two_columns.pdf",
    "scan1_first_page.pdf",
)

EVERY = 10
MIN_CHARACTERS = 500
"""Minimum number of characters of a page that variants are made from."""

CHANCE = random.Random(20)
PLAIN_S, OTHER_S = 0.003, 0.035
PICTURED = "text with pictures"
SHOWN = 8

Maker = Callable[[pymupdf.Page], pymupdf.Document]
_SHUFFLED = str.maketrans(
    string.ascii_letters,
    "".join(CHANCE.sample(string.ascii_lowercase, 26)) + "".join(CHANCE.sample(string.ascii_uppercase, 26)),
)


def _empty(page: pymupdf.Page) -> tuple[pymupdf.Document, pymupdf.Page]:
    document = pymupdf.open()
    return document, document.new_page(width=page.rect.width, height=page.rect.height)


def _write(new: pymupdf.Page, words: list[tuple[Any, ...]], change: dict[int, str] | None = None, **how: int) -> None:
    """Writes the words at their original widths, so that spaces are preserved."""
    for x0, _, x1, y1, word, *_ in words:
        text = word.translate(change) if change else word
        size = (x1 - x0) / max(pymupdf.get_text_length(text, fontsize=1), 0.1)
        new.insert_text((x0, y1 - 2), text, fontsize=min(size, 14), **how)


def drawn(page: pymupdf.Page, dpi: int = 150) -> pymupdf.Document:
    document, new = _empty(page)
    grey = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY, alpha=False)
    new.insert_image(new.rect, stream=grey.tobytes("jpeg", jpg_quality=60))
    return document


def drawn_coarsely(page: pymupdf.Page) -> pymupdf.Document:
    return drawn(page, 100)


def layered(page: pymupdf.Page, change: dict[int, str] | None = None) -> pymupdf.Document:
    document = drawn(page)
    _write(document[0], page.get_text("words"), change, render_mode=3)
    return document


def covered(page: pymupdf.Page) -> pymupdf.Document:
    """Returns a page whose text is drawn first and covered by the page image, as some scanners do."""
    document, new = _empty(page)
    _write(new, page.get_text("words"))
    new.insert_image(new.rect, stream=page.get_pixmap(dpi=150, colorspace=pymupdf.csGRAY, alpha=False).tobytes("jpeg"))
    return document


def layered_with_junk(page: pymupdf.Page) -> pymupdf.Document:
    return layered(page, _SHUFFLED)


def outlined(page: pymupdf.Page) -> pymupdf.Document:
    svg = pymupdf.open(stream=page.get_svg_image(text_as_path=True).encode(), filetype="svg")
    return pymupdf.open("pdf", svg.convert_to_pdf())


def shuffled(page: pymupdf.Page) -> pymupdf.Document:
    document, new = _empty(page)
    _write(new, page.get_text("words"), _SHUFFLED)
    return document


def _upper_half(page: pymupdf.Page) -> tuple[pymupdf.Document, pymupdf.Page, pymupdf.Rect]:
    """Returns a page with the upper half of the words, and the rectangle of the lower half."""
    document, new = _empty(page)
    middle = page.rect.height / 2
    _write(new, [word for word in page.get_text("words") if word[3] < middle])
    return document, new, pymupdf.Rect(0, middle, page.rect.width, page.rect.height)


def with_pictured_paragraph(page: pymupdf.Page) -> pymupdf.Document:
    document, new, lower = _upper_half(page)
    new.insert_image(lower, pixmap=page.get_pixmap(dpi=150, clip=lower, colorspace=pymupdf.csGRAY))
    return document


def with_photograph(page: pymupdf.Page) -> pymupdf.Document:
    """Adds a synthetic photograph with a 1/f spectrum."""
    document, new, lower = _upper_half(page)
    height, width = 300, 400
    rows, columns = np.fft.fftfreq(height)[:, None], np.fft.fftfreq(width)[None, :]
    weight = 1 / np.maximum(np.hypot(rows, columns), 1 / width) ** 1.2
    phases = np.exp(2j * np.pi * np.random.default_rng(page.number).random((height, width)))
    field = np.fft.ifft2(weight * phases).real
    grey = np.clip(128 + 45 * field / field.std(), 0, 255).astype(np.uint8).tobytes()
    new.insert_image(lower, pixmap=pymupdf.Pixmap(pymupdf.csGRAY, width, height, grey, False))
    return document


def blank(page: pymupdf.Page) -> pymupdf.Document:
    return _empty(page)[0]


WANTED: tuple[Maker, ...] = (drawn, drawn_coarsely, layered_with_junk, outlined, shuffled, with_pictured_paragraph)
UNWANTED: tuple[Maker, ...] = (layered, covered, with_photograph, blank)


@dataclass
class Tally:
    right: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """CPU seconds per page for the decisions about OCR and hidden text."""


class Clock:
    """Measures the CPU time of wrapped functions of the PDF reader."""

    spent = 0.0

    def wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **named: Any) -> Any:
            start = time.process_time()
            try:
                return function(*arguments, **named)
            finally:
                self.spent += time.process_time() - start

        return timed


CLOCK = Clock()
for name in ("decide_ocr", "find_hidden_text"):
    setattr(pdf, name, CLOCK.wrap(getattr(pdf, name)))


def judge(page: pymupdf.Page, wanted: bool, place: str, tally: Tally) -> None:
    draft = Draft(pdf.READER, paged=True, pages=[])
    CLOCK.spent = 0.0
    pdf._read_page(page, draft, pdf._Findings())
    tally.seconds.append(CLOCK.spent)
    if bool(draft.ocr) is wanted:
        tally.right += 1
    else:
        tally.wrong.append(place)


def measure(paths: list[Path], tallies: dict[str, Tally]) -> None:
    worthy = 0
    for path in paths:
        scan = path.name.startswith("scan")
        with open_pdf(path) as document:
            for page in document:
                place = f"{path.name} page {page.number + 1}"
                kind = "scan" if scan else PICTURED if page.get_images() else "text"
                judge(page, scan, place, tallies[kind])
                if kind == "text" and _has_enough_text(page):
                    worthy += 1
                    if worthy % EVERY == 1:
                        measure_variants(page, place, tallies)


def measure_variants(page: pymupdf.Page, place: str, tallies: dict[str, Tally]) -> None:
    for maker in (*WANTED, *UNWANTED):
        with pymupdf.open("pdf", maker(page).tobytes()) as document:
            judge(document[0], maker in WANTED, place, tallies[maker.__name__])


def _has_enough_text(page: pymupdf.Page) -> bool:
    """Returns True if both halves of the page have enough English letters."""
    text = page.get_text()
    lower = pymupdf.Rect(0, page.rect.height / 2, page.rect.width, page.rect.height)
    ascii_share = sum(map(str.isascii, text)) / max(len(text), 1)
    return len(text) >= MIN_CHARACTERS and ascii_share > 0.95 and len(page.get_text(clip=lower)) > MIN_CHARACTERS / 2


def main(paths: list[Path]) -> int:
    tallies: dict[str, Tally] = defaultdict(Tally)
    measure(paths, tallies)
    for kind, tally in sorted(tallies.items()):
        cost = f"{median(tally.seconds) * 1000:5.1f} ms, at most {max(tally.seconds) * 1000:5.1f}"
        sys.stdout.write(f"{kind:24} {tally.right:5} right {len(tally.wrong):4} wrong, {cost}\n")
        sys.stdout.writelines(f"    {place}\n" for place in tally.wrong[:SHOWN])
    wanted = [tallies[kind] for kind in ("scan", *(maker.__name__ for maker in WANTED))]
    unwanted = [tallies[kind] for kind in ("text", *(maker.__name__ for maker in UNWANTED))]
    hit, missed = sum(t.right for t in wanted), sum(len(t.wrong) for t in wanted)
    extra = sum(len(t.wrong) for t in unwanted)
    pages = hit + missed + extra + sum(t.right for t in unwanted)
    sys.stdout.write(f"{pages} pages: precision {hit / (hit + extra):.3f}, recall {hit / (hit + missed):.3f}\n")
    plain = median(tallies["text"].seconds)
    others = median([second for kind, t in tallies.items() if kind != "text" for second in t.seconds])
    sys.stdout.write(f"plain text {plain * 1000:.2f} ms a page, others {others * 1000:.1f} ms\n")
    return 0 if plain <= PLAIN_S and others <= OTHER_S and hit / (hit + extra) >= 0.98 and hit / (hit + missed) >= 0.99 else 1


if __name__ == "__main__":
    named = sorted(Path(sys.argv[1]).rglob("*.pdf")) if len(sys.argv) > 1 else [FIXTURES / name for name in CONTRACTS]
    sys.exit(main(named))
