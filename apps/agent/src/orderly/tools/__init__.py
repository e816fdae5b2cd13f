"""The tools a model can call: this is the register."""

from __future__ import annotations

from langchain_core.tools import BaseTool

from orderly.tools.get_document_text import get_document_text
from orderly.tools.isaacus_classify import isaacus_classify
from orderly.tools.isaacus_extract import isaacus_extract
from orderly.tools.isaacus_search import isaacus_search
from orderly.tools.list_matter_documents import list_matter_documents
from orderly.tools.list_matters import list_matters
from orderly.tools.resolve_citation import resolve_citation
from orderly.tools.think_tool import think_tool

DOCUMENT_TOOLS: tuple[BaseTool, ...] = (
    isaacus_search,
    isaacus_extract,
    isaacus_classify,
    get_document_text,
    list_matter_documents,
    resolve_citation,
    think_tool,
)
"""What the document agent works with."""

OVERVIEW_TOOLS: tuple[BaseTool, ...] = (list_matters, list_matter_documents, think_tool)
"""What the orchestrator works with: no document text, which stays out of its context."""

__all__ = [
    "DOCUMENT_TOOLS",
    "OVERVIEW_TOOLS",
    "get_document_text",
    "isaacus_classify",
    "isaacus_extract",
    "isaacus_search",
    "list_matter_documents",
    "list_matters",
    "resolve_citation",
    "think_tool",
]
