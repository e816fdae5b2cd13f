"""Answers columns about known subjects from one reading of a document's text."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from orderly.models import Span
from orderly.services.columns.contract_dates import ContractDates, contract_dates
from orderly.services.columns.finding import Finding
from orderly.services.columns.governing_law import governing_law
from orderly.services.columns.mutuality import mutuality
from orderly.services.columns.named_items import leased_item
from orderly.services.columns.plain_clauses import denies, plain_clause
from orderly.services.columns.renewal import renewal_notice, renewal_term
from orderly.services.columns.stated_clauses import SUBJECTS as STATED
from orderly.services.columns.stated_clauses import stated_clause
from orderly.services.columns.stated_texts import is_stated_text, stated_text
from orderly.services.columns.unread_clauses import unread_clause
from orderly.services.columns.value_clauses import is_value_clause, value_clause
from orderly.services.engines.local import Presence, PresenceReading, presence_types, read_presence, sentences
from orderly.services.values import find_parties

SUBJECTS = {
    "agreement date": "date",
    "effective date": "date",
    "term and expiry": "date",
    "renewal": "duration",
    "notice of non-renewal": "duration",
    "governing law": "jurisdiction",
    "parties": "parties",
    "mutuality": "choice",
}
"""Subjects that rules read, and the answer type that they have. Clauses that are there or not are in `presence_types()` or in
`stated_clauses.SUBJECTS`."""
FOUND_CONFIDENCE = 0.5
"""Confidence from which a value is shown as found; below it is a candidate."""
LIKELY_NOTE = "The document may have such a clause."
SHORTEST_CLAUSE = 60
"""Characters from which a clause is more than its heading."""

fitted_weights: ContextVar[Callable[[str], Path | None]] = ContextVar("fitted_weights", default=lambda _text: None)
"""Chooses the folder with weights for a text; None: those of the package. An evaluation sets it, to hold documents out."""


@dataclass(frozen=True, slots=True)
class Filled:
    """The answer to one column."""

    state: Literal["found", "candidate", "not_found"]
    finding: Finding | None = None
    """None if nothing was read."""
    unread: Span | None = None
    """The clause that speaks of the subject although no value can be read from it; then the state is candidate."""


def can_fill(subject: str, answer_type: str) -> bool:
    """Whether rules or the presence model answer a column."""
    if answer_type == "yes_no":
        return subject in STATED or subject in presence_types()
    return SUBJECTS.get(subject) == answer_type or knows_some_wordings(subject, answer_type)


def knows_some_wordings(subject: str, answer_type: str) -> bool:
    """Whether rules read a subject in some wordings only, so that what they do not find may be there."""
    return is_value_clause(subject, answer_type) or (answer_type == "text" and is_stated_text(subject))


class DocumentFiller:
    """Reads one document; every subject is answered from the same reading. Calls block: run them in a thread."""

    def __init__(self, text: str, weights: Path | None = None) -> None:
        """`weights`: folder with fitted weights; None: those of `fitted_weights`."""
        self._text = text
        self._plain = text.replace("**", "  ")  # without bold in Markdown; every place stays where it is
        self._weights = weights or fitted_weights.get()(text)

    def fill(self, subject: str, answer_type: str) -> Filled:
        """Requires `can_fill`."""
        if subject in STATED:
            return _judged(stated_clause(subject, self._plain, self._sentences))
        if answer_type == "text":
            stated = stated_text(subject, self._plain, self._sentences)
            if stated is None and subject == "premises":
                stated = leased_item(self._plain, self._sentences)
            return _judged(stated)
        if answer_type == "yes_no":
            return self._clause(subject)
        if is_value_clause(subject, answer_type):
            return _judged(value_clause(subject, answer_type, self._plain, self._sentences))
        finding = self._find(subject)
        if finding is None and (unread := unread_clause(subject, self._plain, self._sentences)) is not None:
            return Filled("candidate", unread=unread)
        return _judged(finding)

    def plainly_stated(self, subject: str) -> Finding | None:
        """Yes with the sentences that say so in plain drafting; None: no sentence does, which denies nothing."""
        return plain_clause(subject, self._plain, self._sentences)

    def _find(self, subject: str) -> Finding | None:
        match subject:
            case "agreement date":
                return self._dates.agreement
            case "effective date":
                return self._dates.effective
            case "term and expiry":
                return self._dates.expiry
            case "renewal":
                return renewal_term(self._plain, self._sentences)
            case "notice of non-renewal":
                return renewal_notice(self._plain, self._sentences)
            case "governing law":
                return governing_law(self._plain, self._sentences)
            case "mutuality":
                return mutuality(self._plain, self._sentences)
            case "parties":
                return _parties(self._text)
            case _:
                raise AssertionError(f"No rule reads {subject!r}.")

    def _clause(self, subject: str) -> Filled:
        shown = self._shown(self._clauses.find(subject))
        plain = None if shown.state == "found" else self.plainly_stated(subject)
        return shown if plain is None else _judged(plain)

    def _shown(self, presence: Presence) -> Filled:
        places = [place for place in [(presence.start, presence.end), *presence.further] if not self._denied(presence, place)]
        if not presence.likely or not places:
            return Filled("not_found")
        clauses = [place for place in places if place[1] - place[0] >= SHORTEST_CLAUSE] or [self._with_next(places[0])]
        if presence.present:
            return Filled("found", Finding(True, tuple(clauses), presence.probability))
        return Filled("candidate", Finding(True, tuple(clauses[:1]), presence.probability, note=LIKELY_NOTE))

    def _denied(self, presence: Presence, place: Span) -> bool:
        return denies(presence.subject, self._plain[slice(*place)])

    def _with_next(self, heading: Span) -> Span:
        """A heading with the sentence below it: alone it says nothing."""
        return heading[0], next((end for start, end in self._sentences if start >= heading[1]), heading[1])

    @cached_property
    def _sentences(self) -> list[Span]:
        return [(sentence.start, sentence.end) for sentence in sentences(self._text)]

    @cached_property
    def _dates(self) -> ContractDates:
        return contract_dates(self._plain, self._sentences)

    @cached_property
    def _clauses(self) -> PresenceReading:
        return read_presence(self._text, self._weights)


def _judged(finding: Finding | None) -> Filled:
    if finding is None:
        return Filled("not_found")
    return Filled("found" if finding.settled and finding.confidence >= FOUND_CONFIDENCE else "candidate", finding)


def _parties(text: str) -> Finding | None:
    parties = find_parties(text)
    if not parties:
        return None
    return Finding("; ".join(party.text for party in parties), tuple((p.start, p.end) for p in parties), 0.9)
