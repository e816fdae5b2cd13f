"""A review as CSV: one line per cell."""

from __future__ import annotations

import csv
import io

from orderly.services.exports.table import ExportTable, escape_formula, quoted, shown

FIELDS = (
    "document",
    "column",
    "question",
    "state",
    "value",
    "iso",
    "amount",
    "currency",
    "quotations",
    "verdict",
    "by",
    "on",
    "notes",
)


def csv_file(table: ExportTable) -> bytes:
    """UTF-8 with a byte order mark, which Excel needs. The first line says when the table was made."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([escape_formula(table.made)])
    writer.writerow(FIELDS)
    for cell in table.cells():
        value, verdict = cell.fields, cell.cell["verdict"] if cell.cell is not None else None
        fields = (
            cell.document["filename"],
            cell.column["title"],
            cell.column["question"],
            cell.state,
            shown(cell) if cell.value is not None else "",
            value.get("iso") or "",
            value.get("amount") or "",
            value.get("currency") or "",
            quoted(cell),
            verdict["verdict"] if verdict else "",
            (verdict["by"] or "") if verdict else "",
            verdict["at"][:10] if verdict else "",
            cell.notes,
        )
        writer.writerow([escape_formula(str(field)) for field in fields])
    return b"\xef\xbb\xbf" + text.getvalue().encode()
