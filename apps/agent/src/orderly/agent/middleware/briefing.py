"""What changes from run to run in a system prompt: the date, the caller's matters and the bound matter."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain_core.messages import SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config

from orderly.agent.caller import current_caller
from orderly.agent.middleware.bound_matter import bound_matter, own_matters
from orderly.agent.middleware.fences import fenced
from orderly.agent.middleware.run_ledger import Ledger, RunState, ledger_of
from orderly.agent.prompts import fill, prompt
from orderly.errors import OrderlyError
from orderly.store.functions.documents import Document
from orderly.store.functions.matters import Matter
from orderly.wiring.services import current_services

MOST_FILES = 200
"""Documents of the bound matter that the system prompt names."""

KEPT = "This conversation is kept to the matters listed here: search them all, or one of them."


@dataclass
class RunContext:
    """What a client may choose for a run. It names things; whether they may be seen is decided by who is calling."""

    matter_id: str | None = None
    """UUID or number of the matter that the conversation is about."""
    matter_ids: list[str] | None = None
    """Ids of several matters that the conversation is kept to, in place of `matter_id`."""
    max_results: int | None = None
    """Search results per call, 1 to 50."""
    document_tools: bool = False
    """Give the orchestrator the document tools as well."""
    tools: list[str] | None = None
    """The tools that the assistant has, by name; without a list, all that the firm grants."""

    @property
    def kept_to(self) -> tuple[str, ...] | None:
        return tuple(str(id) for id in self.matter_ids) if self.matter_ids else None


class Briefing(AgentMiddleware[RunState, RunContext]):
    """Fills the marks of one prompt, once per run, with what this caller may see."""

    state_schema = RunState

    def __init__(self, prompt_name: str) -> None:
        super().__init__()
        self._name, self._prompt = prompt_name, prompt(prompt_name)

    async def awrap_model_call(
        self,
        request: ModelRequest[RunContext],
        handler: Callable[[ModelRequest[RunContext]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        ledger = ledger_of(request.state)
        key = self._name, ledger.chosen_matter
        if key not in ledger.briefings:
            ledger.briefings[key] = fill(self._prompt, **await _brief(get_config(), request.runtime, ledger))
        own = ledger.briefings[key]
        added = f"\n\n{request.system_message.text}" if request.system_message and request.system_message.text else ""
        return await handler(request.override(system_message=SystemMessage(own + added)))


def context_of(runtime: Any) -> RunContext:
    """Servers hand the context over as the dataclass, as a mapping, or not at all. A value of the wrong kind counts as none."""
    given = runtime.context
    values = vars(given) if isinstance(given, RunContext) else given if isinstance(given, Mapping) else {}
    return RunContext(**{name: values[name] for name, kind in _KINDS.items() if type(values.get(name)) is kind})


def unusable(runtime: Any) -> list[str]:
    """The names of values that `context_of` could not take."""
    given = runtime.context
    values = vars(given) if isinstance(given, RunContext) else given if isinstance(given, Mapping) else {}
    return [name for name, kind in _KINDS.items() if values.get(name) is not None and type(values[name]) is not kind]


_KINDS: dict[str, type] = {"matter_id": str, "matter_ids": list, "max_results": int, "document_tools": bool, "tools": list}


async def _brief(config: RunnableConfig, runtime: Any, ledger: Ledger) -> dict[str, str]:
    services = await current_services()
    today = datetime.now(ZoneInfo(services.settings.timezone)).strftime("%A, %-d %B %Y")
    try:
        caller = current_caller(services, config)
        context = context_of(runtime)
        caller = replace(caller, kept_to=context.kept_to)
        matters = await own_matters(services.library, caller, ledger)
        bound = None if context.kept_to else await bound_matter(services.library, caller, context.matter_id, ledger)
        files = await services.library.documents(caller, bound["id"]) if bound else None
    except OrderlyError as error:
        # The run goes on: the tools refuse in the same words, and the model can tell the user why.
        return {"today": today, "matters": "None are available.", "bound": error.message + _left_out(runtime)}
    about = KEPT if context.kept_to else _bound(bound, files.documents if files else (), ledger.fence)
    return {"today": today, "matters": _listed(matters), "bound": about + _left_out(runtime)}


def _left_out(runtime: Any) -> str:
    wrong = unusable(runtime)
    return f"\nThe run's settings were not usable and left out: {', '.join(wrong)}. Tell the user." if wrong else ""


def _listed(matters: Sequence[Matter]) -> str:
    return "\n".join(_line(m) for m in matters) or "The user has no matters yet."


def _line(matter: Matter) -> str:
    title = " ".join(matter["title"].split())
    return f"- {matter['number']} | {title} | documents: {matter['document_count']} | ID: {matter['id']}"


def _bound(matter: Matter | None, documents: Sequence[Document], fence: str) -> str:
    if matter is None:
        return "This conversation is not bound to one matter."
    lines = [f"- {d['filename']} | {d['content_type']} | {d['status']} | ID: {d['id']}" for d in documents[:MOST_FILES]]
    if len(documents) > MOST_FILES:
        lines.append(f"... and {len(documents) - MOST_FILES} more: `list_matter_documents` names them all.")
    files = f"Its documents ({len(documents)}):\n{fenced(chr(10).join(lines), fence)}" if documents else "It has no documents."
    return f"This conversation is bound to this matter:\n{_line(matter)}\n{files}"
