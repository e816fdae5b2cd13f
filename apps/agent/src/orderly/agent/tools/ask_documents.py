from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import chosen_results, library_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.agent.tools.file_search_events import FileSearch


@document_tool
async def ask_documents(
    question: str,
    config: RunnableConfig,
    matter_id: str | None = None,
    document_ids: list[str] | None = None,
    first: int = 0,
) -> tuple[str, Findings]:
    """Put one question to many documents in one call: which of them, list all, compare, which first.

    Returns a verified quotation for each document that answers, and names those where nothing was found or that were not read.

    Args:
        question: A question that fits each document (e.g., "Which law governs the agreement?")
        matter_id: The matter whose documents are asked: those that the question names, else all
        document_ids: The documents to ask, instead of a matter
        first: Documents to pass over, to go on after a call that did not reach all
    """
    library, caller = await library_and_caller(config)
    search = FileSearch(question, config)
    search.begin()
    result = await library.ask_documents(caller, question, matter_id, document_ids, first)
    passages = [p for answer in result.answers for p in (*answer.passages, *answer.nearest)]
    search.complete(passages[: chosen_results.get()])
    return rendering.document_answers(result), [passage.record() for passage in passages]
