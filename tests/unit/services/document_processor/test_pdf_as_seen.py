"""PDF pages are stored as a person sees them: lines and boxes over words, words drawn twice, ruled tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pymupdf
import pytest

from orderly.models import Extracted
from orderly.services.document_processor import DocumentProcessor

Draw = Callable[[pymupdf.Page], object]
BLACK, WHITE = (0, 0, 0), (1, 1, 1)


async def read(processor: DocumentProcessor, folder: Path, draw: Draw) -> Extracted:
    document = pymupdf.open()
    draw(document.new_page())
    document.save(folder / "made.pdf")
    return await processor.extract(folder / "made.pdf", "made.pdf")


def struck(extracted: Extracted) -> list[str]:
    return [change["text"] for change in cast(list[dict[str, Any]], extracted.details.get("tracked_changes", []))]


def place_of(page: pymupdf.Page, words: str) -> pymupdf.Rect:
    return page.search_for(words)[0]


async def test_struck_words_inside_a_line_leave_one_space(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "Pay within fourteen sixty days.")
        page.insert_text((72, 114), "The Seller may assign.")
        for words in ("fourteen", "The Seller may assign."):
            at = place_of(page, words)
            page.draw_line((at.x0, at.y0 + 0.6 * at.height), (at.x1, at.y0 + 0.6 * at.height))

    extracted = await read(processor, tmp_path, draw)
    assert extracted.text == "Pay within sixty days."
    assert struck(extracted) == ["fourteen", "The Seller may assign."]


async def test_a_thin_box_strikes_words(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "Pay within fourteen sixty days.")
        at = place_of(page, "fourteen")
        page.draw_rect((at.x0, 95, at.x1, 98.2), color=None, fill=(1, 0, 0))

    extracted = await read(processor, tmp_path, draw)
    assert (extracted.text, struck(extracted)) == ("Pay within sixty days.", ["fourteen"])


async def test_words_stay_under_a_highlight_and_over_an_underline(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "Pay within fourteen days, with")
        at = place_of(page, "fourteen")
        page.draw_line((at.x0, at.y1 - 2), (at.x1, at.y1 - 2))
        page.insert_text((72, 114), "interest of $5,000")
        page.draw_line((72, 117), (place_of(page, "$5,000").x1, 117))
        page.insert_text((place_of(page, "$5,000").x1, 110), "12", fontsize=6)
        page.draw_rect(place_of(page, "interest"), color=None, fill=(1, 1, 0), fill_opacity=0.4)

    extracted = await read(processor, tmp_path, draw)
    assert extracted.text == "Pay within fourteen days, with\ninterest of $5,000¹²"
    assert "tracked_changes" not in extracted.details and "hidden_text" not in extracted.details


@pytest.mark.parametrize("colour", [BLACK, WHITE])
async def test_words_under_a_box_are_hidden_whatever_stands_on_it(
    processor: DocumentProcessor, tmp_path: Path, colour: tuple[int, ...]
) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 100), "I met Informant Nine at the depot.")
        at = place_of(page, "Informant Nine")
        page.draw_rect(at, color=None, fill=colour)
        page.insert_text((at.x0 + 2, 100), "(b)(6)", color=WHITE if colour == BLACK else BLACK)

    extracted = await read(processor, tmp_path, draw)
    assert "Informant" not in extracted.text and "(b)(6)" in extracted.text and "at the depot." in extracted.text
    assert extracted.details["hidden_text"] == [{"page": 1, "text": "Informant Nine"}]


@pytest.mark.parametrize("kind", ["annotation", "thick line", "black on black"])
async def test_other_covers_hide_words(processor: DocumentProcessor, tmp_path: Path, kind: str) -> None:
    def draw(page: pymupdf.Page) -> None:
        if kind == "black on black":
            page.draw_rect((110, 80, 190, 106), color=None, fill=BLACK)
        page.insert_text((72, 100), "I met Informant Nine at the depot.")
        at = place_of(page, "Informant Nine")
        if kind == "annotation":
            square = page.add_rect_annot(at)
            square.set_colors(stroke=BLACK, fill=BLACK)
            square.update()
        elif kind == "thick line":
            middle = (at.y0 + at.y1) / 2
            page.draw_line((at.x0, middle), (at.x1, middle), width=13)

    assert "Nine" not in (await read(processor, tmp_path, draw)).text


@pytest.mark.parametrize("pieces", [["TERMINATION FOR CONVENIENCE"], ["TERMINATION", "FOR", "CONVENIENCE"]])
async def test_a_heading_with_a_shadow_is_read_once(
    processor: DocumentProcessor, tmp_path: Path, pieces: Sequence[str]
) -> None:
    def draw(page: pymupdf.Page) -> None:
        x = 72.0
        for piece in pieces:
            for shift in (0.0, 2.5 if len(pieces) == 1 else 0.6):
                page.insert_text((x + shift, 100 + shift), piece, fontsize=14)
            x += pymupdf.get_text_length(piece + " ", fontsize=14)
        page.insert_text((72, 130), "Either party may end it.")

    assert (await read(processor, tmp_path, draw)).text == "TERMINATION FOR CONVENIENCE\nEither party may end it."


def rule(page: pymupdf.Page, xs: Sequence[float], ys: Sequence[float]) -> None:
    for y in ys:
        page.draw_line((xs[0], y), (xs[-1], y))
    for x in xs:
        page.draw_line((x, ys[0]), (x, ys[-1]))


def fill(page: pymupdf.Page, xs: Sequence[float], ys: Sequence[float], rows: Sequence[Sequence[str]]) -> None:
    for y, row in zip(ys, rows, strict=False):
        for x, cell in zip(xs, row, strict=False):
            for number, line in enumerate(cell.split("\n")):
                page.insert_text((x + 4, y + 12 + 13 * number), line, fontsize=10)


async def test_a_row_of_a_ruled_table_stands_in_one_line(processor: DocumentProcessor, tmp_path: Path) -> None:
    xs, ys = (72, 200, 330, 500), (100, 120, 160, 200)

    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 80), "Schedule 1")
        rule(page, xs, ys)
        rows = [
            ["Obligor", "Obligation", "Date"],
            ["Alder Pty\nLtd", "Deliver the\ndisclo-\nsure letter", "1 May\n2025"],
            ["", "Pay the\ndeposit", "8 May"],
        ]
        fill(page, xs, ys, rows)
        page.insert_text((72, 230), "Schedule 2")

    extracted = await read(processor, tmp_path, draw)
    assert extracted.text == (
        "Schedule 1\n\nObligor\tObligation\tDate\nAlder Pty Ltd\tDeliver the disclosure letter\t1 May 2025\n"
        "\tPay the deposit\t8 May\nSchedule 2"
    )
    (page,) = extracted.pages
    words = [extracted.text[line.start : line.end] for line in page.lines]
    assert words[4:8] == ["Alder Pty", "Ltd", "Deliver the", "disclo"]
    assert page.lines[5].box[0] == pytest.approx(76, abs=1)


async def test_cells_that_span_columns_and_rows_stand_once(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        for box in ((72, 100, 200, 180), (200, 100, 330, 140), (330, 100, 500, 140), (200, 140, 500, 180)):
            page.draw_rect(box)
        page.insert_text((76, 130), "Alder", fontsize=10)
        fill(page, (200, 330), (100, 140), [["Deliver the\nletter", "1 May"], ["Pay the deposit\non demand"]])

    extracted = await read(processor, tmp_path, draw)
    assert extracted.text == "Alder\tDeliver the letter\t1 May\n\tPay the deposit on demand"


async def test_words_of_cells_that_stand_close_are_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        wide = 76 + pymupdf.get_text_length("Deliver the letter", fontsize=10) + 3
        rule(page, (72, wide, 300), (100, 140, 180))
        fill(page, (72, wide), (100, 140), [["Deliver the letter\nand the deed", "Alder Pty\nLtd"], ["Pay", "Birch"]])

    extracted = await read(processor, tmp_path, draw)
    assert extracted.text == "Deliver the letter and the deed\tAlder Pty Ltd\nPay\tBirch"


async def test_rows_without_rules_between_them_stay_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        rule(page, (72, 200, 330), (100, 120, 200))
        fill(page, (72, 200), (100,), [["State", "Checks"]])
        for number, row in enumerate((("Alabama", "18,870"), ("Alaska", "209"), ("Arizona", "2,303"))):
            fill(page, (72, 200), (120 + 20 * number,), [row])

    assert "Alaska\t209" in (await read(processor, tmp_path, draw)).text.split("\n")


def add_field(page: pymupdf.Page, kind: int, name: str, y: float, **values: object) -> None:
    field = pymupdf.Widget()
    field.field_type, field.field_name, field.rect = kind, name, pymupdf.Rect(150, y, 350, y + 18)
    for key, value in values.items():
        setattr(field, key, value)
    page.add_widget(field)


async def test_forms_show_chosen_words_and_ticks_and_not_hidden_fields(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 60), "Election")
        states = [("NSW", "New South Wales"), ("VIC", "Victoria")]
        add_field(page, pymupdf.PDF_WIDGET_TYPE_COMBOBOX, "State", 80, choice_values=states, field_value="VIC")
        add_field(page, pymupdf.PDF_WIDGET_TYPE_CHECKBOX, "Exercise", 110, field_value=True)
        add_field(page, pymupdf.PDF_WIDGET_TYPE_TEXT, "Advice", 140, field_value="ask the partner", field_display=1)

    extracted = await read(processor, tmp_path, draw)
    assert extracted.text.endswith("[Form fields]\nState: Victoria\nExercise: ☒")
    assert "✓" in extracted.text and "\n3\n" not in extracted.text and "partner" not in extracted.text
    assert extracted.details["hidden_text"] == [{"page": 1, "text": "Advice: ask the partner"}]


async def test_a_form_that_only_acrobat_draws_is_partial(processor: DocumentProcessor, tmp_path: Path) -> None:
    document = pymupdf.open()
    document.new_page().insert_text(
        (72, 72), "Please wait... If this message is not eventually replaced, your viewer cannot show it."
    )
    catalogue = document.pdf_catalog()
    document.xref_set_key(catalogue, "AcroForm", "<</Fields [] /XFA (<xdp/>)>>")
    document.save(tmp_path / "form.pdf")
    extracted = await processor.extract(tmp_path / "form.pdf", "form.pdf")
    assert any("XFA" in reason for reason in extracted.incomplete)
