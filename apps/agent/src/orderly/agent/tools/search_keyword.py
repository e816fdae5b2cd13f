from __future__ import annotations

from typing import Literal

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.services.search import KeywordQuery


@document_tool
async def search_keyword(  # noqa: PLR0913, PLR0917  # each argument is a choice of the model
    matter_id: str,
    query: str,
    config: RunnableConfig,
    mode: Literal["keyword", "regex"] = "keyword",
    case_sensitive: bool = False,
    context_lines: int = 2,
    within: list[str] | None = None,
    limit: int = 20,
    offset: int = 0,
) -> tuple[str, Findings]:
    """Find exact words, identifiers or a regular expression in the documents of a matter, and count every match.

    Use it for defined terms, names, numbers, clause references, and for "how often" and "which documents mention".
    For questions and concepts use isaacus_search.

    Args:
        matter_id: The UUID or the number of the matter, or "all" for every matter of the user
        query: Words as they are written: together one phrase; "quoted phrases" and words beside them must each occur in a
            document; a final * leaves a word's end open. In regex mode a regular expression as Python writes it, ^ and $
            standing for the ends of a line
        mode: "keyword" (whole words, in any spacing) or "regex"
        case_sensitive: Whether capitals count
        context_lines: Lines shown before and after a match, 0 to 20
        within: Ids of documents, folders or sections to keep to (default: the whole matter)
        limit: Places shown, 1 to 100; all matches are counted
        offset: Places to pass over
    """
    services, caller = await services_and_caller(config)
    question = KeywordQuery(query, mode, case_sensitive, context_lines, within, limit, offset)
    result = await services.keywords.search(caller, matter_id, question)
    return rendering.keyword_results(result), [place.passage.record() for place in result.places if not place.raw]
