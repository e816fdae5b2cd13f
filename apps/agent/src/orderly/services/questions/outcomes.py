"""Finds how a court disposed of a case, where a question asks who won or what was decided."""

from __future__ import annotations

from orderly.models import Span
from orderly.services.engines.local import asks_outcome, disposes, sentences, sets_out_orders, stems
from orderly.services.questions.objects import objects_of, says
from orderly.services.questions.presence import MOST_LIKELY

__all__ = ["asks_outcome", "disposing_sentences"]


def disposing_sentences(text: str, question: str = "") -> list[Span]:
    """The court's orders where they are set out, else the last sentences that dispose of a case: reasons come before them.

    Those that say what the question asks for, as the penalties, come before others.
    """
    found = [(s.start, s.end) for s in sentences(text) if disposes(text, s.start, s.end)]
    orders = [span for span in found if sets_out_orders(text, *span)]
    asked = objects_of(question)
    saying = [span for span in found if any(says(o, frozenset(stems(text[slice(*span)]))) for o in asked)]
    return saying[-MOST_LIKELY:] or orders[:MOST_LIKELY] or found[-MOST_LIKELY:]
