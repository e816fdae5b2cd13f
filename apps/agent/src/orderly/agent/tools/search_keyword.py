from __future__ import annotations

from typing import Literal

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import brief_results, services_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.agent.tools.references import default_matter
from orderly.services.search import KeywordQuery


@document_tool
async def search_keyword(  # noqa: PLR0913, PLR0917  # each argument is a choice of the model
    query: str,
    config: RunnableConfig,
    matter_id: str | None = None,
    mode: Literal["keyword", "regex"] = "keyword",
    case_sensitive: bool = False,
    context_lines: int = 2,
    within: list[str] | None = None,
    limit: int = 20,
    offset: int = 0,
) -> tuple[str, Findings]:
    """Find exact words, identifiers or a regular expression in the documents of a matter, and count every match.

    For defined terms, names, numbers, clause references, "how often" and "which documents mention". Matches in words that are
    struck out, deleted or hidden are listed apart.

    Args:
        query: A phrase as written; several "quoted phrases" must each occur; a final * leaves the end open
        matter_id: The matter, or "all" (default: the bound matter)
        mode: "keyword" (whole words) or "regex"
        case_sensitive: Whether case counts
        context_lines: Lines around a match, 0 to 20
        within: Documents, folders or sections to keep to
        limit: Places shown, 1 to 100; all matches are counted
        offset: Places to pass over
    """
    services, caller = await services_and_caller(config)
    matter = await default_matter(matter_id, within, config)
    question = KeywordQuery(query, mode, case_sensitive, context_lines, within, limit, offset)
    result = await services.keywords.search(caller, matter, question)
    text = rendering.keyword_results(result, brief=brief_results.get())
    return text, [place.passage.record() for place in result.places if not place.raw]
