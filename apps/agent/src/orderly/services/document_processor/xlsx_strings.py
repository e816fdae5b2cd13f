"""Struck words inside the shared strings of a workbook: openpyxl reads a string without the looks of its parts."""

from __future__ import annotations

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
        gone = [run for run in item.iterchildren(_SHEET + "r") if _is_struck(run)]
        if not gone:
            continue
        struck += [text for run in gone if (text := run.findtext(_SHEET + "t") or "").strip()]
        kept = "".join(run.findtext(_SHEET + "t") or "" for run in item.iterchildren(_SHEET + "r") if run not in gone)
        for sheet in book.worksheets:
            if number < len(sheet._shared_strings):
                sheet._shared_strings[number] = kept
    return struck


def _is_struck(run: etree._Element) -> bool:
    mark = run.find(f"{_SHEET}rPr/{_SHEET}strike")
    return mark is not None and mark.get("val", "1") not in ("0", "false")
