"""Builds the graph: the orchestrator and its document agent, with their middleware in order. Read this module first.

The orchestrator receives the user's question. It does short work with document tools itself, and delegates long or parallel
work to `document-agent` with the `task` tool. Tools query the library as the caller, and their passages return with the
report. The citation gate checks every answer before it is streamed.
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
from orderly.agent.guarded_graph import GuardedGraph
from orderly.agent.middleware.access_checks import AccessChecks
from orderly.agent.middleware.answer_record import AnswerRecord
from orderly.agent.middleware.briefing import Briefing
from orderly.agent.middleware.call_checks import CallChecks
from orderly.agent.middleware.citation_gate import CitationGate
from orderly.agent.middleware.combined import combine
from orderly.agent.middleware.earlier_results import EarlierResults
from orderly.agent.middleware.fences import Fences
from orderly.agent.middleware.handles import Handles
from orderly.agent.middleware.local_answers import LocalAnswers
from orderly.agent.middleware.matter_choice import MatterChoice
from orderly.agent.middleware.offered_tools import OfferedTools
from orderly.agent.middleware.page_pictures import PagePictures
from orderly.agent.middleware.quoted_passages import QuotedPassages, QuoteState
from orderly.agent.middleware.run_context import RunContext
from orderly.agent.middleware.run_id import RunId
from orderly.agent.middleware.run_ledger import RunState
from orderly.agent.middleware.search_choices import SearchChoices
from orderly.agent.middleware.status import Status
from orderly.agent.middleware.summaries import Summaries
from orderly.agent.middleware.todos import Todos
from orderly.agent.middleware.tool_budget import ToolBudget
from orderly.agent.middleware.tool_grants import ToolGrants
from orderly.agent.middleware.workspace_context import WorkspaceContext
from orderly.agent.tools import ALL_TOOLS, CHAT_TOOLS, DEFAULT_TOOLS, DOCUMENT_TOOLS
from orderly.prompts import prompt
from orderly.settings import Settings, load_settings
from orderly.telemetry.langsmith import avoid_span_threads


class SharedState(RunState, QuoteState):
    """State of both agents, in addition to the messages."""


class OrchestratorState(SharedState, PlanningState[Any]):
    """State of the orchestrator, with its to-do list."""


STEPS_PER_CALL = 4
"""Steps of the graph that one tool call may take, so that `ToolBudget` ends a run and not LangGraph's limit of steps."""

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
"""Definition of the document agent. `Briefing` fills the `$marks` of its prompt in each run."""


def build_graph(settings: Settings, model: BaseChatModel | None = None) -> SystemGraph:
    """Builds the graph of both agents without a checkpointer, which the server adds.

    Args:
        settings: Settings of the installation.
        model: The chat model of both agents; None: the model of the settings.
    """
    avoid_span_threads()
    model = model or chat_model(settings)
    subagent = build_document_agent(model, settings)
    orchestrator = create_agent(
        model,
        middleware=[combine(orchestrator_middleware(model, settings, subagent), OrchestratorState, "orchestrator")],
        context_schema=RunContext,
        name="orderly",
        transformers=[CustomTransformer],  # the event streaming protocol omits custom events without it
    )
    return SystemGraph.of(
        orchestrator.with_config({"recursion_limit": STEPS_PER_CALL * settings.tool_calls + 20}),
        {document_agent["name"]: subagent},
    )


def build_document_agent(model: BaseChatModel, settings: Settings) -> AnyGraph:
    """Builds the document agent with middleware of its own, because a subagent inherits none."""
    middleware = combine(document_agent_middleware(model, settings), SharedState, "document-agent")
    return create_agent(model, [*DOCUMENT_TOOLS, *CHAT_TOOLS], middleware=[middleware], name=document_agent["name"])


def orchestrator_middleware(model: BaseChatModel, settings: Settings, subagent: AnyGraph) -> list[Any]:
    """The orchestrator's middleware, the first outermost.

    The offline planner is rule-based: it cannot summarise, does not read context passages and cannot correct an answer.
    """
    is_language_model = not isinstance(model, OfflinePlanner)
    return [
        Status(),
        PatchToolCallsMiddleware(),
        RunId(),
        AnswerRecord(model_name(model)),
        MatterChoice(),
        EarlierResults(),
        *([Summaries(model, settings.context_tokens, user_speaks=True)] if is_language_model else []),
        Briefing("orchestrator", settings.tool_calls),
        Todos(),
        SubAgentMiddleware(backend=StateBackend(), subagents=[_delegate(subagent)], task_description=prompt("task")),
        OfferedTools((*DEFAULT_TOOLS, "task"), ALL_TOOLS),
        ToolBudget(settings.tool_calls, settings.tool_calls_warning, settings.question_tokens),
        CallChecks(),
        ToolGrants(),
        SearchChoices(brief=is_language_model),
        QuotedPassages(),
        PagePictures(model_sees=settings.model_sees),
        Fences(),
        *([LocalAnswers(), WorkspaceContext(), Handles()] if is_language_model else [AccessChecks()]),
        CitationGate(numbered=True, corrects=is_language_model),
    ]


def document_agent_middleware(model: BaseChatModel, settings: Settings) -> list[Any]:
    """The document agent's middleware, the first outermost."""
    is_language_model = not isinstance(model, OfflinePlanner)
    return [
        Status(),
        *([Summaries(model, settings.context_tokens, user_speaks=False)] if is_language_model else []),
        Briefing("document_agent", settings.tool_calls),
        OfferedTools(DEFAULT_TOOLS),
        ToolBudget(settings.tool_calls, settings.tool_calls_warning, settings.question_tokens),
        CallChecks(),
        ToolGrants(),
        SearchChoices(brief=is_language_model),
        QuotedPassages(),
        PagePictures(model_sees=settings.model_sees),
        Fences(),
        *([LocalAnswers(), Handles()] if is_language_model else [AccessChecks()]),
        CitationGate(numbered=False, corrects=is_language_model),
        UnsupportedContentMiddleware(),
    ]


def _delegate(subagent: AnyGraph) -> CompiledSubAgent:
    return {"name": document_agent["name"], "description": document_agent["description"], "runnable": subagent}


graph = GuardedGraph.of(build_graph(load_settings()))
"""The graph that servers and commands load. It takes only the user's messages from outside."""
