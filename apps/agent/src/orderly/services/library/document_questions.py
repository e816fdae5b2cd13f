"""One question to many documents of a matter: which documents it means, their answers, their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from orderly.errors import Invalid
from orderly.models import Caller
from orderly.services.library.library import Library
from orderly.services.questions import (
    PAGE,
    Asked,
    DocumentAnswer,
    DocumentAnswers,
    Named,
    NameIndex,
    ask_each,
    asks_of_all,
    complete_question,
    in_order,
    order_of,
    respelt,
    with_figures,
)
from orderly.services.text import validate_query
from orderly.store.functions.documents import get_document

MOST_ALIKE = 3
"""Documents that one name may fit for all of them to be asked; of more, the user is asked which is meant."""

MOST_FOUND = 100
"""Passages of a search that orders documents."""

Documents = list[tuple[str, str]]
"""Ids and file names."""


async def put_question(
    library: Library,
    caller: Caller,
    question: str,
    matter_ref: str | None = None,
    document_ids: Sequence[str] | None = None,
    first: int = 0,
    clause_type: str | None = None,
) -> DocumentAnswers:
    """Puts one question to the given documents, or to those of a matter that it names, else to all of the matter.

    Args:
        library: The operations that check the caller's access.
        caller: The user who asks.
        question: The question. Earlier questions that it follows may stand on lines before it.
        matter_ref: Id or number of the matter; needed without `document_ids`.
        document_ids: Ids of documents.
        first: Index of the first document, from 0; one call asks at most `PAGE` documents.
        clause_type: The clause that is asked about, whatever the question's words.
    """
    turns = [validate_query(line, "question") for line in question.splitlines() if line.strip()]
    turns = turns or [validate_query(question, "question")]
    if document_ids:
        meant, asked = await _given(library, caller, document_ids, turns[-1])
    elif matter_ref:
        meant, asked = await _meant(library, caller, matter_ref, turns)
    else:
        await library.matters(caller)  # refuses an unknown caller
        raise Invalid("Name the matter (matter_id) or the documents (document_ids) to ask.")
    if len(asked.named.alike) > MOST_ALIKE and not asks_of_all(turns[-1]) and not first:
        choices = tuple(name for id, name in meant if id in asked.named.alike)
        return DocumentAnswers(replace(asked, unclear=True), (), len(meant), 0, library.engine.description, choices)
    # Isaacus reads the question as the user wrote it, names included.
    asked = _corrected(asked) if library.engine.offline else replace(asked, question=asked.read)
    kind = respelt(validate_query(clause_type, "clause_type"))[0] if clause_type and clause_type.strip() else None
    page = meant[max(first, 0) : max(first, 0) + PAGE] if not asked.unclear else []

    async def ask(documents: Documents) -> list[DocumentAnswer]:
        async def search() -> list[str]:
            return await _found(library, caller, matter_ref, asked.read, documents)

        scope = partial(library.engine_scope, caller)
        return await ask_each(library.store, library.engine, caller, documents, asked, scope, search, kind)

    answers = await ask(page)
    if asked.implied and matter_ref and all(answer.presence == "none" for answer in answers):
        listed = (await library.documents(caller, matter_ref)).documents
        meant = [*page, *((d["id"], d["filename"]) for d in listed if d["id"] not in asked.documents)]
        answers, asked = [*answers, *await ask(meant[len(page) : PAGE])], replace(asked, widened=True)
    if len(answers) > 1:
        answers = with_figures(answers, asked.question)
    if (order := order_of(asked.question)) is not None:
        answers = in_order(answers, order)
    return DocumentAnswers(asked, tuple(answers), len(meant), max(first, 0), library.engine.description)


def _corrected(asked: Asked) -> Asked:
    """The question with its spelling corrected, and the corrections beside it."""
    question, fixed = respelt(asked.question)
    return replace(asked, question=question, named=replace(asked.named, corrected=(*asked.named.corrected, *fixed)))


async def _found(library: Library, caller: Caller, matter_ref: str | None, question: str, documents: Documents) -> list[str]:
    """Ids of the documents in which a search of the matter finds passages, best first; none without a matter."""
    if matter_ref is None:
        return []
    found = await library.search(caller, matter_ref, question, MOST_FOUND, within=[id for id, _ in documents])
    return list(dict.fromkeys(passage.document_id for passage in found.passages))


async def _given(library: Library, caller: Caller, ids: Sequence[str], question: str) -> tuple[Documents, Asked]:
    """Returns the documents of ids, which can also name passages and sections, and the question."""
    owners = [await library.document_of(caller, id) for id in dict.fromkeys(ids)]
    documents = [await get_document(library.store, caller, id) for id in dict.fromkeys(owners)]
    return [(d["id"], d["filename"]) for d in documents], Asked(question, tuple(owners), Named(question))


async def _meant(library: Library, caller: Caller, matter_ref: str, turns: Sequence[str]) -> tuple[Documents, Asked]:
    """Returns the documents of a matter that a question is meant for, and the complete question.

    In a matter with more documents than one page, the first ones are those that a search finds.
    """
    documents = (await library.documents(caller, matter_ref)).documents
    # Documents outside a restriction are known by name, so that a name is never taken for what is asked.
    everything = replace(caller, documents=None)
    listed = (await library.documents(everything, matter_ref)).documents
    index = NameIndex(library.store, everything, listed)
    asked = complete_question(turns, await index.nameables(turns))
    names = {d["id"]: d["filename"] for d in documents}
    if meant := [(id, names[id]) for id in asked.documents if id in names]:
        return meant, replace(asked, documents=tuple(id for id, _ in meant))
    asked = replace(asked, documents=(), implied=False)
    if len(documents) > PAGE and not asked.unclear and not asks_of_all(turns[-1]):
        ranked = await _found(library, caller, matter_ref, asked.read, [(d["id"], d["filename"]) for d in documents])
        documents = sorted(documents, key=lambda d: ranked.index(d["id"]) if d["id"] in ranked else len(ranked))
    return [(d["id"], d["filename"]) for d in documents], asked
