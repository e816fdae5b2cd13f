"""Detects media types by content, and by the file name's extension where the content is ambiguous."""

from __future__ import annotations

import codecs
import re
import zipfile
import zlib
from pathlib import Path, PurePath

import olefile

from orderly.services.document_processor.encoding import detect_utf16
from orderly.services.document_processor.media_types import (
    CALENDAR,
    CSV,
    DOC,
    DOCX,
    EML,
    EXTENSIONS,
    HTML,
    JSON,
    MSG,
    OFFICE_PARTS,
    OLE,
    PDF,
    PPT,
    RTF,
    SIGNATURES,
    TEXT,
    TEXT_KINDS,
    UNKNOWN,
    XLS,
    XML,
    ZIP,
)

_SAMPLE = 4096
_STREAMS = (
    ("__properties_version1.0", MSG),
    ("WordDocument", DOC),
    ("Workbook", XLS),
    ("Book", XLS),
    ("PowerPoint Document", PPT),
)
_HTML = re.compile(r"\s*+(?>(?:<!--.*?-->\s*+)*)<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_CALENDAR = re.compile(r"\s*BEGIN:VCALENDAR\s", re.IGNORECASE)
_XML = re.compile(r"\s*<\?xml\b")
_TEXT_INSTEAD = {**dict.fromkeys((UNKNOWN, DOC, RTF, CALENDAR), TEXT), XLS: CSV}
"""What text is whose name says something else: programs of accounts give a table of text the name of a workbook."""

_MAX_TYPE_BYTES = 200
_MEDIA_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+")
_MAILBOX = re.compile(r"From \S.*\b\d\d:\d\d.*\b\d{4}\b")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x19\x1c-\x1f]")
"""Signs that no text has. The end of a file in DOS and Escape may occur."""
_MAIL_HEAD = re.compile(
    r"(?:From|To|Subject|Date|Received|MIME-Version|Message-ID|Return-Path|Delivered-To): ?\S", re.IGNORECASE
)


def detect_type(path: Path, filename: str) -> str:
    """Detects the media type; "application/octet-stream" if unknown. Blocking."""
    with path.open("rb") as file:
        head = file.read(_SAMPLE)
    by_name = EXTENSIONS.get(PurePath(filename).suffix.lower(), UNKNOWN)
    if b"%PDF-" in head[:1024]:
        return PDF
    if head.startswith(b"PK"):
        return _detect_in_zip(path, by_name)
    for signature, kind in SIGNATURES:
        if head.startswith(signature):
            return _detect_in_ole(path, by_name) if kind == OLE else kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    text = _decode_sample(head)
    if text is None:
        return by_name
    return _detect_text(text, by_name)


def _detect_text(text: str, by_name: str) -> str:
    """Detects a text format. The extension decides, unless the first lines contradict it."""
    if _CALENDAR.match(text):
        return CALENDAR
    if by_name in (HTML, XML, EML, JSON, CSV):
        return by_name
    if by_name not in TEXT_KINDS and _HTML.match(text):
        return HTML
    if by_name in TEXT_KINDS:
        return by_name
    if _XML.match(text):
        return XML
    lines = text.splitlines()[:4]
    if len(lines) > 1 and _MAILBOX.match(lines[0]) and _MAIL_HEAD.match(lines[1]):
        return EML
    if len(lines) > 1 and sum(_MAIL_HEAD.match(line) is not None for line in lines) > 1:
        return EML
    return _TEXT_INSTEAD.get(by_name, by_name)


def _decode_sample(head: bytes) -> str | None:
    """Decodes the sample as UTF-16 or UTF-8, else as Latin-1; None if it is binary. It may end inside a character."""
    for bom, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if head.startswith(bom):
            return head[2:].decode(encoding, "ignore")
    if utf16 := detect_utf16(head):
        return head.decode(utf16, "ignore")
    try:
        text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError:
        text = head.decode("latin-1")
    return None if _CONTROLS.search(text) else text


def _detect_in_zip(path: Path, by_name: str) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name.replace("\\", "/") for name in archive.namelist()]
            if "mimetype" in names:  # OpenDocument and EPUB declare their type
                with archive.open("mimetype") as file:  # bounded read, as the member may be a ZIP bomb
                    declared = file.read(_MAX_TYPE_BYTES).decode("ascii", "replace").strip()
                if _MEDIA_TYPE.fullmatch(declared):
                    return declared
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, ValueError, EOFError, zlib.error):
        return by_name if by_name != UNKNOWN else ZIP
    if "xl/workbook.bin" in names:
        return EXTENSIONS[".xlsb"]
    for folder, kind in OFFICE_PARTS:
        if any(name.startswith(folder) for name in names):
            return kind
    return ZIP


def _detect_in_ole(path: Path, by_name: str) -> str:
    try:
        with olefile.OleFileIO(path) as container:
            for stream, kind in _STREAMS:
                if container.exists(stream):
                    return kind
            if container.exists("EncryptedPackage"):
                return by_name if by_name in dict(OFFICE_PARTS).values() else DOCX
    except (OSError, ValueError, IndexError, TypeError, AttributeError):
        pass
    return by_name if by_name != UNKNOWN else OLE
