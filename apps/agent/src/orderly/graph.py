"""Read this first: the orchestrator and its document agent, assembled.

A lawyer's question enters the orchestrator, which delegates document work through the `task` tool to `document-agent`; that
agent's tools ask the library, as the caller, and their passages come back with the report. The last word on an answer is the
citation gate's.
"""

from __future__ import annotations

from typing import Any

from deepagents.backends import StateBackend
from deepagents.middleware.patch_tool_calls import PatchToolCallsMiddleware
from deepagents.middleware.subagents import CompiledSubAgent, SubAgent, SubAgentMiddleware
from deepagents.middleware.unsupported_content import UnsupportedContentMiddleware
from langchain.agents import create_agent
from langchain.agents.middleware.todo import PlanningState
from langchain_core.language_models import BaseChatModel
from langgraph.stream.transformers import CustomTransformer

from orderly.agent.chat_models import chat_model, model_name
from orderly.agent.chat_models.planner import OfflinePlanner
from orderly.agent.drawing import AnyGraph, SystemGraph
from orderly.agent.middleware.access_checks import AccessChecks
from orderly.agent.middleware.answer_record import RecordAnswer
from orderly.agent.middleware.briefing import Briefing, RunContext
from orderly.agent.middleware.citation_gate import CitationGate
from orderly.agent.middleware.combined import combine
from orderly.agent.middleware.fences import Fencing
from orderly.agent.middleware.local_answers import LocalAnswers
from orderly.agent.middleware.matter_choice import MatterChoice
from orderly.agent.middleware.page_pictures import ShowPictures
from orderly.agent.middleware.quoted_passages import CollectQuotes, QuotingState
from orderly.agent.middleware.run_choices import OrchestratorTools, SearchChoices
from orderly.agent.middleware.run_ledger import BeginRun, RunState
from orderly.agent.middleware.summaries import GatedSummaries
from orderly.agent.middleware.todos import Todos
from orderly.agent.middleware.tool_budget import ToolBudget
from orderly.agent.middleware.tool_grants import GrantedTools
from orderly.agent.middleware.workspace_context import WorkspaceContext
from orderly.agent.prompts import prompt
from orderly.agent.tools import CHAT_TOOLS, DOCUMENT_TOOLS, OVERVIEW_TOOLS
from orderly.settings import Settings, load_settings
from orderly.telemetry.langsmith import avoid_span_threads


class ReadingState(RunState, QuotingState):
    """State of both agents beside the messages."""


class OrchestratorState(ReadingState, PlanningState[Any]):
    """State of the orchestrator, with its plan."""


DOCUMENT_AGENT_INSTRUCTIONS = prompt("document_agent")

document_agent: SubAgent = {
    "name": "document-agent",
    "description": """Analyze documents within a matter. Use for:
- Searching across documents for specific information
- Extracting precise answers from documents
- Identifying and classifying contract clauses
- Reading a document, or comparing several

Delegate document-heavy tasks to this agent to keep main context clean.""",
    "system_prompt": DOCUMENT_AGENT_INSTRUCTIONS,
    "tools": list(DOCUMENT_TOOLS),
}
"""The document agent as data. The `Briefing` middleware fills its `$marks` in each run."""


def build_graph(settings: Settings, model: BaseChatModel | None = None) -> SystemGraph:
    """The whole system as one graph, without a checkpointer: the server that runs the graph brings one."""
    avoid_span_threads()
    model = model or chat_model(settings)
    subagent = build_document_agent(model, settings)
    orchestrator = create_agent(
        model,
        middleware=[combine(orchestrator_middleware(model, settings, subagent), OrchestratorState, "orchestrator")],
        context_schema=RunContext,
        name="orderly",
        transformers=[CustomTransformer],  # without it the newer stream protocol leaves custom events out
    )
    return SystemGraph.of(orchestrator.with_config({"recursion_limit": 100}), {document_agent["name"]: subagent})


def build_document_agent(model: BaseChatModel, settings: Settings) -> AnyGraph:
    """A subagent inherits no middleware, so the document agent has its own."""
    middleware = combine(document_agent_middleware(model, settings), ReadingState, "document-agent")
    return create_agent(model, [*DOCUMENT_TOOLS, *CHAT_TOOLS], middleware=[middleware], name=document_agent["name"])


def orchestrator_middleware(model: BaseChatModel, settings: Settings, subagent: AnyGraph) -> list[Any]:
    """The orchestrator's middleware, the first outermost.

    The offline planner works by rule: it cannot summarise, reads no passages beside the question, and would repeat a mistake.
    """
    is_language_model = not isinstance(model, OfflinePlanner)
    return [
        PatchToolCallsMiddleware(),
        BeginRun(),
        RecordAnswer(model_name(model)),
        MatterChoice(),
        *([GatedSummaries(model, settings.context_tokens)] if is_language_model else []),
        Briefing("orchestrator"),
        Todos(),
        SubAgentMiddleware(backend=StateBackend(), subagents=[_delegate(subagent)]),
        OrchestratorTools((*OVERVIEW_TOOLS, *CHAT_TOOLS), DOCUMENT_TOOLS),
        ToolBudget(settings.tool_calls, settings.tool_calls_warning),
        GrantedTools(),
        SearchChoices(),
        CollectQuotes(),
        ShowPictures(model_sees=settings.model_sees),
        Fencing(),
        *([LocalAnswers(), WorkspaceContext()] if is_language_model else [AccessChecks()]),
        CitationGate(numbered=True, mends=is_language_model),
    ]


def document_agent_middleware(model: BaseChatModel, settings: Settings) -> list[Any]:
    """The document agent's middleware, the first outermost."""
    is_language_model = not isinstance(model, OfflinePlanner)
    return [
        *([GatedSummaries(model, settings.context_tokens)] if is_language_model else []),
        Briefing("document_agent"),
        ToolBudget(settings.tool_calls, settings.tool_calls_warning),
        GrantedTools(),
        SearchChoices(),
        CollectQuotes(),
        ShowPictures(model_sees=settings.model_sees),
        Fencing(),
        LocalAnswers() if is_language_model else AccessChecks(),
        CitationGate(numbered=False, mends=is_language_model),
        UnsupportedContentMiddleware(),
    ]


def _delegate(subagent: AnyGraph) -> CompiledSubAgent:
    return {"name": document_agent["name"], "description": document_agent["description"], "runnable": subagent}


graph = build_graph(load_settings())
