"""Row level security alone: the rows that a plain select shows to each person, table by table."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager

import psycopg
from postgrest.exceptions import APIError
from pydantic import SecretStr

from orderly.store.supabase import HS256TokenSource, SupabaseProject
from security.functions import PEOPLE, identity
from security.people import HOME, Person
from security.runs import Report
from security.undone import Desk
from security.world import WORDS, World
from support.postgrest_peer import JWT_SECRET, key_of

TABLES = """
select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname in ('public', 'private', 'auth') and c.relkind in ('r', 'v', 'm', 'p')
order by 1
"""

OWNERS = frozenset(
    {
        "matters",
        "documents",
        "document_revisions",
        "document_pages",
        "sections",
        "chunks",
        "chunk_embeddings",
        "citations",
        "reviews",
        "review_columns",
        "review_cells",
        "review_documents",
    }
)
"""Tables in which the owner must see rows; otherwise the empty results of others prove nothing."""

BY_ID = frozenset({"thread_reads"})
"""Tables that keep ids of things that the person's own conversations have read."""


async def tables(desk: Desk) -> list[str]:
    async with desk.undone():
        return [row[0] for row in await (await desk.connection.execute(TABLES)).fetchall()]


async def selected(desk: Desk, world: World, table: str, person: Person) -> str:
    """Returns all rows visible to the person's role, as text."""
    role, claims = identity(person, world)
    try:
        async with desk.undone_as(role, claims) as connection:
            found = await connection.execute(f"select coalesce(string_agg(t::text, E'\\n'), '') from {table} t")  # type: ignore[arg-type]
            ((text,),) = await found.fetchall()
    except psycopg.errors.InsufficientPrivilege:
        return ""
    return str(text)


Selecting = Callable[[str, Person], Awaitable[str]]


@asynccontextmanager
async def over_http(address: str, world: World) -> AsyncIterator[Selecting]:
    """Yields a function that selects from tables over HTTP with the public key and a person's token."""
    project = SupabaseProject(address, SecretStr(key_of("anon")))
    tokens = HS256TokenSource(SecretStr(JWT_SECRET))

    async def select(table: str, person: Person) -> str:
        token = await tokens.token_for(world.caller(person)) if person.has_claims else None
        try:
            found = await project.client(token).table(table.removeprefix("public.")).select("*").execute()
        except APIError as error:
            assert error.code == "42501", error
            return ""
        return "" if found.data == [] else json.dumps(found.data)

    yield select
    await project.close()


async def run_rows(
    desk: Desk, world: World, names: Iterable[str], people: Iterable[Person] = PEOPLE, select: Selecting | None = None
) -> Report:
    """`select`: reads a table; the default is the person's role in the database."""
    report = Report()
    people = list(people)
    for table in names:
        for person in people:
            text = await (select(table, person) if select else selected(desk, world, table, person))
            report.cases += 1
            hidden = world.hidden_from(person)
            if table in BY_ID:
                hidden = frozenset(mark for mark in hidden if mark.startswith(WORDS))
            if table == "group_members" and person.groups:  # the person's own membership, also in a firm that they left
                hidden -= world.marks[f"groups of {HOME}"]
            if leaked := [mark for mark in hidden if mark in text]:
                report.failures.append(f"{person.name}: select * from {table} LEAK of {leaked[:3]}")
            if person.name == "owner" and table in OWNERS and not text:
                report.failures.append(f"owner: select * from {table} shows nothing")
    return report
