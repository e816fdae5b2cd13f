"""Operations for every route of the application, read from its OpenAPI document, and for the tools through MCP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlencode

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant

from orderly.services.files.links import FileLinks
from security import agents_tools
from security.agents_tools import SECRET
from security.cases import SLOTS, Answer, Case, Operation, expectation
from security.functions import LISTED, NAMES_OF_IDS, NO_IDS, UnknownArgument
from security.functions import PLAIN as FUNCTION_PLAIN
from security.people import PEOPLE as ALL
from security.people import Keeper, Need, Outcome, Person
from security.undone import Desk
from security.world import World

OPEN: Mapping[str, str] = {
    "GET /health": "for what watches the server",
    "GET /ready": "for what watches the server",
    "GET /api/metrics": "for what watches the server, with a token of its own",
    "POST /api/session": "signing in",
    "DELETE /api/session": "signing out",
    "POST /api/session/password": "signing in",
    "POST /api/session/link": "signing in",
    "GET /api/session/link": "signing in",
    "POST /api/session/refresh": "signing in",
    "GET /api/sign-in": "how to sign in",
    "GET /api/oidc/login": "signing in at the identity provider",
    "GET /api/oidc/callback": "coming back from it",
}
"""Routes that need no sign-in -> reason."""

NEEDS: dict[str, Need] = {
    "POST /api/matters/{matter}/documents": "editor",
    "POST /api/matters/{matter}/members": "owner",
    "DELETE /api/matters/{matter}/members/{email}": "owner",
    "DELETE /api/documents/{document}": "owner",
    "PATCH /api/documents/{document}": "editor",
    "POST /api/documents/{document}/reingest": "editor",
    "POST /api/documents/{document}/hold": "owner",
    "DELETE /api/documents/{document}/hold": "owner",
    "PATCH /api/matters/{matter}": "owner",
    "POST /api/matters/{matter}/folders": "editor",
    "PATCH /api/matters/{matter}/folders/{folder}": "editor",
    "DELETE /api/matters/{matter}/folders/{folder}": "editor",
    "GET /api/screens": "officer",
    "GET /api/firm/people": "viewer",
    "GET /api/groups": "viewer",
    "PUT /api/matters/{matter}/processors": "owner",
    "GET /api/admin/definitions/clients/{client_id}/functions": "viewer",
    "PUT /api/documents/{document_id}/group": "owner",
    "GET /api/matters/{matter}/screens": "owner or officer",
    "POST /api/matters/{matter}/screens": "owner or officer",
    "DELETE /api/matters/{matter}/screens/{screen}": "officer",
    "GET /api/matters/{matter}/audit": "owner",
    "GET /api/firm/processors": "viewer",
    "POST /v1/files": "editor",
    "DELETE /v1/files/{file_id}": "owner",
    "POST /v1/vector_stores/{matter}": "owner",
    "POST /v1/vector_stores/{matter}/files": "editor",
    "DELETE /v1/vector_stores/{matter}/files/{file_id}": "owner",
    "POST /api/matters/{matter}/reviews": "editor",
    "PATCH /api/matters/{matter}/reviews/{review_id}": "editor",
    "DELETE /api/matters/{matter}/reviews/{review_id}": "editor",
    "POST /api/matters/{matter}/reviews/{review_id}/columns": "editor",
    "PATCH /api/matters/{matter}/reviews/{review_id}/columns/{column_id}": "editor",
    "DELETE /api/matters/{matter}/reviews/{review_id}/columns/{column_id}": "editor",
    "POST /api/matters/{matter}/reviews/{review_id}/run": "editor",
    "POST /api/matters/{matter}/reviews/{review_id}/cancel": "editor",
    "POST /api/matters/{matter}/reviews/{review_id}/cells/{cell_id}/verdict": "editor",
}

LINKS = "/files/"
"""Path prefix of signed links, which replace the sign-in."""

ADMINISTRATION = ("/api/firm/", "/api/groups", "/api/admin/")
"""Path prefixes of administrators' routes, unless NEEDS lists the route."""

KEEPERS: Mapping[str, Keeper] = {
    "POST /v1/responses": "its maker",
    "GET /v1/responses/{response_id}": "its maker",
    "DELETE /v1/responses/{response_id}": "its maker",
    "GET /v1/responses/{response_id}/input_items": "its maker",
    "GET /api/audit/runs/{run}": "its maker or an owner",
}

NEVER_WORK: Mapping[str, str] = {
    "DELETE /api/groups/{group}": "documents are kept for the world's groups",
    "DELETE /api/matters/{matter}/folders/{folder}": "only an empty one, and the world's hold documents",
    "GET /api/metrics": "its token is not set",
    "GET /api/oidc/login": "there is no identity provider",
    "GET /api/oidc/callback": "there is no identity provider",
    "POST /api/session": "the token that is sent is none",
    "POST /api/session/password": "this installation signs in with tokens",
    "POST /api/session/link": "this installation signs in with tokens",
    "POST /api/session/refresh": "no cookie is sent",
}

ASKS_ITS_SERVER = frozenset({"POST /v1/responses", "POST /v1/chat/completions", "GET /v1/responses/{response_id}/input_items"})
"""Routes that call their own server: only forbidden callers are tried here."""

PER_REQUEST = frozenset({"content-length", "x-request-id"})
"""Headers that do not depend on the requested thing."""

ELSEWHERE: Mapping[str, str] = {
    "/api/uploads": "an upload is its maker's; tests/integration/doors/test_resumable.py",
    "/chat/api/": "a chat is its server's thread; tests/e2e/test_doors.py",
    "/api/conversations": "a conversation is its server's thread; tests/e2e/web/test_page.py",
    "/v1/conversations": "a conversation is its server's thread; tests/e2e/test_openai.py",
}
"""Path prefixes without ids in the world -> the tests that cover them."""

TAKES: Mapping[str, tuple[str, ...]] = {
    **SLOTS,
    "email": ("colleague",),
    "group": ("group",),
    "previous_response_id": ("response",),
    "file_id": ("document",),
    "file_ids": ("document",),
    "matters": ("matter", "number"),
    "reviews": ("review",),
}

ALSO: Mapping[str, Mapping[str, Any]] = {
    "POST /api/matters/{matter}/reviews/{review_id}/columns": {"columns": [{"title": "Law", "question": "Which law?"}]},
    "PATCH /api/matters/{matter}/reviews/{review_id}": {"name": "Renamed"},
    "PATCH /api/matters/{matter}/reviews/{review_id}/columns/{column_id}": {"question": "Which state?"},
    "POST /api/matters/{matter}/reviews/{review_id}/cells/{cell_id}/verdict": {"verdict": "accepted", "seen": 2},
    "PATCH /api/matters/{matter}": {"title": "New title"},
    "PATCH /api/documents/{document}": {"filename": "new.txt"},
    "PATCH /api/matters/{matter}/folders/{folder}": {"name": "New name"},
}
"""Route -> optional arguments that it needs to have an effect."""

FILTERS: Mapping[str, frozenset[str]] = {"GET /api/events": frozenset({"matters", "reviews"})}
"""Route -> arguments that only filter its result."""

WITH: Mapping[str, Mapping[str, Any]] = {"version_of": {"if_exists": "new_version"}}
"""Argument -> further arguments that it needs to take effect."""

NEW = frozenset(
    {
        ("POST /api/firm/people", "email"),
        ("POST /api/matters/{matter}/reviews", "run"),
        ("POST /api/matters/{matter}/reviews/{review_id}/columns", "run"),
    }
)
"""Arguments that take a new value, or are no id, and so refer to nothing. (An e-mail address used in another firm is reported: see SECURITY.md.)"""

PAGE = {
    "/": "leads to the page",
    "/app": "the page's own files",
    "/app/{path:path}": "the page's own files",
    "/v1/{path:path}": "names what is offered, and reads nothing",
}

WITHOUT_DESCRIPTION = {"/api/mcp": "tried tool by tool", "/api/openapi.json": "the description itself", **PAGE}

PLAIN: Mapping[str, Any] = {
    **FUNCTION_PLAIN,
    "question": "Which law governs?",
    "token": "ord_made-up",
    "function_name": "find",
    "model": "orderly",
    "input": "Which law governs?",
    "role": "viewer",
    "processors": ["model"],
    "quote": "lasts twelve months from the",
    "page": 1,
}


PEOPLE = tuple(p for p in ALL if p.conversation is None and p.credential != "no profile" and p.kept_to is None)
"""A request belongs to no conversation, and a person without a profile has no token."""


def in_this_process(case: Case) -> bool:
    """Returns True if the case can run without a server."""
    return case.operation.name not in ASKS_ITS_SERVER or expectation(case) is not Outcome.THROUGH


def undescribed(app: FastAPI) -> list[str]:
    """Returns the paths that are neither in the OpenAPI document nor known to the matrix."""
    described = set(app.openapi()["paths"])
    return sorted({path for path, _, _ in _every(app.routes)} - described - set(WITHOUT_DESCRIPTION))


def dependants(app: FastAPI) -> Iterator[tuple[str, Dependant]]:
    """Yields (route, dependency)."""
    for path, methods, dependant in _every(app.routes):
        for method in sorted(methods) if dependant is not None else ():
            yield f"{method} {path}", dependant


def _every(found: Iterable[Any]) -> Iterator[tuple[str, set[str], Any]]:
    """Yields the routes, including those of included routers."""
    for route in found:
        if hasattr(route, "effective_candidates"):
            yield from _every([*route.effective_candidates(), *route.effective_low_priority_routes()])
        else:
            yield route.path, set(getattr(route, "methods", None) or ()), getattr(route, "dependant", None)


class Routes:
    """Calls an ASGI application in this process."""

    def __init__(self, app: FastAPI, desk: Desk, world: World) -> None:
        self._app, self._desk, self._world = app, desk, world

    def operations(self) -> Iterator[Operation]:
        description = self._app.openapi()
        for path, methods in description["paths"].items():
            if path.startswith(tuple(ELSEWHERE)):
                continue
            for method, about in methods.items():
                yield from self._route(description, f"{method.upper()} {path}", about)

    def tools(self) -> Iterator[Operation]:
        yield from agents_tools.operations(self._tool, {n: t for n, t in agents_tools.TOOLS.items() if n != "think_tool"})

    def _route(self, description: Mapping[str, Any], name: str, about: Mapping[str, Any]) -> Iterator[Operation]:
        places: dict[str, str] = {}
        fields: dict[str, tuple[bool, Any]] = {}
        for parameter in about.get("parameters", ()):
            places[parameter["name"]] = parameter["in"]
            fields[parameter["name"]] = (parameter.get("required", False), parameter.get("schema", {}))
        kind, body = _body(description, about)
        for field, schema in body.get("properties", {}).items():
            places[field] = kind
            fields[field] = (field in body.get("required", ()), schema)
        if name.partition(" ")[2].startswith(LINKS):
            yield Operation(name, self._caller(name, places), {"token": "document"}, by_link=True)
            return
        slots_of = {f for f in fields if f in TAKES and f not in NO_IDS and (name, f) not in NEW}
        needed = [f for f, (required, _) in fields.items() if required and f in slots_of]
        optional = [f for f, (required, _) in fields.items() if not required and f in slots_of]
        if unknown := [f for f in fields if f.endswith(NAMES_OF_IDS) and f not in {*TAKES, *NO_IDS}]:
            raise UnknownArgument(f"{name} takes {unknown}, but TAKES does not say which kinds of ids they are")
        plain = {f: _plain(name, f, s, description) for f, (required, s) in fields.items() if required and f not in slots_of}
        plain |= ALSO.get(name, {})
        for more in ([], *([f] for f in optional)):
            extra = WITH.get("".join(more), {})
            for slots in _kinds([*needed, *more]):
                yield Operation(
                    name,
                    self._caller(name, places),
                    slots,
                    {**plain, **{f: v for f, v in extra.items() if f in fields}},
                    need=NEEDS.get(name) or ("admin" if name.partition(" ")[2].startswith(ADMINISTRATION) else "viewer"),
                    keeper=KEEPERS.get(name, ""),
                    lists=frozenset(LISTED & slots.keys()),
                    filters=FILTERS.get(name, frozenset()),
                    open_to_all=name in OPEN,
                    names_by_id="/audit" in name,
                )

    def _caller(self, name: str, places: Mapping[str, str]) -> Any:
        method, _, template = name.partition(" ")

        async def invoke(person: Person, params: Mapping[str, Any]) -> Answer:
            if template.startswith(LINKS):
                params = {"token": self._link(person, params["token"])}
            path, query, body, form = template, {}, {}, {}
            for field, value in params.items():
                match places[field]:
                    case "path":
                        path = path.replace(f"{{{field}}}", quote(str(value), safe=""))
                    case "query":
                        query[field] = value
                    case "form":
                        form[field] = value
                    case _:
                        body[field] = value
            content = b"" if method in ("GET", "DELETE") else json.dumps(body).encode()
            kind = "application/json"
            if form:
                kind, content = multipart(form)
            return await self._ask(person, method, path, urlencode(query, doseq=True), content, kind)

        return invoke

    def _link(self, person: Person, document: str) -> str:
        """Returns a link signed for the person, whether or not they have access; a forged link for persons without a sign-in."""
        secret = SECRET if person.has_claims else "another installation's secret"
        key = next((p["storage_key"] for p in self._world.places.values() if p["document"] == document), "a/b/c/d.txt")
        return FileLinks(secret.encode(), 600)(self._world.caller(person), document, key).removeprefix(LINKS)

    async def _tool(self, person: Person, tool: str, params: Mapping[str, Any]) -> Answer:
        call = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": agents_tools.given(self._world, params)},
        }
        found = await self._ask(person, "POST", "/api/mcp", "", json.dumps(call).encode(), "application/json")
        if found.outcome is Outcome.UNSIGNED or found.broken or not found.worked:
            return found
        said = json.loads(found.text.partition("\n\n")[2])
        texts = [part.get("text", "") for part in said.get("result", {}).get("content", [])]
        return agents_tools.answer("\n".join(texts), found.text)

    async def _ask(self, person: Person, method: str, path: str, query: str, body: bytes, kind: str) -> Answer:
        headers = {"content-type": kind, "host": "orderly.test", "accept": "application/json, text/event-stream"}
        if person.credential != "none" and not path.startswith(LINKS):
            headers["authorization"] = f"Bearer {self._world.tokens[person.name]}"
        async with self._desk.undone():
            status, sent, content = await send_request(self._app, method, path, query, headers, body)
        text = (
            "\n".join(f"{k}: {v}" for k, v in sent.items() if k not in PER_REQUEST)
            + "\n\n"
            + content.decode("utf-8", "replace")
        )
        outcome = {401: Outcome.UNSIGNED, 403: Outcome.FORBIDDEN, 404: Outcome.ABSENT}.get(status, Outcome.THROUGH)
        return Answer(outcome, text, worked=0 < status < 400, broken=status == 0 or status >= 500)


def _kinds(names: list[str]) -> Iterator[dict[str, str]]:
    if not names:
        yield {}
        return
    for kind in TAKES[names[0]]:
        for rest in _kinds(names[1:]):
            yield {names[0]: kind, **rest}


def _body(description: Mapping[str, Any], about: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    content = about.get("requestBody", {}).get("content", {})
    for media, kind in (("application/json", "body"), ("multipart/form-data", "form")):
        if media in content:
            return kind, _resolved(description, content[media].get("schema", {}))
    return "body", {}


def _resolved(description: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" in schema:
        named: Mapping[str, Any] = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        return named
    return schema


def _plain(route: str, name: str, schema: Mapping[str, Any], description: Mapping[str, Any]) -> Any:
    if name in PLAIN:
        return PLAIN[name]
    schema = _resolved(description, schema)
    schema = _resolved(description, schema["anyOf"][0]) if "anyOf" in schema else schema
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("format") == "binary" or "contentMediaType" in schema:
        return b"A file."
    by_type = {"string": "x", "integer": 1, "number": 1, "boolean": False, "array": [], "object": {}}
    if schema.get("type") not in by_type:
        raise UnknownArgument(f"{route} takes {name}: tests/security/routes.py has no value for it")
    return by_type[schema["type"]]


def multipart(form: Mapping[str, Any]) -> tuple[str, bytes]:
    parts = b"".join(
        b'--edge\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n'
        % (n.encode(), b'; filename="a.txt"' if isinstance(v, bytes) else b"", v if isinstance(v, bytes) else str(v).encode())
        for n, v in form.items()
    )
    return "multipart/form-data; boundary=edge", parts + b"--edge--\r\n"


async def _first(tasks: set[asyncio.Future[Any]], event: asyncio.Event, seconds: float) -> None:
    """Waits for one of the tasks or for the event."""
    waiting = asyncio.ensure_future(event.wait())
    await asyncio.wait({*tasks, waiting}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()


SILENCE = 0.5
"""Seconds after which a stream of events that has sent nothing counts as silent, such as that of a chat without files."""


async def send_request(
    app: Any, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
) -> tuple[int, dict[str, str], bytes]:
    """Sends one request. Stops an event stream after its first chunk, or when it stays silent; status 0: no reply in time."""
    status, sent, content = 0, {}, bytearray()
    started, enough, events = asyncio.Event(), asyncio.Event(), False
    told = False

    async def receive() -> dict[str, Any]:
        nonlocal told
        if told:
            await enough.wait()
            return {"type": "http.disconnect"}
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Mapping[str, Any]) -> None:
        nonlocal status, events
        if message["type"] == "http.response.start":
            status = message["status"]
            sent.update((k.decode("latin-1"), v.decode("latin-1")) for k, v in message["headers"])
            events = "event-stream" in sent.get("content-type", "")
            started.set()
        elif message["type"] == "http.response.body":
            content.extend(message.get("body", b""))
            if events or not message.get("more_body"):
                enough.set()

    raw = [(k.encode(), v.encode("latin-1")) for k, v in {"content-length": str(len(body)), **headers}.items()]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http", "path": unquote(path),
        "raw_path": path.encode(), "query_string": query.encode(), "headers": raw, "server": ("127.0.0.1", 9), "client": ("127.0.0.1", 1),
        "root_path": "", "state": {},
    }  # fmt: skip
    task = asyncio.ensure_future(app(scope, receive, send))
    await _first({task}, started, 5)
    await _first({task}, enough, SILENCE if events else 5)
    if not task.done():
        await asyncio.wait({task}, timeout=0.2 if events else 5)
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
    elif task.exception() is not None:
        return 0, sent, repr(task.exception()).encode()
    return status, sent, bytes(content)
