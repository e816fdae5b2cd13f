"""Structured data that an enricher extracts from a text. Spans are half-open (start, end) offsets in code points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from orderly.models import Span

DocumentType = Literal["statute", "regulation", "decision", "contract", "other"]


@dataclass(frozen=True, slots=True)
class Segment:
    span: Span
    kind: Literal["container", "unit", "item", "figure"]
    code: Span | None
    """The clause number as written: "12.1", "Schedule 2"."""
    title: Span | None
    level: int
    """Nesting depth; the outermost level is 0."""


@dataclass(frozen=True, slots=True)
class Term:
    """A defined term."""

    name: Span
    meaning: Span | None
    mentions: int


@dataclass(frozen=True, slots=True)
class Enriched:
    type: DocumentType
    jurisdiction: str | None
    """For example "AU-NSW"."""
    title: Span | None
    segments: tuple[Segment, ...]
    terms: tuple[Term, ...]
    headings: tuple[Span, ...]
    junk: tuple[Span, ...]
    """Page numbers and running heads."""


class Enricher(Protocol):
    @property
    def enriching_model(self) -> str: ...

    async def enrich(self, texts: Sequence[str]) -> list[Enriched]:
        """One result per text, in order. Raises EngineFailed."""
        ...


def shift_offsets(found: Enriched, by: int) -> Enriched:
    """Adds `by` to every offset."""

    def shift_optional(span: Span | None) -> Span | None:
        return None if span is None else (span[0] + by, span[1] + by)

    def shift(span: Span) -> Span:
        return span[0] + by, span[1] + by

    return replace(
        found,
        title=shift_optional(found.title),
        segments=tuple(
            replace(s, span=shift(s.span), code=shift_optional(s.code), title=shift_optional(s.title)) for s in found.segments
        ),
        terms=tuple(replace(t, name=shift(t.name), meaning=shift_optional(t.meaning)) for t in found.terms),
        headings=tuple(map(shift, found.headings)),
        junk=tuple(map(shift, found.junk)),
    )
