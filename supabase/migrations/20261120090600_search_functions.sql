-- As the caller (role authenticated): search inside one matter. Each checks the matter first, then reads as definer, because
-- under row level security the text index is not used. Exact, deterministic, current revisions only.
--
--   match_document_embeddings(matter_id, query_embedding, model, match_count = 10, within = null)   [hit + {similarity}, …]
--   nearest_chunks(document_id, query_embedding, model, match_count = 10)                           [hit + {similarity}, …]
--   search_chunks(matter_id, query, match_count = 10, within = null)                                [hit + {rank}, …]
--     hit = {chunk_id, document_id, document_name, revision_id, ordinal, start, end, page_first, page_last, paged,
--            section_id, section_label, section_title, text}
--     similarity: cosine, of the chunk's best vector; rank: IDF-weighted, comparable inside one call only
--     query_embedding: text "[0.1,…]"; matter_id: an id or a number; match_count: 1 to 1000;
--     within: ids of documents, folders and sections of that matter (OR404 for any other)
--   search_revision_text(matter_id, query, match_count = 10)   passages of documents that have text but no chunks:
--     [{document_id, document_name, revision_id, start, end, page, paged, text, rank}, …]

-- Current revisions (and spans of them, for sections) that a search may look at.
create function private.scope(m public.matters, within jsonb)
returns table (revision_id uuid, span_start integer, span_end integer)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  docs uuid[] := array(select private.readable_documents(m.id));
  missing text;
begin
  if within is null or jsonb_typeof(within) <> 'array' then
    return query
      select d.current_revision_id, 0, 2147483647 from public.documents d
      where d.id = any (docs) and d.current_revision_id is not null;
    return;
  end if;
  select w.ref into missing from jsonb_array_elements_text(within) as w (ref)
  where private.as_uuid(w.ref) is null or not (
    private.as_uuid(w.ref) = any (docs)
    or exists (select from public.folders f where f.id = private.as_uuid(w.ref) and f.matter_id = m.id)
    or exists (
      select from public.sections s join public.documents d on d.current_revision_id = s.revision_id
      where s.id = private.as_uuid(w.ref) and d.id = any (docs)
    )
  )
  limit 1;
  if found then
    perform private.not_found('document', missing);
  end if;
  return query
    with recursive wanted as (
      select distinct private.as_uuid(w.ref) as id from jsonb_array_elements_text(within) as w (ref)
    ), inside as (
      select f.id from public.folders f join wanted on wanted.id = f.id
      union
      select f.id from public.folders f join inside on f.parent_id = inside.id
    )
    select d.current_revision_id, 0, 2147483647 from public.documents d
    where d.id = any (docs) and d.current_revision_id is not null
      and (d.id in (select wanted.id from wanted) or d.folder_id in (select inside.id from inside))
    union
    select s.revision_id, s.start_char, s.end_char from public.sections s
    join wanted on wanted.id = s.id
    join public.documents d on d.current_revision_id = s.revision_id and d.id = any (docs);
end
$$;

create function private.hit_json(c public.chunks) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'chunk_id', c.id, 'document_id', d.id, 'document_name', d.filename, 'revision_id', c.revision_id,
    'ordinal', c.ordinal, 'start', c.start_char, 'end', c.end_char,
    'page_first', c.page_first, 'page_last', c.page_last, 'paged', r.paged,
    'section_id', s.id, 'section_label', s.label, 'section_title', s.title, 'text', c.text
  )
  from public.documents d
  join public.document_revisions r on r.id = c.revision_id
  left join public.sections s on s.id = c.section_id
  where d.id = c.document_id
$$;

-- Exact scan over the narrow table. Every part of a chunk counts, the nearest decides.
create function private.nearest(
  revisions uuid[], chunk_ids uuid[], query_embedding extensions.vector, wanted_model text, wanted_count integer
) returns jsonb
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return (
    with best as (
      select e.chunk_id, min(e.embedding operator(extensions.<=>) query_embedding) as distance
      from public.chunk_embeddings e
      where e.revision_id = any (revisions) and e.model = wanted_model
        and (chunk_ids is null or e.chunk_id = any (chunk_ids))
      group by e.chunk_id
      order by distance, e.chunk_id
      limit wanted_count
    )
    select coalesce(jsonb_agg(
      private.hit_json(c) || jsonb_build_object('similarity', 1 - best.distance) order by best.distance, best.chunk_id
    ), '[]')
    from best join public.chunks c on c.id = best.chunk_id
  );
end
$$;

create function private.chunk_ids(hits jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$ select coalesce(jsonb_agg(h -> 'chunk_id'), '[]') from jsonb_array_elements(hits) as h $$;

create function public.match_document_embeddings(
  matter_id text, query_embedding text, model text, match_count integer default 10, within jsonb default null
) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  m public.matters := private.open_matter(matter_id);
  revisions uuid[];
  chunk_ids uuid[];
  result jsonb;
begin
  select array_agg(distinct s.revision_id) into revisions from private.scope(m, within) s;
  if exists (select from private.scope(m, within) s where s.span_start > 0 or s.span_end < 2147483647) then
    chunk_ids := array(
      select c.id from private.scope(m, within) s
      join public.chunks c on c.revision_id = s.revision_id and c.start_char < s.span_end and c.end_char > s.span_start
    );
  end if;
  result := private.nearest(
    revisions, chunk_ids, query_embedding::extensions.vector, model, private.row_limit(match_count));
  perform private.audit('match_document_embeddings', m, null,
    jsonb_build_object('model', model, 'within', within, 'chunks', private.chunk_ids(result)));
  return result;
end
$$;

create function public.nearest_chunks(
  document_id text, query_embedding text, model text, match_count integer default 10
) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  d public.documents := private.open_readable(document_id);
  result jsonb;
begin
  result := private.nearest(
    array[d.current_revision_id], null, query_embedding::extensions.vector, model, private.row_limit(match_count));
  perform private.audit('nearest_chunks', private.matter_of(d), d.id,
    jsonb_build_object('model', model, 'chunks', private.chunk_ids(result)));
  return result;
end
$$;

-- The query's words as the text index knows them, each as its own tsquery. Stop words drop out.
create function private.lexemes(query text) returns table (lexeme text, needle tsquery)
language sql stable
set search_path = ''
as $$
  select w.lexeme, ('''' || replace(replace(w.lexeme, '\', '\\'), '''', '''''') || '''')::tsquery
  from unnest(to_tsvector('pg_catalog.english', query)) as w
  order by w.lexeme collate "C"
  limit 64
$$;

-- Okapi's inverse document frequency; document here means passage.
create function private.idf(total bigint, matching bigint) returns double precision
language sql immutable
set search_path = ''
as $$ select ln(1 + (total - matching + 0.5) / (matching + 0.5)) $$;

-- Work is bounded: words are taken from the rarest on until some 2,000 passages are candidates, and only those are ranked,
-- by all the words. ts_rank without its own weighting saturates with the number of occurrences.
create function public.search_chunks(
  matter_id text, query text, match_count integer default 10, within jsonb default null
) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
set work_mem = '64MB'
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  with spans as materialized (
    select s.revision_id, s.span_start, s.span_end from private.scope(m, within) s
  ), readable as materialized (
    select c.id, c.tsv from public.chunks c
    where c.revision_id = any (array(select spans.revision_id from spans))
      and exists (
        select from spans s
        where s.revision_id = c.revision_id and c.start_char < s.span_end and c.end_char > s.span_start
      )
  ), total as (
    select count(*) as n from readable
  ), frequency as materialized (
    select l.lexeme, l.needle, count(*) as df
    from private.lexemes(query) l join readable on readable.tsv @@ l.needle
    group by l.lexeme, l.needle
  ), words as materialized (
    select f.lexeme, f.needle, private.idf(total.n, f.df) as idf,
      coalesce(sum(f.df) over (order by f.df, f.lexeme collate "C" rows between unbounded preceding and 1 preceding), 0) as before
    from frequency f, total
  ), candidates as materialized (
    select distinct hit.id from words w,
      lateral (select readable.id from readable where readable.tsv @@ w.needle order by readable.id limit 2000) hit
    where w.before < 2000
  ), ranked as (
    select readable.id, sum(w.idf * ts_rank(readable.tsv, w.needle)) as score
    from candidates join readable using (id) join words w on readable.tsv @@ w.needle
    group by readable.id
    order by score desc, readable.id
    limit private.row_limit(match_count)
  )
  select coalesce(jsonb_agg(
    private.hit_json(c) || jsonb_build_object('rank', ranked.score) order by ranked.score desc, ranked.id
  ), '[]') into result
  from ranked join public.chunks c on c.id = ranked.id;
  perform private.audit('search_chunks', m, null,
    jsonb_build_object('query', query, 'within', within, 'chunks', private.chunk_ids(result)));
  return result;
end
$$;

-- Lines of a text, gathered into passages of about 1,000 characters with their offsets.
create function private.passages(text text) returns table (span_start integer, span_end integer, passage text)
language sql immutable
set search_path = ''
as $$
  with lines as (
    select t.line, t.n, (sum(length(t.line) + 1) over (order by t.n) - length(t.line) - 1)::integer as start_char
    from string_to_table(text, E'\n') with ordinality as t (line, n)
  )
  select min(l.start_char), max(l.start_char + length(l.line)), string_agg(l.line, E'\n' order by l.n)
  from lines l group by l.start_char / 1000
$$;

create function public.search_revision_text(matter_id text, query text, match_count integer default 10) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  with passages as materialized (
    select d.id as document_id, d.filename, r.id as revision_id, r.paged, p.span_start, p.span_end, p.passage,
      to_tsvector('pg_catalog.english', p.passage) as tsv
    from public.documents d
    join public.document_revisions r on r.id = d.current_revision_id and r.chunk_count = 0
    cross join lateral private.passages(r.text) p
    where d.id = any (array(select private.readable_documents(m.id)))
  ), words as materialized (
    select l.needle, private.idf((select count(*) from passages), count(*)) as idf
    from private.lexemes(query) l join passages p on p.tsv @@ l.needle
    group by l.needle
  ), ranked as (
    select p.document_id, p.filename, p.revision_id, p.paged, p.span_start, p.span_end, p.passage,
      sum(w.idf * ts_rank(p.tsv, w.needle)) as score
    from passages p join words w on p.tsv @@ w.needle
    group by p.document_id, p.filename, p.revision_id, p.paged, p.span_start, p.span_end, p.passage
    order by score desc, p.document_id, p.span_start
    limit private.row_limit(match_count)
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'document_id', k.document_id, 'document_name', k.filename, 'revision_id', k.revision_id, 'start', k.span_start,
    'end', k.span_end, 'page', private.page_at(k.revision_id, k.span_start), 'paged', k.paged, 'text', k.passage,
    'rank', k.score
  ) order by k.score desc, k.document_id, k.span_start), '[]') into result
  from ranked k;
  perform private.audit('search_revision_text', m, null,
    jsonb_build_object('query', query, 'hits', jsonb_array_length(result)));
  return result;
end
$$;

revoke all on function private.scope, private.hit_json, private.nearest, private.chunk_ids, private.lexemes, private.idf,
  private.passages from public, anon, authenticated;
revoke all on function public.match_document_embeddings, public.nearest_chunks, public.search_chunks,
  public.search_revision_text from public, anon, authenticated, service_role;
grant execute on function public.match_document_embeddings, public.nearest_chunks, public.search_chunks,
  public.search_revision_text to authenticated;
