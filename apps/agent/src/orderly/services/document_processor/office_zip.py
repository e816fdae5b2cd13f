"""Checks Office files, which are ZIP archives, before unpacking."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from orderly.errors import Damaged, PasswordProtected, Unreadable
from orderly.services.document_processor.office_markup import as_usual, is_strict

MAX_UNPACKED = 1 << 30
"""Bytes. Larger archives are rejected as ZIP bombs."""

_EMPTY_FILL = re.compile(rb"<((?:\w+:)?)fill\s*(?:/>|>\s*</(?:\w+:)?fill>)")
"""In the styles of some programs' workbooks; Excel takes it for no fill, openpyxl refuses it."""

_STYLES = "xl/styles.xml"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def check_office_zip(path: Path, what: str) -> None:
    """Checks an archive. `what` names the file in messages. Blocking. Raises PasswordProtected or Damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, ValueError) as exc:
        raise why_no_zip(path, what) from exc
    if any(member.flag_bits & 1 for member in members):
        raise PasswordProtected
    if sum(member.file_size for member in members) > MAX_UNPACKED:
        raise Damaged(f"The {what} unpacks to more than {MAX_UNPACKED >> 20} MB and was not read.")


def mend_names(archive: zipfile.ZipFile) -> zipfile.ZipFile:
    """Gives parts that a program named with backslashes the names that the package means."""
    for member in archive.filelist:
        if "\\" in member.filename:
            member.filename = member.filename.replace("\\", "/")
            archive.NameToInfo.setdefault(member.filename, member)
    return archive


@contextmanager
def usual_package(path: Path) -> Iterator[BinaryIO]:
    """Opens an Office file; one of the ISO Strict notation, or of names or styles that libraries refuse, as a usual copy."""
    with path.open("rb") as file:
        with zipfile.ZipFile(file) as archive:
            odd = any("\\" in name for name in archive.namelist())
            names = mend_names(archive).NameToInfo
            odd = odd or (_STYLES in names and _EMPTY_FILL.search(archive.read(_STYLES)) is not None)
            strict = "_rels/.rels" in names and is_strict(archive.read("_rels/.rels"))
            copy = _usual_copy(archive) if strict or odd else None
        file.seek(0)
        yield copy or file


def _usual_copy(archive: zipfile.ZipFile) -> BinaryIO:
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as usual:
        for name in dict.fromkeys(archive.namelist()):
            data = archive.read(name)
            data = as_usual(data) if name.endswith((".xml", ".rels", ".vml")) else data
            usual.writestr(name, _EMPTY_FILL.sub(rb"<\1fill><\1patternFill/></\1fill>", data) if name == _STYLES else data)
    copy.seek(0)
    return copy


def why_no_zip(path: Path, what: str) -> Unreadable:
    """The error for a file that is no ZIP archive. Office stores password-protected documents in an OLE container."""
    with path.open("rb") as file:
        data = file.read(1 << 20)
    if data.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in data:
        return PasswordProtected()
    return Damaged(f"The {what} is damaged and could not be read. Save it anew and upload it again.")
