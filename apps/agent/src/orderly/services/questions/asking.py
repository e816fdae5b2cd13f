"""Puts one question to many documents, bounded in parallel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial

from orderly.errors import NotReady, OrderlyError, Unreadable
from orderly.models import Caller
from orderly.services.documents import ExtractionResult, extract_from, find_clauses, read_revision
from orderly.services.engines import LegalEngine
from orderly.services.questions.additions import held_to_addition
from orderly.services.questions.ages import asks_age
from orderly.services.questions.asked_party import held_to_party
from orderly.services.questions.beside_others import beside_others
from orderly.services.questions.clause_parts import by_clause
from orderly.services.questions.definitions import with_definition
from orderly.services.questions.direct_answers import read_directly, read_outcome
from orderly.services.questions.existence import held_to_existence, is_wider, standard_clause
from orderly.services.questions.fitting_passages import fitting
from orderly.services.questions.follow_ups import Asked
from orderly.services.questions.objects import has_circumstance
from orderly.services.questions.premises import held_to_question, strange_to
from orderly.services.questions.presence import (
    LIKELY,
    LIKELY_OF_MANY,
    DocumentAnswer,
    combine,
    decide_by_clauses,
    decide_by_extraction,
    decide_by_subject,
    with_rival,
)
from orderly.services.questions.quantities import Quantity, may_state, wanted_quantity
from orderly.services.questions.respelling import respelt_for
from orderly.services.questions.schedule_items import with_items
from orderly.services.questions.shown_lists import with_lists
from orderly.services.questions.subject_passages import stating
from orderly.services.questions.subjects import Subject, Subjects, find_subjects
from orderly.services.questions.titled_sections import with_titled_section
from orderly.services.text import RevisionView
from orderly.store.base import Store

Scope = Callable[[str], AbstractAsyncContextManager[None]]
Hold = Callable[[DocumentAnswer], DocumentAnswer]
"""Keeps an answer, or takes from it what the question does not bear."""

PAGE = 60
"""Documents of one call; the next call goes on behind them."""
THOROUGH = 4
"""Up to this many documents, a question about a known subject is put to each in its own words too; of more, to those from which
rules could read no value."""
BACKING_CONFIDENCE = 0.2
"""Confidence of an extraction that backs a clause found in a document that is no contract."""
OWN_SUBJECT_WEIGHT = 0.9
"""Weight of its own subject from which a follow-up is a question by itself: "and may they assign it?"."""
COMPLETIONS: tuple[Callable[[DocumentAnswer, RevisionView, str], DocumentAnswer], ...] = (
    with_lists,
    with_definition,
    by_clause,
    lambda answer, view, _: with_items(answer, view),
)
"""What is done to an answer, in order. It is shown whole, with what it refers to, without what says nothing of the question."""
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
    *,
    added: str = "",
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
        added: What a follow-up adds to the question of an earlier turn (`Asked.added`).
    """
    limit = asyncio.Semaphore(PARALLEL)
    thorough = len(documents) <= THOROUGH
    subjects = Subjects()
    if documents:
        async with scope(documents[0][0]):
            subjects = await find_subjects(engine, clause_type or question)
            own = await find_subjects(engine, added) if added else Subjects()
            if own.sure is not None and own.sure.weight >= OWN_SUBJECT_WEIGHT:
                question, added, subjects = added, "", own
    clause = None if clause_type else standard_clause(question)
    if subjects.sure is None or is_wider(clause, subjects.sure.name):
        clause_type, subjects = clause_type or clause, Subjects(None, subjects.rivals)
    if len(documents) == 1:  # asked of one agreement, "is it governed by the law of Texas?" is answered by the law that it has
        subjects = subjects.of_any_value()

    async def one(document_id: str, name: str) -> DocumentAnswer:
        async with limit, scope(document_id):
            if clause_type and subjects.sure is None:
                found = await find_clause(store, engine, caller, document_id, clause_type, name)
                if found.presence != "none" or found.failure:
                    return found
            document = (document_id, name)
            answer = await ask_document(store, engine, caller, document, question, subjects, thorough=thorough, added=added)
            return replace(answer, subject=answer.subject or clause_type or "")

    answers = await asyncio.gather(*(one(*document) for document in documents))
    return list(answers) if thorough else beside_others(answers, question)


async def ask_document(
    store: Store,
    engine: LegalEngine,
    caller: Caller,
    document: tuple[str, str],
    question: str,
    subjects: Subjects,
    *,
    thorough: bool,
    added: str,
) -> DocumentAnswer:
    """Puts a question to one document.

    Args:
        store: The store.
        engine: The legal engine.
        caller: The user who asks.
        document: (id, name) of the document.
        question: The question.
        subjects: Subjects of the question, from `find_subjects`.
        thorough: Whether a question about a known subject is put to the document in its own words too.
        added: What a follow-up adds to the question of an earlier turn (`Asked.added`).

    Raises:
        OrderlyError: the engine or the store failed. Only a document that is not read yet, or cannot be read, is an answer.
    """
    try:
        view = await read_revision(store, caller, document[0])
    except (NotReady, Unreadable) as error:
        return DocumentAnswer(*document, "none", failure=_reason(error))
    answer = await ask_revision(engine, view, respelt_for(question, view.text), subjects, thorough=thorough, near=thorough)
    return await asyncio.to_thread(held_to_addition, answer, view, added) if added else answer


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
    direct, outcome = await asyncio.to_thread(_read, view, question)
    if direct is not None:
        return direct
    answer, holds = (outcome, ()) if outcome else await _decide(engine, view, question, subjects, thorough=thorough, near=near)
    answer = await asyncio.to_thread(_completed, answer, holds, view, question)
    return replace(answer, subject=subjects.sure.wanted if subjects.sure and not answer.undefined else "")


def _read(view: RevisionView, question: str) -> tuple[DocumentAnswer | None, DocumentAnswer | None]:
    """What a document answers without the engine: the whole answer, else the outcome of a case, which is completed."""
    direct = read_directly(view, question)
    return direct, None if direct is not None else read_outcome(view, question)


async def _decide(
    engine: LegalEngine, view: RevisionView, question: str, subjects: Subjects, *, thorough: bool, near: bool
) -> tuple[DocumentAnswer, Sequence[Hold]]:
    """What the engine answers, and what that is still held to."""
    subject = subjects.sure
    known = await _known(engine, view, subject, thorough=thorough) if subject is not None else None
    quantity = wanted_quantity(question)
    if known is not None and not known.value and quantity and not _states(known, quantity):
        known = replace(known, presence="none", passages=(), nearest=known.passages or known.nearest)
    to_question = partial(held_to_question, view=view, question=question, known=known, subject=subject)
    if known is not None and subject is not None and (asks_age(question) or (subject.only and known.value)):
        return known, ()  # the value decides, whatever sounds alike
    if known is not None and subject is not None and not thorough:
        is_unread = bool(subject.answer_type) and not subject.only and known.presence != "answer"
        if not is_unread:
            return known, (partial(to_question, of_many=True),)
    extracted = fitting(await extract_from(engine, view, question), question)
    if known is not None and subject is not None and known.presence == "none" and not has_circumstance(question):
        extracted = stating(subject.name, extracted, strange_to(subject, view, question))
    likely = LIKELY if thorough else LIKELY_OF_MANY
    if known is not None and thorough and await _is_unbacked(engine, view, known, extracted):
        known = replace(known, presence="likely", passages=known.passages[:1])
    answer = combine(known, extracted, likely) if known is not None else decide_by_extraction(extracted)
    for rival in subjects.rivals if thorough else ():
        if (other := await decide_by_subject(engine, view, rival)) is not None:
            answer = with_rival(answer, other)
    return answer, (
        partial(to_question, known=known, thorough=near, of_many=not thorough),
        partial(held_to_existence, view=view, question=question, known=known),
    )


def _completed(answer: DocumentAnswer, holds: Sequence[Hold], view: RevisionView, question: str) -> DocumentAnswer:
    """The answer held to what is asked, then completed."""
    for hold in holds:
        answer = hold(answer)
    answer = held_to_party(answer, view, question)
    for step in COMPLETIONS:
        answer = step(answer, view, question)
    return answer


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
    if known.presence != "answer" or known.value or extracted.confidence >= BACKING_CONFIDENCE:
        return False
    return not await engine.is_contract(view.text)


def _reason(error: OrderlyError) -> str:
    return error.message.rstrip(".")
