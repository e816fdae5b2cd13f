from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import brief_results, chosen_results, services_and_caller
from orderly.agent.tools.document_tool import AskedFindings, Findings, document_tool
from orderly.agent.tools.file_search_events import FileSearch
from orderly.errors import Invalid
from orderly.models import Caller
from orderly.services.citations import Asking
from orderly.services.library import put_question, with_similarities
from orderly.services.questions import DocumentAnswers
from orderly.store.functions.documents import get_document
from orderly.store.functions.reviews import Review
from orderly.wiring.services import Services

PRESENCE = ("answer", "likely", "none")
ONE_MATTER = "A review belongs to one matter; these documents are of several."


@document_tool
async def ask_documents(
    question: str,
    config: RunnableConfig,
    matter_id: str | None = None,
    document_ids: list[str] | None = None,
    first: int = 0,
    clause_type: str | None = None,
    keep_as: str | None = None,
) -> tuple[str, Findings]:
    """Put one question to many documents: which, list all, compare, which first.

    Returns a verified quotation per document, and where none was found.

    Args:
        question: A question that fits each document
        matter_id: The matter: documents that the question names, else all
        document_ids: Documents, instead of a matter
        first: Documents to pass over, to go on after a call
        clause_type: The clause that it is about, if any (e.g., "indemnity")
        keep_as: Review to keep the answers in, if the user asks
    """
    services, caller = await services_and_caller(config)
    search = FileSearch(question, config)
    search.begin()
    result = await put_question(services.library, caller, question, matter_id, document_ids, first, clause_type)
    passages = [p for answer in result.answers for p in (*answer.passages, *answer.nearest)]
    search.complete(await with_similarities(services.library, caller, result.asked.question, passages[: chosen_results.get()]))
    text = rendering.document_answers(result, brief=brief_results.get(), clause_type=clause_type)
    if keep_as and not result.asked.unclear:
        text += "\n\n" + rendering.review_kept(await _keep(services, caller, result, matter_id, keep_as))
    return text, AskedFindings((passage.record() for passage in passages), _asking(result))


def _asking(result: DocumentAnswers) -> Asking:
    ids = {kind: frozenset(a.document_id for a in result.answers if a.presence == kind and not a.failure) for kind in PRESENCE}
    asked = ids["answer"] | ids["likely"] | ids["none"]
    return Asking(result.asked.question, asked, ids["answer"], ids["likely"], result.total)


async def _keep(services: Services, caller: Caller, result: DocumentAnswers, matter_id: str | None, name: str) -> Review:
    """Keeps the question as a column of a review: of the documents that it named, else of the whole matter."""
    named = list(result.asked.documents) or None
    if matter_id is None:
        documents = [await get_document(services.store, caller, id) for id in named or ()]
        matters = {document["matter_id"] for document in documents}
        if len(matters) != 1:
            raise Invalid(ONE_MATTER)
        matter_id = matters.pop()
    return await services.reviews.keep_question(caller, matter_id, name, result.asked.question, named)
