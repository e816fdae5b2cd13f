from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import brief_results, library_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool


@document_tool
async def isaacus_extract(document_id: str, question: str, config: RunnableConfig) -> tuple[str, Findings]:
    """Extract a precise answer from a document.

    Returns the exact text that answers the question, with its source: a clause, date, party or amount. An answer that
    stands in several places is given as several.

    Args:
        document_id: The document to extract from
        question: Specific question (e.g., "What is the termination notice period?")
    """
    library, caller = await library_and_caller(config)
    result = await library.extract(caller, document_id, question)
    text = rendering.extraction(result, brief=brief_results.get())
    return text, [passage.record() for passage in (*result.answers, *result.candidates)]
