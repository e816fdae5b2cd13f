"""Whether a document has what a question asks for: one decision per document and question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from orderly.services.documents import ExtractionResult, ReadCoverage, coverage_of_revision
from orderly.services.text import Passage

Presence = Literal["answer", "likely", "none"]
"""answer: shown as the answer. likely: shown on top, not confirmed. none: nothing in the document fits."""

LIKELY = 0.2
"""Confidence from which a document likely has the answer."""
MOST_PLACES = 3
"""Places of one answer in one document."""


@dataclass(frozen=True, slots=True)
class DocumentAnswer:
    """The answer of one document to one question. Table cells, `ask_documents` and the offline planner share it."""

    document_id: str
    document_name: str
    presence: Presence
    passages: tuple[Passage, ...] = ()
    """The places that answer, or likely answer, best first; empty for "none"."""
    nearest: tuple[Passage, ...] = ()
    """Passages that come nearest, where the presence is "none"."""
    confidence: float = 0.0
    """0..1, of the first passage."""
    coverage: ReadCoverage | None = field(default=None, repr=False)
    """What was read; None if nothing was."""
    failure: str = ""
    """Why the document could not be read; such a document says nothing about presence."""


def decide(result: ExtractionResult) -> DocumentAnswer:
    """Decides by the engine's extraction."""
    coverage = coverage_of_revision(result.revision)
    document_id, name = result.revision.document_id, result.document_name
    best = result.answers or ((result.nearest,) if result.nearest else ())
    if result.answers:
        presence: Presence = "answer"
    elif best and result.confidence >= LIKELY:
        presence = "likely"
    else:
        return DocumentAnswer(document_id, name, "none", (), result.candidates, result.confidence, coverage)
    places = _apart(best)[: MOST_PLACES if presence == "answer" else 1]
    return DocumentAnswer(document_id, name, presence, places, (), result.confidence, coverage)


def _apart(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages without those that overlap an earlier one."""
    kept: list[Passage] = []
    for passage in passages:
        if all(passage.end <= other.start or other.end <= passage.start for other in kept):
            kept.append(passage)
    return tuple(kept)
