"""Makes small files of several formats, each with unique content, reproducible by seed."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import docx
import pymupdf

FIXTURES = Path(__file__).parents[2] / "fixtures" / "files"
SUBJECTS = ["rent", "delivery", "confidentiality", "assignment", "insurance", "payment", "termination", "governing law"]
PARTIES = ["the Supplier", "the Customer", "the Lessor", "the Lessee", "either party", "the Guarantor"]
VERBS = ["shall pay", "may assign", "shall not disclose", "shall insure", "may terminate", "shall deliver"]


def make_documents(folder: Path, count: int, seed: int) -> list[Path]:
    """Makes `count` files: up to a fifth are fixtures, some unreadable; the others are generated, some long enough to be interrupted."""
    folder.mkdir(parents=True)
    picker = random.Random(seed)
    fixtures = sorted(p for p in FIXTURES.iterdir() if p.stat().st_size < 400_000)
    picker.shuffle(fixtures)
    made = [Path(shutil.copy(path, folder)) for path in fixtures[: count // 5]]
    for number in range(count - len(made)):
        write = picker.choice([_text, _word, _pdf])
        clauses = [_clause(picker, number, n) for n in range(1, picker.choice([4, 12, 60]))]
        made.append(write(folder / f"agreement-{number:03}", clauses))
    picker.shuffle(made)
    return made


def _clause(picker: random.Random, document: int, number: int) -> str:
    who, does, what = picker.choice(PARTIES), picker.choice(VERBS), picker.choice(SUBJECTS)
    return (
        f"{number}. {what.title()}. In agreement {document}, {who} {does} {picker.randint(2, 900)} units for {what} within "
        f"{picker.randint(3, 90)} days of notice under clause {picker.randint(1, 40)}, save as {picker.choice(PARTIES)} agrees in writing."
    )


def _text(path: Path, clauses: list[str]) -> Path:
    target = path.with_suffix(".txt")
    target.write_text("\n\n".join(clauses))
    return target


def _word(path: Path, clauses: list[str]) -> Path:
    target = path.with_suffix(".docx")
    document = docx.Document()
    for clause in clauses:
        document.add_paragraph(clause)
    document.save(str(target))
    return target


def _pdf(path: Path, clauses: list[str]) -> Path:
    target = path.with_suffix(".pdf")
    with pymupdf.open() as document:
        for first in range(0, len(clauses), 10):
            page = document.new_page()
            page.insert_textbox((72, 72, 523, 770), "\n\n".join(clauses[first : first + 10]), fontsize=10)
        document.save(target)
    return target
