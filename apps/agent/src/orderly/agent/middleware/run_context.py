"""The settings of a run, as its client chose them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass
class RunContext:
    """Settings of a run, chosen by the client. They grant no access: every matter is checked against the caller."""

    matter_id: str | None = None
    """Id, number, slug or title of the matter that the run is bound to: its tools reach no other."""
    matter_ids: list[str] | None = None
    """Ids, numbers, slugs or titles of the matters that the run is restricted to, instead of `matter_id`."""
    document_ids: list[str] | None = None
    """Ids or names of the documents that the run is restricted to. Tools that cannot keep to them are not offered."""
    max_results: int | None = None
    """Search results per call, 1 to 50."""
    document_tools: bool = False
    """Whether the orchestrator has the document tools too."""
    tools: list[str] | None = None
    """Names of the assistant's tools; None: all tools that the firm grants."""
    preferences: str | None = None
    """The client's instructions about the answer's form and language. The installation's rules come first."""
    earlier_answers: list[str] | None = None
    """Answers of earlier turns as a client without a conversation reports them, unverified."""

    @property
    def kept_to(self) -> tuple[str, ...] | None:
        return tuple(str(id) for id in self.matter_ids) if self.matter_ids else None

    @property
    def matters(self) -> tuple[str, ...] | None:
        """The matters outside which no tool of the run reaches anything; None: it reaches all of the user's."""
        return self.kept_to or ((self.matter_id,) if self.matter_id else None)

    @property
    def documents(self) -> tuple[str, ...] | None:
        return tuple(str(id) for id in self.document_ids) if self.document_ids else None


def context_of(runtime: Any) -> RunContext:
    """The run context from a dataclass, a mapping or None, as servers pass it. Values of a wrong type are ignored."""
    context = runtime.context
    values = vars(context) if isinstance(context, RunContext) else context if isinstance(context, Mapping) else {}
    return RunContext(**{name: values[name] for name, kind in _KINDS.items() if type(values.get(name)) is kind})


def ignored_settings(runtime: Any) -> list[str]:
    """Names of the values that `context_of` ignores because of their type."""
    context = runtime.context
    values = vars(context) if isinstance(context, RunContext) else context if isinstance(context, Mapping) else {}
    return [name for name, kind in _KINDS.items() if values.get(name) is not None and type(values[name]) is not kind]


_KINDS: dict[str, type] = {
    "matter_id": str,
    "matter_ids": list,
    "document_ids": list,
    "max_results": int,
    "document_tools": bool,
    "tools": list,
    "preferences": str,
    "earlier_answers": list,
}
