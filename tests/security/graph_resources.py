"""Operations for LangGraph's resources: authentication, the auth handler, then its filter over stored threads, as its servers do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from langgraph_runtime_inmem.ops import _check_filter_match
from langgraph_sdk import Auth

from orderly.sign_in.langgraph_auth import RESERVED_KEYS, THREAD_KEY, auth
from security.cases import Answer, Operation
from security.people import BY_NAME, COMPARTMENTS, Compartment, Outcome, Person, owner_of, reopens
from security.undone import Desk
from security.world import World, word_of

FOR_EVERYONE = frozenset({("assistants", "read"), ("assistants", "search")})
"""Actions that every user may do: assistants come with the installation and cannot be created."""

MAKES = frozenset({"create", "create_run"})
"""Actions that can create a thread."""

THREAD_KINDS = ("thread", "kept thread")
"""A thread of the caller, and a thread of the owner of the compartment; both have read in the compartment."""

REFUSED = {401: Outcome.UNSIGNED, 403: Outcome.FORBIDDEN, 404: Outcome.ABSENT}


def resources(handlers: Auth = auth) -> list[tuple[str, str]]:
    """Returns every (resource, action) for which the SDK has a handler decorator."""
    found = set()
    for name in type(handlers.on).__slots__:
        namespace = getattr(handlers.on, name, None)
        for attribute in dir(namespace) if not name.startswith("_") else ():
            action = getattr(getattr(namespace, attribute, None), "action", None)
            if isinstance(action, str):
                found.add((name, action))
    # list_namespaces has no decorator, but servers authorise it too.
    return sorted(found | {("store", "list_namespaces")})


def operations(desk: Desk, world: World) -> Iterator[Operation]:
    server = ThreadServer(desk, world)
    for resource, action in resources():
        if resource == "threads" and action == "search":
            yield _operation(server, resource, action, {})
            yield _operation(server, resource, action, {}, "x-api-key")
            continue
        for kind in THREAD_KINDS if resource == "threads" else THREAD_KINDS[:1]:
            yield _operation(server, resource, action, {"thread_id": kind})


def _operation(
    server: ThreadServer, resource: str, action: str, slots: Mapping[str, str], header: str = "authorization"
) -> Operation:
    async def invoke(person: Person, params: Mapping[str, Any]) -> Answer:
        return await server.ask(person, resource, action, header, params.get("thread_id"))

    def rule(person: Person, kind: str, place: Compartment | None) -> Outcome:
        return expected(person, resource, action, kind, place)

    return Operation(
        f"{resource}.{action}{' by ' + header if header != 'authorization' else ''}",
        invoke,
        slots,
        rule=rule,
        # A closed thread of the caller reads as not found; a thread that never existed may be created.
        told_apart=frozenset({"thread"}),
    )


def expected(person: Person, resource: str, action: str, kind: str, place: Compartment | None) -> Outcome:
    """Returns the outcome by the rule for threads: owners only, while they may read everything the thread has read."""
    if not person.signed_in:
        return Outcome.UNSIGNED
    if resource != "threads":
        return Outcome.THROUGH if (resource, action) in FOR_EVERYONE else Outcome.FORBIDDEN
    if place is None:
        return Outcome.THROUGH if action in MAKES or not kind else Outcome.ABSENT
    if kind == "kept thread" and (person.account or person.name) != owner_of(place):
        return Outcome.ABSENT
    # The owner's thread has read in the matter, but in no document of a group.
    read = BY_NAME[place.matter] if kind == "kept thread" else place
    return Outcome.THROUGH if action == "delete" or reopens(person, read) else Outcome.ABSENT


@dataclass(frozen=True)
class Conversation:
    thread_id: str
    metadata: Mapping[str, Any]
    said: str


class ThreadServer:
    """Holds threads and applies a handler's result as LangGraph's servers do."""

    def __init__(self, desk: Desk, world: World) -> None:
        self._desk, self._world = desk, world

    async def ask(self, person: Person, resource: str, action: str, header: str, thread_id: str | None) -> Answer:
        async with self._desk.undone():
            try:
                user = await self._user(person, header)
                value = self._value(action, thread_id)
                filters = await self._handled(user, resource, action, value)
            except Auth.exceptions.HTTPException as error:
                return Answer(
                    REFUSED.get(error.status_code, Outcome.THROUGH), str(error.detail), broken=error.status_code >= 500
                )
        if steered := self._accepted_forgeries(user, value):
            return Answer(Outcome.THROUGH, steered, worked=True, broken=True)
        return self._given(person, resource, action, thread_id, filters)

    async def _user(self, person: Person, header: str) -> Any:
        token = self._world.tokens[person.name]
        sent = {} if person.credential == "none" else {header: token if header == "x-api-key" else f"Bearer {token}"}
        authenticate: Any = auth._authenticate_handler
        return User(await authenticate(headers={name.encode(): value.encode() for name, value in sent.items()}))

    def _value(self, action: str, thread_id: str | None) -> dict[str, Any]:
        """Returns a request value with forged owner and metadata."""
        lies = {"owner": self._world.users["owner"], THREAD_KEY: self._world.places["main"]["thread"]}
        steering: dict[str, Any] = {key: {"title": "Own"} for key in RESERVED_KEYS}
        steering["user_id"] = self._world.users["owner"]
        value: dict[str, Any] = {"metadata": lies} if action not in ("read", "delete") else {}
        if action == "create_run":
            value |= {"kwargs": {"config": {"configurable": dict(steering)}, "context": dict(steering)}}
        return value if thread_id is None else {**value, "thread_id": thread_id}

    async def _handled(self, user: User, resource: str, action: str, value: dict[str, Any]) -> dict[str, Any]:
        found = next((auth._handlers[key] for key in _keys(resource, action) if key in auth._handlers), auth._global_handlers)
        context: Any = Auth.types.AuthContext(permissions=[], user=user, resource=resource, action=action)  # type: ignore[arg-type]
        result: Any = await found[-1](ctx=context, value=value)
        if result is False:
            raise Auth.exceptions.HTTPException(403, "Forbidden")
        return result if isinstance(result, dict) else {}

    def _accepted_forgeries(self, user: User, value: Mapping[str, Any]) -> str:
        """Returns the forged fields that would be stored."""
        kept = value.get("metadata")
        if "kwargs" in value and any(key in json.dumps(value["kwargs"]) for key in RESERVED_KEYS):
            return "the agents can be steered from inside"
        if "kwargs" in value and isinstance(kept, dict) and kept.get("owner") != user.identity:
            return "the owner of a conversation is the client's word"
        return ""

    def _given(self, person: Person, resource: str, action: str, thread_id: str | None, filters: dict[str, Any]) -> Answer:
        if resource != "threads":
            return Answer(Outcome.THROUGH, "done", worked=True)
        if thread_id is None:
            found = [c for c in self._kept(person) if _check_filter_match(dict(c.metadata), filters)]
            return Answer(Outcome.THROUGH, json.dumps([(c.thread_id, c.said) for c in found]), worked=True)
        one = next((c for c in self._kept(person) if c.thread_id == thread_id), None)
        if one is None and action in MAKES:
            return Answer(Outcome.THROUGH, "made", worked=True)
        if one is None or not _check_filter_match(dict(one.metadata), filters):
            return Answer(Outcome.ABSENT, f"Thread with ID {thread_id} not found")
        return Answer(Outcome.THROUGH, "gone" if action == "delete" else one.said, worked=True)

    def _kept(self, person: Person) -> Iterator[Conversation]:
        """Yields the stored threads of the caller and of the owners."""
        for place in COMPARTMENTS:
            there = self._world.places[place.name]
            # Purged compartments have no threads, and a chat's workspace is only tested in its own thread.
            said = "" if place.deleted or place.conversation else f"It says: {word_of(place.name)}"
            yield _conversation(there["thread"], self._world.users[person.name], said)
            yield _conversation(
                there["kept thread"],
                self._world.users[owner_of(place)],
                said and f"{word_of(place.matter)} {word_of(place.name + ' kept')}",
            )


def _conversation(thread_id: str, owner: str, said: str) -> Conversation:
    return Conversation(thread_id, {"owner": owner, THREAD_KEY: thread_id}, said)


def _keys(resource: str, action: str) -> tuple[tuple[str, str], ...]:
    return (resource, action), (resource, "*"), ("*", action), ("*", "*")


class User:
    """The user object that LangGraph's servers pass to handlers."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.identity = str(fields["identity"])
        self.is_authenticated = True
        self.display_name = self.identity
        self.permissions: list[str] = []
