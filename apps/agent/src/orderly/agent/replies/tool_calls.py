"""Checks the tool calls of a reply: ids are made unique; arguments that are not a JSON object are refused, never completed."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk

from orderly.services.text import sanitise_text

REFUSED_CALLS = "refused_calls"
"""Key in `additional_kwargs` of a message: the reason for each refused call, by its id."""

MAX_ARGUMENTS = 20_000
"""Characters of the arguments of one call."""

MAX_CALLS = 32
"""Calls in one message."""

NOT_JSON = "Error: The arguments of this call are no JSON object, perhaps cut off. Nothing was run. Send the call again, whole."
CUT_OFF = "Error: The message reached its limit of length in this call. Nothing was run. Send the call again, with less in it."
TOO_LONG = f"Error: The arguments of this call have over {MAX_ARGUMENTS:,} characters. Nothing was run. Send less."
NO_NAME = "Error: This call names no tool. Nothing was run."
TOO_MANY = f"Error: A message may have {MAX_CALLS} calls; the others of this message were left out, and this one was not run."


class CallCollector:
    """Collects the pieces of tool calls from a stream. Tells calls apart by index, id and name, as endpoints leave some out."""

    def __init__(self) -> None:
        self._calls: list[dict[str, Any]] = []

    def add(self, pieces: Sequence[ToolCallChunk]) -> None:
        for piece in pieces:
            call = self._call_of(piece)
            name = piece.get("name") or ""
            call["name"] += "" if name == call["name"] else name
            call["args"] += piece.get("args") or ""
            call["id"] = call["id"] or piece.get("id") or ""

    def _call_of(self, piece: ToolCallChunk) -> dict[str, Any]:
        index, id, name = piece.get("index"), piece.get("id"), piece.get("name")
        known = [c for c in self._calls if c["index"] == index]
        is_other = bool(id and known and known[-1]["id"] and id != known[-1]["id"])
        is_new = not known or (name and (is_other or _is_json(known[-1]["args"])))
        if is_new:
            known = [{"index": index, "id": "", "name": "", "args": ""}]
            self._calls += known
        return known[-1]

    def add_written(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> None:
        for name, arguments in calls:
            self._calls.append({"index": None, "id": "", "name": name, "args": json.dumps(arguments, ensure_ascii=False)})

    def checked(
        self, used_ids: Collection[str], finish: str | None, offered: Collection[str] = ()
    ) -> tuple[list[ToolCallChunk], dict[str, str]]:
        """The calls, with `{}` for refused arguments, and the reason for each refused call by its id.

        Args:
            used_ids: Ids of calls earlier in the conversation.
            finish: The finish reason of the reply.
            offered: Names of the tools of the request.
        """
        taken, checked, refused = set(used_ids), [], {}
        for n, call in enumerate(self._calls[:MAX_CALLS]):
            id = call["id"] if call["id"] and call["id"] not in taken else f"call_{uuid4().hex[:12]}"
            taken.add(id)
            name, written = _bare_name(call["name"].strip(), offered), _unpacked(call["args"].strip())
            is_last = n == len(self._calls) - 1
            reason = _refusal(name, written, cut_off=finish == "length" and is_last)
            if reason is None and n == MAX_CALLS - 1 and not is_last:
                reason = TOO_MANY
            if reason is not None:
                refused[id] = reason
            arguments = "{}" if reason is not None else _storable(written or "{}")
            checked.append(tool_call_chunk(name=name or "unnamed", args=arguments, id=id, index=n))
        return checked, refused


def _bare_name(name: str, offered: Collection[str]) -> str:
    """The name without what endpoints leave around it: `functions.read:0`, `default_api:read`, `read<|channel|>json`."""
    bare = re.sub(r"<\|.*|:\d+\Z", "", name, flags=re.DOTALL).strip()
    last = re.split(r"[.:/]|__", bare)[-1]
    return next((form for form in (name, bare, last) if form in offered), bare.removeprefix("functions."))


def _unpacked(arguments: str) -> str:
    """The arguments without a string around them, which some endpoints add; nothing for `null`."""
    try:
        read = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return "" if read is None else read.strip() if isinstance(read, str) and _is_json(read) else arguments


def _storable(arguments: str) -> str:
    """The JSON with characters in place of escapes that are none, such as half of a surrogate pair."""
    plain = json.dumps(json.loads(arguments), ensure_ascii=False)
    return (
        arguments if (clean := sanitise_text(plain)) == plain and "\\u0000" not in plain else clean.replace("\\u0000", "\ufffd")
    )


def _refusal(name: str, arguments: str, *, cut_off: bool) -> str | None:
    if not name:
        return NO_NAME
    if len(arguments) > MAX_ARGUMENTS:
        return TOO_LONG
    if cut_off:
        return CUT_OFF
    return None if not arguments.strip() or _is_json(arguments) else NOT_JSON


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
