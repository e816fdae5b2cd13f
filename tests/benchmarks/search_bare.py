"""Hand-written SQL of the searches in one matter, without access checks, audit and filters.

The statements use the same client and pool as the product: a transaction with role and claims around one statement that is not
prepared. They return the values of the product's calls, in columns.
"""

from __future__ import annotations

from typing import Any

from orderly.store.postgres import Pool, transaction_as

SHOWN = """
select c.id, d.id, d.filename, c.revision_id, c.ordinal, c.start_char, c.end_char, c.page_first, c.page_last, r.paged, s.id, s.label, s.title, c.text, best.score
from best join public.chunks c on c.id = best.id join public.documents d on d.id = c.document_id
join public.document_revisions r on r.id = c.revision_id left join public.sections s on s.id = c.section_id
order by best.score, c.id
"""

EXACT = f"""
with parts as materialized (
  select chunk_id, embedding operator(extensions.<=>) %(vector)s::extensions.vector as distance from public.chunk_embeddings
  where matter_id = %(matter)s and model = %(model)s
), best as (select chunk_id as id, min(distance) as score from parts group by 1 order by 2, 1 limit %(count)s)
{SHOWN}"""

CODED = f"""
with near as materialized (
  select chunk_id from public.chunk_embeddings where matter_id = %(matter)s and model = %(model)s
  order by code operator(extensions.<~>) extensions.binary_quantize(%(vector)s::extensions.vector), chunk_id limit %(candidates)s
), parts as materialized (
  select chunk_id, embedding operator(extensions.<=>) %(vector)s::extensions.vector as distance from public.chunk_embeddings
  where chunk_id = any (array(select chunk_id from near)) and model = %(model)s
), best as (select chunk_id as id, min(distance) as score from parts group by 1 order by 2, 1 limit %(count)s)
{SHOWN}"""

WORDS = f"""
with words as materialized (
  select w.lexeme, w.term, quote_literal(w.lexeme)::tsquery as needle, (
    select count(*) from public.chunks c where private.terms(c.matter_id, c.tsv) @> array[w.term]
  ) as df from (
    select lexeme, hashtextextended(lexeme, uuid_hash_extended(%(matter)s::uuid, 0)) as term
    from unnest(to_tsvector('pg_catalog.english', %(words)s))
  ) w
), weighted as materialized (
  select needle, term, ln(1 + (%(total)s - df + 0.5) / (df + 0.5)) as idf, lexeme,
    coalesce(sum(df) over (order by df, lexeme collate "C" rows between unbounded preceding and 1 preceding), 0) < 2000 as chooses
  from words where df > 0
), candidates as materialized (
  select distinct on (id) id, tsv from weighted, lateral (
    select c.id, c.tsv from public.chunks c where private.terms(c.matter_id, c.tsv) @> array[term] order by c.id limit 2000
  ) hit where chooses order by id
), best as (
  select id, -sum(idf * ts_rank(tsv, needle)) as score from candidates join weighted on tsv @@ needle
  group by id order by score, id limit %(count)s
)
{SHOWN}"""


async def rows(pool: Pool, query: str, **values: Any) -> list[tuple[Any, ...]]:
    async with transaction_as(pool, "service_role", {}) as connection:
        return await (await connection.execute(query, values)).fetchall()
