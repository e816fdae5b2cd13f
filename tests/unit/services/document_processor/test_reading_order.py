"""Lines of a page that a program stores in another order than that of the page."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from orderly.services.document_processor import DocumentProcessor

DEMO = Path(__file__).parents[4] / "apps/agent/src/orderly/demo_documents"
LEFT, INDENT, RIGHT = 60, 90, 320

Piece = tuple[int, int, str]
"""Position across and down, in points, and the words."""

HEADED: list[Piece] = [
    (LEFT, 100, "1.0"), (INDENT, 100, "Purpose"),
    (LEFT, 130, "The purpose of this alliance is to use the skills of both parties."),
    (LEFT, 160, "2.0"), (INDENT, 160, "Definitions"),
    (LEFT, 190, "The following terms have the meaning that is set beside them."),
    (LEFT, 220, "(i)"), (INDENT, 220, "Device means a device that amplifies sound."),
    (LEFT, 250, "(ii)"), (INDENT, 250, "Market means the market for such devices."),
    (300, 800, "2"),
]  # fmt: skip
"""A page of one column, from top to bottom."""


def written(folder: Path, pieces: list[Piece]) -> Path:
    document = pymupdf.open()
    page = document.new_page()
    for x, y, words in pieces:
        page.insert_text((x, y), words, fontsize=9)
    document.save(folder / "page.pdf")
    return folder / "page.pdf"


async def read_page(folder: Path, pieces: list[Piece]) -> list[str]:
    extracted = await DocumentProcessor(None).extract(written(folder, pieces), "page.pdf")
    for line in extracted.pages[0].lines:
        assert extracted.text[line.start : line.end] in [words for _, _, words in pieces]
    return extracted.text.split()


def in_order(pieces: list[Piece]) -> list[str]:
    return " ".join(words for _, _, words in pieces).split()


def apart(pieces: list[Piece], *, first: bool) -> list[Piece]:
    """The headings and list items behind the body (or before it, if `first`)."""
    beside = {y for x, y, _ in pieces if x == INDENT}
    items = [piece for piece in pieces if piece[1] in beside]
    body = [piece for piece in pieces if piece[1] not in beside]
    return items + body if first else body + items


@pytest.mark.parametrize(
    "stored",
    [
        apart(HEADED, first=False),
        apart(HEADED, first=True),
        HEADED[::-1],
        [HEADED[-1], *HEADED[:-1]],
        HEADED[4:] + HEADED[:4],
        sorted(HEADED, key=lambda piece: len(piece[2])),
        sorted(HEADED, key=lambda piece: piece[2]),
        sorted(HEADED),
    ],
    ids=[
        "items after the body", "items before the body", "backwards", "page number first", "halves exchanged", "by length",
        "by words", "by indent",
    ],
)  # fmt: skip
async def test_a_plain_column_is_read_from_top_to_bottom(tmp_path: Path, stored: list[Piece]) -> None:
    assert await read_page(tmp_path, stored) == in_order(HEADED)


async def test_columns_keep_their_order_beneath_a_title_that_is_stored_last(tmp_path: Path) -> None:
    left = [(LEFT, 100 + 12 * n, f"the left column has a line of number {n}") for n in range(8)]
    right = [(RIGHT, 100 + 12 * n, f"the right column has a line of number {n}") for n in range(5)]
    title = (LEFT, 60, "Terms of the sale of goods")
    assert await read_page(tmp_path, [*left, *right, title]) == in_order([title, *left, *right])


async def test_signature_blocks_side_by_side_are_not_mixed(tmp_path: Path) -> None:
    left = [(LEFT, 400 + 20 * n, words) for n, words in enumerate(("THE SUPPLIER", "By: Ann Clerk", "Title: Director"))]
    right = [(RIGHT, 400 + 20 * n, words) for n, words in enumerate(("THE CUSTOMER", "By: Bob Smith", "Title: Secretary"))]
    stored = apart(HEADED, first=False)
    assert await read_page(tmp_path, [*stored, *left, *right]) == in_order([*HEADED[:-1], *left, *right, HEADED[-1]])


async def test_raised_letters_do_not_part_the_lines(tmp_path: Path) -> None:
    words = [(LEFT, 100, "This agreement takes effect on the 30    day of June,"), (LEFT, 112, "and ends a year after.")]
    assert await read_page(tmp_path, [*words, (212, 97, "th")]) == in_order([*words, (0, 0, "th")])


async def test_headings_of_the_demonstration_stand_above_their_clauses() -> None:
    [path] = DEMO.glob("INTRICON*.pdf")
    extracted = await DocumentProcessor(None).extract(path, path.name)
    text = " ".join(extracted.text.split())
    for heading, clause in (
        ("1.0 Purpose", "1.1 The purpose of this alliance"),
        ("2.0 Definitions", "The following terms in the context"),
        ("2.4 DSP Technology:", "DSP means digital signal processing."),
        ("2.7 K/S HIMPP:", "K/S HIMPP (hereinafter HIMPP) is a Danish partnership"),
        ("Over 1,000,000 5% 1.5%", "The maximum royalty rate identified in the table"),
    ):
        assert f"{heading} {clause}" in text
