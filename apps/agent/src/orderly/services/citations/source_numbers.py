"""The numbers of an answer's sources, and the list of them at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orderly.services.citations.citation_text import format_citation
from orderly.services.citations.sources import Sources
from orderly.services.citations.standing import Standing, stronger
from orderly.services.text import Passage

SOURCES = "Sources:"
ISSUED = "\ufdd0"
"""Stands before a source number that the gate issues, until the text is shown. A noncharacter; model text never keeps it."""


@dataclass(slots=True)
class SourceNumbers:
    """Numbers sources in order of first use. Stateful."""

    sources: Sources
    known: Sequence[Mapping[str, Any]]
    """Citations of earlier answers; they keep their numbers."""
    cited: list[dict[str, Any]]
    """Citations used by this answer; the caller's list."""

    async def number(self, place: Passage, standing: Standing) -> int:
        span = (place.revision_id, place.start, place.end)
        for record in self.cited:
            if _span(record) == span:
                record["standing"] = stronger(record["standing"], standing)
                return int(record["number"])
        for earlier in self.known:
            if _span(earlier) == span:
                self.cited.append({**earlier, "standing": standing})
                return int(earlier["number"])
        number = len(self.known) + sum(1 for r in self.cited if int(r["number"]) > len(self.known)) + 1
        self.cited.append({**await self.sources.citation(place), "number": number, "standing": standing})
        return number

    def list_sources(self) -> str:
        if not self.cited:
            return ""
        lines = [
            f"- {ISSUED}[{record['number']}] {format_citation(record)}"
            for record in sorted(self.cited, key=lambda r: int(r["number"]))
        ]
        return "\n".join(["", "", SOURCES, *lines])


def _span(record: Mapping[str, Any]) -> tuple[Any, ...]:
    return record["revision_id"], record["start"], record["end"]
