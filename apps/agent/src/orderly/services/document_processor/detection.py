"""What kind of file is it? The content decides; the name's extension only where the content cannot tell."""

from __future__ import annotations

import codecs
import zipfile
from pathlib import Path, PurePath

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ZIP = "application/zip"
OLE = "application/x-ole-storage"
RTF = "application/rtf"
TEXT = "text/plain"
MARKDOWN = "text/markdown"
UNKNOWN = "application/octet-stream"

_SAMPLE = 4096

_SIGNATURES = (
    (b"{\\rtf", RTF),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x7fELF", UNKNOWN),
    (b"MZ\x90", UNKNOWN),
    (b"\x1f\x8b", "application/gzip"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
)
_EXTENSIONS = {
    ".txt": TEXT,
    ".text": TEXT,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".pdf": PDF,
    ".docx": DOCX,
    ".docm": DOCX,
    ".pptx": PPTX,
    ".xlsx": XLSX,
    ".doc": "application/msword",
    ".msg": "application/vnd.ms-outlook",
    ".xls": "application/vnd.ms-excel",
    ".ppt": "application/vnd.ms-powerpoint",
    ".rtf": RTF,
    ".html": "text/html",
    ".htm": "text/html",
    ".csv": "text/csv",
    ".json": "application/json",
    ".xml": "application/xml",
    ".eml": "message/rfc822",
}
_OFFICE_PARTS = (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX))


def detect_type(path: Path, filename: str) -> str:
    """The file's media type; "application/octet-stream" where neither content nor name tells. Blocking."""
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
    by_name = _EXTENSIONS.get(PurePath(filename).suffix.lower(), UNKNOWN)
    if b"%PDF-" in head[:1024]:
        return PDF
    if head.startswith(b"PK"):
        return _inside_zip(path, by_name)
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return by_name if kind == OLE and by_name != UNKNOWN else kind
    return TEXT if by_name == UNKNOWN and _is_text(head) else by_name


def _is_text(head: bytes) -> bool:
    """UTF-8 without control characters; the sample may end inside a character."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return all(sign.isprintable() or sign in "\t\n\r\f" for sign in text)


def _inside_zip(path: Path, by_name: str) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        return by_name if by_name != UNKNOWN else ZIP
    for folder, kind in _OFFICE_PARTS:
        if any(name.startswith(folder) for name in names):
            return kind
    return ZIP
