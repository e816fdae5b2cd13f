"""Finds invisible text of a PDF page: white on white, transparent, of no size, or covered. Separates OCR text layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pymupdf

from orderly.services.document_processor.covered_text import TextSpan, box_array, find_covered_spans, spans_inside
from orderly.services.document_processor.ink_detection import grounds, spans_with_ink, spans_with_ink_under_pictures
from orderly.services.document_processor.page_layout import Block
from orderly.services.document_processor.picture_coverage import picture_covers
from orderly.services.document_processor.picture_edges import divide_at_pictures

_NEARLY_WHITE = 0xF0F0F0
_WHITE_GROUND = 0xF8


@dataclass(frozen=True, slots=True)
class HiddenText:
    hidden: tuple[TextSpan, ...] = ()
    """To be removed from the text."""
    layer: tuple[TextSpan, ...] = ()
    """Transparent text on a picture or text under it: the OCR layer of a scan."""
    pictured: bool = False
    """The page has pictures."""


def find_hidden_text(page: pymupdf.Page, blocks: Sequence[Block]) -> HiddenText:
    """Finds text that is invisible in the drawn page. The page is drawn only if cheap checks find candidates."""
    pictured = bool(page.get_images())
    beneath = _beneath_pictures(page, blocks) if pictured else []
    candidates = [span for span in _spans(blocks) if _may_be_hidden(span) and span["text"].strip()]
    if not candidates and not beneath:
        return HiddenText(pictured=pictured)
    transparent = [span for span in candidates if span["alpha"] == 0] if pictured else []
    layer = spans_inside(transparent, box_array([image["bbox"] for image in page.get_image_info()])) if transparent else []
    in_layer = {id(span) for span in layer}
    hidden = list(_drop_visible(page, [span for span in candidates if id(span) not in in_layer]))
    if beneath and _count_characters(beneath) > 0.5 * _count_characters(_spans(blocks)):
        # Most text is under the picture: a scan with its OCR layer. Text without ink in its place is hidden all the same.
        inked = spans_with_ink_under_pictures(page, beneath)
        layer += [span for span in beneath if id(span) in inked]
        beneath = [span for span in beneath if id(span) not in inked]
    return HiddenText((*hidden, *beneath), tuple(layer), pictured)


def _beneath_pictures(page: pymupdf.Page, blocks: Sequence[Block]) -> list[TextSpan]:
    if not any(_spans(blocks)):
        return []
    covered_by, letters_later = picture_covers(page)
    divide_at_pictures(page, blocks, [box for box in covered_by if box])
    return find_covered_spans(page, list(_spans(blocks)), covered_by, letters_later)


def words_beside(page: pymupdf.Page) -> list[str]:
    """Lines of text that the page's crop leaves out of it."""
    if page.cropbox == page.mediabox:
        return []
    flags = pymupdf.TEXTFLAGS_TEXT & ~pymupdf.TEXT_MEDIABOX_CLIP
    found = page.get_text("dict", clip=pymupdf.INFINITE_RECT(), flags=flags)["blocks"]
    seen = pymupdf.Rect(0, 0, page.cropbox.width, page.cropbox.height)
    lines = [line for block in found for line in block.get("lines", ()) if not seen.intersects(line["bbox"])]
    return [text for line in lines if (text := "".join(span["text"] for span in line["spans"]).strip())]


def _spans(blocks: Sequence[Block]) -> Iterator[TextSpan]:
    return (span for block in blocks for line in block["lines"] for span in line["spans"])


def _may_be_hidden(span: TextSpan) -> bool:
    """Whether the span is transparent, nearly white or tiny: cheap checks only."""
    return bool(span["alpha"] == 0 or span["color"] & _NEARLY_WHITE == _NEARLY_WHITE or span["size"] < 1)


def _count_characters(spans: Iterable[TextSpan]) -> int:
    return sum(len(span["text"].strip()) for span in spans)


def remove_spans(blocks: Sequence[Block], spans: Iterable[TextSpan]) -> None:
    """Removes `spans` from `blocks` in place."""
    removed = {id(span) for span in spans}
    for block in blocks:
        for line in block["lines"]:
            line["spans"] = [span for span in line["spans"] if id(span) not in removed]
        block["lines"] = [line for line in block["lines"] if line["spans"]]


def _drop_visible(page: pymupdf.Page, spans: list[TextSpan]) -> list[TextSpan]:
    """Drops spans with ink in the drawn page, such as white text on a dark background."""
    candidates = [span for span in spans if span["alpha"] != 0 and span["size"] >= 1]
    seen = spans_with_ink(page, candidates) if candidates else frozenset()
    inked = [span for span in candidates if id(span) in seen]
    # The ink in the place of white letters may be that of other words, as of a signature on its anchor.
    darkest = [dark for dark, _ in grounds(page, inked)] if inked else []
    on_white = {id(span) for span, dark in zip(inked, darkest, strict=True) if dark >= _WHITE_GROUND}
    return [span for span in spans if id(span) not in seen or id(span) in on_white]
