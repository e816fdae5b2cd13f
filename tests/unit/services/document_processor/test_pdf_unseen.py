"""Words of PDF pages under pens, covers, crops and layers, and hidden notes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pymupdf

from orderly.models import Extracted
from orderly.services.document_processor import DocumentProcessor


async def read(processor: DocumentProcessor, folder: Path, draw: Callable[[pymupdf.Page], object]) -> Extracted:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "The terms of the offer stand as follows.")
    draw(page)
    document.save(folder / "made.pdf")
    return await processor.extract(folder / "made.pdf", "made.pdf")


def hidden(extracted: Extracted) -> list[str]:
    return [entry["text"] for entry in cast(list[dict[str, Any]], extracted.details.get("hidden_text", []))]


async def test_a_line_of_a_pen_strikes_words_out(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        for y, words, slope in ((100, "Struck by hand.", 1.0), (140, "Circled only.", 14.0)):
            page.insert_text((72, y), words)
            at = page.search_for(words)[0]
            middle = at.y0 + 0.58 * at.height
            page.add_ink_annot([[(at.x0, middle), (at.x0 + 20, middle - slope), (at.x1, middle)]])

    extracted = await read(processor, tmp_path, draw)
    assert "Struck by hand." not in extracted.text and "Circled only." in extracted.text
    changes = cast(list[dict[str, Any]], extracted.details["tracked_changes"])
    assert [change["text"] for change in changes] == ["Struck by hand."]


async def test_words_that_replace_covered_ones_are_read(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 140), "Price $400 only")
        page.draw_rect(page.search_for("Price $400 only")[0], color=None, fill=(1, 1, 1))
        page.insert_text((72, 140), "Price $900 only")

    extracted = await read(processor, tmp_path, draw)
    assert extracted.text.endswith("Price $900 only") and "$400" not in extracted.text
    assert hidden(extracted) == ["Price $400 only"]


async def test_words_beside_a_cropped_page_are_told(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 500), "Beside the page.")
        page.set_cropbox(pymupdf.Rect(0, 0, 595, 300))

    extracted = await read(processor, tmp_path, draw)
    assert extracted.text == "The terms of the offer stand as follows."
    assert hidden(extracted) == ["Beside the page."]


async def test_layers_that_are_switched_off_are_told(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        layer = page.parent.add_ocg("Drafting notes", on=False)
        page.insert_text((72, 140), "Only in the layer.", oc=layer)

    extracted = await read(processor, tmp_path, draw)
    assert "Only in the layer." not in extracted.text
    assert any("Drafting notes" in note for note in extracted.notes)


async def test_a_hidden_typed_note_is_kept_apart(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        note = page.add_freetext_annot(pymupdf.Rect(72, 300, 300, 330), "Settle at $90,000")
        note.set_flags(pymupdf.PDF_ANNOT_IS_HIDDEN)
        note.update()

    extracted = await read(processor, tmp_path, draw)
    assert "Settle" not in extracted.text
    assert hidden(extracted) == ["Settle at $90,000"]


async def test_a_soft_hyphen_that_is_drawn_inside_a_line_is_a_hyphen(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 140), "Rule 12b\u00ad2 of the By\u00adLaws")

    assert (await read(processor, tmp_path, draw)).text.endswith("Rule 12b-2 of the By-Laws")


async def test_letters_are_read_as_drawn_and_not_as_the_file_states_them_for_readers_aloud(
    processor: DocumentProcessor, tmp_path: Path
) -> None:
    def draw(page: pymupdf.Page) -> None:
        document, stream = page.parent, page.get_contents()[0]
        words = b"q BT /helv 11 Tf 72 700 Td (Price ) Tj /Span <</ActualText (6,000)>> BDC (5,000) Tj EMC ( only) Tj ET Q"
        document.update_stream(stream, document.xref_stream(stream) + words)

    extracted = await read(processor, tmp_path, draw)
    assert extracted.text.endswith("Price 5,000 only")


async def test_white_letters_under_a_signature_are_hidden(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 140), "/sign here/", color=(1, 1, 1))
        page.insert_text((74, 142), "Ann Example", fontname="tiit", fontsize=14)

    extracted = await read(processor, tmp_path, draw)
    assert extracted.text.endswith("Ann Example") and "sign here" not in extracted.text
    assert hidden(extracted) == ["/sign here/"]


async def test_words_that_a_clip_cuts_off_are_no_text(processor: DocumentProcessor, tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        document, stream = page.parent, page.get_contents()[0]
        words = b"q 72 600 90 20 re W n BT /helv 11 Tf 72 640 Td (Cut off) Tj 0 -36 Td (Left) Tj ET Q"
        document.update_stream(stream, document.xref_stream(stream) + words)

    extracted = await read(processor, tmp_path, draw)
    assert extracted.text.endswith("Left") and "Cut off" not in extracted.text


async def test_a_picture_on_some_words_of_a_line_hides_these_alone(processor: DocumentProcessor, tmp_path: Path) -> None:
    black = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 4, 4), 0)
    black.clear_with(0)

    def draw(page: pymupdf.Page) -> None:
        for y, words, gone in ((140, "The witness is Mary Jones of Perth.", "Mary Jones"), (180, "She lives in Kent.", "Kent")):
            page.insert_text((72, y), words)
            page.insert_image(page.search_for(gone)[0], stream=black.tobytes("png"), keep_proportion=False)

    extracted = await read(processor, tmp_path, draw)
    assert "The witness is of Perth." in extracted.text and "She lives in ." in extracted.text
    assert hidden(extracted) == ["Mary Jones", "Kent"]
