"""Files that a Word file imports (w:altChunk): Word shows their text in place. Each is read by the reader of its format."""

from __future__ import annotations

import email
import io
import zipfile
import zlib
from email import policy
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from lxml import etree

from orderly.errors import Damaged, Unreadable
from orderly.services.document_processor import media_types as kinds
from orderly.services.document_processor.docx_objects import Source
from orderly.services.document_processor.drafts import Draft
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.office_markup import R
from orderly.services.document_processor.readers import reader_of

_MAX_BYTES = 50_000_000
_MAX_DEPTH = 3
"""Imported files may import files."""

_BY_EXTENSION = {
    ".htm": kinds.HTML,
    ".html": kinds.HTML,
    ".xhtml": kinds.HTML,
    ".rtf": kinds.RTF,
    ".docx": kinds.DOCX,
    ".docm": kinds.DOCX,
    ".dotx": kinds.DOCX,
    ".txt": kinds.TEXT,
}


class InMemory(io.BytesIO):
    """Part of a package in the place of a file's path: a reader process writes no files."""

    depth = 0
    """Number of files that import this one, one inside the other."""

    def read_bytes(self) -> bytes:
        return self.getvalue()

    def open(self, mode: str = "rb") -> BinaryIO:
        return io.BytesIO(self.getvalue())


def read_chunk(source: Source, node: etree._Element) -> Draft | None:
    """Reads the file that a w:altChunk imports; None if that is not possible. Blocking."""
    name = source.target(node.get(R + "id", ""))
    archive = source.package.archive
    if not name or name not in archive.NameToInfo or archive.getinfo(name).file_size > _MAX_BYTES:
        return None
    if source.depth >= _MAX_DEPTH:
        return None
    try:
        data, kind = _content(archive.read(name), name)
        return _read(data, kind, source.depth + 1)
    except (Unreadable, zipfile.BadZipFile, zlib.error, OSError, EOFError):
        return None


def _read(data: bytes, kind: str, depth: int) -> Draft | None:
    reader = reader_of(kind)
    if reader is None:
        return None
    file = InMemory(data)
    file.depth = depth
    return reader(cast(Path, file), Limits())


def _content(data: bytes, name: str) -> tuple[bytes, str]:
    """The bytes to read, and their media type: by their beginning, else by the name."""
    head = data[:2048].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"PK"):
        return data, kinds.DOCX
    if head.startswith(b"{\\rtf"):
        return data, kinds.RTF
    if b"mime-version:" in head.lower() or PurePosixPath(name).suffix.lower() in (".mht", ".mhtml"):
        return _page_of_archive(data)
    if head[:15].lower().startswith((b"<!doctype html", b"<html")):
        return data, kinds.HTML
    kind = _BY_EXTENSION.get(PurePosixPath(name).suffix.lower())
    if kind is None:
        raise Damaged(f"{name} is of a kind that Word does not import.")
    return data, kind


def _page_of_archive(data: bytes) -> tuple[bytes, str]:
    """The page of a web archive (MHTML)."""
    for part in email.message_from_bytes(data, policy=policy.default).walk():
        if part.get_content_type() in ("text/html", "application/xhtml+xml", "text/plain"):
            content = part.get_payload(decode=True)
            if isinstance(content, bytes):
                text = content.decode(part.get_content_charset() or "utf-8", "replace")
                return ("\ufeff" + text).encode(), kinds.TEXT if part.get_content_type() == "text/plain" else kinds.HTML
    raise Damaged("The web archive has no page.")
