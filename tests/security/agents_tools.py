"""Operations for every registered tool, called as the graph calls it, with the run's sealed user."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol
from uuid import uuid4

from langchain_core.tools import BaseTool

from orderly.agent.tools import CLIENT_TOOLS, think_tool
from orderly.sign_in.identity import USER_KEY, seal
from security.cases import SLOTS, Answer, Operation
from security.functions import NAMES_OF_IDS, UnknownArgument
from security.people import Need, Outcome, Person
from security.undone import Desk
from security.world import World, answered

SECRET = "the secret of the matrix's installation"

TOOLS = {tool.name: tool for tool in (*CLIENT_TOOLS["mcp"], think_tool)}

TAKES: Mapping[str, tuple[str, ...]] = {
    **SLOTS,
    "document_id": ("document", "section", "chunk"),
    "highlight": ("citation",),
    "review": ("review",),
}
"""Argument -> kinds of ids: tools accept every id that a tool has printed."""

LISTED = frozenset({"within", "document_ids"})

WITH = {"review": ["matter_id"]}
"""Argument -> what a call that names it names too."""

NEEDS: Mapping[str, Need] = {
    "make_review": "editor",
    "add_review_columns": "editor",
    "run_review": "editor",
    "judge_cell": "editor",
}

ALSO: Mapping[str, Mapping[str, Any]] = {"add_review_columns": {"questions": ["Which law governs?"]}}
"""Tool -> optional arguments that it needs to have an effect."""

EVERY_MATTER = frozenset({"isaacus_search", "search_keyword"})

PLAIN: Mapping[str, Any] = {
    "query": "Ohio", "name": "file", "question": "Which law governs the agreement?", "quote": "lasts twelve months from the",
    "reflection": "x", "clause_types": ["governing law"], "page_number": 1, "filename_pattern": "*", "content_type": "text/",
    "column": "Term", "verdict": "accepted", "seen": "the answer",
}  # fmt: skip

NO_ID_NEEDED = frozenset({"think_tool"})
"""Tools that access no data and need no caller."""


class CallTool(Protocol):
    async def __call__(self, person: Person, tool: str, params: Mapping[str, Any]) -> Answer: ...


def operations(calling: CallTool, tools: Mapping[str, BaseTool] = TOOLS) -> Iterator[Operation]:
    for name, tool in tools.items():
        schema = tool.get_input_schema().model_json_schema()
        arguments, required = schema.get("properties", {}), set(schema.get("required", ()))
        if unknown := [a for a in arguments if a.endswith(NAMES_OF_IDS) and a not in TAKES]:
            raise UnknownArgument(f"{name} takes {unknown}, but TAKES does not say which kinds of ids they are")
        needed = [a for a in arguments if a in TAKES and a in required]
        optional = [a for a in arguments if a in TAKES and a not in required]
        plain = {a: PLAIN[a] for a in arguments if a in required and a not in TAKES}
        if name == "get_document_text":
            plain = {}
        plain |= ALSO.get(name, {})
        for more in ([], *([*WITH.get(slot, ()), slot] for slot in optional)):
            for slots in _kinds([*needed, *more]):
                yield _operation(name, slots, plain, calling)
        if name in EVERY_MATTER:
            yield _operation(name, {}, {**plain, "matter_id": "all"}, calling)


def _kinds(names: list[str]) -> Iterator[dict[str, str]]:
    if not names:
        yield {}
        return
    for kind in TAKES[names[0]]:
        for rest in _kinds(names[1:]):
            yield {names[0]: kind, **rest}


def _operation(tool: str, slots: Mapping[str, str], plain: Mapping[str, Any], calling: CallTool) -> Operation:
    async def invoke(person: Person, params: Mapping[str, Any]) -> Answer:
        return await calling(person, tool, params)

    needed, lists = NEEDS.get(tool, "viewer"), LISTED & slots.keys()
    return Operation(tool, invoke, slots, plain, need=needed, lists=lists, open_to_all=tool in NO_ID_NEEDED)


def given(world: World, params: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call. A verdict says what was seen: the world's answer in the document's cell."""
    if "seen" not in params:
        return dict(params)
    place = next((name for name, things in world.places.items() if things.get("document") == params.get("document")), "main")
    return {**params, "seen": answered(place)}


def call_in_run(desk: Desk, world: World) -> CallTool:
    """Returns a function that invokes tools with a tool call, so that the artifact is judged too."""

    async def invoke(person: Person, tool: str, params: Mapping[str, Any]) -> Answer:
        config: Any = {"configurable": run_of(person, world)}
        async with desk.undone():
            message = await TOOLS[tool].ainvoke(
                {"type": "tool_call", "id": "1", "name": tool, "args": given(world, params)}, config
            )
        return answer(str(message.text), json.dumps([message.content, message.artifact], ensure_ascii=False, default=str))

    return invoke


def run_of(person: Person, world: World) -> dict[str, Any]:
    """Returns the configuration that the server gives a person's run."""
    run: dict[str, Any] = {"thread_id": person.conversation or "some-conversation"}
    user = world.users[person.name]
    match person.credential:
        case "none" | "revoked":
            return run
        case "no profile":
            return {**run, USER_KEY: seal(str(uuid4()), SECRET.encode())}
        case "expired":
            return {**run, USER_KEY: seal(user, SECRET.encode(), now=1.0)}
        case "forged":
            return {**run, USER_KEY: seal(user, b"another installation's secret")}
    return {**run, USER_KEY: seal(user, SECRET.encode(), matters=world.caller(person).kept_to)}


def answer(text: str, everything: str) -> Answer:
    if "not found or you don't have access" in text or (text.startswith("Error: ") and "not found" in text):
        return Answer(Outcome.ABSENT, everything)
    if text.startswith("Error: Only an editor or owner"):
        return Answer(Outcome.FORBIDDEN, everything)
    if text.startswith("Error: ") and any(words in text for words in ("not signed in", "Sign in", "sign-in")):
        return Answer(Outcome.UNSIGNED, everything)
    return Answer(Outcome.THROUGH, everything, worked=not text.startswith("Error: "))
