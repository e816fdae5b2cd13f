"""Puts one question to many documents, bounded in parallel."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Literal

from orderly.errors import NotReady, OrderlyError, Unreadable
from orderly.models import Caller
from orderly.services.documents import ExtractionResult, coverage_of_revision, extract_from, find_clauses, read_revision
from orderly.services.engines import LegalEngine
from orderly.services.questions.ages import asks_age
from orderly.services.questions.asked_sections import asked_sections, show_sections
from orderly.services.questions.chronology import asks_chronology, dated_sentences
from orderly.services.questions.clause_parts import by_clause, whole_paragraphs
from orderly.services.questions.definitions import with_definition
from orderly.services.questions.follow_ups import Asked
from orderly.services.questions.presence import (
    DOUBTED_LIKELY,
    LIKELY,
    LIKELY_OF_MANY,
    DocumentAnswer,
    combine,
    decide_by_clauses,
    decide_by_extraction,
    decide_by_subject,
    found_at,
)
from orderly.services.questions.respelling import respelt_for
from orderly.services.questions.schedule_items import named_items, with_items
from orderly.services.questions.shown_lists import with_lists
from orderly.services.questions.subjects import Subject, find_subject, named_clause
from orderly.services.text import RevisionView
from orderly.store.base import Store

Scope = Callable[[str], AbstractAsyncContextManager[None]]
Search = Callable[[], Awaitable[Sequence[str]]]
"""Finds the documents in which passages are near to the question, best first: their ids."""

PAGE = 60
"""Documents of one call; the next call goes on behind them."""
THOROUGH = 4
"""Up to this many documents are asked thoroughly. Of more, a question about a known subject is put in its own words to those
from which rules could read no value; any other is put to those in which a search finds passages, thoroughly to the first."""
Care = Literal["thorough", "quick", "searched"]
"""How a question of no known subject is put to a document; "searched": a search found nothing there, so it is not read."""
BACKING_CONFIDENCE = 0.2
"""Confidence of an extraction that backs a clause found in a document that is no contract."""
COMPLETIONS: tuple[Callable[[DocumentAnswer, RevisionView, str], DocumentAnswer], ...] = (
    with_lists,
    with_definition,
    whole_paragraphs,
    by_clause,
    lambda answer, view, _: with_items(answer, view),
)
"""What completes an answer, in order: it is shown whole, with what it refers to, in parts that have numbers of their own."""
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
    asked: Asked,
    scope: Scope,
    search: Search,
    clause_type: str | None = None,
) -> list[DocumentAnswer]:
    """Puts a question to every document. A document that cannot be read is reported as such.

    Args:
        store: The store.
        engine: The legal engine.
        caller: The user who asks. Every document is read as this user.
        documents: (id, name) of each document.
        asked: A question that fits each of them.
        scope: Opened around the engine's work on a document: policy, usage and time limit.
        search: Searches the documents for the question.
        clause_type: The clause that is asked about, whatever the question's words.
    """
    limit = asyncio.Semaphore(PARALLEL)
    few = len(documents) <= THOROUGH
    found: Sequence[str] | None = None
    subject: Subject | None = None
    if documents and engine.offline:
        async with scope(documents[0][0]):
            subject = await find_subject(engine, clause_type or asked.question)
        clause_type = clause_type or (named_clause(asked.question) if subject is None else None)
    # Asked of one agreement, "is it governed by the law of Texas?" is answered by the law that it has.
    subject = subject.of_any_value() if subject and len(documents) == 1 else subject
    if engine.offline and not few and not clause_type and (subject is None or subject.is_classified):
        found = await search()

    question = asked.question if subject else asked.read
    likely = LIKELY if few else LIKELY_OF_MANY

    def care(document_id: str) -> Care:
        if few or (found and document_id in found[:THOROUGH]):
            return "thorough"
        return "searched" if found and document_id not in found else "quick"

    async def one(document_id: str, name: str) -> DocumentAnswer:
        async with limit, scope(document_id):
            if clause_type and subject is None:
                found = await find_clause(store, engine, caller, document_id, clause_type, name)
                if found.presence != "none" or found.failure:
                    return found
            document, taken = (document_id, name), care(document_id)
            answer = await ask_document(store, engine, caller, document, question, subject, care=taken, likely=likely)
            return replace(answer, subject=answer.subject or clause_type or "")

    return list(await asyncio.gather(*(one(*document) for document in documents)))


async def ask_document(
    store: Store,
    engine: LegalEngine,
    caller: Caller,
    document: tuple[str, str],
    question: str,
    subject: Subject | None,
    *,
    care: Care,
    likely: float,
) -> DocumentAnswer:
    """Puts a question to one document.

    Args:
        store: The store.
        engine: The legal engine.
        caller: The user who asks.
        document: (id, name) of the document.
        question: The question.
        subject: Subject of the question, from `find_subject`.
        care: How much of the document is read; for a known subject, "thorough": asked in the question's own words too.
        likely: Confidence from which an unconfirmed answer is likely.

    Raises:
        OrderlyError: the engine or the store failed. Only a document that is not read yet, or cannot be read, is an answer.
    """
    try:
        view = await read_revision(store, caller, document[0])
    except (NotReady, Unreadable) as error:
        return DocumentAnswer(*document, "none", failure=_reason(error))
    asked = respelt_for(question, view.text) if engine.offline else question
    return await ask_revision(engine, view, asked, subject, care=care, likely=likely)


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
    subject: Subject | None = None,
    *,
    care: Care = "thorough",
    likely: float = LIKELY,
) -> DocumentAnswer:
    """Puts a question to a document that is already read; as `ask_document`."""
    by_place = await asyncio.to_thread(_by_place, view, question)
    if by_place is not None:
        return by_place
    answer = await _decide(engine, view, question, subject, care=care, likely=likely)
    answer = await asyncio.to_thread(_completed, answer, view, question)
    return replace(answer, subject=subject.wanted if subject and not answer.undefined else "")


def _by_place(view: RevisionView, question: str) -> DocumentAnswer | None:
    """What a question asks for by its number or by its dates: sections, items of schedules, a chronology."""
    if references := asked_sections(question):
        return show_sections(view, references)
    if (items := named_items(view, question)) is not None:
        return items
    events = dated_sentences(view.text) if asks_chronology(question) else ()
    return found_at(view, [view.passage(*event) for event in events]) if events else None


async def _decide(
    engine: LegalEngine, view: RevisionView, question: str, subject: Subject | None, *, care: Care, likely: float
) -> DocumentAnswer:
    """What the engine answers. The offline engine knows some subjects beside; Isaacus is asked in the question's words."""
    known = await decide_by_subject(engine, view, subject) if subject is not None and engine.offline else None
    if known is None or subject is None:
        if care == "searched":
            return DocumentAnswer(view.document_id, view.name, "none", coverage=coverage_of_revision(view))
        extracted = await extract_from(engine, view, question, quick=care == "quick")
        return decide_by_extraction(extracted, likely)
    is_open = subject.is_classified and known.presence == "none" and care != "searched"
    if known.value or asks_age(question) or (care != "thorough" and not subject.answer_type and not is_open):
        return known
    extracted = await extract_from(engine, view, question, quick=care == "quick")
    if is_open:  # what the classifier does not find, the question's words may find
        return decide_by_extraction(extracted, max(likely, DOUBTED_LIKELY))
    if await _is_unbacked(engine, view, known, extracted):
        known = replace(known, presence="likely", passages=known.passages[:1])
    return combine(known, extracted, likely, is_clause=not subject.answer_type)


def _completed(answer: DocumentAnswer, view: RevisionView, question: str) -> DocumentAnswer:
    for step in COMPLETIONS:
        answer = step(answer, view, question)
    return answer


async def _is_unbacked(engine: LegalEngine, view: RevisionView, known: DocumentAnswer, extracted: ExtractionResult) -> bool:
    """Whether a clause answers only because something like it stands in a document that is no contract: an Act on insurance."""
    if known.presence != "answer" or known.value or extracted.confidence >= BACKING_CONFIDENCE:
        return False
    return not await engine.is_contract(view.text)


def _reason(error: OrderlyError) -> str:
    return error.message.rstrip(".")
