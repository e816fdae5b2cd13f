"""Files of Office in one XML file: a whole Word package is read, other notations are refused with advice."""

from __future__ import annotations

import base64
import binascii
import io
import zipfile
from pathlib import Path
from typing import cast

from lxml import etree

from orderly.errors import Damaged, Unsupported
from orderly.services.document_processor import media_types as kinds
from orderly.services.document_processor.docx_chunks import InMemory
from orderly.services.document_processor.drafts import Draft
from orderly.services.document_processor.limits import Limits
from orderly.services.document_processor.readers import reader_of
from orderly.services.document_processor.unsupported_formats import why_unsupported

_PACKAGE = "{http://schemas.microsoft.com/office/2006/xmlPackage}"
_REFUSED = {
    "{http://schemas.microsoft.com/office/word/2003/wordml}wordDocument": kinds.WORD_2003,
    "{urn:schemas-microsoft-com:office:spreadsheet}Workbook": kinds.EXCEL_2003,
    "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}document": kinds.FLAT_OPENDOCUMENT,
}


def is_office_xml(root: etree._Element) -> bool:
    return root.tag == _PACKAGE + "package" or root.tag in _REFUSED


def read_office_xml(root: etree._Element, limits: Limits) -> Draft:
    """Raises Unsupported, or Damaged for a package that cannot be unpacked."""
    if root.tag in _REFUSED:
        raise Unsupported(why_unsupported(_REFUSED[str(root.tag)], ""))
    parts = {part.get(_PACKAGE + "name", "").lstrip("/"): part for part in root.iter(_PACKAGE + "part")}
    if not any(name.startswith("word/") for name in parts):
        raise Unsupported(why_unsupported(kinds.FLAT_PACKAGE, ""))
    reader = reader_of(kinds.DOCX)
    assert reader is not None
    return reader(cast(Path, InMemory(_zipped(parts))), limits)


def _zipped(parts: dict[str, etree._Element]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, part in parts.items():
            try:
                archive.writestr(name, _content(part))
            except (binascii.Error, ValueError) as exc:
                raise Damaged("The file is damaged and could not be read. Save it as DOCX in Word and upload that.") from exc
    return packed.getvalue()


def _content(part: etree._Element) -> bytes:
    for tree in part.iterfind(f"{_PACKAGE}xmlData/*"):
        return etree.tostring(tree, with_tail=False)
    return base64.b64decode(part.findtext(_PACKAGE + "binaryData", ""))
