"""Draws pages and excerpts as PNG with highlights. Blocking; untrusted files are drawn in a reader process only."""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from math import sqrt
from pathlib import Path

import numpy as np
import pymupdf
from PIL import Image, ImageChops

from orderly.models import Box
from orderly.services.document_processor import media_types as kinds
from orderly.services.document_processor.detection import detect_type
from orderly.services.document_processor.excerpts import Excerpt
from orderly.services.document_processor.image import load_frame
from orderly.services.document_processor.mupdf import mupdf_lock, open_pdf
from orderly.services.text import LineMark, drawn_rectangle

MAX_PIXELS = 20_000_000
"""Larger pages are drawn at a lower resolution."""

YELLOW = (255, 236, 110)
PADDING = 1.0
"""Points around a marked line."""

MARK_COLOUR = 1
"""Text colour, nearly black, by which the highlighted part of an excerpt is located in the layout."""

EXCERPT_WIDTH = 460.0
MARGIN = 24.0
MAX_EXCERPT_HEIGHT = 4_000.0
"""Points. 4,000 characters take about 900."""


def draw_page(path: Path, number: int, width: float, marks: Sequence[LineMark], dpi: int) -> bytes:
    """Draws page `number` of a PDF or image as PNG. `width`: the page's width in points when its boxes were measured.

    Raises:
        Unreadable: the file cannot be drawn.
    """
    pdf = detect_type(path, path.name) == kinds.PDF
    picture = _pdf_page(path, number, dpi) if pdf else _load_image_page(path, number, width, dpi)
    if marks:
        scale = picture.width / width
        grey = np.asarray(picture.convert("L"))
        _mark(picture, [drawn_rectangle(mark, grey, scale) for mark in marks], PADDING * scale)
    return _png(picture, dpi)


def draw_excerpt(excerpt: Excerpt, dpi: int) -> bytes:
    """Draws an excerpt in one column as PNG."""
    area = pymupdf.Rect(MARGIN, MARGIN, EXCERPT_WIDTH - MARGIN, MAX_EXCERPT_HEIGHT - MARGIN)
    file = io.BytesIO()
    with mupdf_lock():
        story = pymupdf.Story(_html(excerpt))
        writer = pymupdf.DocumentWriter(file)
        device = writer.begin_page(pymupdf.Rect(0, 0, EXCERPT_WIDTH, MAX_EXCERPT_HEIGHT))
        _, filled = story.place(area)
        story.draw(device)
        writer.end_page()
        writer.close()
        with pymupdf.open("pdf", file.getvalue()) as document:
            page = document[0]
            clip = pymupdf.Rect(0, 0, EXCERPT_WIDTH, filled[3] + MARGIN)
            picture = _to_image(page.get_pixmap(dpi=dpi, clip=clip, colorspace=pymupdf.csRGB, alpha=False))
            boxes = [
                span["bbox"]
                for block in page.get_text("dict")["blocks"]
                for line in block.get("lines", ())
                for span in line["spans"]
                if span["color"] == MARK_COLOUR
            ]
    scale = dpi / 72
    _mark(picture, [(x0 * scale, y0 * scale, x1 * scale, y1 * scale) for x0, y0, x1, y1 in boxes], 0)
    return _png(picture, dpi)


def _html(excerpt: Excerpt) -> str:
    start, end = excerpt.marked or (0, 0)
    before, marked, after = excerpt.text[:start], excerpt.text[start:end], excerpt.text[end:]
    body = f'{_escaped(before)}<span style="color:#{MARK_COLOUR:06x}">{_escaped(marked)}</span>{_escaped(after)}'
    title = f'<p style="color:#555555;font-size:9px">{_escaped(excerpt.title)}</p>'
    return f'<div style="font-family:serif;font-size:11px;line-height:1.35">{title}<p>{body}</p></div>'


def _escaped(text: str) -> str:
    return html.escape(text).replace("\n", "<br/>")


def _pdf_page(path: Path, number: int, dpi: int) -> Image.Image:
    with open_pdf(path) as document:
        page = document[number - 1]
        zoom = min(dpi / 72, sqrt(MAX_PIXELS / max(page.rect.width * page.rect.height, 1.0)))
        matrix = pymupdf.Matrix(zoom, zoom)
        return _to_image(page.get_pixmap(matrix=matrix, colorspace=pymupdf.csRGB, alpha=False, annots=True))


def _to_image(drawn: pymupdf.Pixmap) -> Image.Image:
    return Image.frombytes("RGB", (drawn.width, drawn.height), drawn.samples)


def _load_image_page(path: Path, number: int, width: float, dpi: int) -> Image.Image:
    picture = load_frame(path, number - 1)
    zoom = min(width * dpi / 72 / picture.width, sqrt(MAX_PIXELS / (picture.width * picture.height)))
    if zoom >= 1:
        return picture
    size = (max(round(picture.width * zoom), 1), max(round(picture.height * zoom), 1))
    return picture.resize(size, Image.Resampling.LANCZOS)


def _mark(picture: Image.Image, boxes: Sequence[Box], padding: float) -> None:
    for x0, y0, x1, y1 in boxes:
        left, top = max(round(x0 - padding), 0), max(round(y0 - padding), 0)
        right, bottom = min(round(x1 + padding), picture.width), min(round(y1 + padding), picture.height)
        if left < right and top < bottom:
            part = picture.crop((left, top, right, bottom))
            picture.paste(ImageChops.multiply(part, Image.new("RGB", part.size, YELLOW)), (left, top))


def _png(picture: Image.Image, dpi: int) -> bytes:
    file = io.BytesIO()
    picture.save(file, "PNG", dpi=(dpi, dpi))
    return file.getvalue()
