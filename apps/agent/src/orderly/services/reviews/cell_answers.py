"""The answer to one column of one document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from orderly.models import Span
from orderly.store.functions.review_cells import CellValue
from orderly.store.functions.reviews import WaitingColumn

MOST_SPANS = 8
"""Quotations of one cell."""


@dataclass(frozen=True, slots=True)
class CellAnswer:
    """The answer to one column. Every span lies in the revision's text, so its quotation is verified by construction."""

    column: WaitingColumn
    state: Literal["found", "candidate", "not_found", "failed"]
    value: CellValue | None = None
    """Not None if the state is found."""
    spans: Sequence[Span] = ()
    """Quotations, the decisive one first; at least one if the state is found."""
    confidence: float | None = None
    model: str | None = None
    """The language model that took part; None: the engine alone."""
    note: str = ""
    """A sentence for the reader: why it failed, how the value follows, what does not agree."""
    engine: str | None = None
    """Name of the rules or engine behind the answer; None: the configured legal engine."""
