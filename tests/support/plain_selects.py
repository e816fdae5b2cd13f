"""Plain selects of callers, which no caller may make: with them, tests try row level security alone, as though a grant had been given."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

TABLES = "select distinct tablename from pg_policies where schemaname = 'public' and 'authenticated' = any (roles)"


def allow_plain_selects(admin: psycopg.Connection[tuple[Any, ...]]) -> None:
    """Grants callers the selection from every table with a policy for them."""
    for (table,) in admin.execute(TABLES).fetchall():
        admin.execute(sql.SQL("grant select on public.{} to authenticated").format(sql.Identifier(table)))
