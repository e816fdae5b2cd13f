"""Time to read a PDF with boxes and sections, relative to MuPDF's bare text: `python tests/benchmarks/bench_pdf.py`.

The target is a ratio of at most 1.6 on 300 pages of text, and of 2.0 if every page has images, measured alternately in one process that is set up like the
reader processes. The target applies to extraction: the text and the box of every line. The figures with sections, running lines, and the
decisions about OCR and hidden text are additional.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from unittest.mock import patch

import pymupdf
from long_pdf import bare_text, long_pdf, pictured_pdf

from orderly.services.document_processor import READER, DocumentProcessor, pdf
from orderly.services.document_processor.drafts import assemble
from orderly.services.document_processor.hidden_text import HiddenText
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.page_content import TEXT_FLAGS
from orderly.services.document_processor.page_layout import lay_out
from orderly.services.document_processor.page_ocr_decision import OcrDecision, decide_ocr
from orderly.services.document_processor.pdf import read_pdf
from orderly.services.document_processor.running_lines import mark_running_lines
from orderly.services.document_processor.text_extraction import finish
from orderly.services.isolation.pool import ProcessPool
from orderly.services.isolation.process_limits import ProcessLimits
from orderly.services.isolation.serving import collect_garbage_rarely
from orderly.services.text.sections import find_sections

ROUNDS = 9
TARGET, TARGET_PICTURED = 1.6, 2.0
DECISION_TARGET_S = 0.003


def with_boxes(path: Path) -> int:
    return len(assemble(read_pdf(path, Limits())).text)


def with_boxes_and_clauses(path: Path) -> int:
    extracted = assemble(read_pdf(path, Limits()))
    return len(find_sections(extracted.text, extracted.headings, extracted.pages))


def everything(path: Path) -> int:
    draft = read_pdf(path, Limits())
    mark_running_lines(draft)
    extracted = assemble(draft)
    return len(find_sections(extracted.text, extracted.headings, extracted.pages))


@contextmanager
def no_decisions() -> Iterator[None]:
    # Plain functions, because a mock would keep a reference to every page.
    with (
        patch.object(pdf, "decide_ocr", lambda *_, **__: OcrDecision()),
        patch.object(pdf, "find_hidden_text", lambda *_: HiddenText()),
    ):
        yield


def timed(work: Callable[[Path], int], path: Path) -> float:
    start = time.process_time()
    work(path)
    return time.process_time() - start


def main() -> int:
    collect_garbage_rarely()
    with tempfile.TemporaryDirectory() as folder:
        path = long_pdf(Path(folder))
        with pymupdf.open(path) as document:
            pages = document.page_count
        pictured = pictured_pdf(path, Path(folder))
        bare, boxes, clauses, running, whole, bare_pictured, clauses_pictured = [], [], [], [], [], [], []
        for _ in range(ROUNDS):
            bare.append(timed(bare_text, path))
            with no_decisions():
                boxes.append(timed(with_boxes, path))
                clauses.append(timed(with_boxes_and_clauses, path))
                running.append(timed(everything, path))
            whole.append(timed(everything, path))
            bare_pictured.append(timed(bare_text, pictured))
            with no_decisions():
                clauses_pictured.append(timed(with_boxes_and_clauses, pictured))
        decision = per_page(path)
        crossing = asyncio.run(process_overhead(path))
    sys.stdout.write(f"{pages} pages, {ROUNDS} rounds, bare text {median(bare) * 1000:.0f} ms of processor time\n")
    ratio = shown("text and boxes", boxes, bare)
    shown("... and clauses", clauses, bare)
    shown("... and running lines", running, bare)
    shown("... and decisions about OCR and hidden text", whole, bare)
    with_pictures = shown("text, boxes and clauses, three pictures on every page", clauses_pictured, bare_pictured)
    sys.stdout.write(f"all of it in a process of its own, against here: {crossing:.2f} of the wall clock\n")
    sys.stdout.write(f"decision about OCR: {decision * 1000:.2f} ms a page\n")
    return 0 if ratio <= TARGET and with_pictures <= TARGET_PICTURED and decision <= DECISION_TARGET_S else 1


async def process_overhead(path: Path) -> float:
    """Returns the median ratio of the wall clock of reading in a child process to reading in this process."""
    processes = ProcessPool(READER, ProcessLimits(processes=1))
    processor = DocumentProcessor(None, processes=processes)
    await processor.check()
    ratios = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        finish(read_pdf(path, Limits()), Limits())
        here = time.perf_counter()
        await processor.extract(path, path.name)
        ratios.append((time.perf_counter() - here) / (here - start))
    processes.close()
    return median(ratios)


def per_page(path: Path) -> float:
    """Returns the mean seconds of the OCR decision per page of plain text."""
    spent = 0.0
    with pymupdf.open(path) as document:
        for page in document:
            text, _ = lay_out(page.get_text("dict", flags=TEXT_FLAGS)["blocks"])
            start = time.process_time()
            decide_ocr(page, text, layer=False, pictured=bool(page.get_images()))
            spent += time.process_time() - start
        return spent / document.page_count


def shown(name: str, times: list[float], bare: list[float]) -> float:
    ratios = sorted(ours / theirs for ours, theirs in zip(times, bare, strict=True))
    sys.stdout.write(
        f"{name}: {median(times) * 1000:.0f} ms, ratio {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})\n"
    )
    return median(ratios)


if __name__ == "__main__":
    sys.exit(main())
