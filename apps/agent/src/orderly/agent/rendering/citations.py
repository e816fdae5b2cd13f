"""Text of a resolved or refused citation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orderly.services.citations import QuotationPart, Resolution, format_citation, format_passage_citation


def resolution(result: Resolution) -> str:
    if result.citation:
        return "\n".join(_verified(result.citation))
    lines = [f"Citation refused: these words cannot be quoted from [{result.document_name}].", result.difference]
    for number, part in enumerate(result.parts, 1):
        lines.append(f"{number}. {_part(part)}")
    if result.nearest:
        lines += ["", f"The document says [{format_passage_citation(result.nearest)}]:", f'"{result.nearest.text}"']
    return "\n".join(lines)


def _verified(citation: Mapping[str, Any]) -> list[str]:
    lines = [
        f"Citation verified: [{format_citation(citation)}]",
        "",
        f'Quote: "{citation["text"]}"',
        "",
        f"Offsets: {citation['start']} to {citation['end']} of revision {citation['revision_id']}",
    ]
    if citation["rectangles"]:
        boxes = (f"page {r['page']} ({', '.join(f'{value:g}' for value in r['box'])})" for r in citation["rectangles"])
        lines.append(f"Rectangles: {'; '.join(boxes)}")
    if not citation["current"]:
        lines.append("Note: the document has a newer version; this citation stands in the earlier one.")
    return [*lines, f"ID: {citation['citation_id']}"]


def _part(part: QuotationPart) -> str:
    if part.place is None:
        return f'"{part.text}": {part.reason}'
    return f'"{part.text}" stands at [{format_passage_citation(part.place)}].'
