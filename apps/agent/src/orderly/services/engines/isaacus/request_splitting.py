"""Splits a text that is too large for one request and joins the results of both halves."""

from __future__ import annotations

import re

from orderly.services.engines.isaacus.replies import Extracted, Passage

_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"\s"))


def split_point(text: str) -> int | None:
    """Offset near the middle, between paragraphs, else lines, else words. None if the text cannot be split."""
    third = len(text) // 3
    for kind in _BREAKS:
        places = [match.end() for match in kind.finditer(text, third, 2 * third)]
        if places:
            cut = min(places, key=lambda place: abs(place - len(text) // 2))
            if text[:cut].strip() and text[cut:].strip():
                return cut
    return None


def join_answers(first: Extracted, second: Extracted, cut: int) -> Extracted:
    """Joins the answers of both halves; the second half starts at `cut`.

    If one half answers the question, the candidates of a half that does not answer are dropped.
    """
    shifted = [{**answer, "start": answer["start"] + cut, "end": answer["end"] + cut} for answer in second.answers]
    halves = [first, Extracted(shifted, second.inextractability_score)]  # type: ignore[arg-type]
    answering = [half for half in halves if half.answers and half.answers[0]["score"] > half.inextractability_score]
    kept = answering or halves
    best = max(kept, key=lambda half: half.answers[0]["score"] if half.answers else 0.0)
    answers = sorted((a for half in kept for a in half.answers), key=lambda a: (-a["score"], a["start"]))
    return Extracted(answers, best.inextractability_score)


def join_passages(
    first: tuple[float, list[Passage]], second: tuple[float, list[Passage]], cut: int
) -> tuple[float, list[Passage]]:
    shifted = [Passage(p.start + cut, p.end + cut, p.score) for p in second[1]]
    return max(first[0], second[0]), [*first[1], *shifted]
