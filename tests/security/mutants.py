"""Mutation test of the leak matrix: removes every policy and check in turn; the matrix must find a leak each time.

The mutants come from the database's catalogue and the application's routes; they are not listed here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import psycopg
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant

from orderly.api import callers, mcp
from orderly.models import Caller
from orderly.sign_in import identity as sealing
from orderly.sign_in import langgraph_auth
from orderly.wiring import services
from security import agents_tools, functions, graph_resources, routes
from security.cases import Operation
from security.people import OWNER
from security.rows import run_rows, tables
from security.runs import Report, everything, one_in, run
from security.undone import Desk
from security.unseen import run_unseen
from security.world import World

TWINS = """
create schema mutant;
grant usage on schema mutant to public;
create function mutant.my_matter_ids() returns setof uuid language sql stable security definer as 'select id from public.matters';
create function mutant.my_matter_ids_among(only_matter uuid, beyond_run boolean default false) returns setof uuid
  language sql stable security definer as 'select id from public.matters where only_matter is null or id = only_matter';
create function mutant.readable_documents(matter uuid default null) returns setof uuid language sql stable security definer
  as 'select id from public.documents where matter is null or matter_id = matter';
create function mutant.readable_revisions() returns setof uuid language sql stable security definer
  as 'select id from public.document_revisions';
create function mutant.open_matter(ref text, needed_role text default 'viewer') returns public.matters language plpgsql stable
  security definer as $$ declare m public.matters; begin
    select x.* into m from public.matters x where x.id = private.as_uuid(ref) or lower(x.number) = lower(btrim(ref)) limit 1;
    if not found then perform private.not_found('matter', ref); end if; return m; end $$;
create function mutant.open_matter_for_walls(ref text) returns public.matters language sql stable security definer
  as 'select * from mutant.open_matter(ref)';
create function mutant.open_document(ref text, needed_role text default 'viewer') returns public.documents language plpgsql stable
  security definer as $$ declare d public.documents; begin
    select x.* into d from public.documents x where x.id = private.as_uuid(ref);
    if not found then perform private.not_found('document', ref); end if; return d; end $$;
create function mutant.open_readable(ref text) returns public.documents language sql stable security definer
  as 'select * from mutant.open_document(ref)';
create function mutant.open_review(ref text, needed_role text default 'viewer') returns public.reviews language plpgsql
  security definer as $$ declare r public.reviews; begin
    select x.* into r from public.reviews x where x.id = private.as_uuid(ref);
    if not found then perform private.not_found('review', ref); end if; return r; end $$;
create function mutant.open_column(ref text) returns public.review_columns language plpgsql security definer as $$
  declare c public.review_columns; begin
    select x.* into c from public.review_columns x where x.id = private.as_uuid(ref);
    if not found then perform private.not_found('column', ref); end if; return c; end $$;
create function mutant.caller() returns public.profiles language plpgsql stable security definer as $$
  declare p public.profiles; begin
    select x.* into p from public.profiles x where x.user_id = auth.uid();
    if not found then
      select x.* into p from public.profiles x limit 1;
      p.is_admin := true; p.is_conflicts_officer := true;
    end if; return p; end $$;
create function mutant.my_group_ids() returns setof uuid language sql stable security definer as 'select id from public.groups';
"""
"""Replacements of every check that let every caller through."""

CHECK = re.compile(r"\bprivate\.(my_matter_ids|my_matter_ids_among|readable_documents|readable_revisions|open_matter|open_matter_for_walls|"
                   r"open_document|open_readable|open_review|open_column|caller|my_group_ids)\(")  # fmt: skip
ROLE = re.compile(r"(private\.open_(?:matter|document|review)\([^;()]*(?:\([^()]*\))?[^;()]*, )'(owner|editor)'\)")
DEFINITIONS = """
select n.nspname, p.proname, pg_get_functiondef(p.oid) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname in ('public', 'private') and p.prokind = 'f'
  and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
order by 1, 2
"""
RULE = (
    "my_matter_ids_among",
    "readable_documents",
    "readable_revisions",
    "my_group_ids",
    "my_user_id",
    "caller",
    "own_response",
    "open_matter_for_walls",
)
"""Functions whose single conditions are removed too."""

KNOWN_SURVIVORS: tuple[tuple[str, str], ...] = (
    ("private.matter_named: my_matter_ids", "decides which matter's record gets a refusal, and returns nothing"),
    ("private.document_json: my_group_ids", "only members of its group see the document"),
    ("private.attachments_json: readable_documents", "the world has no attachment restricted to a group"),
    ("coalesce(only_matter", "restricts to one matter for speed; access to that matter is checked again"),
    # Redundant checks: the first check has just tested the same row.
    (
        "private.version_target: role",
        "register_document has opened the matter as an editor, and the document must be in that matter",
    ),
    (
        "public.chat_workspace: my_matter_ids (3 of 3)",
        "checks callers during the creation of the workspace, which tests/store/test_threads.py covers",
    ),
    (
        "public.create_matter: my_matter_ids (2 of 2)",
        "the matrix gives no number of its own, which tests/store/test_conformance.py covers",
    ),
    (
        "private.check_cells: readable_documents",
        "the world stays below the limit of cells, which tests/store/test_reviews.py covers",
    ),
    (
        "private.named_document: ",
        "callers check the document that it finds; another one of the same name is for tests/store/test_roles.py",
    ),
    ("public.run_opening: caller", "list_matters, which it calls, checks the caller"),
    ("public.open_page: open_readable", "open_node has found the document in readable_documents"),
    ("public.restrict_document: caller", "open_document has checked the caller; the group is checked afterwards"),
    ("public.lift_matter_screen: caller", "open_matter_for_walls has checked the caller; the office is checked afterwards"),
)
"""Mutants that the matrix cannot notice: (part of the name, reason). They run with a sample of the cases."""

PART = 16

POLICIES = "select policyname, schemaname || '.' || tablename from pg_policies where schemaname = 'public' order by 2, 1"
GRANTED_TABLES = """
select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'public' and c.relkind = 'r' and has_table_privilege('authenticated', c.oid, 'select') order by 1
"""


Asked = Callable[[str], bool]
"""Filter by operation name."""


def everything_of(name: str) -> bool:
    return True


@dataclass(frozen=True)
class Mutant:
    kind: str
    name: str
    survived: bool
    cases: int
    witness: str = ""


@dataclass(frozen=True)
class Function:
    schema: str
    name: str
    definition: str

    @property
    def body(self) -> str:
        return self.definition[self.definition.index("AS $") :]


def known_reason(name: str) -> str:
    return next((reason for part, reason in KNOWN_SURVIVORS if part in name), "")


def without_checks(function: Function) -> Iterator[tuple[str, str]]:
    """Yields (removed check, definition without it), and last the definition without all checks."""
    found = [check for check in CHECK.finditer(function.definition) if check[1] != function.name]
    for n, check in enumerate(found, 1):
        changed = f"{function.definition[: check.start()]}mutant.{check[1]}({function.definition[check.end() :]}"
        yield f"{check[1]} ({n} of {len(found)})", changed
    if len(found) > 1:
        yield "all checks", CHECK.sub(lambda m: m[0] if m[1] == function.name else f"mutant.{m[1]}(", function.definition)
    for role in ROLE.finditer(function.definition):
        changed = f"{function.definition[: role.start()]}{role[1]}'viewer'){function.definition[role.end() :]}"
        yield f"role {role[2]}", changed


def without_conditions(function: Function) -> Iterator[tuple[str, str]]:
    for start, end in _conjuncts(function.definition):
        words = " ".join(function.definition[start:end].split())
        yield f"condition: {words[:70]}", function.definition[:start] + " " + function.definition[end:]


def _conjuncts(text: str) -> Iterator[tuple[int, int]]:
    """Yields start and end of each `and …` condition."""
    for found in re.finditer(r"\band\b", text):
        depth, at = 0, found.end()
        while at < len(text):
            if text[at] == "(":
                depth += 1
            elif text[at] == ")":
                depth -= 1
                if depth < 0:
                    break
            elif depth == 0 and re.match(r"(\s(and|or|order|limit|group|union|where|join)\b)|;|\$function\$", text[at:]):
                break
            at += 1
        yield found.start(), at


class Trial:
    def __init__(self, desk: Desk, world: World, asked: Asked = everything_of) -> None:
        self._desk, self._world, self._asked = desk, world, asked

    async def functions(self) -> AsyncIterator[Mutant]:
        async with self._desk.undone():
            rows = await (await self._desk.connection.execute(DEFINITIONS)).fetchall()
        defined = [Function(*row) for row in rows]
        operations: dict[str, list[Operation]] = defaultdict(list)
        for operation in functions.operations(
            await functions.catalogue(self._desk), functions.call_as_role(self._desk, self._world)
        ):
            operations[operation.name].append(operation)
        users = _users(defined)
        for function in defined:
            concerned = [o for name in sorted(users[function.name] | {function.name}) for o in operations.get(name, ())]
            if not concerned or not self._asked(f"{function.schema}.{function.name}"):
                continue
            changes = [*without_checks(function), *(without_conditions(function) if function.name in RULE else ())]
            for what, definition in changes:
                mutant = await self._function(function, what, definition, concerned)
                if mutant is not None:
                    yield mutant

    async def _function(self, function: Function, what: str, definition: str, concerned: list[Operation]) -> Mutant | None:
        name = f"{function.schema}.{function.name}: {what}"
        wanted = one_in(PART) if known_reason(name) else everything
        async with self._desk.undone():
            await self._desk.connection.execute(TWINS)
            try:
                async with self._desk.connection.transaction():
                    await self._desk.connection.execute(definition.encode())
            except psycopg.Error:
                return None  # the mutant is no valid function
            report = Report()
            if function.name in RULE:  # these mutants are cheap
                report = await run_rows(self._desk, self._world, await tables(self._desk))
            if not report.failures:
                report = await run(self._world, concerned, people=functions.PEOPLE, wanted=wanted, first_failure=True)
            if not report.failures:
                report = await run_unseen(self._desk, self._world, concerned, wanted=wanted, first_failure=True)
        witness = report.failures[0] if report.failures else ""
        return Mutant("function", name, not report.failures, report.cases, witness)

    async def policies(self) -> AsyncIterator[Mutant]:
        async with self._desk.undone():
            found = await (await self._desk.connection.execute(POLICIES)).fetchall()
            granted = await (await self._desk.connection.execute(GRANTED_TABLES)).fetchall()
        for policy, table in filter(lambda row: self._asked(row[1]), found):
            yield await self._table("policy", f'{table}: "{policy}"', table, f'alter policy "{policy}" on {table} using (true)')
        for (table,) in filter(lambda row: self._asked(row[0]), granted):
            yield await self._table("row level security", table, table, f"alter table {table} disable row level security")

    async def _table(self, kind: str, name: str, table: str, statement: str) -> Mutant:
        async with self._desk.undone():
            await self._desk.connection.execute(statement.encode())
            report = await run_rows(self._desk, self._world, [table.removeprefix("public.")])
        return Mutant(kind, name, not report.failures, report.cases, report.failures[0] if report.failures else "")

    async def sign_in(self, app: FastAPI) -> AsyncIterator[Mutant]:
        """Yields mutants of every route without its caller check, and of the shared sign-in checks."""
        tried = routes.Routes(app, self._desk, self._world)
        by_route: dict[str, list[Operation]] = defaultdict(list)
        for operation in tried.operations():
            by_route[operation.name].append(operation)
        for name, dependant in routes.dependants(app):
            with _fixed_caller(dependant, self._world.caller(OWNER)) as asked:
                if asked and by_route[name] and self._asked(name):
                    yield await self._doors("route", f"{name}: who calls", by_route[name])
        tools = list(agents_tools.operations(agents_tools.call_in_run(self._desk, self._world)))
        async for mutant in self._graph():
            yield mutant
        with patch.object(sealing.hmac, "compare_digest", lambda a, b: True):
            yield await self._doors("identity", "the seal's code", tools)
        with patch.object(sealing.time, "time", lambda: 0.0):
            yield await self._doors("identity", "the seal's end", tools)
        owner = self._world.users["owner"]

        async def anybody(_: Any, token: str) -> str:
            return owner

        with patch.object(services.Services, "user_of_token", anybody):
            yield await self._doors("identity", "the token", by_route["GET /api/matters"])
            yield await self._doors("graph resource", "who calls", list(graph_resources.operations(self._desk, self._world)))

        async def anyone(*_: Any) -> Caller:
            return Caller(owner)

        with patch.object(mcp, "caller", anyone):
            yield await self._doors("route", "/api/mcp: who calls", list(tried.tools()))

    async def _graph(self) -> AsyncIterator[Mutant]:
        """Yields mutants of LangGraph's resources without each handler, and without the handlers' shared checks."""
        tried = list(graph_resources.operations(self._desk, self._world))

        async def let_through(ctx: Any, value: Any) -> bool:
            return True

        async def unasked(*_: Any, **__: Any) -> None:
            return None

        for key in langgraph_auth.auth._handlers.keys() - graph_resources.FOR_EVERYONE:
            concerned = [o for o in tried if o.name.startswith(".".join(key))]
            with patch.dict(langgraph_auth.auth._handlers, {key: [let_through]}):
                yield await self._doors("graph resource", f"{'.'.join(key)}: its handler", concerned)
        with patch.object(langgraph_auth.auth, "_global_handlers", [let_through]):
            yield await self._doors("graph resource", "what no handler opens", tried)
        with patch.object(langgraph_auth, langgraph_auth._check.__name__, unasked):
            yield await self._doors("graph resource", "what a conversation has read", tried)
        with patch.object(langgraph_auth, "RESERVED_KEYS", ()):
            yield await self._doors("graph resource", "keys that steer from inside", tried)

    async def _doors(self, kind: str, name: str, operations: list[Operation]) -> Mutant:
        report = await run(
            self._world,
            [o for o in operations if self._asked(o.name)],
            people=[p for p in routes.PEOPLE if not p.signed_in] + [p for p in routes.PEOPLE if p.signed_in],
            wanted=routes.in_this_process,
            first_failure=True,
        )
        return Mutant(kind, name, not report.failures, report.cases, report.failures[0] if report.failures else "")


def _users(defined: list[Function]) -> Mapping[str, set[str]]:
    """Returns function -> public functions that use it, directly or indirectly."""
    calls = {f.name: set(re.findall(r"\b(?:private|public)\.(\w+)", f.body)) for f in defined}
    used: dict[str, set[str]] = {f.name: set() for f in defined}
    for function in (f for f in defined if f.schema == "public"):
        seen, waiting = {function.name}, [function.name]
        while waiting:
            for name in calls.get(waiting.pop(), set()) - seen:
                seen.add(name)
                waiting.append(name)
        for name in seen & used.keys():
            used[name].add(function.name)
    return used


class _fixed_caller:
    """Replaces a route's caller dependency with one fixed person."""

    def __init__(self, dependant: Dependant, person: Caller) -> None:
        self._asked = [d for d in dependant.dependencies if d.call is callers.caller]
        self._person = person

    def __enter__(self) -> bool:
        for dependency in self._asked:
            dependency.call = self._answer
        return bool(self._asked)

    async def _answer(self) -> Caller:
        return self._person

    def __exit__(self, *_: object) -> None:
        for dependency in self._asked:
            dependency.call = callers.caller
