"""The part of a system prompt that changes per run: the date, the caller's matters and the bound matter."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config

from orderly.agent.caller import current_caller
from orderly.agent.chat_models import delegation
from orderly.agent.chat_models.delegation import UNAVAILABLE
from orderly.agent.middleware.bound_matter import find_bound_matter, list_own_matters
from orderly.agent.middleware.client_texts import describe_client_texts
from orderly.agent.middleware.fences import fence_text
from orderly.agent.middleware.run_context import RunContext, context_of, ignored_settings
from orderly.agent.middleware.run_ledger import Ledger, RunState, ledger_of
from orderly.agent.middleware.run_scope import scope_of
from orderly.errors import MatterNotFound, OrderlyError
from orderly.prompts import fill, prompt
from orderly.store.functions.documents import Document
from orderly.store.functions.matters import Matter
from orderly.wiring.services import current_services

MAX_DOCUMENTS = 50
"""Documents of the bound matter listed in the system prompt."""

MAX_MATTERS = 30
"""Matters listed in the system prompt."""

RESTRICTED = f"{delegation.RESTRICTED}: search them all, or one of them."


class Briefing(AgentMiddleware[RunState, RunContext]):
    """Fills the marks of a prompt with data that the caller may see. Once per run and chosen matter.

    Args:
        prompt_name: Name of the prompt.
        tool_calls: Limit of tool calls per run, which the prompt names.
    """

    state_schema = RunState

    def __init__(self, prompt_name: str, tool_calls: int) -> None:
        super().__init__()
        self._tool_calls = tool_calls
        self._name, self._prompt = prompt_name, prompt(prompt_name)

    async def awrap_model_call(
        self,
        request: ModelRequest[RunContext],
        handler: Callable[[ModelRequest[RunContext]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        ledger = ledger_of(request.state)
        key = self._name, ledger.chosen_matter
        if key not in ledger.briefings:
            ledger.briefings[key] = await self._fill(request, ledger)
        briefing = ledger.briefings[key]
        added = f"\n\n{request.system_message.text}" if request.system_message and request.system_message.text else ""
        return await handler(request.override(system_message=SystemMessage(briefing + added)))

    async def _fill(self, request: ModelRequest[RunContext], ledger: Ledger) -> str:
        values = await _load_values(get_config(), request.runtime, ledger)
        text = fill(self._prompt, budget=str(self._tool_calls), **values)
        if self._name != "orchestrator":
            return text
        context = context_of(request.runtime)
        sent = describe_client_texts(context.preferences, context.earlier_answers, ledger.fence)
        return f"{text}\n\n{sent}" if sent else text


def today_in(timezone: str) -> str:
    return datetime.now(ZoneInfo(timezone)).strftime("%A, %-d %B %Y")


async def _load_values(config: RunnableConfig, runtime: Any, ledger: Ledger) -> dict[str, str]:
    services = await current_services()
    today = today_in(services.settings.timezone)
    try:
        caller = current_caller(services, config)
        context = await scope_of(context_of(runtime), services, caller, ledger)
        caller = replace(caller, kept_to=context.kept_to, documents=context.documents)
        matters = await list_own_matters(services.library, caller, ledger)
        if context.kept_to and not matters:
            raise MatterNotFound(", ".join(context.kept_to))
        bound = None if context.kept_to else await find_bound_matter(services.library, caller, context.matter_id, ledger)
        files = await services.library.documents(caller, bound["id"]) if bound else None
    except OrderlyError as error:
        # The run continues: the tools fail with the same message, and the model can tell the user the reason.
        return {
            "today": today,
            "matters": "## The user's matters\n\nNone are available.",
            "bound": f"{UNAVAILABLE} {error.message}{_ignored_note(runtime)}",
        }
    about = RESTRICTED if context.kept_to else _format_bound(bound, files.documents if files else (), ledger.fence)
    others = [m for m in matters if bound is None or m["id"] != bound["id"]]
    listed = f"## The user's {'other ' if bound else ''}matters\n\n{_format_matters(others)}" if others or not bound else ""
    return {"today": today, "matters": listed, "bound": about + _ignored_note(runtime)}


def _ignored_note(runtime: Any) -> str:
    ignored = ignored_settings(runtime)
    return f"\nThe run's settings were not usable and left out: {', '.join(ignored)}. Tell the user." if ignored else ""


def _format_matters(matters: Sequence[Matter]) -> str:
    lines = [_format_matter(m) for m in matters[:MAX_MATTERS]]
    if len(matters) > MAX_MATTERS:
        lines.append(f"... and {len(matters) - MAX_MATTERS} more: `list_matters` names them all.")
    return "\n".join(lines) or "The user has no matters yet."


def _format_matter(matter: Matter) -> str:
    title = " ".join(matter["title"].split())
    return f"- {matter['number']} | {title} | documents: {matter['document_count']} | ID: {matter['id']}"


def _format_document(document: Document) -> str:
    status = "" if document["status"] == "ready" else f" | {document['status']}"
    return f"- {document['filename']}{status} | ID: {document['id']}"


def _format_bound(matter: Matter | None, documents: Sequence[Document], fence: str) -> str:
    if matter is None:
        return "This conversation is not bound to one matter."
    lines = [_format_document(d) for d in documents[:MAX_DOCUMENTS]]
    if len(documents) > MAX_DOCUMENTS:
        lines.append(f"... and {len(documents) - MAX_DOCUMENTS} more: `list_matter_documents` names them all.")
    files = (
        f"Its documents ({len(documents)}):\n{fence_text(chr(10).join(lines), fence)}" if documents else "It has no documents."
    )
    return f"This conversation is bound to this matter:\n{_format_matter(matter)}\n{files}"
