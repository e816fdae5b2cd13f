"""Short ids of passages, "D4 6.2", by which a model cites, and earlier answers as a model reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage

from orderly.agent.middleware.gated_chat_model import BODY, ISSUED_MARKS

_LONGEST_TITLE = 40
_UNIT = re.compile(r"\b(?:section|clause|paragraph)\s+(?=[\d(])", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\[(\d{1,4})\]\Z")
_NUMBER = re.compile(r"\[(\d{1,3})\]")


def next_handle(letter: str, handles: Mapping[str, str]) -> str:
    """The next free short id of a kind: D for documents, P for passages."""
    return f"{letter}{1 + sum(h[0] == letter and h[1:].isdigit() for h in handles.values() if h)}"


def document_handle(document_id: str, handles: dict[str, str]) -> str:
    if document_id not in handles:
        handles[document_id] = next_handle("D", handles)
    return handles[document_id]


def passage_handle(record: Mapping[str, Any], handles: dict[str, str]) -> str:
    """A short id for a passage that has none: its document's with its label, or with a number where that is taken."""
    document = document_handle(record["document_id"], handles)
    label = _label(record)
    if label and f"{document} {label}" not in handles.values():
        return f"{document} {label}"
    return f"{document} P{1 + sum(h.startswith(f'{document} P') for h in handles.values())}"


def place_of(record: Mapping[str, Any], handles: dict[str, str]) -> str:
    """A citation's place as a model writes it: "D4 6.2", or with the page where no clause is known."""
    document = document_handle(record["document_id"], handles)
    if label := _label(record):
        return f"{document} {label}"
    return f"{document} p {record['page_first']}" if record.get("paged") else document


def as_read_again(message: AIMessage, citations: Sequence[Mapping[str, Any]], handles: dict[str, str]) -> AIMessage:
    """An earlier answer as it was shown, without its ending, and with short ids in place of the numbers of its sources."""
    body = message.additional_kwargs.get(BODY)
    if not isinstance(body, int) or not isinstance(message.content, str):
        return message
    by_number = {citation.get("number"): citation for citation in citations}
    parts, at = [], 0
    for mark in message.additional_kwargs.get(ISSUED_MARKS) or ():
        found = _NUMBER.match(message.content, mark)
        record = by_number.get(int(found[1])) if found and mark < body else None
        if found and record is not None:
            parts += [message.content[at:mark], f"[{place_of(record, handles)}]"]
            at = found.end()
    return message.model_copy(update={"content": "".join([*parts, message.content[at:body]])})


def _label(record: Mapping[str, Any]) -> str:
    label, title = record.get("section_label") or "", record.get("section_title") or ""
    if paragraph := _PARAGRAPH.match(label):
        return f"¶{paragraph[1]}"
    return _UNIT.sub("", label) or (title if len(title) <= _LONGEST_TITLE else "")
