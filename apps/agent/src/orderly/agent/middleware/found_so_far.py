"""What a run has found before it stopped, as text for the person who asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from orderly.services.citations import format_passage_citation
from orderly.services.text import Passage

STOPPED = "stopped"
"""Key in `additional_kwargs` of an answer that the model did not finish: {code, message}."""

FOUND = "Found until then, and not weighed by the language model:"
REPORT_FAILED = "Error: The task stopped. "

MAX_PASSAGES = 5
MAX_QUOTED = 400
"""Characters of a quoted passage; a longer one is quoted to the end of a word, and the list says so."""


def found_so_far(messages: Sequence[BaseMessage], quoted: Sequence[Mapping[str, Any]], earlier: int) -> list[str]:
    """The reports and passages of the current question, as lines of Markdown.

    Args:
        messages: Messages of the agent.
        quoted: Records of the passages that tools returned in the conversation, in order.
        earlier: Number of records from before this question.
    """
    last = max((n for n, m in enumerate(messages) if isinstance(m, HumanMessage)), default=0)
    results = [m for m in messages[last:] if isinstance(m, ToolMessage) and m.status != "error"]
    reports = [str(m.text) for m in results if m.name in ("task", None)]
    if reports:
        return reports
    records = list(quoted)[earlier:]
    passages = [Passage.from_record(record) for record in records if record.get("text")]
    lines = [_quoted(passage) for passage in passages[:MAX_PASSAGES]]
    if len(passages) > MAX_PASSAGES:
        lines.append("- and further passages")
    whole = dict.fromkeys(str(r["document_name"]) for r in records if not r.get("text"))
    return [*lines, *(f"- read: {name}" for name in whole)]


def stopped_reason(message: str, *, is_report: bool) -> str:
    """The reason for the stop. `is_report`: for another agent instead of a person."""
    return f"{REPORT_FAILED if is_report else ''}{message}"


def stopped_text(message: str, found: Sequence[str]) -> str:
    """The reason for the stop and what was found, for a person."""
    return "\n\n".join([message, *([FOUND, "\n".join(found)] if found else [])])


def _quoted(passage: Passage) -> str:
    words = passage.text.strip()
    if len(words) > MAX_QUOTED:
        words = words[:MAX_QUOTED].rsplit(None, 1)[0]
    begins = " (the beginning of the passage)" if len(words) < len(passage.text.strip()) else ""
    flat = " ".join(words.split())
    return f"- “{flat}” [{format_passage_citation(passage)}]{begins}"
