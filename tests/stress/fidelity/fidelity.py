"""Measures whether what is stored is what a person sees: `python tests/stress/fidelity/fidelity.py [FOLDER ...]`.

Word, Excel, PowerPoint, RTF and HTML files are drawn by LibreOffice, pages of PDFs by MuPDF and read by the OCR; the words are
compared with the stored text. Generated files are compared with the model that they were made from.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter, defaultdict
from difflib import get_close_matches
from pathlib import Path

from orderly.errors import OrderlyError
from orderly.models import Extracted
from orderly.services.document_processor.drafts import OcrRequest
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.ocr_images import draw_page_for_ocr
from orderly.services.document_processor.text_extraction import finish, read
from orderly.services.ocr.tesseract import recognise

sys.path.insert(0, str(Path(__file__).parents[2]))

from stress.fidelity.generated import KINDS, make
from stress.fidelity.rendering import check_libreoffice, render, running_lines, seen_text
from stress.fidelity.words import Difference, compare, stored_words, told_words, words_of

FIXTURES = Path(__file__).parents[2] / "fixtures" / "files"
RENDERED = (".docx", ".xlsx", ".pptx", ".rtf", ".html", ".htm")
NEAR = 0.75
"""Words that the OCR reads almost as stored are taken as the same."""


def extract(path: Path) -> Extracted | None:
    """What is stored of a file, without OCR; None if it cannot be read."""
    try:
        return finish(read(path, path.name, None, Limits())[1], Limits())
    except OrderlyError:
        return None


class Report:
    def __init__(self, *, verbose: int) -> None:
        self.files: dict[str, int] = defaultdict(int)
        self.sums: dict[str, Difference] = defaultdict(Difference)
        self._verbose = verbose

    def add(self, row: str, name: str, found: Difference) -> None:
        self.files[row] += 1
        self.sums[row].add(found)
        if self._verbose and (found.missing or found.unseen):
            missing, unseen = found.missing.most_common(self._verbose), found.unseen.most_common(self._verbose)
            sys.stdout.write(f"{row} {name}: not stored {missing}, not seen {unseen}\n")

    def table(self) -> str:
        lines = [
            "| format | files | words seen | seen, not stored | told apart | stored, not seen | in another place |",
            "|---|" + "---|" * 6,
        ]
        for row, found in self.sums.items():
            missing, unseen = found.missing.total(), found.unseen.total()
            share = [f"{100 * count / max(found.seen, 1):.2f} %" for count in (missing, unseen)]
            lines.append(
                f"| {row} | {self.files[row]} | {found.seen:,} | {missing:,} ({share[0]}) | {found.told:,} | "
                f"{unseen:,} ({share[1]}) | {found.moved:,} |"
            )
        return "\n".join(lines)


def compare_rendered(files: list[Path], report: Report, row: str = "") -> None:
    with tempfile.TemporaryDirectory() as folder:
        for path, drawn in render(files, Path(folder)).items():
            if (stored := extract(path)) is not None:
                seen = words_of(seen_text(drawn, running_lines(stored.text)))
                found = compare(seen, stored_words(_drawn(stored)), told_words(stored.details))
                report.add(row + path.suffix.lower().lstrip("."), path.name, found)


def _drawn(stored: Extracted) -> str:
    """The stored text without speakers' notes, which no slide shows."""
    pages = (stored.text[page.start : page.end] for page in stored.pages)
    return "\n".join(page.partition("[Notes]\n")[0] for page in pages)


def compare_pages(files: list[Path], count: int, chance: random.Random, report: Report) -> None:
    """Compares a sample of the pages of PDFs with what the OCR reads off them."""
    pages = [
        (path, stored, page) for path in files if (stored := extract(path)) for page in stored.pages if page.source == "native"
    ]
    for path, stored, page in chance.sample(pages, min(count, len(pages))):
        picture = draw_page_for_ocr(path, OcrRequest(page.number))
        recognised = recognise(picture.png)
        found = compare(words_of(recognised.text), stored_words(stored.text[page.start : page.end]))
        report.add("pdf (pages, by OCR)", f"{path.name}, page {page.number}", _without_near(found))


def _without_near(found: Difference) -> Difference:
    """Leaves out pairs of words that differ as misread letters do, and single signs."""
    for word in [word for word in found.missing.elements() if len(word) > 1]:
        if near := get_close_matches(word, [*+found.unseen], 1, NEAR):
            found.missing[word] -= 1
            found.unseen[near[0]] -= 1
    found.missing, found.unseen = (
        Counter({word: count for word, count in words.items() if count > 0 and len(word) > 1})
        for words in (found.missing, found.unseen)
    )
    return found


def compare_generated(count: int, seed: int, report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            kind = KINDS[number % len(KINDS)]
            model, path = make(kind, random.Random(f"{seed} {number}"), Path(folder) / f"{number}.{kind}")
            stored = extract(path)
            text = stored_words(stored.text) if stored else []
            report.add(f"generated {kind}, by model", path.name, compare(model.seen_words(), text))
        office = [path for path in sorted(Path(folder).iterdir()) if path.suffix in RENDERED]
        compare_rendered(office, report, "generated ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, help="folders of files, beside the fixtures")
    parser.add_argument("--generated", type=int, default=300)
    parser.add_argument("--pages", type=int, default=40, help="pages of PDFs that are read by the OCR")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", type=int, default=0, help="words that are named of each file")
    given = parser.parse_args()
    check_libreoffice()
    report = Report(verbose=given.verbose)
    found = {p.name: p for folder in (FIXTURES, *given.folders) for p in sorted(folder.rglob("*")) if p.is_file()}
    compare_rendered([path for path in found.values() if path.suffix.lower() in RENDERED], report)
    pdfs = [path for path in found.values() if path.suffix.lower() == ".pdf"]
    compare_pages(pdfs, given.pages, random.Random(given.seed), report)
    compare_generated(given.generated, given.seed, report)
    sys.stdout.write(report.table() + "\n")


if __name__ == "__main__":
    main()
