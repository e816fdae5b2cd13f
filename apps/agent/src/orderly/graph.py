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
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.todo import PlanningState
from langchain_core.language_models import BaseChatModel
from langgraph.graph.state import CompiledStateGraph
from langgraph.stream.transformers import CustomTransformer

from orderly.agent.chat_models import chat_model
from orderly.agent.chat_models.planner import NAME, OfflinePlanner
from orderly.agent.middleware.access_checks import Walls
from orderly.agent.middleware.answer_record import RecordAnswer
from orderly.agent.middleware.briefing import Briefing, RunContext
from orderly.agent.middleware.citation_gate import CitationGate
from orderly.agent.middleware.combined import Together
from orderly.agent.middleware.fences import Fencing
from orderly.agent.middleware.local_answers import LocalAnswers
from orderly.agent.middleware.matter_choice import WhichMatter
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
    """What both agents keep beside the messages."""


class OrchestratorState(ReadingState, PlanningState[Any]):
    """... and the orchestrator's plan."""


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
"""The document agent as data. Its `$marks` are filled per run by the `Briefing` middleware that `build_graph` adds."""


def build_graph(settings: Settings, model: BaseChatModel | None = None) -> CompiledStateGraph[Any, RunContext, Any, Any]:
    """The whole system as one graph. Compiled without a checkpointer: the server that runs it brings its own."""
    avoid_span_threads()
    model = model or chat_model(settings)
    # The middleware's state types differ, and each is merged into the agent's; the common type is not expressible.
    middleware: list[Any] = [
        BeginRun(mend=PatchToolCallsMiddleware()),
        RecordAnswer(_name(model), before_calls=WhichMatter()),
        Together(
            [
                *_summarization(model, settings),
                Briefing("orchestrator"),
                Todos(),
                SubAgentMiddleware(backend=StateBackend(), subagents=[_researcher(model, settings)]),
                OrchestratorTools((*OVERVIEW_TOOLS, *CHAT_TOOLS), DOCUMENT_TOOLS),
                *_around_calls(settings),
                *([LocalAnswers(), WorkspaceContext()] if _is_language_model(model) else [Walls()]),
                CitationGate(numbered=True, mends=_is_language_model(model)),
            ],
            OrchestratorState,
        ),
    ]
    agent = create_agent(
        model,
        middleware=middleware,
        context_schema=RunContext,
        name="orderly",
        transformers=[CustomTransformer],  # without it the newer stream protocol leaves custom events out
    )
    return agent.with_config({"recursion_limit": 100})


def _researcher(model: BaseChatModel, settings: Settings) -> CompiledSubAgent:
    """The document agent with what only a run can know. A subagent inherits no middleware, so it has its own."""
    middleware: list[Any] = [
        Together(
            [
                *_summarization(model, settings),
                Briefing("document_agent"),
                *_around_calls(settings),
                LocalAnswers() if _is_language_model(model) else Walls(),
                CitationGate(numbered=False, mends=_is_language_model(model)),
                UnsupportedContentMiddleware(),
            ],
            ReadingState,
        ),
    ]
    name, tools = document_agent["name"], [*DOCUMENT_TOOLS, *CHAT_TOOLS]
    agent = create_agent(model, tools, middleware=middleware, name=name)
    return {"name": name, "description": document_agent["description"], "runnable": agent}


def _around_calls(settings: Settings) -> list[Any]:
    """What stands around the calls of both agents' models and tools."""
    return [
        ToolBudget(settings.tool_calls, settings.tool_calls_warning),
        GrantedTools(),
        SearchChoices(),
        CollectQuotes(),
        ShowPictures(model_sees=settings.model_sees),
        Fencing(),
    ]


def _name(model: BaseChatModel) -> str:
    if not _is_language_model(model):
        return NAME
    return str(getattr(model, "model_name", "") or type(model).__name__)


def _is_language_model(model: BaseChatModel) -> bool:
    """The planner works by rule: it has no use for passages beside the question, and would repeat a mistake when asked."""
    return not isinstance(model, OfflinePlanner)


def _summarization(model: BaseChatModel, settings: Settings) -> list[AgentMiddleware[Any, Any]]:
    """A rule-based planner cannot summarise, and does not need to: it never looks back past the last question."""
    if not _is_language_model(model):
        return []
    return [GatedSummaries(model, settings.context_tokens)]


graph = build_graph(load_settings())
