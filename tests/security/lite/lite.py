"""Row level security once more, over HTTP through supabase-py, with Supabase's own small server in between. `make lite` runs it.

@supabase/lite speaks PostgREST, verifies the token, and takes on its role and claims, in code that is not ours.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import psycopg

sys.path.insert(0, str(Path(__file__).parents[2]))

from security.matrix import a_world, say, shown
from security.people import OWNER
from security.rows import over_http, run_rows, tables
from security.undone import Desk
from security.world import World
from store.postgrest_peer import JWT_SECRET

HERE = Path(__file__).parent


@asynccontextmanager
async def serving(world: World, folder: Path) -> AsyncIterator[str]:
    """Its address."""
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
    """Tokens that must open nothing, and one that must: else the refusals prove nothing."""
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


async def main(folder: Path) -> int:
    async with a_world() as world, await psycopg.AsyncConnection.connect(world.database_url) as connection:
        desk = Desk(connection)
        public = [table for table in await tables(desk) if "." not in table]
        async with serving(world, folder) as address, over_http(address, world) as select:
            began = time.monotonic()
            report = await run_rows(desk, world, public, select=select)
            report.failures += await refuses_what_is_no_sign_in(address, world)
            shown("rows through @supabase/lite", report, began)
    return 1 if report.failures else 0


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
