"""Counts claims over documents against what was quoted of each document, and what was asked of it in the run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from orderly.services.support import Claim, Evidence, find_claim, subject_stems

MARK = "[unsupported: quoted or found in {found} of {total} documents]"
MARK_OF_NONE = "[unsupported: asked of {asked} of {total} documents, found in {found}]"
FINDING = "These sentences speak of several documents, and less was found than they say:"

_DENIES = re.compile(r"\b(?:no|not|none|nothing|neither|nor|nowhere|never|silent|without|\w+n['’]t)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asking:
    """A question that was put to documents one by one."""

    question: str
    asked: frozenset[str]
    """Ids of the documents that could be read."""
    answered: frozenset[str]
    likely: frozenset[str]
    total: int
    """Documents for which the question is meant."""


@dataclass(slots=True)
class Coverage:
    """Follows one answer: its claims over documents are counted at its end, when all its quotations are known."""

    read: frozenset[str]
    """Ids of the documents that were read."""
    askings: Sequence[Asking] = ()
    _claims: list[tuple[Claim, str]] = field(default_factory=list)
    _evidence: list[Evidence] = field(default_factory=list)

    def add(self, statement: str, evidence: Sequence[Evidence]) -> bool:
        """Notes a sentence and its quotations. Returns whether it is a claim over documents."""
        self._evidence += evidence
        claim = find_claim(statement, " ".join(e.text for e in evidence)) if len(self.read) > 1 else None
        if claim is not None:
            self._claims.append((claim, " ".join(statement.split()).rstrip(" .:;")))
        return claim is not None

    def bears_out_absence(self, statement: str) -> bool:
        """Whether a sentence denies what every document read was asked, and in none of which anything was found."""
        stems = subject_stems(statement)
        return _DENIES.search(statement) is not None and any(
            self.read <= one.asked
            and not (one.answered or one.likely)
            and 2 * len(stems & subject_stems(one.question)) >= len(stems)
            for one in self.askings
        )

    def note(self) -> str:
        """The claims that the count does not bear out, each with its count; empty if there are none."""
        lines = [f"- {statement} {mark}" for claim, statement in self._claims for mark in self._marks(claim, statement)]
        return "\n".join(["", "", FINDING, *lines]) if lines else ""

    def _marks(self, claim: Claim, statement: str) -> Iterator[str]:
        stems = subject_stems(statement.replace(claim.words, " "))
        askings = [one for one in self.askings if stems & subject_stems(one.question)]
        quoted = {e.document_id for e in self._evidence if stems & e.stems} & self.read
        total = claim.total or max([len(self.read), *(one.total for one in askings)])
        if claim.kind == "none":
            asked, found = max(
                (
                    (len(one.asked), len((one.answered | one.likely) - (quoted if claim.is_of_others else frozenset())))
                    for one in askings
                ),
                key=lambda counts: (counts[1] == 0, counts[0]),
                default=(0, len(quoted) * (not claim.is_of_others)),
            )
            if found or asked < total:
                yield MARK_OF_NONE.format(asked=asked, total=total, found=found)
            return
        found = max([len(quoted), *(len(one.answered) for one in askings)])
        least = claim.number or (total // 2 + 1 if claim.kind == "most" else total)
        if found < least:
            yield MARK.format(found=found, total=total)
