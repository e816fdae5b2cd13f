"""Puts one question to many documents, bounded in parallel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from orderly.errors import NotReady, OrderlyError, Unreadable
from orderly.models import Caller
from orderly.services.documents import ExtractionResult, extract_from, find_clauses, read_revision
from orderly.services.engines import LegalEngine
from orderly.services.questions.ages import asks_age
from orderly.services.questions.asked_sections import asked_sections, show_sections
from orderly.services.questions.beside_others import beside_others
from orderly.services.questions.chronology import asks_chronology, dated_sentences
from orderly.services.questions.clause_parts import by_clause
from orderly.services.questions.definitions import with_definition
from orderly.services.questions.duties import asked_duties, list_duties
from orderly.services.questions.existence import held_to_existence, standard_clause
from orderly.services.questions.fitting_passages import fitting
from orderly.services.questions.follow_ups import Asked
from orderly.services.questions.labelled_values import labelled_values
from orderly.services.questions.list_items import with_lists
from orderly.services.questions.outcomes import asks_outcome, disposing_sentences
from orderly.services.questions.premises import held_to_question
from orderly.services.questions.presence import (
    LIKELY,
    LIKELY_OF_MANY,
    DocumentAnswer,
    combine,
    decide_by_clauses,
    decide_by_extraction,
    decide_by_subject,
    found_at,
    likely_at,
    with_rival,
)
from orderly.services.questions.quantities import Quantity, may_state, wanted_quantity
from orderly.services.questions.respelling import respelt_for
from orderly.services.questions.schedule_items import named_items, with_items
from orderly.services.questions.subjects import Subject, Subjects, find_subjects
from orderly.services.questions.titled_sections import with_titled_section
from orderly.services.text import RevisionView
from orderly.store.base import Store

Scope = Callable[[str], AbstractAsyncContextManager[None]]

PAGE = 60
"""Documents of one call; the next call goes on behind them."""
THOROUGH = 4
"""Up to this many documents, a question about a known subject is put to each in its own words too; of more, to those from which
rules could read no value."""
BACKED = 0.2
"""Confidence of an extraction that backs a clause found in a document that is no contract."""
PARALLEL = 4
"""Documents read at the same time."""


@dataclass(frozen=True, slots=True)
class DocumentAnswers:
    """Answers of several documents to one question."""

    asked: Asked
    answers: tuple[DocumentAnswer, ...]
    """One per document, in the order of the documents."""
    total: int
    """Documents that the question is meant for, on all pages."""
    first: int
    """Index of the first document of this page."""
    engine: str
    choices: tuple[str, ...] = ()
    """Names of the documents that the question's name fits alike, if they are so many that the user has to choose."""

    @property
    def more(self) -> int:
        """Documents that were not asked yet."""
        return self.total - self.first - len(self.answers)


async def ask_each(
    store: Store,
    engine: LegalEngine,
    caller: Caller,
    documents: Sequence[tuple[str, str]],
    question: str,
    scope: Scope,
    clause_type: str | None = None,
) -> list[DocumentAnswer]:
    """Puts a question to every document. A document that cannot be read is reported as such.

    Args:
        store: The store.
        engine: The legal engine.
        caller: The user who asks. Every document is read as this user.
        documents: (id, name) of each document.
        question: A question that fits each of them.
        scope: Opened around the engine's work on a document: policy, usage and time limit.
        clause_type: The clause that is asked about, whatever the question's words.
    """
    limit = asyncio.Semaphore(PARALLEL)
    thorough = len(documents) <= THOROUGH
    subjects = Subjects()
    if documents:
        async with scope(documents[0][0]):
            subjects = await find_subjects(engine, clause_type or question)
    if subjects.sure is None:
        clause_type = clause_type or standard_clause(question)
    if len(documents) == 1:  # asked of one agreement, "is it governed by the law of Texas?" is answered by the law that it has
        subjects = subjects.of_any_value()

    async def one(document_id: str, name: str) -> DocumentAnswer:
        async with limit, scope(document_id):
            if clause_type and subjects.sure is None:
                found = await find_clause(store, engine, caller, document_id, clause_type, name)
                if found.presence != "none" or found.failure:
                    return found
            answer = await ask_document(store, engine, caller, document_id, question, subjects, name=name, thorough=thorough)
            return replace(answer, subject=answer.subject or clause_type or "")

    answers = await asyncio.gather(*(one(*document) for document in documents))
    return list(answers) if thorough else beside_others(answers, question)


async def ask_document(
    store: Store,
    engine: LegalEngine,
    caller: Caller,
    document_id: str,
    question: str,
    subjects: Subjects = Subjects(),  # noqa: B008  # immutable
    *,
    name: str = "",
    thorough: bool = True,
) -> DocumentAnswer:
    """Puts a question to one document.

    Args:
        store: The store.
        engine: The legal engine.
        caller: The user who asks.
        document_id: Id of the document.
        question: The question.
        subjects: Subjects of the question, from `find_subjects`.
        name: Name of the document, for one that cannot be read.
        thorough: Whether a question about a known subject is put to the document in its own words too.

    Raises:
        OrderlyError: the engine or the store failed. Only a document that is not read yet, or cannot be read, is an answer.
    """
    try:
        view = await read_revision(store, caller, document_id)
    except (NotReady, Unreadable) as error:
        return DocumentAnswer(document_id, name or document_id, "none", failure=_reason(error))
    return await ask_revision(engine, view, respelt_for(question, view.text), subjects, thorough=thorough, near=thorough)


async def find_clause(
    store: Store, engine: LegalEngine, caller: Caller, document_id: str, clause_type: str, name: str
) -> DocumentAnswer:
    """Finds the clauses of a type for which the engine has no decision of its own."""
    try:
        report = await find_clauses(store, engine, caller, document_id, [clause_type])
    except (NotReady, Unreadable) as error:
        return DocumentAnswer(document_id, name or document_id, "none", failure=_reason(error))
    return decide_by_clauses(report)


async def ask_revision(
    engine: LegalEngine,
    view: RevisionView,
    question: str,
    subjects: Subjects = Subjects(),  # noqa: B008  # immutable
    *,
    thorough: bool = True,
    near: bool = False,
) -> DocumentAnswer:
    """Puts a question to a document that is already read; as `ask_document`. `near`: what only comes near is likely too."""
    if references := asked_sections(question):
        return await asyncio.to_thread(show_sections, view, references)
    if (who := asked_duties(question)) is not None and (duties := await asyncio.to_thread(list_duties, view, who)):
        return duties
    if (items := await asyncio.to_thread(named_items, view, question)) is not None:
        return items
    if (labelled := await asyncio.to_thread(labelled_values, view, question)) is not None:
        return labelled
    if asks_chronology(question) and (events := await asyncio.to_thread(dated_sentences, view.text)):
        return found_at(view, [view.passage(*event) for event in events])
    answer = await _decide(engine, view, question, subjects, thorough=thorough, near=near)
    answer = await asyncio.to_thread(with_lists, answer, view, question)
    answer = await asyncio.to_thread(with_definition, answer, view, question)
    answer = await asyncio.to_thread(by_clause, answer, view, question)
    answer = await asyncio.to_thread(with_items, answer, view)
    return replace(answer, subject=subjects.sure.wanted if subjects.sure and not answer.undefined else "")


async def _decide(
    engine: LegalEngine, view: RevisionView, question: str, subjects: Subjects, *, thorough: bool, near: bool
) -> DocumentAnswer:
    if asks_outcome(question) and (spans := await asyncio.to_thread(disposing_sentences, view.text, question)):
        return likely_at(view, spans)
    subject = subjects.sure
    known = await _known(engine, view, subject, thorough=thorough) if subject is not None else None
    quantity = wanted_quantity(question)
    if known is not None and not known.value and quantity and not _states(known, quantity):
        known = replace(known, presence="none", passages=(), nearest=known.passages or known.nearest)
    if known is not None and subject is not None and (asks_age(question) or (subject.only and known.value)):
        return known  # the value decides, whatever sounds alike
    if known is not None and subject is not None and not thorough:
        is_unread = bool(subject.answer_type) and not subject.only and known.presence != "answer"
        if not is_unread:
            return await asyncio.to_thread(held_to_question, known, view, question, known, subject)
    extracted = fitting(await extract_from(engine, view, question), question)
    likely = LIKELY if thorough else LIKELY_OF_MANY
    if known is not None and thorough and await _is_unbacked(engine, view, known, extracted):
        known = replace(known, presence="likely", passages=known.passages[:1])
    answer = combine(known, extracted, likely) if known is not None else decide_by_extraction(extracted)
    for rival in subjects.rivals if thorough else ():
        if (other := await decide_by_subject(engine, view, rival)) is not None:
            answer = with_rival(answer, other)
    held = await asyncio.to_thread(
        held_to_question, answer, view, question, known, subject, thorough=near, of_many=not thorough
    )
    return await asyncio.to_thread(held_to_existence, held, view, question, known)


async def _known(engine: LegalEngine, view: RevisionView, subject: Subject, *, thorough: bool) -> DocumentAnswer | None:
    """What is decided by the subject alone."""
    known = await decide_by_subject(engine, view, subject)
    if known is None or known.value:
        return known
    if thorough:
        return known if subject.answer_type else await asyncio.to_thread(with_titled_section, known, view, subject.name)
    if known.presence == "answer" and not await engine.is_contract(view.text):
        return replace(known, presence="likely", passages=known.passages[:1])
    return known


def _states(answer: DocumentAnswer, quantity: Quantity) -> bool:
    return any(may_state(quantity, passage.text) for passage in answer.passages)


async def _is_unbacked(engine: LegalEngine, view: RevisionView, known: DocumentAnswer, extracted: ExtractionResult) -> bool:
    """Whether a clause answers only because something like it stands in a document that is no contract: an Act on insurance."""
    if known.presence != "answer" or known.value or extracted.confidence >= BACKED:
        return False
    return not await engine.is_contract(view.text)


def _reason(error: OrderlyError) -> str:
    return error.message.rstrip(".")
