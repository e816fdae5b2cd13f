"""Pictures inside Office files: large ones, such as a scanned letter pasted into Word, are read by OCR."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from lxml import etree
from PIL import Image, UnidentifiedImageError

from orderly.errors import Damaged
from orderly.services.document_processor.drafts import Draft, OcrRequest, PageDraft, Picture, has_text
from orderly.services.document_processor.image import draw_picture as draw_image
from orderly.services.document_processor.office_zip import mend_names

MAX_PICTURES = 20
"""Pictures read in one file; a page takes the OCR about two seconds."""

_LARGE = (600, 800)
"""Dots of the shorter and longer side from which a picture may be a page or a good part of one."""

_MAX_BYTES = 100_000_000
_LEAST_WORDS = 5
"""A logo or photograph yields fewer."""

_RASTER = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp")
_WALKED = frozenset({"image", "drawing"})


def request_pictures(draft: Draft, path: Path, parts: Sequence[tuple[int, str]]) -> int:
    """Requests OCR of the large pictures that the parts show. Returns how many of all pictures will not be read. Blocking.

    `parts`: number of the page to which a part's pictures belong, 0 for a page of their own; name of the part.
    """
    seen: set[str] = set()
    with zipfile.ZipFile(path) as archive:
        mend_names(archive)
        for home, part in parts:
            for name in _pictures(archive, part):
                if name in seen:
                    continue
                seen.add(name)
                if len(draft.ocr) < MAX_PICTURES and _is_large(archive, name):
                    draft.pages.append(PageDraft(len(draft.pages) + 1, inside=name, home=home))
                    draft.ocr.append(OcrRequest(len(draft.pages), prefer=False, inside=name))
    return len(seen) - len(draft.ocr)


def draw_picture(path: Path, request: OcrRequest) -> Picture:
    """Draws a picture inside an Office file for OCR. Blocking. Raises Damaged."""
    with zipfile.ZipFile(path) as archive:
        data = mend_names(archive).read(request.inside)
    with Image.open(io.BytesIO(data)) as image:
        return draw_image(image)


def place_pictures(draft: Draft, failed: Collection[int]) -> None:
    """Puts recognised pictures on the pages where they stand, and removes those that show no text."""
    pictures = [page for page in draft.pages if page.inside]
    if not pictures:
        return
    draft.pages = [page for page in draft.pages if not page.inside]
    read = [page for page in pictures if page.source == "ocr" and len(page.text.split()) >= _LEAST_WORDS]
    if read and not draft.paged and not has_text(draft.pages[0].text):
        draft.pages.clear()
    for number, picture in enumerate(read, 1):
        picture.text, picture.lines = f"[Picture {number}]\n\n{picture.text}", []
        if picture.home:
            _join(draft.pages[picture.home - 1], picture)
        else:
            picture.number = len(draft.pages) + 1
            draft.pages.append(picture)
    if read:
        draft.details["pictures_read"] = len(read)
        draft.notes.append(f"Text inside pictures was read by OCR, at “[Picture 1]” and on: {len(read)} in all.")
    if unread := sum(page.number in failed for page in pictures):
        draft.notes.append(f"Text inside large pictures was not read: {unread}, since no OCR could read them.")
    if unread == len(pictures):
        draft.ocr = []


def _join(page: PageDraft, picture: PageDraft) -> None:
    page.text = f"{page.text}\n\n{picture.text}" if page.text else picture.text
    page.source, page.ocr_engine, page.confidence = picture.source, picture.ocr_engine, picture.confidence
    page.flags += [flag for flag in picture.flags if flag not in page.flags]


def _pictures(archive: zipfile.ZipFile, part: str) -> Iterator[str]:
    """Names of the pictures that a part shows, by itself or in its drawings."""
    folder, name = posixpath.split(part)
    relations = posixpath.join(folder, "_rels", f"{name}.rels")
    if relations not in archive.NameToInfo:
        return
    for relation in etree.fromstring(archive.read(relations), etree.XMLParser(resolve_entities=False, no_network=True)):
        kind = relation.get("Type", "").rsplit("/", 1)[-1]
        target = posixpath.normpath(posixpath.join("/" + folder, relation.get("Target", ""))).lstrip("/")
        if kind not in _WALKED or relation.get("TargetMode") == "External" or target not in archive.NameToInfo:
            continue
        if kind == "image":
            yield target
        elif part != target:
            yield from (one for one in _pictures(archive, target) if "/drawings/" not in one)


def _is_large(archive: zipfile.ZipFile, name: str) -> bool:
    if not name.lower().endswith(_RASTER) or archive.getinfo(name).file_size > _MAX_BYTES:
        return False
    try:
        with Image.open(io.BytesIO(archive.read(name))) as image:
            return all(side >= least for side, least in zip(sorted(image.size), _LARGE, strict=True))
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError, Damaged):
        return False
