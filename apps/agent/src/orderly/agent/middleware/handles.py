"""Short handles in place of ids in what a model reads: D1 for a document, D1 6.2 for a passage, S3 for a section.

A model copies a handle right and cheaply; a UUID costs it twenty tokens and is often miscopied. The state, the tools and the
user have the ids: handles are put in as a request goes to the model, and taken out of its tool calls.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
from langchain.agents.middleware.types import ExtendedModelResponse
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from langgraph.types import Command

from orderly.agent.chat_models.planner import OfflinePlanner
from orderly.agent.middleware.run_ledger import RunState, ledger_of
from orderly.agent.middleware.short_ids import as_read_again, next_handle, passage_handle

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ANY = re.compile(_UUID)
_ID_OF_PASSAGE = re.compile(rf"\bID: (?P<id>{_UUID})")
_PLACES = re.compile(rf"(?:\bID: |\b\w+_id=|_id\": \")(?P<id>{_UUID})")
"""Places of ids in the texts of tools and prompts. Elsewhere, a document may contain a UUID of its own."""

_MATTER_LINE = re.compile(rf"^(?:- |Matter: )(?P<number>M-\S+) (?:\|.*\| |\()ID: (?P<id>{_UUID})", re.M)
"""A matter has its number for a handle."""

_LISTED_MATTER = re.compile(rf"^\d+\. (?P<number>M-\S+) (?:(?!\n\d+\. ).)*?^   ID: (?P<id>{_UUID})$", re.M | re.S)
_KINDS = (
    re.compile(r"\[(matter|folder|document)\][^\[]*\Z", re.IGNORECASE),
    re.compile(r"(?:^|\n)(Matter|Folder|Document|Section|Passage|Citation): [^\n]*(?:\n| \()\Z"),
)
_LETTERS = {"matter": "M", "folder": "F", "document": "D", "section": "S", "passage": "P", "citation": "C"}
_OF_TOOL = {
    "list_matter_documents": "D",
    "file_search": "D",
    "visual_search": "D",
    "view_page": "D",
    "list_matters": "M",
    "read": "S",
    "get_document_text": "S",
    "get_info": "S",
    "resolve_citation": "C",
}
"""Letter of the ids in a tool's result; in others P. The letter is a reminder for the model, and no part of the meaning."""

_PLACE = re.compile(r"(?P<handle>D\d+)[\s,\])]+(?P<place>(?:(?:section|clause|article|schedule)\b|\d).*)", re.IGNORECASE)
"""A section that a model names by the document's handle and its own label."""

_DECORATION = " \t\n[]()\"'`"


class Handles(AgentMiddleware[RunState, Any]):
    """Must be inside all middleware that adds text to the request, and outside the citation gate."""

    state_schema = RunState

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        if isinstance(request.model, OfflinePlanner):
            return await handler(request)  # its rules read ids
        state: Any = request.state
        ledger = ledger_of(state)
        handles = ledger.handles
        before = len(handles)
        system = request.system_message
        if system is not None:
            request = request.override(system_message=SystemMessage(_shorten(system.text, handles, "D", {})))
        records = [*(state.get("quoted") or ()), *(ledger.context_passages or ())]
        passages = {record["id"]: record for record in records if record.get("id") not in (None, record["document_id"])}
        citations = state.get("citations") or ()
        messages = [as_read_again(m, citations, handles) if isinstance(m, AIMessage) else m for m in request.messages]
        response = await handler(request.override(messages=[_shorten_message(m, handles, passages) for m in messages]))
        result = [_restore(message, handles) for message in response.result]
        restored = ModelResponse(result=result, structured_response=response.structured_response)
        if len(handles) == before:
            return restored
        return ExtendedModelResponse(restored, Command(update={"handles": dict(handles)}))


def with_handles(text: str, handles: Mapping[str, str]) -> str:
    """The text with the handles of known ids; the id of a passage stands in brackets, as it is cited."""
    text = _ID_OF_PASSAGE.sub(lambda m: f"[{handles[m['id']]}]" if " " in handles.get(m["id"], "") else m[0], text)
    return _ANY.sub(lambda m: handles.get(m[0], m[0]), text)


def _shorten_message(message: BaseMessage, handles: dict[str, str], passages: Mapping[str, Any]) -> Any:
    if isinstance(message, AIMessage):
        calls = [{**call, "args": _map(call["args"], handles)} for call in message.tool_calls]
        return message.model_copy(update={"tool_calls": calls}) if calls else message
    letter = _OF_TOOL.get(message.name or "", "P") if isinstance(message, ToolMessage) else "P"
    if isinstance(message.content, str):
        return message.model_copy(update={"content": _shorten(message.content, handles, letter, passages)})
    content = [
        {**part, "text": _shorten(part["text"], handles, letter, passages)}
        if isinstance(part, dict) and "text" in part
        else part
        for part in message.content
    ]
    return message.model_copy(update={"content": content})


def _shorten(text: str, handles: dict[str, str], letter: str, passages: Mapping[str, Any]) -> str:
    """Replaces known ids anywhere, and new ones where tools and prompts print ids."""
    for match in (*_MATTER_LINE.finditer(text), *_LISTED_MATTER.finditer(text)):
        handles.setdefault(match["id"], match["number"])
    for match in _PLACES.finditer(text):
        if match["id"] not in handles and (record := passages.get(match["id"])) is not None:
            handles[match["id"]] = passage_handle(record, handles)
        elif match["id"] not in handles:
            handles[match["id"]] = next_handle(_letter(text[: match.start("id")], letter), handles)
    return with_handles(text, handles)


def _letter(before: str, letter: str) -> str:
    """The letter for the id after `before`: of the kind that the text names, else of the tool."""
    tail = before[-400:]
    for pattern in _KINDS:
        if match := pattern.search(tail.removesuffix("ID: ")):
            return _LETTERS[match[1].lower()]
    return letter


def _map(value: Any, names: Mapping[str, str]) -> Any:
    """The value with each string that is a name, alone or within lists and objects, replaced."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [_map(item, names) for item in value]
    if isinstance(value, dict):
        return {key: _map(item, names) for key, item in value.items()}
    return value


def _restore(message: BaseMessage, handles: Mapping[str, str]) -> Any:
    """The message with ids in the arguments of its tool calls."""
    if not isinstance(message, AIMessage) or not message.tool_calls:
        return message
    ids = {handle.lower(): id for id, handle in handles.items()}
    calls = [{**call, "args": _unmap(call["args"], ids)} for call in message.tool_calls]
    return message.model_copy(update={"tool_calls": calls})


def _unmap(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        bare = value.strip(_DECORATION).removeprefix("ID: ").lower()
        parts = [part.strip(_DECORATION) for part in bare.split(",")]
        if len(parts) > 1 and all(part in ids for part in parts):
            return ", ".join(ids[part] for part in parts)
        if bare not in ids and (place := _PLACE.match(value.strip(_DECORATION))):  # "D5, clause 7.2", "D5 7.2"
            unit = "clause " if place["place"][0].isdigit() else ""
            return f"{ids.get(place['handle'].lower(), place['handle'])}, {unit}{place['place']}"
        return ids.get(bare, value)
    if isinstance(value, list):
        return [_unmap(item, ids) for item in value]
    if isinstance(value, dict):
        return {key: _unmap(item, ids) for key, item in value.items()}
    return value
