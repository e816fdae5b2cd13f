"""Reader for PowerPoint: one page per slide, shapes in order, then speaker notes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
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
from orderly.services.document_processor.office_pictures import request_pictures
from orderly.services.document_processor.office_zip import check_office_zip

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
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
    try:
        slides = list(Presentation(str(path)).slides)
        pages = [_page(number, slide) for number, slide in enumerate(slides, 1)]
    except _PPTX_ERRORS as exc:
        raise Damaged(_DAMAGED) from exc
    draft = Draft("python-pptx", paged=True, pages=pages)
    if hidden := [page.number for page in pages if "hidden_slide" in page.flags]:
        draft.notes.append(f"Hidden in the slide show, but read: slide {', '.join(map(str, hidden))}.")
    if pictures := [number for number, slide in enumerate(slides, 1) if _has_picture(slide)]:
        draft.details["slides_with_pictures"] = pictures
        parts = [(number, str(slides[number - 1].part.partname).lstrip("/")) for number in pictures]
        if request_pictures(draft, path, parts) or not draft.ocr:
            draft.notes.append(f"Text inside pictures was not read: slide {', '.join(map(str, pictures))}.")
    return draft


def _page(number: int, slide: Any) -> PageDraft:
    blocks = Blocks()
    title = slide.shapes.title
    for shape in sorted(slide.shapes, key=lambda shape: title is None or shape.shape_id != title.shape_id):
        _write_shape(shape, blocks)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text.strip()
        blocks.write(f"[Notes]\n{notes}" if notes else "")
    flags = ["hidden_slide"] if slide._element.get("show") in ("0", "false") else []
    return PageDraft(number, blocks.text, flags=flags)


def _write_shape(shape: Any, blocks: Blocks) -> None:
    if hasattr(shape, "shapes"):
        for inner in shape.shapes:
            _write_shape(inner, blocks)
    elif getattr(shape, "has_table", False):
        rows = ["\t".join(_single_line(cell.text) for cell in row.cells).rstrip("\t") for row in shape.table.rows]
        blocks.write("\n".join(row for row in rows if row))
    elif getattr(shape, "has_chart", False):
        blocks.write("\n".join(_chart(shape.chart)))
    elif shape.has_text_frame:
        blocks.write(shape.text_frame.text.replace("\x0b", "\n"))
    else:
        blocks.write("\n".join(_diagram(shape)))


def _chart(chart: Any) -> Iterator[str]:
    if chart.has_title and chart.chart_title.has_text_frame:
        yield chart.chart_title.text_frame.text
    for plot in chart.plots:
        yield "\t".join(["", *(str(category) for category in plot.categories)])
        for series in plot.series:
            yield "\t".join([series.name or "", *("" if value is None else f"{value:g}" for value in series.values)])


def _diagram(shape: Any) -> Iterator[str]:
    """Yields the paragraphs of SmartArt, stored in a separate package part."""
    for node in shape._element.iter(f"{{{_DIAGRAM}}}relIds"):
        key = next((value for name, value in node.attrib.items() if name.endswith("}dm")), None)
        if key is None:
            continue
        root = etree.fromstring(shape.part.related_part(key).blob, etree.XMLParser(resolve_entities=False))
        for paragraph in root.iter(f"{_DRAWING}p"):
            yield "".join(text.text or "" for text in paragraph.iter(f"{_DRAWING}t"))


def _has_picture(slide: Any) -> bool:
    """Whether the slide shows a picture: by itself, in a group, in a placeholder, or as a shape's fill."""
    return next(slide._element.iter(f"{_DRAWING}blip"), None) is not None


def _single_line(text: str) -> str:
    return " ".join(text.split())
