"""Passages of a revision with everything needed to cite them, and the revision's text with its pages and sections."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from orderly.store.functions.ingestion import Health
from orderly.store.functions.passages import Passage as StoredPassage
from orderly.store.functions.revisions import RevisionText, Section, TextPage


@dataclass(frozen=True, slots=True)
class Passage:
    """`text` is the slice `[start:end]` of the revision's text, unchanged."""

    document_id: str
    document_name: str
    revision_id: str
    id: str
    """Id of a chunk, section or document, accepted by the tools."""
    start: int
    end: int
    text: str
    paged: bool
    page_first: int
    page_last: int
    section_label: str | None = None
    section_title: str | None = None
    score: float | None = None
    """0..1, from the ranking stage; None where the passage was not ranked."""
    similarity: float | None = None
    """Cosine similarity to the query; None where the document has no vectors of the engine in use."""

    ordinal: int | None = None
    """Index among the revision's chunks, from 0; None where the passage is not a chunk."""

    def record(self) -> dict[str, Any]:
        """A JSON-compatible dictionary for run state and the command line."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Passage:
        """The passage of a record, which a citation may have added to."""
        return cls(**{name: record[name] for name in cls.__dataclass_fields__ if name in record})

    def scored(self, score: float | None) -> Passage:
        return replace(self, score=score)

    @classmethod
    def from_row(cls, row: StoredPassage, score: float | None = None, similarity: float | None = None) -> Passage:
        """Builds a passage from a row of the store's search functions."""
        return cls(
            document_id=row["document_id"],
            document_name=row["document_name"],
            revision_id=row["revision_id"],
            id=row["chunk_id"],
            start=row["start"],
            end=row["end"],
            text=row["text"],
            paged=row["paged"],
            page_first=row["page_first"],
            page_last=row["page_last"],
            section_label=row["section_label"],
            section_title=row["section_title"],
            score=score,
            similarity=similarity,
            ordinal=row["ordinal"],
        )


class RevisionView:
    """One revision as the store returns it, with lookups by offset."""

    def __init__(self, row: RevisionText) -> None:
        document = row["document"]
        revision = document["revision"]
        assert revision is not None, "the store gives a text only with its revision"
        self.document_id: str = document["id"]
        self.name: str = document["filename"]
        self.matter_id: str = document["matter_id"]
        self.status: str = document["status"]
        self.status_reason: str = document["status_reason"]
        self.revision_id: str = revision["id"]
        self.paged: bool = revision["paged"]
        self.health: Health = revision["health"]
        self.text: str = row["text"]
        self.pages: Sequence[TextPage] = row["pages"]
        self.sections: Sequence[Section] = row["sections"]
        self._page_starts = [page["start"] for page in self.pages]
        self._section_starts = [section["start"] for section in self.sections]

    @property
    def flowing_text(self) -> str:
        """The text with page headers and footers replaced by spaces, so that sentences continue across pages. Offsets stay."""
        pieces: list[str] = []
        at = 0
        running = cast(Sequence[tuple[int, int]], self.health.get("details", {}).get("running_lines", ()))
        for start, end in running:
            pieces += (self.text[at:start], " " * (end - start))
            at = end
        return "".join([*pieces, self.text[at:]])

    def page_at(self, offset: int) -> int:
        """Physical page number, from 1."""
        at = bisect_right(self._page_starts, offset) - 1
        return self.pages[max(at, 0)]["number"] if self.pages else 1

    def section_at(self, offset: int) -> Section | None:
        """The innermost section that contains `offset`."""
        before = self.sections[: bisect_right(self._section_starts, offset)]
        return next((section for section in reversed(before) if section["end"] > offset), None)

    def _section_around(self, start: int, end: int) -> Section | None:
        """The innermost section that holds all words from `start` to `end`: two short clauses stand in the one above them."""
        words_end = start + len(self.text[start:end].rstrip())
        before = self.sections[: bisect_right(self._section_starts, start)]
        return next((section for section in reversed(before) if section["end"] >= words_end), None)

    def passage(self, start: int, end: int, *, id: str | None = None, score: float | None = None) -> Passage:
        section = self.section_at(start)
        whole = self._section_around(start, end) or section
        return Passage(
            document_id=self.document_id,
            document_name=self.name,
            revision_id=self.revision_id,
            id=id or (section["id"] if section else self.document_id),
            start=start,
            end=end,
            text=self.text[start:end],
            paged=self.paged,
            page_first=self.page_at(start),
            page_last=self.page_at(max(start, end - 1)),
            section_label=whole["label"] if whole else None,
            section_title=whole["title"] if whole else None,
            score=score,
        )
