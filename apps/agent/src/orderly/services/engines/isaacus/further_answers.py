"""Which of the extracted spans are shown beside the answer, or in its place."""

from __future__ import annotations

from collections.abc import Sequence

from orderly.services.engines import Answer


def select(answers: Sequence[Answer], answering: Sequence[Answer], inextractability: float) -> list[Answer]:
    """Spans whose score is at least half of the deciding one: of the best answer's, or of the inextractability score.

    Beside an answer, a span must also beat the inextractability score.
    """
    if answering:
        least = answering[0]["score"] / 2
        return [a for a in answers[1:] if a["score"] >= least and a["score"] > inextractability]
    return [a for a in answers if a["score"] >= inextractability / 2]
