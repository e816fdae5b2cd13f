"""What changes from run to run in a system prompt: the date, the caller's matters and the bound matter."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any, NotRequired
from zoneinfo import ZoneInfo

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import SystemMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config
from langgraph.runtime import Runtime

from orderly.errors import OrderlyError
from orderly.identity import caller_of
from orderly.prompts import fill, prompt
from orderly.wiring import current_services


@dataclass
class RunContext:
    """What a client may choose for a run. It names things; whether they may be seen is decided by who is calling."""

    matter_id: str | None = None
    """UUID or number of the matter that the conversation is about."""
    max_results: int | None = None
    """Search results per call, 1 to 50."""
    document_tools: bool = False
    """Give the orchestrator the document tools as well."""


class BriefedState(AgentState[Any]):
    briefing: NotRequired[Annotated[dict[str, str], PrivateStateAttr]]


class Briefing(AgentMiddleware[BriefedState, RunContext]):
    """Fills the marks of one prompt, once per run, with what this caller may see."""

    state_schema = BriefedState

    def __init__(self, prompt_name: str) -> None:
        super().__init__()
        self._prompt = prompt(prompt_name)

    async def abefore_agent(self, state: BriefedState, runtime: Runtime[RunContext]) -> dict[str, Any]:
        briefing = await _brief(get_config(), context_of(runtime))
        if wrong := unusable(runtime):
            briefing["bound"] += f"\nThe run's settings were not usable and left out: {', '.join(wrong)}. Tell the user."
        return {"briefing": briefing}

    async def awrap_model_call(
        self,
        request: ModelRequest[RunContext],
        handler: Callable[[ModelRequest[RunContext]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        briefing: dict[str, str] = request.state["briefing"]  # type: ignore[typeddict-item]  # set by abefore_agent
        own = fill(self._prompt, **briefing)
        added = f"\n\n{request.system_message.text}" if request.system_message and request.system_message.text else ""
        return await handler(request.override(system_message=SystemMessage(own + added)))


def context_of(runtime: Any) -> RunContext:
    """Servers hand the context over as the dataclass, as a mapping, or not at all. A value of the wrong kind counts as none."""
    given = runtime.context
    values = asdict(given) if isinstance(given, RunContext) else given if isinstance(given, Mapping) else {}
    return RunContext(**{name: values[name] for name, kind in _KINDS.items() if type(values.get(name)) is kind})


def unusable(runtime: Any) -> list[str]:
    """The names of values that `context_of` could not take."""
    given = runtime.context
    values = asdict(given) if isinstance(given, RunContext) else given if isinstance(given, Mapping) else {}
    return [name for name, kind in _KINDS.items() if values.get(name) is not None and type(values[name]) is not kind]


_KINDS: dict[str, type] = {"matter_id": str, "max_results": int, "document_tools": bool}


async def _brief(config: RunnableConfig, context: RunContext) -> dict[str, str]:
    services = await current_services()
    today = datetime.now(ZoneInfo(services.settings.timezone)).strftime("%A, %-d %B %Y")
    try:
        caller = caller_of(config.get("configurable") or {}, services.secret, local_user=services.local_user)
        matters = await services.library.matters(caller)
        bound = await services.library.matter(caller, context.matter_id) if context.matter_id else None
    except OrderlyError as error:
        # The run goes on: the tools refuse in the same words, and the model can tell the user why.
        return {"today": today, "matters": "None are available.", "bound": error.message}
    return {"today": today, "matters": _listed(matters), "bound": _bound(bound)}


def _listed(matters: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(_line(m) for m in matters) or "The user has no matters yet."


def _line(matter: Mapping[str, Any]) -> str:
    title = " ".join(str(matter["title"]).split())
    return f"- {matter['number']} | {title} | documents: {matter['document_count']} | ID: {matter['id']}"


def _bound(matter: Mapping[str, Any] | None) -> str:
    if matter is None:
        return "This conversation is not bound to one matter."
    return f"This conversation is bound to this matter:\n{_line(matter)}"
