from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from orderly.agent import rendering
from orderly.agent.tools.context import library_and_caller
from orderly.agent.tools.document_tool import Findings, document_tool
from orderly.services.documents import outer_clauses, shown_clauses


@document_tool
async def isaacus_classify(
    document_id: str, config: RunnableConfig, clause_types: list[str] | None = None
) -> tuple[str, Findings]:
    """Identify and classify clauses in a legal document.

    Finds standard clause types or any description of a clause, such as "audit rights".

    Args:
        document_id: The document to analyze
        clause_types: Clause types to find. Default: termination, indemnity, limitation of liability, confidentiality, dispute
            resolution, governing law, force majeure, assignment, warranties, payment terms
    """
    library, caller = await library_and_caller(config)
    report = await library.classify(caller, document_id, clause_types)
    shown = (p for kind, passages in report.found.items() for p in (*passages, *shown_clauses(report.revision, kind, passages)))
    found = [passage.record() for passage in (*shown, *outer_clauses(report.revision))]
    return rendering.clause_report(report), found
