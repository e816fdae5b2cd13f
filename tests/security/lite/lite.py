"""The matrix of tables and functions through supabase-py and Supabase's own small server, @supabase/lite. `make lite` runs it.

@supabase/lite implements PostgREST: it verifies the token and sets role and claims. Version 0.10.0 differs from PostgREST
in three points: an argument of type jsonb arrives as a JSON string; an argument whose name is a reserved word (`end`) is not
quoted, which is a syntax error; and an error raised with a custom code arrives without code, detail and
hint. Calls with such arguments are therefore left out, and a refusal is only checked for its presence where the
database refuses, and for its text.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import psycopg
from postgrest.exceptions import APIError
from pydantic import SecretStr

sys.path.insert(0, str(Path(__file__).parents[2]))

from orderly.models import Caller
from orderly.store.supabase import HS256TokenSource, SupabaseProject
from security import functions
from security.cases import Answer, Operation
from security.matrix import say, show, temporary_world
from security.people import OWNER, Outcome, Person
from security.rows import over_http, run_rows, tables
from security.runs import Report, one_in, run
from security.undone import Desk
from security.world import World
from support.postgrest_peer import JWT_SECRET, key_of

HERE = Path(__file__).parent
PART = 24
"""One in this many cases of functions is run, besides all cases of owners and officers in their own matters."""

RESERVED = {"end"}


@asynccontextmanager
async def serving(world: World, folder: Path) -> AsyncIterator[str]:
    """Starts the server; yields its URL."""
    parts = urlsplit(world.database_url)
    environment = {
        **os.environ,
        "SOCKET": f"{parse_qs(parts.query)['host'][0]}/.s.PGSQL.5432",
        "DATABASE": parts.path.lstrip("/"),
        "JWT_SECRET": JWT_SECRET,
    }
    server = await asyncio.create_subprocess_exec(
        "node", "serve.mjs", cwd=folder, env=environment, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        assert server.stdout is not None
        yield (await asyncio.wait_for(server.stdout.readline(), 60)).decode().strip()
    finally:
        server.kill()
        await server.wait()


async def refuses_what_is_no_sign_in(address: str, world: World) -> list[str]:
    """Returns the failures of invalid tokens that are accepted, and of a valid token that is refused."""
    claims = {"sub": world.users[OWNER.name], "role": "authenticated", "aud": "authenticated", "exp": time.time() + 60}
    tried = {
        "a good token": jwt.encode(claims, JWT_SECRET, "HS256"),
        "another's secret": jwt.encode(claims, "x" * 48, "HS256"),
        "an expired token": jwt.encode({**claims, "exp": time.time() - 3600}, JWT_SECRET, "HS256"),
        "an unsigned token": jwt.encode(claims, None, "none"),
    }
    wrong = []
    async with httpx.AsyncClient(base_url=address, timeout=30) as http:
        for name, token in tried.items():
            answer = await http.get("/rest/v1/matters?select=*", headers={"Authorization": f"Bearer {token}"})
            if (answer.status_code == 200 and answer.json() != []) != (name == "a good token"):
                wrong.append(f"{name}: {answer.status_code} {answer.text[:200]}")
    return wrong


Rows = tuple[str, list[str], int, list[str]]
"""Function name, argument names, number of defaults, argument types."""


def faithful_operations(found: list[Rows], operations: Iterable[Operation]) -> Iterator[Operation]:
    lost = {
        name: {n for n, t in zip(names, types, strict=True) if t == "jsonb" or n in RESERVED} for name, names, _, types in found
    }
    for operation in operations:
        given = {slot.partition(".")[0].removesuffix("[]") for slot in (*operation.plain, *operation.slots)}
        if not given & lost[operation.name]:
            yield operation


def calling(project: SupabaseProject, desk: Desk, world: World) -> functions.CallFunction:
    """Returns a function that calls over HTTP; the expected outcome is that of the same call in the database."""
    tokens, call_as_role = HS256TokenSource(SecretStr(JWT_SECRET)), functions.call_as_role(desk, world)

    async def invoke(person: Person, function: str, params: Mapping[str, Any]) -> Answer:
        known = await call_as_role(person, function, params)
        role, claims = functions.identity(person, world)
        caller = Caller(str(claims["sub"])) if person.credential == "no profile" else world.caller(person)
        token = None if role == "anon" else await tokens.token_for(caller)
        try:
            found = await project.client(token).rpc(function, dict(params)).execute()
        except APIError as error:
            said = f"{error.code} {error.message} {error.details or ''} {error.hint or ''}"
            return Answer(known.outcome, said, broken=known.worked)
        return Answer(Outcome.THROUGH, json.dumps(found.data), worked=True)

    return invoke


async def run_functions(address: str, desk: Desk, world: World) -> Report:
    project = SupabaseProject(address, SecretStr(key_of("anon")))
    found = await functions.catalogue(desk)
    tried = list(faithful_operations(found, functions.operations(found, calling(project, desk, world))))
    report = await run(world, tried, people=functions.PEOPLE, wanted=one_in(PART))
    await project.close()
    left_out = sorted({name for name, *_ in found} - {operation.name for operation in tried})
    say(
        f"{len(found) - len(left_out)} functions; with arguments that it does not carry, and so left out: {', '.join(left_out)}"
    )
    report.failures += [f"{name} worked for nobody" for name in set(report.idle) - functions.NEVER_WORK.keys()]
    return report


async def main(folder: Path) -> int:
    async with temporary_world() as world, await psycopg.AsyncConnection.connect(world.database_url) as connection:
        desk = Desk(connection)
        public = [table for table in await tables(desk) if "." not in table]
        async with serving(world, folder) as address, over_http(address, world) as select:
            began = time.monotonic()
            report = await run_rows(desk, world, public, select=select)
            report.failures += await refuses_what_is_no_sign_in(address, world)
            show("rows through @supabase/lite", report, began)
            began = time.monotonic()
            called = await run_functions(address, desk, world)
            show("functions through it", called, began)
    return 1 if report.failures or called.failures else 0


if __name__ == "__main__":
    if shutil.which("npm") is None:
        say("Skipped: npm is not installed, and @supabase/lite needs Node.")
        sys.exit(0)
    installed = Path(sys.argv[1])
    installed.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json", "serve.mjs"):
        shutil.copy(HERE / name, installed)
    subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], check=True, cwd=installed)
    sys.exit(asyncio.run(main(installed)))
