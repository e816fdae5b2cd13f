-- What a search costs beside finding. The shapes and the results are those of 20261121040000.
--
-- In a small matter, planning took as long as searching. Plans are kept now wherever one serves every matter: reading what is in
-- reach, comparing all vectors in reach, reading passages one by one, showing hits. A kept plan may be made while the tables are still
-- empty, so in these rows are looked up by their keys and nothing else. Searches by index and by codes are planned anew as before.

create or replace function private.reach(m public.matters, within jsonb) returns private.reach
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  found_reach private.reach;
  whole boolean;
  matter uuid := m.id;
begin
  if within is null or jsonb_typeof(within) <> 'array' then
    -- Row by row (offset 0), by key.
    select coalesce(array_agg(r.id), '{}'), coalesce(sum(r.chunk_count), 0)
    into found_reach.revisions, found_reach.passages
    from private.readable_documents(matter) as readable (id)
    cross join lateral (select d.current_revision_id as id from public.documents d where d.id = readable.id offset 0) d
    cross join lateral (select v.id, v.chunk_count from public.document_revisions v where v.id = d.id offset 0) r;
    return found_reach;
  end if;
  select array_agg(distinct s.revision_id), array_agg(s.revision_id), array_agg(s.span_start), array_agg(s.span_end),
    bool_and(s.span_start = 0 and s.span_end = 2147483647)
  into found_reach.revisions, found_reach.span_revisions, found_reach.span_starts, found_reach.span_ends, whole
  from private.scope(m, within) s;
  found_reach.revisions := coalesce(found_reach.revisions, '{}');
  if coalesce(whole, true) then
    found_reach.span_revisions := null;
    select coalesce(sum(r.chunk_count), 0) into found_reach.passages
    from public.document_revisions r where r.id = any (found_reach.revisions);
  else
    select count(*) into found_reach.passages from public.chunks c
    where c.revision_id = any (found_reach.revisions)
      and private.in_reach(found_reach, c.revision_id, c.start_char, c.end_char);
  end if;
  return found_reach;
end
$$;
-- It is called inside private.reach, whose settings would reach down into it.
alter function private.scope(public.matters, jsonb) set plan_cache_mode = force_custom_plan;
alter function private.scope(public.matters, jsonb) set enable_seqscan = on;

alter function private.hits_json(uuid[], double precision[], text) set plan_cache_mode = force_generic_plan;
alter function private.hits_json(uuid[], double precision[], text) set enable_seqscan = off;
alter function private.hits_json(uuid[], double precision[], text) set enable_hashjoin = off;
alter function private.hits_json(uuid[], double precision[], text) set enable_mergejoin = off;

create or replace function private.chunk_ids(hits jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$ select jsonb_path_query_array(hits, '$[*].chunk_id') $$;

-- Exact, among all passages of these revisions. Every part of a chunk counts, the nearest decides.
create function private.nearest_of_all(
  revisions uuid[], query_embedding extensions.vector, wanted_model text, wanted_count integer
) returns private.ranking
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  found_ranking private.ranking;
begin
  -- Distances first (offset 0), so that no vector is carried along.
  with best as (
    select p.chunk_id, min(p.distance) as distance
    from (
      select e.chunk_id, e.embedding operator(extensions.<=>) query_embedding as distance
      from public.chunk_embeddings e
      where e.revision_id = any (revisions) and e.model = wanted_model
      offset 0
    ) p
    group by p.chunk_id
    order by distance, p.chunk_id
    limit wanted_count
  )
  select array_agg(best.chunk_id order by best.distance, best.chunk_id),
    array_agg(1 - best.distance order by best.distance, best.chunk_id)
  into found_ranking.ids, found_ranking.scores
  from best;
  return found_ranking;
end
$$;

-- Exact, among the passages of these revisions, or those of them that are named (null: all).
create or replace function private.nearest(
  revisions uuid[], chunk_ids uuid[], query_embedding extensions.vector, wanted_model text, wanted_count integer
) returns private.ranking
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  found_ranking private.ranking;
begin
  if chunk_ids is null then
    return private.nearest_of_all(revisions, query_embedding, wanted_model, wanted_count);
  end if;
  with parts as materialized (
    select e.chunk_id, e.embedding operator(extensions.<=>) query_embedding as distance
    from public.chunk_embeddings e
    where e.revision_id = any (revisions) and e.model = wanted_model and e.chunk_id = any (chunk_ids)
  ), best as (
    select p.chunk_id, min(p.distance) as distance from parts p
    group by p.chunk_id
    order by distance, p.chunk_id
    limit wanted_count
  )
  select array_agg(best.chunk_id order by best.distance, best.chunk_id),
    array_agg(1 - best.distance order by best.distance, best.chunk_id)
  into found_ranking.ids, found_ranking.scores
  from best;
  return found_ranking;
end
$$;

-- By reading every passage in reach, and each once: "offset 0" keeps its words from being read anew for every word of the query, and
-- only what is compressed has to be copied for that.
create or replace function private.ranked_by_scan(r private.reach, query text, wanted_count integer) returns private.ranking
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set work_mem = '64MB'
as $$
declare
  ranking private.ranking;
  revisions uuid[] := r.revisions;
  whole boolean := r.span_revisions is null;
begin
  with words as materialized (
    select l.lexeme, l.needle from private.lexemes(query) l
  ), standing as materialized (
    select c.id, words.lexeme, ts_rank(c.tsv, words.needle) as rank
    from (
      select p.id, case when pg_column_compression(p.tsv) is null then p.tsv else p.tsv || '' end as tsv
      from public.chunks p
      where p.revision_id = any (revisions) and (whole or private.in_reach(r, p.revision_id, p.start_char, p.end_char))
      offset 0
    ) c join words on c.tsv @@ words.needle
  ), weights as (
    select s.lexeme, private.idf(r.passages, count(*)) as idf,
      coalesce(sum(count(*)) over (
        order by count(*), s.lexeme collate "C" rows between unbounded preceding and 1 preceding
      ), 0) < private.candidate_limit() as chooses
    from standing s group by s.lexeme
  ), ranked as (
    select s.id, sum(w.idf * s.rank) as score from standing s join weights w using (lexeme)
    group by s.id
    having bool_or(w.chooses)
    order by score desc, s.id
    limit wanted_count
  )
  select array_agg(k.id order by k.score desc, k.id), array_agg(k.score order by k.score desc, k.id)
  into ranking.ids, ranking.scores
  from ranked k;
  return ranking;
end
$$;

revoke all on function private.nearest_of_all from public, anon, authenticated;
