"""What the offline planner knows as document agent: its task, and the results of its tool calls."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from orderly.agent.chat_models.intents import Intent, intent_of
from orderly.agent.chat_models.tool_texts import UUID, Listed, documents_in

_TASK = re.compile(rf"Matter: .*?\(ID: (?P<matter>{UUID})\)\s*Question: (?P<question>.*)", re.S)


@dataclass(slots=True)
class Notebook:
    """Results of the tool calls so far."""

    question: str
    turns: Sequence[str]
    """Earlier questions of the conversation and the question, in order."""
    matter: str
    intent: Intent
    named: bool = False
    """Whether the question names documents, so that others are ignored."""
    listing: str | None = None
    answers: str | None = None
    """Output of ask_documents."""
    reviews: str | None = None
    """Output of read_review: the matter's reviews."""
    table: str | None = None
    """Output of read_review: the rows of one for which the question's filters hold."""
    where: tuple[str, ...] = ()
    """Those filters."""
    readings: list[tuple[dict[str, Any], str, str]] = field(default_factory=list)
    """(arguments, tool name, output) of calls that read single documents or count words."""

    @property
    def documents(self) -> list[Listed]:
        return documents_in(self.listing or "")

    def document_name(self, document_id: str) -> str:
        return next((d.name for d in self.documents if d.id == document_id), document_id)


def open_notebook(messages: Sequence[BaseMessage]) -> Notebook | None:
    """Collects the results from the messages; None if the task has no matter or no question."""
    human = [m.text for m in messages if isinstance(m, HumanMessage)]
    match = _TASK.search(human[-1]) if human else None
    if match is None:
        return None
    turns = [line.strip() for line in match["question"].splitlines() if line.strip()]
    notes = Notebook(turns[-1], turns, match["matter"], intent_of(turns[-1]))
    calls = {c["id"]: c for m in messages if isinstance(m, AIMessage) for c in m.tool_calls}
    for message in messages:
        if isinstance(message, ToolMessage):
            _add_result(notes, calls[message.tool_call_id], message.text)
    return notes


def _add_result(notes: Notebook, call: Any, text: str) -> None:
    if call["name"] == "list_matter_documents":
        notes.listing = text
    elif call["name"] == "ask_documents":
        notes.answers = text
    elif call["name"] == "read_review" and "review" in call["args"]:
        notes.table = text
        notes.where = tuple(call["args"]["where"])
    elif call["name"] == "read_review":
        notes.reviews = text
    else:
        notes.readings.append((call["args"], call["name"], text))
