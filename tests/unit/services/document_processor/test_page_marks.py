"""Words of a PDF page that are drawn over: struck, covered, drawn twice; raised numbers; what only looks like it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

from orderly.services.document_processor import DocumentProcessor

Draw = Callable[[pymupdf.Page], None]
WORDS = "The rent is $900 a week."


def write(path: Path, draw: Draw) -> Path:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 72), WORDS, fontsize=12)
        draw(page)
        document.save(path)
    return path


def place_of(page: pymupdf.Page, words: str) -> pymupdf.Rect:
    return page.search_for(words)[0]


def strike_by_line(page: pymupdf.Page) -> None:
    at = place_of(page, "$900")
    page.draw_line((at.x0, at.y0 + at.height * 0.55), (at.x1, at.y0 + at.height * 0.55))


def strike_by_box(page: pymupdf.Page) -> None:
    at = place_of(page, "$900")
    middle = at.y0 + at.height * 0.55
    page.draw_rect((at.x0, middle - 0.4, at.x1, middle + 0.4), fill=(1, 0, 0), color=None)


def strike_by_note(page: pymupdf.Page) -> None:
    page.add_strikeout_annot(place_of(page, "$900"))


@pytest.mark.parametrize("draw", [strike_by_line, strike_by_box, strike_by_note])
async def test_struck_words_are_kept_apart_and_told(processor: DocumentProcessor, tmp_path: Path, draw: Draw) -> None:
    extracted = await processor.extract(write(tmp_path / "a.pdf", draw), "a.pdf")
    assert "$900" not in extracted.text and "The rent is" in extracted.text and "a week." in extracted.text
    [change] = extracted.details["tracked_changes"]
    assert (change["kind"], change["text"], change["place"]) == ("struck", "$900", "page 1")
    assert any("Struck-out" in note for note in extracted.notes)


@pytest.mark.parametrize("colour", [(0, 0, 0), (1, 1, 1)])
async def test_words_under_a_box_are_hidden(processor: DocumentProcessor, tmp_path: Path, colour: tuple[int, ...]) -> None:
    def cover(page: pymupdf.Page) -> None:
        page.draw_rect(place_of(page, "$900"), fill=colour, color=colour)

    extracted = await processor.extract(write(tmp_path / "a.pdf", cover), "a.pdf")
    assert "$900" not in extracted.text and "The rent is" in extracted.text
    assert extracted.details["hidden_text"] == [{"page": 1, "text": "$900"}]


async def test_a_redaction_that_was_not_applied_is_told(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await processor.extract(
        write(tmp_path / "a.pdf", lambda page: page.add_redact_annot(place_of(page, "$900")) and None), "a.pdf"
    )
    assert "$900" in extracted.text and any("Redaction marks that were not applied: page 1" in n for n in extracted.notes)


async def test_words_that_are_drawn_twice_are_read_once(processor: DocumentProcessor, tmp_path: Path) -> None:
    extracted = await processor.extract(
        write(tmp_path / "a.pdf", lambda page: page.insert_text((72.6, 72.2), WORDS, fontsize=12) and None), "a.pdf"
    )
    assert extracted.text.count(WORDS) == 1


async def test_a_raised_number_is_no_digit_of_the_sum(processor: DocumentProcessor, tmp_path: Path) -> None:
    def raise_number(page: pymupdf.Page) -> None:
        page.insert_text((72, 120), "The deposit is $5,000", fontsize=12)
        x = place_of(page, "$5,000").x1
        page.insert_text((x, 116), "12", fontsize=7)

    extracted = await processor.extract(write(tmp_path / "a.pdf", raise_number), "a.pdf")
    assert "$5,000¹²" in extracted.text


def underline(page: pymupdf.Page) -> None:
    at = place_of(page, "$900")
    page.draw_line((at.x0, at.y0 + at.height * 0.86), (at.x1, at.y0 + at.height * 0.86))


def highlight(page: pymupdf.Page) -> None:
    page.add_highlight_annot(place_of(page, "$900"))


def frame(page: pymupdf.Page) -> None:
    page.draw_rect(place_of(page, "$900"), color=(0, 0, 0))


def ground(page: pymupdf.Page) -> None:
    page.draw_rect((60, 90, 300, 120), fill=(0, 0, 0.4), color=None)
    page.insert_text((72, 110), "White words on a dark ground", fontsize=12, color=(1, 1, 1))


@pytest.mark.parametrize("draw", [underline, highlight, frame, ground])
async def test_what_people_can_read_stays(processor: DocumentProcessor, tmp_path: Path, draw: Draw) -> None:
    extracted = await processor.extract(write(tmp_path / "a.pdf", draw), "a.pdf")
    assert WORDS in extracted.text and "hidden_text" not in extracted.details and "tracked_changes" not in extracted.details
    assert draw is not ground or "White words on a dark ground" in extracted.text
