-- Search inside one matter: passages (chunks), their vectors, and the index of words.
--
-- A search first finds what the caller may read (private.reach) and then reads as the functions' owner, because the indexes are
-- not used under row level security. Results are deterministic and cover current revisions only.
--   Vectors: exact, up to private.exact_components() numbers; above it, codes of one bit per dimension choose the passages that
--   are compared exactly.
--   Words: every word counts by its rarity (IDF) in the matter. Up to private.scan_limit() passages are read one by one; above it
--   an index is read whose keys are matter and word together; above private.exact_limit() the frequency of common words is
--   estimated.
-- A search costs what its matter costs, whatever else the database holds.
--
-- Settings of functions: plan_cache_mode = force_generic_plan keeps one plan where it serves every matter, because planning costs
-- a small matter as much as searching; the plan may be made while the tables are empty, so these functions look rows up by key
-- alone (enable_seqscan = off). Searches by index are planned at every call (force_custom_plan). A setting also holds inside the
-- functions that a function calls.

-- == Private functions: words as keys ==

-- A word in a matter, as a key: two matters have no key in common.
create function private.term(matter uuid, lexeme text) returns bigint
language sql immutable parallel safe
set search_path = ''
as $$ select hashtextextended(lexeme, uuid_hash_extended(matter, 0)) $$;

-- The keys of a passage. The high cost makes the planner read the index instead of computing keys row by row.
create function private.terms(matter uuid, tsv tsvector) returns bigint[]
language sql immutable parallel safe cost 10000
set search_path = ''
as $$
  select coalesce(array_agg(hashtextextended(word.lexeme, seed.value)), '{}')
  from unnest(tsvector_to_array(tsv)) as word (lexeme), uuid_hash_extended(matter, 0) as seed (value)
$$;

-- == Tables ==

-- Passages. The one foreign key is that of the revision, from which all else follows: each further key costs publishing some 5 %.
-- document_id, matter_id and section_id are copies for reading, written once by the worker.
create table public.chunks (
  id uuid primary key,
  revision_id uuid not null references public.document_revisions (id) on delete cascade,
  document_id uuid not null,
  matter_id uuid not null,
  ordinal integer not null,
  start_char integer not null,
  end_char integer not null,
  page_first integer not null,
  page_last integer not null,
  section_id uuid,
  text text not null,
  tsv tsvector generated always as (to_tsvector('pg_catalog.english', text)) stored,
  unique (revision_id, ordinal)
);
-- New keys wait in a list that every look-up reads. At 1 MB (some 1,000 passages) the list costs a search less than 10 ms, and
-- the index costs publishing 0.1 ms a passage; at 256 kB, 0.2 ms.
create index chunks_terms on public.chunks using gin (private.terms(matter_id, tsv)) with (gin_pending_list_limit = 1024);
-- Ids are hashes: the first of them by id are a sample.
create index chunks_matter on public.chunks (matter_id, id);
-- Words are read in every row of a search, the text only in those that are shown: the text is moved out of the row first.
alter table public.chunks alter column tsv set storage main;
-- An index is read alone only where the vacuum has been, and the vacuum empties the list of new keys: it comes after every
-- fiftieth of new rows.
alter table public.chunks set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table public.chunks enable row level security;
create policy "chunk of one of readable_revisions" on public.chunks
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));

-- Vectors. The table is narrow and its vectors are never moved out of the row: an exact search reads this table alone. A long
-- chunk has several parts. Vectors of several models lie side by side and are never compared.
create table public.chunk_embeddings (
  chunk_id uuid not null references public.chunks (id) on delete cascade,
  part integer not null,
  revision_id uuid not null,
  matter_id uuid not null,
  model text not null,
  embedding extensions.vector not null,
  code bit varying not null generated always as (extensions.binary_quantize(embedding)) stored,
  primary key (chunk_id, model, part)
);
alter table public.chunk_embeddings alter column embedding set storage plain;
create index chunk_embeddings_revision on public.chunk_embeddings (revision_id, model);
create index chunk_embeddings_code on public.chunk_embeddings (matter_id, model) include (chunk_id, part, revision_id, code);
-- As for chunks.
alter table public.chunk_embeddings set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table public.chunk_embeddings enable row level security;
create policy "vector of one of readable_revisions" on public.chunk_embeddings
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));

-- The models under which a revision has all its vectors. vector_count: their number when the model was complete.
create table public.revision_vectors (
  revision_id uuid not null references public.document_revisions (id) on delete cascade,
  model text not null,
  completed_at timestamptz not null default now(),
  vector_count integer not null,
  primary key (revision_id, model)
);
alter table public.revision_vectors enable row level security;
create policy "vectors of one of readable_revisions" on public.revision_vectors
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));

-- == Triggers ==

-- Notes the model of a revision when it is published: it is published with its vectors.
create function private.note_vectors() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.revision_vectors (revision_id, model) values (new.id, new.embedding_model) on conflict do nothing;
  return null;
end
$$;
create trigger note_vectors after update of published_at on public.document_revisions
  for each row when (old.published_at is null and new.published_at is not null and new.embedding_model is not null)
  execute function private.note_vectors();

-- Counts the vectors of a model that is complete.
create function private.note_vector_count() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  select count(*) into new.vector_count
  from public.chunk_embeddings e where e.revision_id = new.revision_id and e.model = new.model;
  return new;
end
$$;
create trigger note_vector_count before insert on public.revision_vectors
  for each row execute function private.note_vector_count();

-- == Private functions: limits ==

-- Passages up to which every word of a query is counted.
create function private.exact_limit() returns integer language sql immutable set search_path = '' as $$ select 20000 $$;

-- Numbers in all vectors of a matter up to which all are compared: 26,000 vectors of 384 dimensions, 5,600 of 1,792.
create function private.exact_components() returns integer language sql immutable set search_path = '' as $$ select 10000000 $$;

-- Passages up to which all are read, in place of the index of words.
create function private.scan_limit() returns integer language sql immutable set search_path = '' as $$ select 1000 $$;

-- Passages that are ranked: words choose candidates, from the rarest word on, until there are so many.
create function private.candidate_limit() returns integer language sql immutable set search_path = '' as $$ select 1000 $$;

-- Passages that the codes choose: 3 % of all, and 40 for each that is wanted. With MiniLM's vectors of 100,000 passages, one in
-- 500 of the nearest twenty is not among them.
create function private.code_candidates(passages bigint, wanted_count integer) returns bigint
language sql immutable
set search_path = ''
as $$ select greatest(passages * 3 / 100, 40 * wanted_count) $$;

-- Characters at the beginning of a document in which title and parties stand.
create function private.opening() returns integer language sql immutable set search_path = '' as $$ select 2000 $$;

-- == Private functions: what a search covers ==

-- What a search may read, found once per call. span_…: where sections were named, the spans side by side; null for whole
-- documents.
create type private.reach as (
  revisions uuid[],
  span_revisions uuid[],
  span_starts integer[],
  span_ends integer[],
  passages bigint
);

-- Ids of passages with their scores, best first.
create type private.ranking as (ids uuid[], scores double precision[]);

-- Whether a list of ids names nothing, so that a search covers the whole matter.
create function private.unfiltered(within jsonb) returns boolean
language sql immutable
set search_path = ''
as $$ select within is null or jsonb_typeof(within) <> 'array' or within = '[]' $$;

-- Documents of a matter with their current revisions (null: none yet), or spans of them, that a search may read. within: ids of
-- documents, folders and sections (OR404 for any other); null or an empty list: all.
create function private.scope(m public.matters, within jsonb)
returns table (document_id uuid, revision_id uuid, span_start integer, span_end integer)
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_seqscan = on
as $$
declare
  docs uuid[] := array(select private.readable_documents(m.id));
  missing text;
begin
  if private.unfiltered(within) then
    return query
      select d.id, d.current_revision_id, 0, 2147483647 from public.documents d where d.id = any (docs);
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
    select d.id, d.current_revision_id, 0, 2147483647 from public.documents d
    where d.id = any (docs)
      and (d.id in (select wanted.id from wanted) or d.folder_id in (select inside.id from inside))
    union
    select d.id, s.revision_id, s.start_char, s.end_char from public.sections s
    join wanted on wanted.id = s.id
    join public.documents d on d.current_revision_id = s.revision_id and d.id = any (docs);
end
$$;

-- The same as one value, with the number of passages.
create function private.reach(m public.matters, within jsonb) returns private.reach
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
  if private.unfiltered(within) then
    -- "offset 0" makes the planner look up row by row, by key.
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
  from private.scope(m, within) s where s.revision_id is not null;
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

-- Whether a passage lies in one of the spans.
create function private.in_reach(r private.reach, revision uuid, start_char integer, end_char integer) returns boolean
language sql immutable
set search_path = ''
as $$
  select exists (
    select from unnest(r.span_revisions, r.span_starts, r.span_ends) as s (revision_id, span_start, span_end)
    where s.revision_id = revision and start_char < s.span_end and end_char > s.span_start
  )
$$;

-- The id below which this share (0 to 1) of all ids lies.
create function private.id_below(share double precision) returns uuid
language sql immutable
set search_path = ''
as $$ select (lpad(to_hex(least(floor(share * 4294967296), 4294967295)::bigint), 8, '0') || repeat('0', 24))::uuid $$;

-- == Private functions: shapes ==

-- hit = {chunk_id, document_id, document_name, revision_id, ordinal, start, end, page_first, page_last, paged, section_id,
--   section_label, section_title, text}
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

-- [hit + {score_name: score}, …] of passages, in the order given.
create function private.hits_json(ids uuid[], scores double precision[], score_name text) returns jsonb
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
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

-- Ids of the passages of hits, in order.
create function private.chunk_ids(hits jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$ select jsonb_path_query_array(hits, '$[*].chunk_id') $$;

-- Ids of the documents of hits, in order: the record names the documents that a search has given.
create function private.given(hits jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$ select jsonb_path_query_array(hits, '$[*].document_id') $$;

-- Number of passages of a revision that touch a span.
create function private.chunk_total(revision uuid, span int4range) returns bigint
language sql stable security definer
set search_path = ''
as $$
  select count(*) from public.chunks c
  where c.revision_id = revision and c.start_char < upper(span) and c.end_char > lower(span)
$$;

-- == Private functions: search by vectors ==

-- Ranks all passages of these revisions, exactly. The nearest part of a chunk decides.
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
  -- "offset 0" computes the distances first, so that no vector is carried through the grouping.
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

-- Ranks these passages of these revisions, exactly; chunk_ids null: all of them.
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

-- The passages that are nearest by the codes of their vectors.
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
begin
  return array(
    select e.chunk_id from public.chunk_embeddings e
    where e.matter_id = matter and e.model = wanted_model and (e.revision_id = any (revisions)) is true
    order by e.code operator(extensions.<~>) wanted_code, e.chunk_id, e.part
    limit private.code_candidates(r.passages, wanted_count)
  );
end
$$;

-- Searches by vectors. Returns [hit + {similarity}, …]. The function is stable, so one snapshot serves all its steps: a revision
-- that is replaced meanwhile is found whole or not at all.
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

-- == Private functions: search by words ==

-- The words of a query as the index knows them, each as a tsquery of its own; at most 64. Stop words drop out.
create function private.lexemes(query text) returns table (lexeme text, needle tsquery)
language sql stable
set search_path = ''
as $$
  select w.lexeme, ('''' || replace(replace(w.lexeme, '\', '\\'), '''', '''''') || '''')::tsquery
  from unnest(to_tsvector('pg_catalog.english', query)) as w
  order by w.lexeme collate "C"
  limit 64
$$;

-- Okapi's inverse document frequency, with passages for documents.
create function private.idf(total bigint, matching bigint) returns double precision
language sql immutable
set search_path = ''
as $$ select ln(1 + (total - matching + 0.5) / (matching + 0.5)) $$;

-- Ranks by reading every passage in reach, each once: "offset 0" keeps its words from being read again for every word of the
-- query, and only compressed ones have to be copied for that. ts_rank without its own weighting saturates with the number of
-- occurrences.
create function private.ranked_by_scan(r private.reach, query text, wanted_count integer) returns private.ranking
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

-- Ranks by the index of words. Up to private.exact_limit() passages every word is counted. Above it, a word that a sample shows
-- to be common is counted in the sample, and its candidates are the first by id, which is a sample as well. "is true" keeps the
-- planner from joining the index of revisions to that of words.
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
  sample_end uuid := private.id_below(4096.0 / greatest(r.passages, 1));
begin
  with sample as materialized (
    select case when pg_column_compression(c.tsv) is null then c.tsv else c.tsv || '' end as tsv from public.chunks c
    where sampled and c.matter_id = matter and c.id < sample_end and (c.revision_id = any (r.revisions)) is true
      and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
  ), words as materialized (
    select l.lexeme, l.needle, private.term(matter, l.lexeme) as term,
      (select count(*) filter (where sample.tsv @@ l.needle)::double precision / greatest(count(*), 1) from sample) as share
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
    select distinct on (hit.id) hit.id,
      case when pg_column_compression(hit.tsv) is null then hit.tsv else hit.tsv || '' end as tsv
    from weighted w,
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

-- Searches by words. Returns [hit + {rank}, …].
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

-- Ranks the documents that words name: see named_documents (07_documents.sql).
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
    -- A word that a tenth of all passages have distinguishes no document from another.
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

-- Gathers the lines of a text into passages of about 1,000 characters.
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

-- == Private functions: proof ==

-- [[model, vectors when complete, vectors found, chunks without a vector], …] of a revision.
create function private.vectors_record(r public.document_revisions) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_array(v.model, v.vector_count,
    (select count(*) from public.chunk_embeddings e where e.revision_id = r.id and e.model = v.model),
    (select count(*) from public.chunks c where c.revision_id = r.id and not exists (
      select from public.chunk_embeddings e where e.chunk_id = c.id and e.model = v.model
    ))
  ) order by v.model), '[]')
  from public.revision_vectors v where v.revision_id = r.id
$$;

-- == As the caller (role authenticated) ==

-- Searches a matter by words. Returns [hit + {rank}, …], best first. rank: comparable within one call.
-- within: ids of documents, folders and sections of the matter (OR404 for any other); null: all.
create function public.search_chunks(
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
    jsonb_build_object('query', query, 'within', within, 'chunks', private.chunk_ids(result),
      'given', private.given(result)));
  return result;
end
$$;

-- Searches a matter by a vector. Returns [hit + {similarity}, …], best first. similarity: cosine of the chunk's nearest part.
-- query_embedding: '[0.1,…]'. within as in search_chunks.
create function public.match_document_embeddings(
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
    jsonb_build_object('model', model, 'within', within, 'chunks', private.chunk_ids(result),
      'given', private.given(result)));
  return result;
end
$$;

-- Measures passages that were found by other means against a vector; at most 100. Returns [{chunk_id, similarity}, …], best
-- first. Passages outside the matter, or without vectors of the model, are left out.
create function public.passage_similarities(
  matter_id text, query_embedding text, model text, chunk_ids jsonb
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
  r private.reach := private.reach(m, null);
  wanted uuid[] := array(select private.as_uuid(c.ref) from jsonb_array_elements_text(chunk_ids) as c (ref));
  nearest private.ranking;
begin
  nearest := private.nearest(r.revisions, wanted, query_embedding::extensions.vector, model, 100);
  perform private.audit('passage_similarities', m, null, jsonb_build_object(
    'model', model, 'chunks', to_jsonb(nearest.ids),
    'given', to_jsonb(array(select distinct c.document_id from public.chunks c where c.id = any (nearest.ids)))));
  return (
    select coalesce(jsonb_agg(jsonb_build_object('chunk_id', s.id, 'similarity', s.score) order by s.place), '[]')
    from unnest(nearest.ids, nearest.scores) with ordinality as s (id, score, place)
  );
end
$$;

-- Searches documents that have a text and no passages. Returns [{document_id, document_name, revision_id, start, end, page,
-- paged, text, rank}, …], best first.
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
    jsonb_build_object('query', query, 'hits', jsonb_array_length(result), 'given', private.given(result)));
  return result;
end
$$;

-- Reads passages of a document or section in order, or one passage. Returns {total, chunks: [hit, …]}.
create function public.read_chunks(path_part_id text, match_count integer default 20, skip integer default 0) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  place private.located := private.open_node(path_part_id);
  span int4range := private.span_of(place);
  result jsonb;
begin
  if place.kind not in ('document', 'section', 'passage') then
    perform private.invalid('Only a document, a section or a passage has text of its own.');
  end if;
  if place.kind = 'passage' then
    select jsonb_build_array(private.hit_json(c)) into result from public.chunks c where c.id = place.chunk_id;
  else
    select coalesce(jsonb_agg(private.hit_json(p.c) order by (p.c).ordinal), '[]') into result
    from (
      select c from public.chunks c
      where c.revision_id = place.revision_id and c.start_char < upper(span) and c.end_char > lower(span)
      order by c.ordinal limit private.row_limit(match_count) offset greatest(coalesce(skip, 0), 0)
    ) p;
  end if;
  perform private.audit('read_chunks', private.matter_at(place), place.document_id,
    jsonb_build_object('id', path_part_id, 'skip', skip, 'chunks', private.chunk_ids(result)));
  return jsonb_build_object('chunks', result, 'total',
    case place.kind when 'passage' then 1 else private.chunk_total(place.revision_id, span) end);
end
$$;

-- Reads a passage and those around it. Returns {total, anchor, chunks: [hit, …], section: section + {chunk_count} | null}.
-- around: passages on each side, 1 to 10. anchor: the passage's ordinal.
create function public.neighbours(chunk_id text, around integer default 1) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  place private.located := private.open_node(chunk_id);
  anchor public.chunks;
  result jsonb;
begin
  if place.kind <> 'passage' then
    perform private.invalid('That is not the id of a passage.');
  end if;
  select c.* into anchor from public.chunks c where c.id = place.chunk_id;
  around := least(greatest(coalesce(around, 1), 1), 10);
  select jsonb_agg(private.hit_json(c) order by c.ordinal) into result from public.chunks c
  where c.revision_id = anchor.revision_id and c.ordinal between anchor.ordinal - around and anchor.ordinal + around;
  perform private.audit('neighbours', private.matter_at(place), place.document_id,
    jsonb_build_object('chunk_id', place.chunk_id, 'chunks', private.chunk_ids(result)));
  return jsonb_build_object(
    'anchor', anchor.ordinal, 'chunks', result,
    'total', (select r.chunk_count from public.document_revisions r where r.id = anchor.revision_id),
    'section', (
      select private.section_json(s) || jsonb_build_object(
        'chunk_count', private.chunk_total(s.revision_id, int4range(s.start_char, s.end_char)))
      from public.sections s where s.id = anchor.section_id
    )
  );
end
$$;

-- Lists documents in reach of a search that lack vectors of a model, in the order of upload: words alone find them.
-- Returns [document id, …]. Not recorded: it tells nothing that list_documents does not tell.
create function public.documents_without_vectors(matter_id text, model text, within jsonb default null) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
begin
  return (
    select coalesce(jsonb_agg(d.id order by d.upload_order), '[]')
    from public.documents d join public.document_revisions r on r.id = d.current_revision_id
    where d.current_revision_id = any (array(select s.revision_id from private.scope(m, within) s))
      and r.chunk_count > 0
      and not exists (
        select from public.revision_vectors v
        where v.revision_id = r.id and v.model = documents_without_vectors.model
      )
  );
end
$$;

-- == As the worker (service_role) ==

-- Lists current revisions that lack a model, in the order of upload. matter_id: an id; null: every matter. after: an
-- upload_order.
-- Returns [{document_id, filename, upload_order, revision_id, chunk_count}, …].
create function public.revisions_to_embed(model text, matter_id text default null, after bigint default 0, row_count integer default 100)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(x) order by x.upload_order), '[]')
    from (
      select d.id as document_id, d.filename, d.upload_order, r.id as revision_id, r.chunk_count
      from public.documents d join public.document_revisions r on r.id = d.current_revision_id
      where d.deleted_at is null and r.chunk_count > 0 and d.upload_order > revisions_to_embed.after
        and (revisions_to_embed.matter_id is null or d.matter_id = private.as_uuid(revisions_to_embed.matter_id))
        and not exists (
          select from public.revision_vectors v where v.revision_id = r.id and v.model = revisions_to_embed.model
        )
      order by d.upload_order
      limit private.row_limit(row_count)
    ) x
  );
end
$$;

-- Lists passages of a revision without a vector of a model, in order. Returns [{id, text}, …].
create function public.chunks_to_embed(revision_id text, model text, row_count integer default 100) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', x.id, 'text', x.text) order by x.ordinal), '[]')
    from (
      select c.id, c.text, c.ordinal from public.chunks c
      where c.revision_id = private.as_uuid(chunks_to_embed.revision_id)
        and not exists (
          select from public.chunk_embeddings e where e.chunk_id = c.id and e.model = chunks_to_embed.model
        )
      order by c.ordinal
      limit private.row_limit(row_count)
    ) x
  );
end
$$;

-- Adds vectors of a model: rows of {chunk_id, part, embedding}, all parts of a chunk at once. Existing vectors stay; passages
-- that are missing are passed over. Returns the number added.
create function public.add_embeddings(revision_id text, model text, "rows" jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  added integer;
begin
  insert into public.chunk_embeddings (chunk_id, part, revision_id, matter_id, model, embedding)
  select c.id, (x ->> 'part')::integer, c.revision_id, c.matter_id, add_embeddings.model,
    (x ->> 'embedding')::extensions.vector
  from jsonb_array_elements("rows") x
  join public.chunks c on c.id = private.as_uuid(x ->> 'chunk_id') and c.revision_id = private.as_uuid(add_embeddings.revision_id)
  on conflict on constraint chunk_embeddings_pkey do nothing;
  get diagnostics added = row_count;
  return to_jsonb(added);
end
$$;

-- Notes that a revision has all its vectors of a model. Returns whether it is current and has them.
create function public.complete_embedding(revision_id text, model text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r uuid := private.as_uuid(complete_embedding.revision_id);
begin
  -- The lock keeps the document from getting another revision until the transaction ends.
  perform from public.documents d where d.current_revision_id = r and d.deleted_at is null for share;
  if not found or exists (
    select from public.chunks c
    where c.revision_id = r and not exists (
      select from public.chunk_embeddings e where e.chunk_id = c.id and e.model = complete_embedding.model
    )
  ) then
    return to_jsonb(false);
  end if;
  insert into public.revision_vectors (revision_id, model) values (r, complete_embedding.model) on conflict do nothing;
  return to_jsonb(true);
end
$$;

-- Deletes the vectors of other models, of at most row_count revisions that have all of this one. Returns {documents, vectors}.
-- Call it until documents is 0.
create function public.drop_other_vectors(model text, matter_id text default null, row_count integer default 100) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  revisions uuid[] := array(
    select kept.revision_id from public.revision_vectors kept
    join public.documents d on d.current_revision_id = kept.revision_id
    where kept.model = drop_other_vectors.model
      and (drop_other_vectors.matter_id is null or d.matter_id = private.as_uuid(drop_other_vectors.matter_id))
      and exists (
        select from public.revision_vectors other
        where other.revision_id = kept.revision_id and other.model <> kept.model
      )
    order by kept.revision_id
    limit private.row_limit(row_count)
  );
  dropped integer;
begin
  delete from public.chunk_embeddings e where e.revision_id = any (revisions) and e.model <> drop_other_vectors.model;
  get diagnostics dropped = row_count;
  delete from public.revision_vectors v where v.revision_id = any (revisions) and v.model <> drop_other_vectors.model;
  return jsonb_build_object('documents', cardinality(revisions), 'vectors', dropped);
end
$$;

-- == Privileges ==

revoke all on public.chunks, public.chunk_embeddings, public.revision_vectors from anon, authenticated, service_role;
grant all on public.chunks, public.chunk_embeddings, public.revision_vectors to service_role;
revoke all on function private.term, private.terms, private.note_vectors, private.note_vector_count, private.exact_limit,
  private.exact_components, private.scan_limit, private.candidate_limit, private.code_candidates, private.opening,
  private.unfiltered, private.scope, private.reach, private.in_reach, private.id_below, private.hit_json, private.hits_json, private.chunk_ids,
  private.given, private.chunk_total, private.nearest_of_all, private.nearest, private.near_by_code, private.embedding_hits,
  private.lexemes, private.idf, private.ranked_by_scan, private.ranked_by_index, private.keyword_hits, private.documents_named,
  private.passages, private.vectors_record from public, anon, authenticated;
-- Writing a passage computes its keys.
grant execute on function private.terms to service_role;
revoke all on function public.search_chunks, public.match_document_embeddings, public.passage_similarities,
  public.search_revision_text, public.read_chunks, public.neighbours, public.documents_without_vectors,
  public.revisions_to_embed, public.chunks_to_embed, public.add_embeddings, public.complete_embedding, public.drop_other_vectors
  from public, anon, authenticated, service_role;
grant execute on function public.search_chunks, public.match_document_embeddings, public.passage_similarities,
  public.search_revision_text, public.read_chunks, public.neighbours, public.documents_without_vectors to authenticated;
grant execute on function public.revisions_to_embed, public.chunks_to_embed, public.add_embeddings, public.complete_embedding,
  public.drop_other_vectors to service_role;
