"""What an enricher makes of a document's text. Spans are (start, end) in code points of that text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

Span = tuple[int, int]
DocumentType = Literal["statute", "regulation", "decision", "contract", "other"]


@dataclass(frozen=True, slots=True)
class Segment:
    span: Span
    kind: Literal["container", "unit", "item", "figure"]
    code: Span | None
    """Its number as written: "12.1", "Schedule 2"."""
    title: Span | None
    level: int
    """From 0, outermost."""


@dataclass(frozen=True, slots=True)
class Term:
    """A word that the document defines."""

    name: Span
    meaning: Span | None
    mentions: int


@dataclass(frozen=True, slots=True)
class Enriched:
    type: DocumentType
    jurisdiction: str | None
    """Such as "AU-NSW"."""
    title: Span | None
    segments: tuple[Segment, ...]
    terms: tuple[Term, ...]
    headings: tuple[Span, ...]
    junk: tuple[Span, ...]
    """Page numbers, running heads and the like."""


class Enricher(Protocol):
    @property
    def enriching_model(self) -> str: ...

    async def enrich(self, texts: Sequence[str]) -> list[Enriched]:
        """One result a text, in order. Raises EngineFailed."""
        ...


def moved(found: Enriched, by: int) -> Enriched:
    """As it stands in a text that has `by` characters more before it."""

    def move(span: Span | None) -> Span | None:
        return None if span is None else (span[0] + by, span[1] + by)

    def shift(span: Span) -> Span:
        return span[0] + by, span[1] + by

    return replace(
        found,
        title=move(found.title),
        segments=tuple(replace(s, span=shift(s.span), code=move(s.code), title=move(s.title)) for s in found.segments),
        terms=tuple(replace(t, name=shift(t.name), meaning=move(t.meaning)) for t in found.terms),
        headings=tuple(map(shift, found.headings)),
        junk=tuple(map(shift, found.junk)),
    )
