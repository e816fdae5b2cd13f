"""Tells whether confidence is owed by both sides or by one."""

from __future__ import annotations

from collections.abc import Sequence

from orderly.models import Span
from orderly.services.columns.finding import Finding
from orderly.services.columns.wording import Wording

_WORDING = Wording("mutuality")
TITLE = 600
"""Characters. The title stands at the start."""
MOST = 3
"""Quotations of one finding."""
CONFIDENCE = 0.8


def mutuality(text: str, sentences: Sequence[Span]) -> Finding | None:
    """Says "mutual" or "one-way" with the sentences that show it; left to a person where both are shown."""
    titled = [span for span in sentences if span[0] < TITLE and _WORDING["titled"].search(text, span[0], min(span[1], TITLE))]
    mutual = [*titled, *(span for span in sentences if _WORDING["mutual"].search(text, *span) and span not in titled)]
    one_way = [] if titled else [span for span in sentences if span not in mutual and _names_one_side(text, span)]
    if mutual and one_way:
        return Finding(
            "mutual",
            (mutual[0], one_way[0]),
            CONFIDENCE / 2,
            settled=False,
            note="Another sentence names one side as receiving.",
        )
    places = (*mutual, *one_way)[:MOST]
    return Finding("mutual" if mutual else "one-way", places, CONFIDENCE) if places else None


def _names_one_side(text: str, span: Span) -> bool:
    """Whether a sentence gives a party the part of the recipient; "the party receiving (the “Recipient”)" may be any."""
    return _WORDING["one_way"].search(text, *span) is not None and _WORDING["any_party"].search(text, *span) is None
