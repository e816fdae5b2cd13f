"""Text that a reader cannot see: white on white, transparent, of no size, beneath a picture. OCR layers are told apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pymupdf

from orderly.services.document_processor.covered_text import Span, boxes, covered_spans, only
from orderly.services.document_processor.ink_detection import shown, shown_beneath
from orderly.services.document_processor.page_layout import Block

_NEARLY_WHITE = 0xF0F0F0


@dataclass(frozen=True, slots=True)
class Unseen:
    hidden: tuple[Span, ...] = ()
    """Taken out of the text."""
    layer: tuple[Span, ...] = ()
    """Transparent letters on a picture, or letters beneath it: the text that some OCR added to a scan."""


def unseen(page: pymupdf.Page, blocks: Sequence[Block]) -> Unseen:
    """What of the page's letters a reader cannot see, decided by what is drawn. Most pages have no suspects and cost little."""
    doubtful = [span for span in _spans(blocks) if _suspect(span) and span["text"].strip()]
    pictured = bool(page.get_images())
    beneath = covered_spans(page, list(_spans(blocks))) if pictured else []
    if not doubtful and not beneath:
        return Unseen()
    transparent = [span for span in doubtful if span["alpha"] == 0] if pictured else []
    layer = only(transparent, boxes([image["bbox"] for image in page.get_image_info()])) if transparent else []
    in_layer = {id(span) for span in layer}
    hidden = list(_without_visible(page, [span for span in doubtful if id(span) not in in_layer]))
    if beneath and _letters(beneath) > 0.5 * _letters(_spans(blocks)):
        # The words of a scan, over which its picture was laid; without ink in that place they are hidden all the same.
        inked = shown_beneath(page, beneath)
        layer += [span for span in beneath if id(span) in inked]
        beneath = [span for span in beneath if id(span) not in inked]
    return Unseen((*hidden, *beneath), tuple(layer))


def _spans(blocks: Sequence[Block]) -> Iterator[Span]:
    return (span for block in blocks for line in block["lines"] for span in line["spans"])


def _suspect(span: Span) -> bool:
    """Cheap signals only."""
    return bool(span["alpha"] == 0 or span["color"] & _NEARLY_WHITE == _NEARLY_WHITE or span["size"] < 1)


def _letters(spans: Iterable[Span]) -> int:
    return sum(len(span["text"].strip()) for span in spans)


def take_out(blocks: Sequence[Block], spans: Iterable[Span]) -> None:
    """Remove `spans`, which belong to `blocks`, in place."""
    gone = {id(span) for span in spans}
    for block in blocks:
        for line in block["lines"]:
            line["spans"] = [span for span in line["spans"] if id(span) not in gone]
        block["lines"] = [line for line in block["lines"] if line["spans"]]


def _without_visible(page: pymupdf.Page, spans: list[Span]) -> list[Span]:
    """White letters on a dark ground show in the drawn page: only the picture tells."""
    doubtful = [span for span in spans if span["alpha"] != 0 and span["size"] >= 1]
    seen = shown(page, doubtful) if doubtful else frozenset()
    return [span for span in spans if id(span) not in seen]
