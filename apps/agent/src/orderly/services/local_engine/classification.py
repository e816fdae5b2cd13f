"""Finds the clauses of given types in a document."""

from __future__ import annotations

from collections.abc import Sequence

from orderly.services.engine import Classified
from orderly.services.local_engine.clause_kinds import ClauseKind, kind_of, standard_kinds
from orderly.services.local_engine.clauses import Passage, divide
from orderly.services.local_engine.concepts import ConceptFinder, Embed
from orderly.services.local_engine.text import folded

NAMED = 0.9
"""Score of a section whose heading names the type."""
FOUND = 0.5
FOUND_UNDER_OTHER = 0.8
"""Score needed under a heading that names another type: a section's subject wins over what it mentions in passing."""


def classify(
    text: str, labels: Sequence[str], sections: Sequence[tuple[int, int, str]], finder: ConceptFinder, embed: Embed
) -> list[Classified]:
    """Findings in text order, label by label."""
    passages = divide(text, sections)
    lower = [folded(text[p.start : p.end]) for p in passages]
    return [finding for label in labels for finding in _findings(label, kind_of(label, finder, embed), passages, lower)]


def _findings(label: str, kind: ClauseKind, passages: Sequence[Passage], lower: Sequence[str]) -> list[Classified]:
    scores = kind.scores(lower)
    found: list[Classified] = []
    previous: tuple[int, Passage | None] = (-2, None)
    for row, passage in enumerate(passages):
        section = next((s for s in passage.headings if kind.names(s[2])), None)
        if section is None and scores[row] < (FOUND_UNDER_OTHER if _belongs_to_other(passage) else FOUND):
            continue
        score = float(scores[row]) if section is None else max(NAMED, float(scores[row]))
        follows = previous[0] == row - 1 and previous[1] is not None and _together(previous[1], passage, section)
        if follows:
            found[-1]["end"] = passage.end
            found[-1]["score"] = max(found[-1]["score"], score)
        else:
            found.append(Classified(label=label, start=passage.start, end=passage.end, score=score))
        previous = (row, passage)
    return found


def _belongs_to_other(passage: Passage) -> bool:
    """Whether the nearest heading names a standard type. Only asked of passages whose headings don't name this one."""
    return bool(passage.headings) and any(k.names(passage.headings[-1][2]) for k in standard_kinds().values())


def _together(before: Passage, passage: Passage, section: tuple[int, int, str] | None) -> bool:
    """Whether the passages are one clause: within the section that names the type, or in the same innermost section."""
    if section is not None:
        return section in before.headings
    return before.headings[-1:] == passage.headings[-1:]
