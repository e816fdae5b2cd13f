"""Puts one question to many documents, bounded in parallel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from orderly.errors import NotReady, OrderlyError, Unreadable
from orderly.models import Caller
from orderly.services.documents import extract_answer
from orderly.services.engines import LegalEngine
from orderly.services.questions.presence import DocumentAnswer, decide
from orderly.services.questions.turns import Asked
from orderly.store.base import Store

Scope = Callable[[str], AbstractAsyncContextManager[None]]

PAGE = 60
"""Documents of one call; the next call goes on behind them."""
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

    @property
    def more(self) -> int:
        """Documents that were not asked yet."""
        return self.total - self.first - len(self.answers)


async def ask_documents(
    store: Store, engine: LegalEngine, caller: Caller, documents: Sequence[tuple[str, str]], question: str, scope: Scope
) -> list[DocumentAnswer]:
    """Puts a question to every document. A document that cannot be read is reported as such.

    Args:
        store: The store.
        engine: The legal engine.
        caller: The user who asks. Every document is read as this user.
        documents: (id, name) of each document.
        question: A question that fits each of them.
        scope: Opened around the engine's work on a document: policy, usage and time limit.
    """
    limit = asyncio.Semaphore(PARALLEL)

    async def one(document_id: str, name: str) -> DocumentAnswer:
        async with limit, scope(document_id):
            return await ask_document(store, engine, caller, document_id, question, name)

    return list(await asyncio.gather(*(one(*document) for document in documents)))


async def ask_document(
    store: Store, engine: LegalEngine, caller: Caller, document_id: str, question: str, name: str = ""
) -> DocumentAnswer:
    """Puts a question to one document.

    Raises:
        OrderlyError: the engine or the store failed. Only a document that is not read yet, or cannot be read, is an answer.
    """
    try:
        return decide(await extract_answer(store, engine, caller, document_id, question))
    except (NotReady, Unreadable) as error:
        return DocumentAnswer(document_id, name or document_id, "none", failure=_reason(error))


def _reason(error: OrderlyError) -> str:
    return error.message.rstrip(".")
