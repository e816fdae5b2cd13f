"""Struck words inside the strings of a workbook: openpyxl reads a string without the looks of its parts."""

from __future__ import annotations

import io
from typing import Any

from lxml import etree

_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_PART = "xl/sharedStrings.xml"


def leave_out_struck(book: Any) -> list[str]:
    """Takes struck words out of the strings that the sheets of `book` use, and returns them."""
    names = [name for name in book._archive.namelist() if name.lower() == _PART.lower()]
    data = book._archive.read(names[0]) if names else b""
    if b"strike" not in data:
        return []
    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    struck: list[str] = []
    for number, item in enumerate(root.iterchildren(_SHEET + "si")):
        kept, gone = _divided(item)
        if not gone:
            continue
        struck += gone
        for sheet in book.worksheets:
            if number < len(sheet._shared_strings):
                sheet._shared_strings[number] = kept
    return struck


def inline_struck(sheet: bytes) -> dict[str, tuple[str, list[str]]]:
    """Strings that stand in their cells and have struck words, by cell: the words that are left, and the struck ones."""
    if b"inlineStr" not in sheet or b"strike" not in sheet:
        return {}
    found: dict[str, tuple[str, list[str]]] = {}
    parsed = etree.iterparse(io.BytesIO(sheet), tag=_SHEET + "c", resolve_entities=False, no_network=True, huge_tree=True)
    for _, cell in parsed:
        for item in cell.iterchildren(_SHEET + "is"):
            kept, gone = _divided(item)
            found |= {cell.get("r", ""): (kept, gone)} if gone else {}
        cell.clear()
    return found


def _divided(item: etree._Element) -> tuple[str, list[str]]:
    """The words of a string that are not struck, and those that are."""
    runs = [(run.findtext(_SHEET + "t") or "", _is_struck(run)) for run in item.iterchildren(_SHEET + "r")]
    return "".join(words for words, gone in runs if not gone), [words for words, gone in runs if gone and words.strip()]


def _is_struck(run: etree._Element) -> bool:
    mark = run.find(f"{_SHEET}rPr/{_SHEET}strike")
    return mark is not None and mark.get("val", "1") not in ("0", "false")
