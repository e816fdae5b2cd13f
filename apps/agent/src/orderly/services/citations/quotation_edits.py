"""What the gate writes at a quotation: its citation, the stored words, a mark, or what stands in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orderly.models import Span
from orderly.services.citations.citation_text import format_passage_citation, names_place
from orderly.services.citations.edits import Edit
from orderly.services.citations.references import find_references
from orderly.services.citations.source_numbers import ISSUED, SourceNumbers
from orderly.services.citations.sources import Finding, Sources
from orderly.services.citations.standing import Standing
from orderly.services.text import Passage, Quotation, find_citations

UNVERIFIED = "[quotation removed: nothing like these words is in the documents read]"
NEAREST = "[nearest words of the document: those quoted are not in it]"
ASKED_ONLY = " [your words; not found in the documents read]"
SHORT_UNVERIFIED = " [not found in the documents read]"
CITATION_REMOVED = "[citation removed: {reason}]"

_INNER_MARKS = str.maketrans("“”„«»", '"' * 5)

_MIN_NUMBERED_WORDS = 5
"""A shorter quotation without a citation is a term: verified, but without a source number."""


@dataclass(slots=True)
class QuotationEdits:
    sources: Sources
    numbers: SourceNumbers
    numbered: bool

    async def verified_edits(self, quotation: Quotation, finding: Finding, standing: Standing) -> list[Edit]:
        """Edits for a verified quotation: its citation, and its words only if they were corrected."""
        marks = [await self.citation_text(quotation, place, standing) for place in finding.places]
        if not finding.rewritten:
            if quotation.citation:
                return [(*quotation.citation, marks[0])] if marks[0] else []
            return [(quotation.end, quotation.end, f" {marks[0]}")] if marks[0] else []
        quoted = [f"“{_flat(text)}” {mark}".rstrip() for text, mark in zip(finding.rewritten, marks, strict=True)]
        end = quotation.citation[1] if quotation.citation else quotation.end
        return [(quotation.start, end, finding.joint.join(quoted) + finding.punctuation)]

    async def instead_of(self, quotation: Quotation, finding: Finding) -> str:
        """What stands for a refused quotation: the document's nearest words, marked as such."""
        if finding.nearest is None:
            return UNVERIFIED
        place = finding.nearest
        mark = f"[{format_passage_citation(place)}]"
        if self.numbered:
            mark = f"{ISSUED}[{await self.numbers.number(place, 'nearest')}]"
        return f"“{_flat(place.text)}” {mark} {NEAREST}"

    async def citation_text(self, quotation: Quotation, place: Passage, standing: Standing) -> str:
        """Citation text after the quotation; empty if nothing changes."""
        if self.numbered:
            term = quotation.citation is None and len(quotation.text.split()) < _MIN_NUMBERED_WORDS
            return "" if term else f"{ISSUED}[{await self.numbers.number(place, standing)}]"
        if quotation.citation is None:
            return ""
        return f"[{quotation.cited.strip() if names_place(quotation.cited, place) else format_passage_citation(place)}]"

    def note_edit(self, quotation: Quotation, piece: str, note: str) -> Edit:
        """The note behind words that no document has, instead of their citation."""
        end = quotation.start + len(piece[quotation.start : quotation.end].rstrip())
        return end, quotation.citation[1] if quotation.citation else end, note

    async def missing_references(
        self, piece: str, quotations: Sequence[Quotation], removed: Sequence[Span], documents: Sequence[str]
    ) -> list[Edit]:
        """Marks of the pages and sections that the answer's own words name and no document has.

        Args:
            piece: The part of an answer.
            quotations: Its quotations.
            removed: What is left out of it: numbers and lists of sources that the model wrote.
            documents: Ids of the documents that it quotes.
        """
        cited = [(c.start, c.end) for c in find_citations(piece, quotations)]
        quoted = [(q.start, q.citation[1] if q.citation else q.end) for q in quotations]
        return [
            (reference.end, reference.end, SHORT_UNVERIFIED)
            for reference in find_references(piece, [*quoted, *cited, *removed])
            if await self.sources.lacks(reference, piece[reference.end :], documents)
        ]


def _flat(text: str) -> str:
    """Text of a document on one line, with straight quotation marks inside."""
    return " ".join(text.split()).translate(_INNER_MARKS)
