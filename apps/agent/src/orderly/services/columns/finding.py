"""A value that rules find in the text of a document."""

from __future__ import annotations

from dataclasses import dataclass

from orderly.models import Span


@dataclass(frozen=True, slots=True)
class Finding:
    value: str | bool
    """As in a cell of the column's answer type: ISO 8601 for dates and periods."""
    quotations: tuple[Span, ...]
    """The words that show the value, the decisive ones first. Every value has at least one."""
    confidence: float
    """0 to 1."""
    settled: bool = True
    """False for a value that a person has to confirm: words and digits differ, day and month may be exchanged."""
    note: str = ""
    """How the value follows from the quotations, where that needs saying."""
    computed: bool = False
    """Whether the value was calculated from values that the document states."""
