"""The register of tools that a model can call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from langchain_core.tools import BaseTool

from orderly.agent.tools.add_review_columns import add_review_columns
from orderly.agent.tools.ask_documents import ask_documents
from orderly.agent.tools.export_review import export_review
from orderly.agent.tools.file_search import file_search
from orderly.agent.tools.find import find
from orderly.agent.tools.get_document_text import get_document_text
from orderly.agent.tools.get_info import get_info
from orderly.agent.tools.isaacus_classify import isaacus_classify
from orderly.agent.tools.isaacus_extract import isaacus_extract
from orderly.agent.tools.isaacus_search import isaacus_search
from orderly.agent.tools.judge_cell import judge_cell
from orderly.agent.tools.list_contents import list_contents
from orderly.agent.tools.list_matter_documents import list_matter_documents
from orderly.agent.tools.list_matters import list_matters
from orderly.agent.tools.make_review import make_review
from orderly.agent.tools.read import read
from orderly.agent.tools.read_around import read_around
from orderly.agent.tools.read_review import read_review
from orderly.agent.tools.resolve_citation import resolve_citation
from orderly.agent.tools.run_review import run_review
from orderly.agent.tools.search_keyword import search_keyword
from orderly.agent.tools.think_tool import think_tool
from orderly.agent.tools.view_page import view_page
from orderly.agent.tools.visual_search import visual_search

DOCUMENT_TOOLS: tuple[BaseTool, ...] = (
    isaacus_search,
    ask_documents,
    isaacus_extract,
    isaacus_classify,
    get_document_text,
    list_matter_documents,
    list_contents,
    find,
    get_info,
    read,
    read_around,
    read_review,
    search_keyword,
    view_page,
    visual_search,
    resolve_citation,
    think_tool,
)
"""Tools of the document agent."""

DEFAULT_TOOLS = (
    "isaacus_search",
    "ask_documents",
    "isaacus_extract",
    "isaacus_classify",
    "read",
    "list_matter_documents",
    "file_search",
)
"""Names of the tools that both agents are always offered, in this order; others when the work needs them."""

OVERVIEW_TOOLS: tuple[BaseTool, ...] = (list_matters, list_matter_documents, think_tool)
"""Tools about matters as a whole. None returns document text."""

CHAT_TOOLS: tuple[BaseTool, ...] = (file_search,)
"""Further tools of both agents in a thread with files."""

ALL_TOOLS: tuple[BaseTool, ...] = tuple({t.name: t for t in (*OVERVIEW_TOOLS, *DOCUMENT_TOOLS, *CHAT_TOOLS)}.values())

REVIEW_TOOLS: tuple[BaseTool, ...] = (make_review, add_review_columns, run_review, judge_cell, export_review)
"""Tools that make, run, judge and export reviews. Only MCP clients have them: their user confirms what changes something."""

Client = Literal["orderly", "mcp"]
"""Whom a firm grants tools: its agents, through every interface; clients of the MCP server."""

CLIENT_TOOLS: Mapping[Client, tuple[BaseTool, ...]] = {
    "orderly": ALL_TOOLS,
    # think_tool only records notes of the agents, and an MCP client has no files of a chat.
    "mcp": tuple(tool for tool in (*ALL_TOOLS, *REVIEW_TOOLS) if tool not in (think_tool, file_search)),
}

OTHER_NAMES = {
    "list_docs": "list_matter_documents",
    "read_doc": "get_document_text",
    "search_docs": "isaacus_search",
    "query_collection": "isaacus_search",
    "get_page_image": "view_page",
    "list_collections": "list_matters",
}
"""Names of document platforms for these tools, accepted in grants."""

__all__ = [
    "ALL_TOOLS",
    "CHAT_TOOLS",
    "CLIENT_TOOLS",
    "DEFAULT_TOOLS",
    "DOCUMENT_TOOLS",
    "OTHER_NAMES",
    "OVERVIEW_TOOLS",
    "REVIEW_TOOLS",
    "Client",
    "add_review_columns",
    "ask_documents",
    "export_review",
    "file_search",
    "find",
    "get_document_text",
    "get_info",
    "isaacus_classify",
    "isaacus_extract",
    "isaacus_search",
    "judge_cell",
    "list_contents",
    "list_matter_documents",
    "list_matters",
    "make_review",
    "read",
    "read_around",
    "read_review",
    "resolve_citation",
    "run_review",
    "search_keyword",
    "think_tool",
    "view_page",
    "visual_search",
]
