"""A text that is too large for one request, as two; and what was found in them, as one again."""

from __future__ import annotations

import re

from orderly.services.engines.isaacus.replies import Extracted, Passage

_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"\s"))


def middle(text: str) -> int | None:
    """Where to cut: near the middle, rather between paragraphs than lines, and lines than words. None: there is no place."""
    third = len(text) // 3
    for kind in _BREAKS:
        places = [match.end() for match in kind.finditer(text, third, 2 * third)]
        if places:
            cut = min(places, key=lambda place: abs(place - len(text) // 2))
            if text[:cut].strip() and text[cut:].strip():
                return cut
    return None


def joined_answers(first: Extracted, second: Extracted, cut: int) -> Extracted:
    """Each half decides by itself whether it answers; what a half does not answer is no candidate beside one that does."""
    moved = [{**answer, "start": answer["start"] + cut, "end": answer["end"] + cut} for answer in second.answers]
    halves = [first, Extracted(moved, second.inextractability_score)]  # type: ignore[arg-type]
    sure = [half for half in halves if half.answers and half.answers[0]["score"] > half.inextractability_score]
    counted = sure or halves
    best = max(counted, key=lambda half: half.answers[0]["score"] if half.answers else 0.0)
    answers = sorted((a for half in counted for a in half.answers), key=lambda a: (-a["score"], a["start"]))
    return Extracted(answers, best.inextractability_score)


def joined_passages(
    first: tuple[float, list[Passage]], second: tuple[float, list[Passage]], cut: int
) -> tuple[float, list[Passage]]:
    moved = [Passage(p.start + cut, p.end + cut, p.score) for p in second[1]]
    return max(first[0], second[0]), [*first[1], *moved]
