"""Reader for image files: one page per frame, read by OCR."""

from __future__ import annotations

import io
import warnings
from math import sqrt
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from orderly.errors import Damaged
from orderly.services.document_processor.drafts import Draft, OcrRequest, PageDraft, Picture
from orderly.services.document_processor.limits import Limits, limit_pages

MAX_PIXELS = 40_000_000
"""Larger pictures are scaled down, so that a grey page takes at most 40 MB."""

_MAX_SOURCE_PIXELS = 500_000_000
"""Pictures with more pixels are rejected before decoding."""

_MIN_DPI = 150
"""Dots per inch below which the picture is enlarged for OCR."""

_DAMAGED = "The picture is damaged or of an unknown kind and could not be opened. Save it anew as PNG or JPEG."


def read_image(path: Path, limits: Limits) -> Draft:
    """Reads page sizes and requests OCR of all pages. Blocking. Raises Damaged."""
    with _open(path) as image:
        kind, count = (image.format or "image").lower(), getattr(image, "n_frames", 1)
        if kind == "gif":
            count = 1  # an animation counts as one page
        pages: list[PageDraft] = []
        incomplete: list[str] = []
        for index in range(limit_pages(count, limits, incomplete)):
            image.seek(index)
            pages.append(_page(index + 1, image))
    requests = [OcrRequest(page.number) for page in pages]
    return Draft(f"image {kind}", paged=True, pages=pages, incomplete=incomplete, ocr=requests)


def _page(number: int, image: Image.Image) -> PageDraft:
    if image.width * image.height > _MAX_SOURCE_PIXELS:
        raise Damaged(f"The picture has more than {_MAX_SOURCE_PIXELS // 1_000_000} million dots and was not read.")
    scale = 72 / _dpi(image)
    width, height = image.width * scale, image.height * scale
    turned = image.getexif().get(0x0112, 1) >= 5
    return PageDraft(number, width=height if turned else width, height=width if turned else height)


def draw_frame(path: Path, request: OcrRequest) -> Picture:
    """Draws a frame for OCR. Blocking. Raises Damaged."""
    with _open(path) as image:
        return draw_picture(image, request.page - 1)


def draw_picture(image: Image.Image, frame: int = 0) -> Picture:
    """Draws a frame of an opened image for OCR. Blocking. Raises Damaged."""
    try:
        if image.width * image.height > _MAX_SOURCE_PIXELS:
            raise Damaged(f"The picture has more than {_MAX_SOURCE_PIXELS // 1_000_000} million dots and was not read.")
        image.seek(frame)
        dpi = _dpi(image)
        grey = ImageOps.exif_transpose(_on_white(image))
    except (OSError, SyntaxError, ValueError, EOFError) as exc:
        raise Damaged(_DAMAGED) from exc
    zoom = min(200 / dpi if dpi < _MIN_DPI else 1.0, sqrt(MAX_PIXELS / (grey.width * grey.height)))
    if zoom != 1.0:
        grey = grey.resize((max(round(grey.width * zoom), 1), max(round(grey.height * zoom), 1)), Image.Resampling.LANCZOS)
    png = io.BytesIO()
    grey.save(png, "PNG", dpi=(dpi * zoom, dpi * zoom), compress_level=1)
    return Picture(png.getvalue(), 72 / (dpi * zoom), 0.0, 0.0)


def load_frame(path: Path, index: int) -> Image.Image:
    """Loads one frame in colour, upright, on white. Blocking. Raises Damaged."""
    with _open(path) as image:
        try:
            if image.width * image.height > _MAX_SOURCE_PIXELS:
                raise Damaged(f"The picture has more than {_MAX_SOURCE_PIXELS // 1_000_000} million dots and was not read.")
            image.seek(index)
            turned = ImageOps.exif_transpose(image).convert("RGBA")
        except (OSError, SyntaxError, ValueError, EOFError) as exc:
            raise Damaged(_DAMAGED) from exc
    return Image.alpha_composite(Image.new("RGBA", turned.size, "white"), turned).convert("RGB")


def _open(path: Path) -> Image.Image:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # _MAX_SOURCE_PIXELS is the limit
            return Image.open(path)
    except Image.DecompressionBombError as exc:
        raise Damaged(f"The picture has more than {_MAX_SOURCE_PIXELS // 1_000_000} million dots and was not read.") from exc
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as exc:
        raise Damaged(_DAMAGED) from exc


def _dpi(image: Image.Image) -> float:
    """Resolution stated by the file, if plausible; otherwise guessed."""
    found = image.info.get("dpi", (0, 0))[0]
    return float(found) if 72 < float(found) <= 1200 else _guess_dpi(image)


def _guess_dpi(image: Image.Image) -> float:
    """A picture at least as wide as A4 at 145 dpi is taken for a page; otherwise 96 dpi, as for a screenshot."""
    shorter = min(image.size)
    return shorter / 8.27 if shorter >= 1200 else 96.0


def _on_white(image: Image.Image) -> Image.Image:
    """Converts to grey on white; a transparent background would become black."""
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        background = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(background, image.convert("RGBA")).convert("L")
    return image.convert("L")
