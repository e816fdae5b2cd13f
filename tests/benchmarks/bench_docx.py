"""Time to read a Word file, relative to lxml's bare iterparse of its main part: `python tests/benchmarks/bench_docx.py`.

The target is a ratio of at most 8 on a long contract, measured alternately in one process.
"""

from __future__ import annotations

import io
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

import docx
from lxml import etree

from orderly.services.document_processor.docx import read_docx
from orderly.services.document_processor.drafts import assemble
from orderly.services.document_processor.limits import Limits

PARAGRAPHS = 4_000
CLAUSE = (
    "The Supplier shall, ",
    "subject to clause 12.1(a), ",
    "deliver the Goods to the Customer on or before the Delivery Date. ",
)
ROUNDS = 7
TARGET = 8.0


def long_docx(folder: Path) -> Path:
    """Writes a contract of about a million characters: headings, paragraphs of several runs, and some tables."""
    document = docx.Document()
    for number in range(PARAGRAPHS):
        if number % 20 == 0:
            document.add_heading(f"Clause {number // 20 + 1}", 1 + number // 20 % 3)
        paragraph = document.add_paragraph(style="List Number" if number % 4 else None)
        for run in CLAUSE * 2:
            paragraph.add_run(run).bold = len(run) < 25
        if number % 200 == 0:
            document.add_table(rows=3, cols=3).cell(1, 1).text = "Fee"
    path = folder / "long.docx"
    document.save(str(path))
    return path


def bare(path: Path) -> int:
    with zipfile.ZipFile(path) as archive:
        data = archive.read("word/document.xml")
    return sum(len(node.text or "") for _, node in etree.iterparse(io.BytesIO(data)) if node.tag.endswith("}t"))


def read(path: Path) -> int:
    return len(assemble(read_docx(path, Limits())).text)


def timed(work: Callable[[Path], int], path: Path) -> float:
    start = time.process_time()
    work(path)
    return time.process_time() - start


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = long_docx(Path(folder))
        characters = read(path)
        pairs = [(timed(bare, path), timed(read, path)) for _ in range(ROUNDS)]
    ratios = sorted(ours / theirs for theirs, ours in pairs)
    sys.stdout.write(
        f"{characters:,} characters, bare iterparse {median(theirs for theirs, _ in pairs) * 1000:.0f} ms, "
        f"ours {median(ours for _, ours in pairs) * 1000:.0f} ms, "
        f"ratio {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})\n"
    )
    return 0 if median(ratios) <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
