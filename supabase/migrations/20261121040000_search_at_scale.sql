-- Search inside one matter costs what that matter costs, whatever else the database holds. The functions that callers see keep
-- their shapes (20261120090600, 20261120091500):
--
--   match_document_embeddings   exact up to private.exact_components(); past it the codes of the vectors (one bit a dimension, in
--                               an index that is read alone) choose the 3 % that are compared exactly
--   search_chunks               the same ranking; which passages hold a word is read from an index whose keys are matter and
--                               word together. Past private.exact_limit() the frequency of common words is an estimate
--   named_documents             the same ranking, from the same index; past private.exact_limit() a word that a tenth of all
--                               passages have counts for nothing
--   searched_documents(matter_id)   {matter: {id, number, title}, documents: [{id, filename, status, status_reason, chunk_count}, …]}
--                               in upload order: what a search has to say about its reach, and no more. chunk_count: null
--                               without a revision
--
-- On a database with a million passages, applying this file rewrites the table of vectors and builds three indexes: some minutes,
-- in which nothing can be published.

-- Passages of a matter up to which every word is counted, and up to which its passages are read rather than an index.
create function private.exact_limit() returns integer language sql immutable set search_path = '' as $$ select 20000 $$;
-- Numbers in all vectors of a matter up to which all are compared: 26,000 vectors of 384 dimensions, 5,600 of 1,792.
create function private.exact_components() returns integer language sql immutable set search_path = '' as $$ select 10000000 $$;
create function private.scan_limit() returns integer language sql immutable set search_path = '' as $$ select 1000 $$;

-- The word in the matter, as a key: two matters have no key in common. Anyone may hash, nobody reads by it.
create function private.term(matter uuid, lexeme text) returns bigint
language sql immutable parallel safe
set search_path = ''
as $$ select hashtextextended(lexeme, uuid_hash_extended(matter, 0)) $$;

-- Its cost keeps the planner from computing it for rows instead of reading the index.
create function private.terms(matter uuid, tsv tsvector) returns bigint[]
language sql immutable parallel safe cost 10000
set search_path = ''
as $$
  select coalesce(array_agg(hashtextextended(word.lexeme, seed.value)), '{}')
  from unnest(tsvector_to_array(tsv)) as word (lexeme), uuid_hash_extended(matter, 0) as seed (value)
$$;

drop index public.chunks_tsv;
create index chunks_terms on public.chunks using gin (private.terms(matter_id, tsv)) with (gin_pending_list_limit = 256);
-- Ids are hashes: the first of them by id are a sample.
create index chunks_matter on public.chunks (matter_id, id);
-- Words are looked up in every row that is read, the text of the few that are shown: rather compress the text.
alter table public.chunks alter column tsv set storage main;

-- Needs no index: a matter's documents are all looked at.
alter table public.documents add column name_words tsvector not null generated always as (
  to_tsvector('pg_catalog.english', regexp_replace(filename, '[^[:alnum:]]+|(?<=[[:lower:]])(?=[[:upper:]])', ' ', 'g'))
) stored;

alter table public.chunk_embeddings add column code bit varying not null
  generated always as (extensions.binary_quantize(embedding)) stored;
create index chunk_embeddings_code on public.chunk_embeddings (matter_id, model) include (chunk_id, part, revision_id, code);

-- The id below which this share (0 to 1) of all ids lies.
create function private.id_below(share double precision) returns uuid
language sql immutable
set search_path = ''
as $$ select (lpad(to_hex(least(floor(share * 4294967296), 4294967295)::bigint), 8, '0') || repeat('0', 24))::uuid $$;

-- An index is read alone only where the vacuum has been, and new keys wait in a list that every search reads until it comes: here
-- it comes after every fiftieth of new rows, not after every fifth.
alter table public.chunk_embeddings set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table public.chunks set (autovacuum_vacuum_insert_scale_factor = 0.02);

-- What a search may look at, found once a call.
create type private.reach as (
  revisions uuid[],
  -- Where sections were named: the spans, side by side. Null where whole documents are meant.
  span_revisions uuid[],
  span_starts integer[],
  span_ends integer[],
  passages bigint
);

create function private.in_reach(r private.reach, revision uuid, start_char integer, end_char integer) returns boolean
language sql immutable
set search_path = ''
as $$
  select exists (
    select from unnest(r.span_revisions, r.span_starts, r.span_ends) as s (revision_id, span_start, span_end)
    where s.revision_id = revision and start_char < s.span_end and end_char > s.span_start
  )
$$;

create function private.reach(m public.matters, within jsonb) returns private.reach
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  found_reach private.reach;
  whole boolean;
  readable uuid[];
begin
  if within is null or jsonb_typeof(within) <> 'array' then
    readable := array(select private.readable_documents(m.id));
    select coalesce(array_agg(d.current_revision_id), '{}'), coalesce(sum(r.chunk_count), 0)
    into found_reach.revisions, found_reach.passages
    from public.documents d join public.document_revisions r on r.id = d.current_revision_id
    where d.matter_id = m.id and (d.id = any (readable)) is true;
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

-- Passages as hits with their scores, in the order given.
create function private.hits_json(ids uuid[], scores double precision[], score_name text) returns jsonb
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'chunk_id', c.id, 'document_id', d.id, 'document_name', d.filename, 'revision_id', c.revision_id,
      'ordinal', c.ordinal, 'start', c.start_char, 'end', c.end_char,
      'page_first', c.page_first, 'page_last', c.page_last, 'paged', r.paged,
      'section_id', s.id, 'section_label', s.label, 'section_title', s.title, 'text', c.text, score_name, given.score
    ) order by given.place), '[]')
    from unnest(ids, scores) with ordinality as given (id, score, place)
    join public.chunks c on c.id = given.id
    join public.documents d on d.id = c.document_id
    join public.document_revisions r on r.id = c.revision_id
    left join public.sections s on s.id = c.section_id
  );
end
$$;

drop function private.nearest(uuid[], uuid[], extensions.vector, text, integer);

create type private.ranking as (ids uuid[], scores double precision[]);

-- Exact, among the passages of these revisions, or those of them that are named (null: all). Every part of a chunk counts, the nearest
-- decides. Distances first, so that no vector is carried along.
create function private.nearest(
  revisions uuid[], chunk_ids uuid[], query_embedding extensions.vector, wanted_model text, wanted_count integer
) returns private.ranking
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  found_ranking private.ranking;
begin
  with parts as materialized (
    select e.chunk_id, e.embedding operator(extensions.<=>) query_embedding as distance
    from public.chunk_embeddings e
    where e.revision_id = any (revisions) and e.model = wanted_model
      and (chunk_ids is null or e.chunk_id = any (chunk_ids))
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

-- The passages that are near by the codes of their vectors: 3 % of all, and 40 for each that is wanted. Of MiniLM's nearest
-- twenty among 100,000, that leaves out one in 500.
create function private.near_by_code(
  m public.matters, r private.reach, query_embedding extensions.vector, wanted_model text, wanted_count integer
) returns uuid[]
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  matter uuid := m.id;
  revisions uuid[] := r.revisions;
  wanted_code bit varying := extensions.binary_quantize(query_embedding);
  candidates integer := greatest(r.passages * 3 / 100, 40 * wanted_count);
begin
  return array(
    select e.chunk_id from public.chunk_embeddings e
    where e.matter_id = matter and e.model = wanted_model and (e.revision_id = any (revisions)) is true
    order by e.code operator(extensions.<~>) wanted_code, e.chunk_id, e.part
    limit candidates
  );
end
$$;

-- One snapshot serves all steps of a search, because this function is stable: a revision that is replaced meanwhile is whole or
-- not there.
create function private.embedding_hits(
  m public.matters, query_embedding extensions.vector, model text, wanted_count integer, within jsonb
) returns jsonb
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  r private.reach := private.reach(m, within);
  among uuid[];
  nearest private.ranking;
begin
  if r.span_revisions is not null then
    among := array(
      select c.id from public.chunks c
      where c.revision_id = any (r.revisions) and private.in_reach(r, c.revision_id, c.start_char, c.end_char)
    );
  elsif r.passages * extensions.vector_dims(query_embedding) > private.exact_components() then
    among := private.near_by_code(m, r, query_embedding, model, wanted_count);
  end if;
  nearest := private.nearest(r.revisions, among, query_embedding, model, wanted_count);
  return private.hits_json(nearest.ids, nearest.scores, 'similarity');
end
$$;

create or replace function public.match_document_embeddings(
  matter_id text, query_embedding text, model text, match_count integer default 10, within jsonb default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  result := private.embedding_hits(m, query_embedding::extensions.vector, model, private.row_limit(match_count), within);
  perform private.audit('match_document_embeddings', m, null,
    jsonb_build_object('model', model, 'within', within, 'chunks', private.chunk_ids(result)));
  return result;
end
$$;

create or replace function public.nearest_chunks(
  document_id text, query_embedding text, model text, match_count integer default 10
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_readable(document_id);
  nearest private.ranking;
  result jsonb;
begin
  nearest := private.nearest(
    array[d.current_revision_id], null, query_embedding::extensions.vector, model, private.row_limit(match_count));
  result := private.hits_json(nearest.ids, nearest.scores, 'similarity');
  perform private.audit('nearest_chunks', private.matter_of(d), d.id,
    jsonb_build_object('model', model, 'chunks', private.chunk_ids(result)));
  return result;
end
$$;

-- Work is bounded: words are taken from the rarest on until some 2,000 passages are candidates, and only those are ranked,
-- by all the words. ts_rank without its own weighting saturates with the number of occurrences.
create function private.candidate_limit() returns integer language sql immutable set search_path = '' as $$ select 2000 $$;

-- By reading every passage in reach.
create function private.ranked_by_scan(r private.reach, query text, wanted_count integer) returns private.ranking
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
set work_mem = '64MB'
as $$
declare
  ranking private.ranking;
begin
  with readable as materialized (
    select c.id, c.tsv || '' as tsv from public.chunks c
    where c.revision_id = any (r.revisions)
      and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
  ), words as materialized (
    select l.lexeme, l.needle from private.lexemes(query) l
  ), standing as materialized (
    select readable.id, words.lexeme, ts_rank(readable.tsv, words.needle) as rank
    from readable join words on readable.tsv @@ words.needle
  ), weights as (
    select s.lexeme, private.idf((select count(*) from readable), count(*)) as idf,
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

-- By the index of words. Up to private.exact_limit() passages every word is counted; past it a word that a sample shows to be
-- common is counted in the sample, and its candidates are the first by id, which is a sample as well. "is true" keeps the
-- planner from joining the index of revisions to that of words, and "|| ''" fetches what is stored out of line once.
create function private.ranked_by_index(m public.matters, r private.reach, query text, wanted_count integer)
returns private.ranking
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set work_mem = '64MB'
as $$
declare
  ranking private.ranking;
  matter uuid := m.id;
  most constant integer := private.candidate_limit();
  sampled boolean := r.passages > private.exact_limit();
  sample_end uuid := private.id_below(1024.0 / greatest(r.passages, 1));
begin
  with sample as materialized (
    select c.tsv || '' as tsv from public.chunks c
    where sampled and c.matter_id = matter and c.id < sample_end and (c.revision_id = any (r.revisions)) is true
      and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
  ), words as materialized (
    select l.lexeme, l.needle, private.term(matter, l.lexeme) as term,
      (select avg((sample.tsv @@ l.needle)::integer) from sample) as share
    from private.lexemes(query) l
  ), frequency as materialized (
    select w.lexeme, w.needle, w.term, case
      when w.share * r.passages > 2 * most then (w.share * r.passages)::bigint
      else (
        select count(*) from public.chunks c
        where private.terms(c.matter_id, c.tsv) @> array[w.term] and (c.revision_id = any (r.revisions)) is true
          and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
      ) end as df
    from words w
  ), weighted as materialized (
    select f.lexeme, f.needle, f.term, private.idf(r.passages, f.df) as idf, f.df::double precision / r.passages as share,
      coalesce(sum(f.df) over (
        order by f.df, f.lexeme collate "C" rows between unbounded preceding and 1 preceding
      ), 0) < most as chooses
    from frequency f
    where f.df > 0
  ), candidates as materialized (
    select distinct on (hit.id) hit.id, hit.tsv || '' as tsv from weighted w,
      lateral (
        (
          select c.id, c.tsv from public.chunks c
          where not (sampled and w.share > 0.25)
            and private.terms(c.matter_id, c.tsv) @> array[w.term] and (c.revision_id = any (r.revisions)) is true
            and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
          order by c.id limit most
        )
        union all
        (
          select c.id, c.tsv from public.chunks c
          where sampled and w.share > 0.25 and c.matter_id = matter and c.tsv @@ w.needle and (c.revision_id = any (r.revisions)) is true
            and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
          order by c.id limit most
        )
      ) hit
    where w.chooses
    order by hit.id
  ), ranked as (
    select c.id, sum(w.idf * ts_rank(c.tsv, w.needle)) as score
    from candidates c join weighted w on c.tsv @@ w.needle
    group by c.id
    order by score desc, c.id
    limit wanted_count
  )
  select array_agg(k.id order by k.score desc, k.id), array_agg(k.score order by k.score desc, k.id)
  into ranking.ids, ranking.scores
  from ranked k;
  return ranking;
end
$$;

create function private.keyword_hits(m public.matters, query text, wanted_count integer, within jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  r private.reach := private.reach(m, within);
  ranking private.ranking;
begin
  if r.passages > private.scan_limit() then
    ranking := private.ranked_by_index(m, r, query, wanted_count);
  else
    ranking := private.ranked_by_scan(r, query, wanted_count);
  end if;
  return private.hits_json(ranking.ids, ranking.scores, 'rank');
end
$$;

create or replace function public.search_chunks(
  matter_id text, query text, match_count integer default 10, within jsonb default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  result := private.keyword_hits(m, query, private.row_limit(match_count), within);
  perform private.audit('search_chunks', m, null,
    jsonb_build_object('query', query, 'within', within, 'chunks', private.chunk_ids(result)));
  return result;
end
$$;

create function private.documents_named(m public.matters, words text, wanted_count integer) returns jsonb
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
as $$
declare
  r private.reach := private.reach(m, null);
  matter uuid := m.id;
  sampled boolean := r.passages > private.exact_limit();
  sample_end uuid := private.id_below(512.0 / greatest(r.passages, 1));
  result jsonb;
begin
  with documents as materialized (
    select d.id, d.filename, d.current_revision_id as revision_id, d.name_words as name
    from public.documents d
    where d.matter_id = matter and (d.current_revision_id = any (r.revisions)) is true
  ), sample as materialized (
    select c.tsv || '' as tsv from public.chunks c
    where sampled and c.matter_id = matter and c.id < sample_end and (c.revision_id = any (r.revisions)) is true
  ), lexemes as materialized (
    select l.lexeme, l.needle, private.term(matter, l.lexeme) as term,
      coalesce((select avg((sample.tsv @@ l.needle)::integer) from sample), 0) as share
    from private.lexemes(words) l
  ), places as materialized (
    select l.lexeme, hit.revision_id, hit.first_char
    from lexemes l, lateral (
      select c.revision_id, min(c.start_char) as first_char from public.chunks c
      where private.terms(c.matter_id, c.tsv) @> array[l.term] and (c.revision_id = any (r.revisions)) is true
      group by c.revision_id
    ) hit
    -- In a large matter a word that a tenth of all passages have tells no document from another.
    where l.share < 0.1
  ), standing as materialized (
    select l.lexeme, d.id, d.filename, coalesce(p.first_char < private.opening(), false) or d.name @@ l.needle as opens
    from lexemes l
    cross join documents d
    left join places p on p.lexeme = l.lexeme and p.revision_id = d.revision_id
    where l.share < 0.1 and (p.revision_id is not null or d.name @@ l.needle)
  ), rarity as (
    select s.lexeme, private.idf(t.n, count(*)) / private.idf(t.n, 1) as weight
    from standing s, (select count(*) as n from documents) t
    group by s.lexeme, t.n
  ), ranked as (
    select s.id, s.filename, sum(y.weight) as score
    from standing s join rarity y using (lexeme)
    where s.opens
    group by s.id, s.filename
    order by score desc, s.id
    limit wanted_count
  )
  select coalesce(jsonb_agg(jsonb_build_object('document_id', k.id, 'document_name', k.filename, 'score', k.score)
    order by k.score desc, k.id), '[]') into result
  from ranked k;
  return result;
end
$$;

create or replace function public.named_documents(matter_id text, words text, match_count integer default 5) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  result := private.documents_named(m, words, private.row_limit(match_count));
  perform private.audit('named_documents', m, null, jsonb_build_object('words', words, 'documents', jsonb_array_length(result)));
  return result;
end
$$;

create function public.searched_documents(matter_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', d.id, 'filename', d.filename, 'status', d.status, 'status_reason', d.status_reason, 'chunk_count', r.chunk_count
  ) order by d.upload_order), '[]') into result
  from public.documents d left join public.document_revisions r on r.id = d.current_revision_id
  where d.matter_id = m.id and (d.id = any (array(select private.readable_documents(m.id)))) is true;
  perform private.audit('searched_documents', m, null, jsonb_build_object('count', jsonb_array_length(result)));
  return jsonb_build_object(
    'matter', jsonb_build_object('id', m.id, 'number', m.number, 'title', m.title), 'documents', result);
end
$$;

revoke all on function private.exact_limit, private.exact_components, private.scan_limit, private.candidate_limit, private.term, private.terms,
  private.id_below, private.in_reach, private.reach, private.hits_json, private.nearest, private.near_by_code,
  private.embedding_hits, private.ranked_by_scan, private.ranked_by_index, private.keyword_hits, private.documents_named
  from public, anon, authenticated;
-- Whoever writes a passage computes its keys.
grant execute on function private.terms to service_role;
revoke all on function public.searched_documents from public, anon, authenticated, service_role;
grant execute on function public.searched_documents to authenticated;
