"""Reader for PowerPoint: one page per slide, shapes in order, then speaker notes."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from lxml import etree
from pptx import Presentation
from pptx.exc import PythonPptxError

from orderly.errors import Damaged
from orderly.services.document_processor.blocks import Blocks
from orderly.services.document_processor.drafts import Draft, PageDraft
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.office_markup import A, choose_alternates
from orderly.services.document_processor.office_pictures import request_pictures
from orderly.services.document_processor.office_zip import check_office_zip, usual_package
from orderly.services.document_processor.pptx_grounds import Grounds
from orderly.services.document_processor.pptx_shapes import (
    SlideAside,
    notes_text,
    read_slide_comments,
    report_slides,
    write_shape,
)

_PPTX_ERRORS = (
    PythonPptxError,
    BadZipFile,
    zlib.error,
    etree.XMLSyntaxError,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    EOFError,
    OSError,
)
"""Errors raised by the libraries for malformed presentations."""

_DAMAGED = "The presentation is damaged and could not be read. Save it anew in PowerPoint and upload it again."


def read_pptx(path: Path, limits: Limits) -> Draft:
    """Reads a presentation. Blocking. Raises PasswordProtected or Damaged."""
    check_office_zip(path, "presentation")
    aside = SlideAside()
    try:
        with usual_package(path) as file:
            deck = Presentation(file)
            aside.width, aside.height = deck.slide_width or 0, deck.slide_height or 0
            slides = list(deck.slides)
            grounds = Grounds()
            pages = [_page(number, slide, aside, grounds) for number, slide in enumerate(slides, 1)]
    except _PPTX_ERRORS as exc:
        raise Damaged(_DAMAGED) from exc
    draft = Draft("python-pptx", paged=True, pages=pages)
    if hidden := [page.number for page in pages if "hidden_slide" in page.flags]:
        draft.notes.append(f"Hidden in the slide show, and kept out of the text: slide {', '.join(map(str, hidden))}.")
    if pictures := [number for number, slide in enumerate(slides, 1) if _has_picture(slide)]:
        draft.details["slides_with_pictures"] = pictures
        parts = [(number, str(slides[number - 1].part.partname).lstrip("/")) for number in pictures]
        if request_pictures(draft, path, parts) or not draft.ocr:
            draft.notes.append(f"Text inside pictures was not read: slide {', '.join(map(str, pictures))}.")
    report_slides(draft, aside)
    return draft


def _page(number: int, slide: Any, aside: SlideAside, grounds: Grounds) -> PageDraft:
    blocks = Blocks()
    aside.number = number
    choose_alternates(slide._element)
    title = slide.shapes.title
    aside.on_white = grounds.is_white(slide)
    for shape in sorted(slide.shapes, key=lambda shape: title is None or shape.shape_id != title.shape_id):
        write_shape(shape, blocks, aside)
    beneath = Blocks()
    for shape in grounds.shapes_beneath(slide):
        write_shape(shape, beneath, aside)
    blocks.write(f"[Layout]\n{beneath.text}" if beneath.text else "")
    if slide.has_notes_slide:
        choose_alternates(slide.notes_slide._element)
        notes = notes_text(slide.notes_slide, replace(aside, width=0, height=0))
        blocks.write(f"[Notes]\n{notes}" if notes else "")
    read_slide_comments(slide, aside)
    if slide._element.get("show") not in ("0", "false"):
        return PageDraft(number, blocks.text)
    aside.hidden += [{"page": number, "text": blocks.text}] if blocks.text else []
    return PageDraft(number, "[Hidden slide]", flags=["hidden_slide"])


def _has_picture(slide: Any) -> bool:
    """Whether the slide shows a picture: by itself, in a group, in a placeholder, or as a shape's fill."""
    return next(slide._element.iter(f"{A}blip"), None) is not None
