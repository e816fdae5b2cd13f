"""Cells of a table row of a Word file: where they begin, and how many columns they span."""

from __future__ import annotations

from itertools import islice

from lxml import etree

from orderly.services.document_processor.docx_package import W
from orderly.services.document_processor.office_markup import MC, chosen

_MAX_COLUMNS = 63
"""Columns of a table in Word."""


def cells_of(row: etree._Element) -> list[etree._Element]:
    found = []
    for node in row:
        if node.tag == W + "tc":
            found.append(node)
        elif node.tag in (W + "sdt", W + "customXml", W + "sdtContent", W + "ins"):
            found += cells_of(node)
        elif node.tag == MC + "AlternateContent" and (form := chosen(node)) is not None:
            found += cells_of(form)
    return found


def grid_before(row: etree._Element) -> int:
    """Columns that are left free before the first cell."""
    return _number(row.find(f"{W}trPr/{W}gridBefore"), 0)


def span(cell: etree._Element) -> int:
    return max(_number(cell.find(f"{W}tcPr/{W}gridSpan"), 1), 1)


def has_table(cell: etree._Element) -> bool:
    """Whether the cell holds a table of more than one cell."""
    return any(next(islice(table.iter(W + "tc"), 1, None), None) is not None for table in cell.iter(W + "tbl"))


def is_continued(cell: etree._Element) -> bool:
    """Whether the cell only continues the one above or before it: Word shows nothing of it."""
    for kind in ("vMerge", "hMerge"):
        merged = cell.find(f"{W}tcPr/{W}{kind}")
        if merged is not None and merged.get(W + "val", "continue") == "continue":
            return True
    return False


def _number(node: etree._Element | None, otherwise: int) -> int:
    value = "" if node is None else node.get(W + "val", "")
    return min(int(value), _MAX_COLUMNS) if value.isdigit() and len(value) < 9 else otherwise
