-- What was asked about a document stays with those who may read it (20261123010100), also when its passages are gone, because it was
-- taken in anew or purged, and also for searches that are recorded without passages. An entry names the documents that were given, in
-- `given` of its detail: documents' ids outlive their passages, and receipts the documents.
--
-- Shapes as in 20261120090600 and 20261121040000 (searches), 20261121070000 (matter_texts, find_by_name), 20261121070200 (search_visuals),
-- 20261122030100 (page_documents), 20261122040000 (passage_similarities), 20261123010100 (replay_run). matter_texts gives whole
-- documents, so that a search for words names all that it went through. page_documents names them where a name was asked for.

-- Documents of hits, in their order.
create function private.given(hits jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$ select jsonb_path_query_array(hits, '$[*].document_id') $$;

-- Whether one of some documents is, or was, in a matter; without a matter, in any.
create function private.any_hidden_in(matter uuid, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select matter is null
    or exists (select from public.documents d where d.id = any (documents) and d.matter_id = matter)
    or exists (select from public.receipts x where x.document_id = any (documents) and x.matter_id = matter)
$$;

-- Matters of the caller, and workspaces, also outside their conversations.
create function private.my_matters_and_workspaces() returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select private.my_matter_ids()
  union
  select m.id from public.matters m join public.matter_members mm on mm.matter_id = m.id
  where m.kind = 'workspace' and mm.user_id = (select auth.uid())
$$;

-- Whether an entry looked for a file by the name or content of one of some documents.
create function private.looked_for(a public.audit_log, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from public.documents d where d.id = any (documents) and d.matter_id = a.matter_id and (
      lower(d.filename) = lower(a.detail ->> 'filename')
      or exists (select from public.document_files f where f.document_id = d.id and f.sha256 = a.detail ->> 'sha256')
    )
  ) or exists (
    select from public.receipts x where x.document_id = any (documents) and x.matter_id = a.matter_id
      and (lower(x.filename) = lower(a.detail ->> 'filename') or x.sha256 = a.detail ->> 'sha256')
  )
$$;

-- Whether an entry that does not name what it gave may have given one of some documents: passages of it, or, where passages are gone
-- or were never named, any document of its matter.
create function private.may_have_given(a public.audit_log, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from jsonb_path_query(a.detail, '$.chunks[*] ? (@.type() == "string")') hit (id)
    left join lateral (select c.id, c.document_id from public.chunks c where c.id = private.as_uuid(hit.id #>> '{}') offset 0) c on true
    where c.document_id = any (documents) or (c.id is null and private.any_hidden_in(a.matter_id, documents))
  ) or (
    (
      a.action in ('matter_texts', 'search_revision_text', 'search_visuals', 'named_documents', 'find_by_name')
      or (a.action = 'page_documents' and a.detail ->> 'name_like' is not null)
    )
    and coalesce(a.detail ->> 'documents', a.detail ->> 'hits', a.detail ->> 'pages', a.detail ->> 'total') <> '0'
    and private.any_hidden_in(a.matter_id, documents)
  )
$$;

-- Whether a search for names, which is in nobody's matter, found a document in a matter that is not the caller's.
create function private.found_elsewhere(a public.audit_log) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from jsonb_array_elements_text(a.detail -> 'given') given (id)
    cross join lateral (
      select d.matter_id from public.documents d where d.id = given.id::uuid
      union all
      select x.matter_id from public.receipts x where x.document_id = given.id::uuid
    ) found
    where found.matter_id not in (select private.my_matters_and_workspaces())
  )
$$;

-- Whether an entry is about one of some documents that are kept from the caller, quotes one, looks for one, or gives one or passages of
-- one; or found one elsewhere. Asked of every entry: what few entries need stands in functions of its own.
create or replace function private.entry_touches(a public.audit_log, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select (cardinality(documents) > 0 and (
    coalesce(a.document_id = any (documents), false)
    or exists (
      select from jsonb_path_query(a.detail, '$.citations[*].document_id') c (id) where private.as_uuid(c.id #>> '{}') = any (documents)
    )
    or exists (
      select from jsonb_path_query(a.detail, '$.given[*]') given (id) where (given.id #>> '{}')::uuid = any (documents)
    )
    or (a.action = 'find_duplicates' and private.looked_for(a, documents))
    or (a.document_id is null and not a.detail ? 'given' and private.may_have_given(a, documents))
  ))
  or (a.action = 'find_by_name' and private.found_elsewhere(a))
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
    jsonb_build_object('query', query, 'within', within, 'chunks', private.chunk_ids(result),
      'given', private.given(result)));
  return result;
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
    jsonb_build_object('model', model, 'within', within, 'chunks', private.chunk_ids(result),
      'given', private.given(result)));
  return result;
end
$$;

create or replace function public.passage_similarities(
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

create or replace function public.search_revision_text(matter_id text, query text, match_count integer default 10) returns jsonb
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

create or replace function public.search_visuals(matter_id text, query text, match_count integer default 10) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  with readable as materialized (
    select v.*, d.id as document_id, d.filename, d.upload_order from public.documents d
    join private.page_visuals v on v.revision_id = d.current_revision_id
    where d.id = any (array(select private.readable_documents(m.id)))
  ), words as materialized (
    select l.needle, private.idf((select count(*) from readable), count(*)) as idf
    from private.lexemes(query) l join readable v on v.tsv @@ l.needle
    group by l.lexeme, l.needle
  ), ranked as (
    select v.revision_id, v.ordinal, sum(w.idf * ts_rank(v.tsv, w.needle)) as score
    from readable v join words w on v.tsv @@ w.needle
    group by v.revision_id, v.ordinal
  ), best as (
    select distinct on (v.revision_id, v.page) v.*, r.score
    from ranked r join readable v on v.revision_id = r.revision_id and v.ordinal = r.ordinal
    order by v.revision_id, v.page, r.score desc, v.ordinal
  ), top as (
    select b.* from best b order by b.score desc, b.upload_order, b.page limit private.row_limit(match_count)
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'document_id', t.document_id, 'document_name', t.filename, 'revision_id', t.revision_id, 'page', t.page,
    'kinds', (select jsonb_agg(distinct x.kind) from readable x where x.revision_id = t.revision_id and x.page = t.page),
    'box', to_jsonb(t.box), 'caption', t.caption, 'words', t.words, 'rank', t.score
  ) order by t.score desc, t.upload_order, t.page), '[]') into result
  from top t;
  perform private.audit('search_visuals', m, null,
    jsonb_build_object('query', query, 'pages', jsonb_array_length(result), 'given', private.given(result)));
  return result;
end
$$;

create or replace function public.matter_texts(
  matter_id text, query text, after bigint default 0, max_chars integer default 2000000, within jsonb default null
) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  m public.matters := private.open_matter(matter_id);
  scope jsonb;
  result jsonb;
  going_on bigint;
begin
  with inside as materialized (
    select s.revision_id, bool_or(s.span_end = 2147483647 and s.span_start = 0) as whole,
      jsonb_agg(jsonb_build_array(s.span_start, s.span_end) order by s.span_start, s.span_end) as spans
    from private.scope(m, within) s group by s.revision_id
  ), coming as (
    select d.id, d.filename, d.upload_order, r.id as revision_id, r.paged, r.text, r.char_count,
      case when i.whole then null else i.spans end as spans,
      sum(r.char_count) over (order by d.upload_order) - r.char_count as before,
      row_number() over (order by d.upload_order) as n
    from inside i
    join public.document_revisions r on r.id = i.revision_id
    join public.documents d on d.id = r.document_id
    where d.upload_order > coalesce(after, 0)
  ), taken as materialized (
    select c.* from coming c where c.n = 1 or c.before + c.char_count <= least(greatest(max_chars, 1), 20000000)
  )
  select coalesce(jsonb_agg(jsonb_build_object(
      'document_id', t.id, 'document_name', t.filename, 'revision_id', t.revision_id, 'paged', t.paged, 'text', t.text,
      'spans', t.spans
    ) order by t.upload_order), '[]'),
    case when count(*) < (select count(*) from coming) then max(t.upload_order) end,
    (select jsonb_build_object('total', count(*)) from inside)
  into result, going_on, scope
  from taken t;
  perform private.audit('matter_texts', m, null,
    jsonb_build_object('query', query, 'within', within, 'documents', jsonb_array_length(result),
      'given', private.given(result)));
  return scope || jsonb_build_object('next', going_on, 'documents', result);
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
  perform private.audit('named_documents', m, null,
    jsonb_build_object('words', words, 'documents', jsonb_array_length(result), 'given', private.given(result)));
  return result;
end
$$;

create or replace function public.find_by_name(
  name text, kind text default null, match_count integer default 20, skip integer default 0
) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  me public.profiles := private.caller();
  wanted text := lower(btrim(find_by_name.name));
  mine uuid[] := array(select private.my_matter_ids());
  result jsonb;
begin
  if coalesce(wanted, '') = '' then
    perform private.invalid('Give the name, or a part of it.');
  end if;
  if find_by_name.kind is not null and find_by_name.kind not in ('FOLDER', 'DOCUMENT') then
    perform private.invalid('kind is FOLDER or DOCUMENT.');
  end if;
  with matching as materialized (
    select 0 as rank, lower(m.number || ' ' || m.title) as label, m.id, m, null::public.folders as f, null::public.documents as d
    from public.matters m
    where m.id = any (mine) and find_by_name.kind is distinct from 'DOCUMENT'
      and position(wanted in lower(m.number || ' ' || m.title)) > 0
    union all
    select 1, lower(f.name), f.id, m, f, null::public.documents
    from public.folders f join public.matters m on m.id = f.matter_id
    where f.matter_id = any (mine) and find_by_name.kind is distinct from 'DOCUMENT' and position(wanted in lower(f.name)) > 0
    union all
    select 2, lower(d.filename), d.id, m, null::public.folders, d
    from public.documents d join public.matters m on m.id = d.matter_id
    where d.id = any (array(select private.readable_documents())) and find_by_name.kind is distinct from 'FOLDER'
      and position(wanted in lower(d.filename)) > 0
  ), page as (
    select k.*, row_number() over (
      order by (k.label = wanted) desc, (position(wanted in k.label) = 1) desc, k.rank, k.label collate "C", k.id
    ) as n
    from matching k order by n limit private.row_limit(match_count) offset greatest(coalesce(skip, 0), 0)
  )
  select jsonb_build_object('total', (select count(*) from matching), 'items', (
    select coalesce(jsonb_agg(
      case p.rank when 0 then private.matter_item(p.m) when 1 then private.folder_item(p.f) else private.document_item(p.d) end
      || jsonb_build_object('matter_number', (p.m).number, 'folders', private.folders_json(
        case p.rank when 1 then (p.f).parent_id when 2 then (p.d).folder_id end))
      order by p.n
    ), '[]') from page p
  )) into result;
  perform private.audit('find_by_name', null, null,
    jsonb_build_object('name', find_by_name.name, 'kind', find_by_name.kind, 'total', result -> 'total',
      'given', jsonb_path_query_array(result, '$.items[*] ? (@.kind == "document").id')));
  return result;
end
$$;

create or replace function public.page_documents(
  matter_ref text, name_like text default null, content_type text default null, folder_id text default null,
  sort text default 'uploaded', descending boolean default false, match_count integer default 100,
  skip integer default 0
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  folder uuid := case when page_documents.folder_id <> 'top' then private.open_folder(m, page_documents.folder_id) end;
  result jsonb;
begin
  if coalesce(sort, '') not in ('uploaded', 'name', 'size', 'type', 'status') then
    perform private.invalid('Documents are sorted by uploaded, name, size, type or status.');
  end if;
  with matching as (
    select d from public.documents d
    where d.id = any (array(select private.readable_documents(m.id)))
      and (name_like is null or d.filename ilike name_like)
      and (page_documents.content_type is null or starts_with(lower(d.content_type), lower(page_documents.content_type)))
      and (page_documents.folder_id is null or d.folder_id is not distinct from folder)
  ), ranked as (
    select x.d, row_number() over (order by
      case when sort = 'size' and not descending then (x.d).size_bytes end,
      case when sort = 'size' and descending then -(x.d).size_bytes end,
      case when not descending then x.words end, case when descending then x.words end desc,
      case when sort = 'uploaded' and descending then -(x.d).upload_order else (x.d).upload_order end
    ) as n
    from (
      select y.d, case sort when 'name' then lower((y.d).filename) when 'type' then (y.d).content_type
        when 'status' then (y.d).status end collate "C" as words
      from matching y
    ) x
  )
  select jsonb_build_object(
    'matter', private.matter_json(m), 'total', (select count(*) from ranked),
    'documents', coalesce((
      select jsonb_agg(private.document_json(p.d) order by p.n) from ranked p
      where p.n > greatest(coalesce(skip, 0), 0)
        and p.n <= greatest(coalesce(skip, 0), 0)::bigint + least(greatest(coalesce(match_count, 100), 1), 1000)
    ), '[]')
  ) into result;
  perform private.audit('page_documents', m, null, jsonb_build_object('total', result -> 'total', 'name_like', name_like)
    || case when name_like is null then '{}' else jsonb_build_object('given', jsonb_path_query_array(result, '$.documents[*].id')) end);
  return result;
end
$$;

create or replace function public.replay_run(run_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  mine uuid[] := array(select private.my_matter_ids());
  answer public.audit_log;
  touched uuid[];
  readable uuid[];
  hidden uuid[];
  withheld boolean;
  result jsonb;
begin
  select a.* into answer from public.audit_log a
  where a.detail ? 'run' and a.detail ->> 'run' = run_id and a.action = 'answer' order by a.id desc limit 1;
  select array_agg(distinct a.matter_id) into touched from public.audit_log a
  where a.detail ? 'run' and a.detail ->> 'run' = run_id and a.user_id = answer.user_id and a.matter_id is not null;
  if answer.id is null or not coalesce(touched, '{}') <@ mine or (
    answer.user_id <> me.user_id and (touched is null or exists (
      select from unnest(touched) t (id) where not exists (
        select from public.matter_members mm where mm.matter_id = t.id and mm.user_id = me.user_id and mm.role = 'owner'
      )
    ))
  ) then
    perform private.not_found('run', run_id);
  end if;
  readable := array(select d from unnest(touched) t (id), private.readable_documents(t.id) d);
  hidden := array(select private.hidden_documents(mine));
  withheld := exists (
    select from public.audit_log a
    where a.detail ? 'run' and a.detail ->> 'run' = run_id and a.user_id = answer.user_id and private.entry_touches(a, hidden)
  );
  with entries as (
    select a.* from public.audit_log a
    where a.detail ? 'run' and a.detail ->> 'run' = run_id and a.user_id = answer.user_id
  ), cited as (
    select distinct c ->> 'document_id' as document, c ->> 'revision_id' as revision, (c ->> 'start')::integer as s, (c ->> 'end')::integer as e
    from entries a, jsonb_array_elements(a.detail -> 'citations') c where a.action = 'answer'
  ), passages as (
    select chunk.id, min(a.id) as first
    from entries a, jsonb_array_elements_text(a.detail -> 'chunks') chunk (id)
    where jsonb_typeof(a.detail -> 'chunks') = 'array' group by chunk.id
  )
  select jsonb_build_object(
    'run', run_id, 'thread', answer.detail -> 'thread', 'user_id', answer.user_id,
    'email', (select u.email from auth.users u where u.id = answer.user_id), 'at', answer.at,
    'question', case when not withheld then answer.detail -> 'question' end, 'model', answer.detail -> 'model', 'answer_sha256', answer.detail -> 'answer_sha256',
    'matters', (
      select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'number', m.number, 'title', m.title) order by m.number), '[]')
      from public.matters m where m.id = any (touched)
    ),
    'citations', (
      select coalesce(jsonb_agg(private.place_json(private.as_uuid(c.document), private.as_uuid(c.revision), c.s, c.e, readable)), '[]') from cited c
    ),
    'passages', (
      select coalesce(jsonb_agg(
        private.place_json(c.document_id, c.revision_id, c.start_char, c.end_char, readable) || jsonb_build_object('chunk_id', p.id)
        order by p.first, p.id
      ), '[]')
      from passages p left join public.chunks c on c.id = private.as_uuid(p.id)
    ),
    'entries', (select jsonb_agg(private.entry_json(e, readable, withheld) || jsonb_build_object('matter_id', e.matter_id) order by e.id) from entries e)
  ) into result;
  perform private.audit('replay_run', m, null, jsonb_build_object('replayed', run_id))
  from public.matters m where m.id = any (touched);
  if touched is null then
    perform private.audit('replay_run', null, null, jsonb_build_object('replayed', run_id));
  end if;
  return result;
end
$$;

revoke all on function private.given, private.any_hidden_in, private.my_matters_and_workspaces, private.looked_for,
  private.may_have_given, private.found_elsewhere from public, anon, authenticated;
