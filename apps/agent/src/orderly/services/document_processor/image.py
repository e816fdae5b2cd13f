"""Pictures: one page a frame, read by OCR."""

from __future__ import annotations

import io
import warnings
from math import sqrt
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from orderly.errors import Damaged
from orderly.services.document_processor.drafts import Draft, OcrRequest, PageDraft, Picture
from orderly.services.document_processor.limits import Limits, first_pages

MAX_PIXELS = 40_000_000
"""A larger picture is read at a coarser scale, so that no page takes more than 40 MB as grey."""

_LARGEST = 500_000_000
"""Pixels: more than that is refused before it is unpacked."""

_FINE = 150
"""Dots per inch under which small letters are drawn larger for the recogniser."""

_DAMAGED = "The picture is damaged or of an unknown kind and could not be opened. Save it anew as PNG or JPEG."


def read_image(path: Path, limits: Limits) -> Draft:
    """Blocking. Raises Damaged."""
    with _open(path) as image:
        kind, count = (image.format or "image").lower(), getattr(image, "n_frames", 1)
        if kind == "gif":
            count = 1  # an animation shows one page in motion
        pages: list[PageDraft] = []
        incomplete: list[str] = []
        for index in range(first_pages(count, limits, incomplete)):
            image.seek(index)
            pages.append(_page(index + 1, image))
    requests = [OcrRequest(page.number) for page in pages]
    return Draft(f"image {kind}", paged=True, pages=pages, incomplete=incomplete, ocr=requests)


def _page(number: int, image: Image.Image) -> PageDraft:
    if image.width * image.height > _LARGEST:
        raise Damaged(f"The picture has more than {_LARGEST // 1_000_000} million dots and was not read.")
    scale = 72 / _dpi(image)
    width, height = image.width * scale, image.height * scale
    turned = image.getexif().get(0x0112, 1) >= 5
    return PageDraft(number, width=height if turned else width, height=width if turned else height)


def draw_frame(path: Path, request: OcrRequest) -> Picture:
    """Blocking. Raises Damaged."""
    with _open(path) as image:
        try:
            image.seek(request.page - 1)
            dpi = _dpi(image)
            grey = ImageOps.exif_transpose(_on_white(image))
        except (OSError, SyntaxError, ValueError, EOFError) as exc:
            raise Damaged(_DAMAGED) from exc
    zoom = min(200 / dpi if dpi < _FINE else 1.0, sqrt(MAX_PIXELS / (grey.width * grey.height)))
    if zoom != 1.0:
        grey = grey.resize((max(round(grey.width * zoom), 1), max(round(grey.height * zoom), 1)), Image.Resampling.LANCZOS)
    png = io.BytesIO()
    grey.save(png, "PNG", dpi=(dpi * zoom, dpi * zoom), compress_level=1)
    return Picture(png.getvalue(), 72 / (dpi * zoom), 0.0, 0.0)


def frame(path: Path, index: int) -> Image.Image:
    """One page of a picture in colour, the right way up, on white. Blocking. Raises Damaged."""
    with _open(path) as image:
        try:
            if image.width * image.height > _LARGEST:
                raise Damaged(f"The picture has more than {_LARGEST // 1_000_000} million dots and was not read.")
            image.seek(index)
            turned = ImageOps.exif_transpose(image).convert("RGBA")
        except (OSError, SyntaxError, ValueError, EOFError) as exc:
            raise Damaged(_DAMAGED) from exc
    return Image.alpha_composite(Image.new("RGBA", turned.size, "white"), turned).convert("RGB")


def _open(path: Path) -> Image.Image:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # bounded by _LARGEST instead
            return Image.open(path)
    except Image.DecompressionBombError as exc:
        raise Damaged(f"The picture has more than {_LARGEST // 1_000_000} million dots and was not read.") from exc
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as exc:
        raise Damaged(_DAMAGED) from exc


def _dpi(image: Image.Image) -> float:
    """As the file says, if that is believable; else as if it were a screenshot."""
    found = image.info.get("dpi", (0, 0))[0]
    return float(found) if 72 < float(found) <= 1200 else _guessed(image)


def _guessed(image: Image.Image) -> float:
    """A picture as wide as a page at 150 dpi or more is taken for a page."""
    shorter = min(image.size)
    return shorter / 8.27 if shorter >= 1200 else 96.0


def _on_white(image: Image.Image) -> Image.Image:
    """Transparent ground would turn black, and black letters on it vanish."""
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        ground = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(ground, image.convert("RGBA")).convert("L")
    return image.convert("L")
