"""Counts claims over documents against what was quoted of each document, and what was asked of it in the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from orderly.services.citations.provisions import Provision
from orderly.services.support import Claim, find_claim, subject_stems

FOUND_FEWER = "It was quoted from or found in {found} of {total} documents."
ASKED_FEWER = "It was asked of {asked} of {total} documents, and found in {found}."


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
    """Follows one answer: its claims over documents are counted when all its quotations are known."""

    read: frozenset[str]
    """Ids of the documents that were read."""
    askings: Sequence[Asking] = ()
    _quoted: list[tuple[str, set[str]]] = field(default_factory=list)
    """Id of each document that is cited, with the words of the provision."""

    def claim(self, statement: str, evidence: Sequence[Provision]) -> Claim | None:
        """Notes a sentence and what it rests on. Returns the claim over documents that it makes."""
        self._quoted += [(e.document_id, e.stems) for e in evidence]
        return find_claim(statement, " ".join(e.text for e in evidence)) if len(self.read) > 1 else None

    def wrong(self, claim: Claim, statement: str) -> str:
        """What the count says against a claim; empty if it bears it out."""
        stems = subject_stems(statement.replace(claim.words, " "))
        put = [(one, subject_stems(one.question)) for one in self.askings]
        askings = [one for one, asked in put if 2 * len(asked & stems) > len(asked)]  # most of the question's subject
        quoted = {document_id for document_id, words in self._quoted if stems & words} & self.read
        total = claim.total or max([len(self.read), *(one.total for one in askings)])
        if claim.kind == "none":
            asked, found = max(
                (
                    (len(one.asked), len((one.answered & one.asked) - (quoted if claim.is_of_others else frozenset())))
                    for one in askings
                ),
                key=lambda counts: (counts[1] == 0, counts[0]),
                default=(total, len(quoted) * (not claim.is_of_others)),
            )
            return ASKED_FEWER.format(asked=asked, total=total, found=found) if found or asked < total else ""
        if not quoted and not askings:
            return ""
        found = max([len(quoted), *(len(one.answered) for one in askings)])
        least = claim.number or (total // 2 + 1 if claim.kind == "most" else total)
        return FOUND_FEWER.format(found=found, total=total) if found < least else ""
