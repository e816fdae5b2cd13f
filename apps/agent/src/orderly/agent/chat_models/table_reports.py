"""Reports on a review's table: the documents for which filters hold, their values and quotations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.agent.chat_models.quoting import quote
from orderly.agent.chat_models.tool_texts import UUID

_HEAD = re.compile(r"\A(?P<name>.+?): [^\n]* columns?[^\n]*\n(?P<scope>\d+ of \d+ documents)")
_ROW = re.compile(rf"^(?P<name>[^\n]+)\nID: {UUID}\n(?P<cells>(?:  [^\n]+\n?)+)", re.M)
_CELL = re.compile(r"^  (?P<title>[^\n]+?): (?P<value>[^\n]*?) \[(?P<state>[^\]\n]+)\](?P<rest>[^\n]*)$", re.M)
_QUOTATION = re.compile(r" — “(?P<words>.+?)” \((?:page (?P<page>\d+))?[^)]*\)")
_OPEN = re.compile(r"^Not decided, .*$", re.M)


def has_rows(output: str) -> bool:
    """Whether an output of read_review is a table."""
    return _HEAD.match(output) is not None


def table_report(output: str, where: Sequence[str]) -> str:
    """Writes the report. `where`: the filters as which the question was read."""
    head = _HEAD.match(output)
    if head is None:
        return output
    lines = [f"From the review {head['name']}, {head['scope']}, for: {'; '.join(where)}.", ""]
    for row in _ROW.finditer(output):
        cells = [_cell(row["name"], cell) for cell in _CELL.finditer(row["cells"])]
        lines.append(f"- **{row['name']}**: {' '.join(cells)}")
    return "\n".join([*lines, "", *(m[0] for m in _OPEN.finditer(output))]).strip()


def _cell(document: str, cell: re.Match[str]) -> str:
    """The value of a cell with its first quotation."""
    said = _QUOTATION.match(cell["rest"])
    source = f"{document}, Page {said['page']}" if said and said["page"] else document
    return f"{cell['title']}: {cell['value']}" + (f", {quote(said['words'])} [{source}]" if said else "") + "."
