"""Answers that a document gives without the engine: sections, obligations, items, labelled values, a chronology, judges."""

from __future__ import annotations

from collections.abc import Callable

from orderly.services.engines.local import asks_outcome
from orderly.services.questions.asked_sections import asked_sections, show_sections
from orderly.services.questions.chronology import asks_chronology, dated_sentences, disposing_sentences
from orderly.services.questions.duties import asked_duties, list_duties
from orderly.services.questions.judges import asks_judge, named_judges
from orderly.services.questions.labelled_values import labelled_values
from orderly.services.questions.presence import DocumentAnswer, found_at, likely_at
from orderly.services.questions.schedule_items import named_items
from orderly.services.text import RevisionView


def _sections(view: RevisionView, question: str) -> DocumentAnswer | None:
    references = asked_sections(question)
    return show_sections(view, references) if references else None


def _duties(view: RevisionView, question: str) -> DocumentAnswer | None:
    who = asked_duties(question)
    return None if who is None else list_duties(view, who)


def _events(view: RevisionView, question: str) -> DocumentAnswer | None:
    events = dated_sentences(view.text) if asks_chronology(question) else ()
    return found_at(view, [view.passage(*event) for event in events]) if events else None


def _judges(view: RevisionView, question: str) -> DocumentAnswer | None:
    judges = named_judges(view.text) if asks_judge(question) else ()
    return found_at(view, [view.passage(*span) for span in judges]) if judges else None


READERS: tuple[Callable[[RevisionView, str], DocumentAnswer | None], ...] = (
    _sections,
    _duties,
    named_items,
    labelled_values,
    _events,
    _judges,
)
"""In the order in which they are asked. What they find is the whole answer."""


def read_directly(view: RevisionView, question: str) -> DocumentAnswer | None:
    """The answer of the first reader that has one."""
    return next((answer for read in READERS if (answer := read(view, question)) is not None), None)


def read_outcome(view: RevisionView, question: str) -> DocumentAnswer | None:
    """How a court disposed of the case, if the question asks for it: no more than likely."""
    spans = disposing_sentences(view.text, question) if asks_outcome(question) else ()
    return likely_at(view, spans) if spans else None
