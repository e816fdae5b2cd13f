"""A peer for PostgREST's `POST /rest/v1/rpc/<function>` and `GET /rest/v1/<table>?select=*`, on a real socket and database.

It verifies the JWT and sets role and claims for the transaction, types arguments with json_to_record, and returns
errors in PostgREST's JSON and statuses. Other features of PostgREST are missing.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import jwt
import psycopg
import uvicorn
from psycopg import sql
from psycopg_pool import AsyncConnectionPool
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

JWT_SECRET = "a-secret-for-tests-that-is-long-enough-for-hs256"
ROLES = {"anon", "authenticated", "service_role"}
ARGUMENTS = """
select a.name, format_type(a.type, null)
from pg_proc p join pg_namespace n on n.oid = p.pronamespace,
  unnest(p.proargnames, p.proargtypes::oid[]) as a (name, type)
where n.nspname = 'public' and p.proname = %s
"""


def key_of(role: str) -> str:
    return jwt.encode({"role": role}, JWT_SECRET, algorithm="HS256")


class PostgrestPeer:
    def __init__(self, pool: AsyncConnectionPool[Any]) -> None:
        self._pool = pool
        routes = [
            Route("/rest/v1/rpc/{function}", self.rpc, methods=["POST"]),
            Route("/rest/v1/{table}", self.table, methods=["GET"]),
        ]
        self.app = Starlette(routes=routes)

    async def table(self, request: Request) -> Response:
        try:
            claims = self._claims(request)
        except (jwt.PyJWTError, KeyError):
            return _error(401, "PGRST301", "No suitable key or wrong key type")
        query = sql.SQL("select coalesce(json_agg(t)::text, '[]') from {} t").format(
            sql.Identifier("public", request.path_params["table"])
        )
        try:
            async with self._pool.connection() as connection:
                await connection.execute(
                    "select set_config('role', %s, true), set_config('request.jwt.claims', %s, true)",
                    (claims["role"], json.dumps(claims)),
                )
                row = await (await connection.execute(query)).fetchone()
        except psycopg.Error as exc:
            return _database_error(exc, claims["role"])
        assert row is not None
        return Response(row[0], media_type="application/json")

    async def rpc(self, request: Request) -> Response:
        try:
            claims = self._claims(request)
        except jwt.ExpiredSignatureError:
            return _error(401, "PGRST303", "JWT expired")
        except (jwt.PyJWTError, KeyError):
            return _error(401, "PGRST301", "No suitable key or wrong key type")
        try:
            return await self._call(claims, request.path_params["function"], await request.body())
        except psycopg.Error as exc:
            return _database_error(exc, claims["role"])

    def _claims(self, request: Request) -> dict[str, Any]:
        if "apikey" not in request.headers:
            raise KeyError("apikey")
        scheme, _, token = request.headers["authorization"].partition(" ")
        claims = jwt.decode(token, JWT_SECRET, algorithms=["HS256"], options={"verify_aud": False})
        if scheme != "Bearer" or claims["role"] not in ROLES:
            raise KeyError("role")
        return claims

    async def _call(self, claims: dict[str, Any], function: str, body: bytes) -> Response:
        given = json.loads(body or b"{}")
        async with self._pool.connection() as connection:
            types = dict(await (await connection.execute(ARGUMENTS, (function,))).fetchall())
            exists = await (await connection.execute("select to_regproc(%s)", (f"public.{function}",))).fetchone()
            if not exists or exists[0] is None or not given.keys() <= types.keys():
                return _error(404, "PGRST202", f"Could not find the function public.{function}")
            await connection.execute(
                "select set_config('role', %s, true), set_config('request.jwt.claims', %s, true)",
                (claims["role"], json.dumps(claims)),
            )
            row = await (
                await connection.execute(_query(function, {n: types[n] for n in given}), {"body": body.decode()})
            ).fetchone()
        assert row is not None
        return Response(row[0], media_type="application/json")


def _query(function: str, types: dict[str, str]) -> sql.Composed:
    name = sql.Identifier("public", function)
    if not types:
        return sql.SQL("select coalesce({}()::text, 'null') from (select %(body)s) as ignored").format(name)
    arguments = sql.SQL(", ").join(sql.SQL("{0} => body.{0}").format(sql.Identifier(n)) for n in types)
    columns = sql.SQL(", ").join(sql.SQL("{} {}").format(sql.Identifier(n), sql.SQL(t)) for n, t in types.items())  # type: ignore[arg-type]
    return sql.SQL("select coalesce({}({})::text, 'null') from json_to_record(%(body)s::json) as body ({})").format(
        name, arguments, columns
    )


def _database_error(exc: psycopg.Error, role: str) -> Response:
    state = exc.sqlstate or "XX000"
    by_class = {"08": 503, "53": 503, "54": 500, "57": 500, "58": 500, "XX": 500, "25": 500, "40": 500}
    status = (401 if role == "anon" else 403) if state == "42501" else by_class.get(state[:2], 409 if state == "23505" else 400)
    return _error(status, state, exc.diag.message_primary or "", exc.diag.message_detail, exc.diag.message_hint)


def _error(status: int, code: str, message: str, details: str | None = None, hint: str | None = None) -> Response:
    return JSONResponse({"code": code, "message": message, "details": details, "hint": hint}, status_code=status)


@asynccontextmanager
async def serving(database_url: str) -> AsyncIterator[str]:
    """Starts a peer for the database; yields its URL."""
    # asyncio disables Nagle's algorithm only if the protocol is given; otherwise each reply is delayed by 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(
        database_url, min_size=1, max_size=8, open=False, kwargs={"options": "-c TimeZone=UTC"}
    )
    async with pool:
        config = uvicorn.Config(PostgrestPeer(pool).app, log_level="warning", lifespan="off", ws="none")
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await task
