-- As the caller (role authenticated): finding the way from matter to folder to document to section to passage.
-- An id may be of any of them, or of a citation; a matter also goes by its number. What may not be seen is not found.
--
--   get_node(path_part_id)          {kind, id, parent_id, current, matter, folders, document, sections, passage, citation, span}
--     kind: matter | folder | document | section | passage | citation; parent_id: of what holds it, null for a matter
--     matter as get_matter; folders: [{id, name}, …] from the matter down to the node
--     document as get_document, without its file's key; sections: [section, …] from the outermost to the node
--     passage: {id, ordinal, section_id}; citation as get_citation; span: {start, end, char_count, chunk_count} of a section
--     or passage; current: false where an id belongs to an earlier version of its document
--   list_contents(path_part_id = null, match_count = 20, skip = 0)   {node | null, total, items: [item, …]}; null: the matters
--     item = {kind: matter | folder | document, id, name, …}: a matter with {number, title, document_count, archived}, a folder
--            with {folder_count, document_count}, a document with {content_type, status, status_reason, page_count, paged,
--            char_count, chunk_count, size_bytes}; folders before documents, each by name. OR400 for what holds nothing of the kind
--   find_by_name(name, kind = null, match_count = 20, skip = 0)      {total, items: [item + {matter_number, folders}, …]}
--     every matter of the caller; part of a name in any case; kind: FOLDER (matters too) | DOCUMENT
--   document_contents(document_id)  {document, sections: [section, …], passages: [[start, end], …] in order}
--   read_chunks(path_part_id, match_count = 20, skip = 0)            {total, chunks: [hit, …]}; of a document, section or passage
--   neighbours(chunk_id, around = 1)   {total, anchor, chunks: [hit, …], section + {chunk_count} | null}; anchor: ordinal
--   matter_texts(matter_id, query, after = 0, max_chars = 2000000, within = null)
--                                   {total, next, documents: [{document_id, document_name, revision_id, paged, text, spans}]}
--                                   in upload order; next: the `after` that goes on, null at the end; spans: [[start, end], …] to
--                                   look at, null for all; query is recorded. At least one document, then as many as fit
--   locate_spans(document_id, revision_id, spans)    [{start, end, page_first, page_last, paged, section_id, section_label,
--                                   section_title, chunk_id | null}, …]; OR404 for a revision that is not the document's
--   create_folder(matter_ref, name, parent_id = null)   folder = {id, matter_id, parent_id, name}
--   rename_folder(folder_id, name)   move_folder(folder_id, parent_id = null)   delete_folder(folder_id): only an empty one
--   move_document(document_id, folder_id = null)        document as get_document; null: to the top of its matter

create type private.located as (
  kind text, matter_id uuid, folder_id uuid, document_id uuid, revision_id uuid, section_id uuid, chunk_id uuid, citation_id uuid
);

-- The innermost folder first.
create function private.folder_chain(folder uuid) returns table (id uuid, name text, depth integer)
language sql stable security definer
set search_path = ''
as $$
  with recursive up as (
    select f.id, f.name, f.parent_id, 0 as depth from public.folders f where f.id = folder
    union all
    select f.id, f.name, f.parent_id, up.depth + 1 from public.folders f join up on f.id = up.parent_id
  )
  select up.id, up.name, up.depth from up
$$;

create function private.folders_json(folder uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name) order by c.depth desc), '[]')
  from private.folder_chain(folder) c
$$;

create function private.section_json(s public.sections) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', s.id, 'ordinal', s.ordinal, 'parent', s.parent, 'level', s.level, 'label', s.label, 'title', s.title,
    'start', s.start_char, 'end', s.end_char, 'page_first', s.page_first, 'page_last', s.page_last
  )
$$;

-- From the outermost section to the one given.
create function private.section_chain_json(section uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with recursive up as (
    select s.id, s.revision_id, s.parent, 0 as depth from public.sections s where s.id = section
    union all
    select s.id, s.revision_id, s.parent, up.depth + 1
    from public.sections s join up on s.revision_id = up.revision_id and s.ordinal = up.parent
  )
  select coalesce(jsonb_agg(private.section_json(s) order by up.depth desc), '[]')
  from up join public.sections s on s.id = up.id
$$;

-- Where an id of any kind belongs; kind is null when it is not there or not the caller's to see.
create function private.locate(ref text) returns private.located
language plpgsql stable security definer
set search_path = ''
as $$
declare
  wanted uuid := private.as_uuid(btrim(ref));
  place private.located;
  mine uuid[];
begin
  perform private.caller();
  mine := array(select private.my_matter_ids());
  select 'matter', m.id into place.kind, place.matter_id from public.matters m
  where m.id = any (mine) and (m.id = wanted or lower(m.number) = lower(btrim(ref)))
  order by (m.id = wanted) desc nulls last limit 1;
  if found or wanted is null then
    return place;
  end if;
  select 'folder', f.matter_id, f.id into place.kind, place.matter_id, place.folder_id from public.folders f
  where f.id = wanted and f.matter_id = any (mine);
  if found then
    return place;
  end if;
  select o.kind, d.matter_id, d.folder_id, d.id, o.revision_id, o.section_id, o.chunk_id, o.citation_id into place
  from (
    select 'document' as kind, x.id as document_id, x.current_revision_id as revision_id, null::uuid as section_id,
      null::uuid as chunk_id, null::uuid as citation_id
    from public.documents x where x.id = wanted
    union all
    select 'section', r.document_id, r.id, s.id, null, null
    from public.sections s join public.document_revisions r on r.id = s.revision_id and r.published_at is not null
    where s.id = wanted
    union all
    select 'passage', c.document_id, c.revision_id, c.section_id, c.id, null
    from public.chunks c join public.document_revisions r on r.id = c.revision_id and r.published_at is not null
    where c.id = wanted
    union all
    select 'citation', c.document_id, c.revision_id, c.section_id, null, c.id from public.citations c where c.id = wanted
  ) o
  join public.documents d on d.id = o.document_id
  where d.matter_id = any (mine) and d.id = any (array(select private.readable_documents(d.matter_id)))
  limit 1;
  return place;
end
$$;

create function private.open_node(ref text) returns private.located
language plpgsql stable security definer
set search_path = ''
as $$
declare
  place private.located := private.locate(ref);
begin
  if place.kind is null then
    perform private.not_found('item', ref);
  end if;
  return place;
end
$$;

create function private.matter_at(place private.located) returns public.matters
language sql stable security definer
set search_path = ''
as $$ select m.* from public.matters m where m.id = place.matter_id $$;

-- The part of a revision that a document, section or passage is.
create function private.span_of(place private.located) returns int4range
language sql stable security definer
set search_path = ''
as $$
  select case place.kind
    when 'section' then (select int4range(s.start_char, s.end_char) from public.sections s where s.id = place.section_id)
    when 'passage' then (select int4range(c.start_char, c.end_char) from public.chunks c where c.id = place.chunk_id)
    else int4range(0, 2147483647)
  end
$$;

create function private.chunk_total(revision uuid, span int4range) returns bigint
language sql stable security definer
set search_path = ''
as $$
  select count(*) from public.chunks c
  where c.revision_id = revision and c.start_char < upper(span) and c.end_char > lower(span)
$$;

create function public.get_node(path_part_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  place private.located := private.open_node(path_part_id);
  d public.documents;
  span int4range := private.span_of(place);
begin
  select x.* into d from public.documents x where x.id = place.document_id;
  perform private.audit('get_node', private.matter_at(place), place.document_id,
    jsonb_build_object('kind', place.kind, 'id', path_part_id));
  return jsonb_build_object(
    'kind', place.kind,
    'id', coalesce(place.citation_id, place.chunk_id, case when place.kind = 'section' then place.section_id end,
      place.document_id, place.folder_id, place.matter_id),
    'parent_id', case place.kind
      when 'matter' then null
      when 'folder' then coalesce((select f.parent_id from public.folders f where f.id = place.folder_id), place.matter_id)
      when 'document' then coalesce(place.folder_id, place.matter_id)
      when 'section' then coalesce((
        select up.id from public.sections s join public.sections up on up.revision_id = s.revision_id and up.ordinal = s.parent
        where s.id = place.section_id), place.document_id)
      else coalesce(place.section_id, place.document_id)
    end,
    'current', place.document_id is null or place.revision_id is not distinct from d.current_revision_id,
    'matter', private.matter_json(private.matter_at(place)),
    'folders', private.folders_json(place.folder_id),
    'document', case when d.id is not null then private.full_document_json(d) - 'storage_key' end,
    'sections', private.section_chain_json(place.section_id),
    'passage', (
      select jsonb_build_object('id', c.id, 'ordinal', c.ordinal, 'section_id', c.section_id, 'page_first', c.page_first,
        'page_last', c.page_last)
      from public.chunks c where c.id = place.chunk_id
    ),
    'citation', (select private.citation_json(c) from public.citations c where c.id = place.citation_id),
    'span', case when place.kind in ('section', 'passage') then jsonb_build_object(
      'start', lower(span), 'end', upper(span), 'char_count', upper(span) - lower(span),
      'chunk_count', private.chunk_total(place.revision_id, span)
    ) end
  );
end
$$;

create function private.matter_item(m public.matters) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'kind', 'matter', 'id', m.id, 'name', m.number || ' ' || m.title, 'number', m.number, 'title', m.title,
    'document_count', (select count(*) from private.readable_documents(m.id)), 'archived', m.archived_at is not null
  )
$$;

create function private.folder_item(f public.folders) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'kind', 'folder', 'id', f.id, 'name', f.name,
    'folder_count', (select count(*) from public.folders x where x.parent_id = f.id),
    'document_count', (
      select count(*) from public.documents d
      where d.folder_id = f.id and d.id = any (array(select private.readable_documents(f.matter_id)))
    )
  )
$$;

create function private.document_item(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'kind', 'document', 'id', d.id, 'name', d.filename, 'content_type', d.content_type, 'status', d.status,
    'status_reason', d.status_reason, 'size_bytes', d.size_bytes, 'page_count', r.page_count, 'paged', r.paged,
    'char_count', r.char_count, 'chunk_count', r.chunk_count
  )
  from (select) one left join public.document_revisions r on r.id = d.current_revision_id
$$;

create function private.matters_page(match_count integer, skip integer) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with mine as (
    select m from public.matters m where m.id = any (array(select private.my_matter_ids()))
  )
  select jsonb_build_object('total', (select count(*) from mine), 'items', (
    select coalesce(jsonb_agg(private.matter_item(p.m) order by p.n), '[]')
    from (
      select mine.m, row_number() over (order by ((mine.m).archived_at is not null), (mine.m).number collate "C") as n
      from mine order by n limit match_count offset skip
    ) p
  ))
$$;

create function private.folder_page(matter uuid, folder uuid, match_count integer, skip integer) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with held as (
    select 0 as rank, lower(f.name) as name, f.id::text as tie, f, null::public.documents as d
    from public.folders f where f.matter_id = matter and f.parent_id is not distinct from folder
    union all
    select 1, lower(d.filename), to_char(d.upload_order, 'FM0000000000000000000'), null::public.folders, d
    from public.documents d
    where d.matter_id = matter and d.folder_id is not distinct from folder
      and d.id = any (array(select private.readable_documents(matter)))
  )
  select jsonb_build_object('total', (select count(*) from held), 'items', (
    select coalesce(jsonb_agg(
      case p.rank when 0 then private.folder_item(p.f) else private.document_item(p.d) end
      order by p.rank, p.name collate "C", p.tie
    ), '[]')
    from (
      select * from held order by held.rank, held.name collate "C", held.tie limit match_count offset skip
    ) p
  ))
$$;

create function public.list_contents(path_part_id text default null, match_count integer default 20, skip integer default 0)
returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  place private.located;
  result jsonb;
begin
  skip := greatest(coalesce(skip, 0), 0);
  if path_part_id is null then
    result := private.matters_page(private.row_limit(match_count), skip);
    perform private.audit('list_contents', null, null, jsonb_build_object('total', result -> 'total'));
    return result || jsonb_build_object('node', null);
  end if;
  place := private.open_node(path_part_id);
  if place.kind not in ('matter', 'folder') then
    perform private.invalid('Only a matter or a folder can be listed.');
  end if;
  result := private.folder_page(place.matter_id, place.folder_id, private.row_limit(match_count), skip);
  perform private.audit('list_contents', private.matter_at(place), null,
    jsonb_build_object('folder_id', place.folder_id, 'total', result -> 'total'));
  return result || jsonb_build_object('node', jsonb_build_object(
    'kind', place.kind, 'id', coalesce(place.folder_id, place.matter_id),
    'matter', private.matter_item(private.matter_at(place)), 'folders', private.folders_json(place.folder_id)
  ));
end
$$;

create function public.find_by_name(name text, kind text default null, match_count integer default 20, skip integer default 0)
returns jsonb
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
    jsonb_build_object('name', find_by_name.name, 'kind', find_by_name.kind, 'total', result -> 'total'));
  return result;
end
$$;

create function public.document_contents(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_readable(document_id);
  result jsonb;
begin
  select jsonb_build_object(
    'document', private.full_document_json(d) - 'storage_key', 'sections', private.sections_json(r.id),
    'passages', (
      select coalesce(jsonb_agg(jsonb_build_array(c.start_char, c.end_char) order by c.ordinal), '[]')
      from public.chunks c where c.revision_id = r.id
    )
  ) into result
  from public.document_revisions r where r.id = d.current_revision_id;
  perform private.audit('document_contents', private.matter_of(d), d.id, jsonb_build_object('revision_id', d.current_revision_id));
  return result;
end
$$;

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

create function public.matter_texts(
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
    jsonb_build_object('query', query, 'within', within, 'documents', jsonb_array_length(result)));
  return scope || jsonb_build_object('next', going_on, 'documents', result);
end
$$;

create function public.locate_spans(document_id text, revision_id text, spans jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id);
  r public.document_revisions;
  result jsonb;
begin
  select x.* into r from public.document_revisions x
  where x.id = private.as_uuid(locate_spans.revision_id) and x.document_id = d.id and x.published_at is not null;
  if not found then
    perform private.not_found('document', locate_spans.document_id);
  end if;
  select coalesce(jsonb_agg(jsonb_build_object(
    'start', k.s, 'end', k.e, 'page_first', private.page_at(r.id, k.s),
    'page_last', private.page_at(r.id, greatest(k.s, k.e - 1)), 'paged', r.paged,
    'section_id', n.id, 'section_label', n.label, 'section_title', n.title,
    'chunk_id', (
      select c.id from public.chunks c
      where c.revision_id = r.id and c.start_char <= k.s and c.end_char > k.s order by c.ordinal limit 1
    )
  ) order by k.n), '[]') into result
  from (
    select (w.span ->> 0)::integer as s, (w.span ->> 1)::integer as e, w.n
    from jsonb_array_elements(spans) with ordinality as w (span, n)
  ) k
  left join public.sections n on n.id = private.section_at(r.id, k.s, k.s + 1);
  perform private.audit('locate_spans', private.matter_of(d), d.id,
    jsonb_build_object('revision_id', r.id, 'spans', jsonb_array_length(result)));
  return result;
end
$$;

create function private.check_folder_name(name text) returns text
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(btrim(name), '') = '' or length(name) > 255
    or name ~ '[\u0001-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]'
  then
    perform private.invalid('A folder''s name is one line of visible text, of at most 255 characters.');
  end if;
  return btrim(name);
end
$$;

create function private.folder_json(f public.folders) returns jsonb
language sql immutable
set search_path = ''
as $$ select jsonb_build_object('id', f.id, 'matter_id', f.matter_id, 'parent_id', f.parent_id, 'name', f.name) $$;

-- The folder and its matter locked, so that two moves cannot make a circle together.
create function private.own_folder(ref text) returns public.folders
language plpgsql security definer
set search_path = ''
as $$
declare
  place private.located := private.locate(ref);
  f public.folders;
begin
  if place.kind is distinct from 'folder' then
    perform private.not_found('folder', ref);
  end if;
  perform private.open_matter(place.matter_id::text, 'editor');
  perform from public.matters m where m.id = place.matter_id for update;
  select x.* into f from public.folders x where x.id = place.folder_id;
  if not found then
    perform private.not_found('folder', ref);
  end if;
  return f;
end
$$;

create function private.name_is_free(matter uuid, parent uuid, name text, itself uuid) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.folders f
    where f.matter_id = matter and f.parent_id is not distinct from parent
      and lower(f.name) = lower(name_is_free.name) and f.id is distinct from itself
  ) then
    raise exception 'There is a folder of that name already.' using errcode = 'OR409';
  end if;
end
$$;

create function public.create_folder(matter_ref text, name text, parent_id text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'editor');
  parent uuid := private.open_folder(m, parent_id);
  clean text := private.check_folder_name(create_folder.name);
  f public.folders;
begin
  perform from public.matters locked where locked.id = m.id for update;
  if (select count(*) from private.folder_chain(parent)) >= 50 then
    perform private.invalid('Folders can be nested 50 deep.');
  end if;
  perform private.name_is_free(m.id, parent, clean, null);
  insert into public.folders (matter_id, parent_id, name) values (m.id, parent, clean) returning * into f;
  perform private.audit('create_folder', m, null, private.folder_json(f));
  return private.folder_json(f);
end
$$;

create function public.rename_folder(folder_id text, name text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.folders := private.own_folder(folder_id);
  clean text := private.check_folder_name(rename_folder.name);
  m public.matters;
begin
  perform private.name_is_free(f.matter_id, f.parent_id, clean, f.id);
  update public.folders u set name = clean where u.id = f.id returning u.* into f;
  select x.* into m from public.matters x where x.id = f.matter_id;
  perform private.audit('rename_folder', m, null, private.folder_json(f));
  return private.folder_json(f);
end
$$;

create function public.move_folder(folder_id text, parent_id text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.folders := private.own_folder(folder_id);
  m public.matters;
  parent uuid;
begin
  select x.* into m from public.matters x where x.id = f.matter_id;
  parent := private.open_folder(m, parent_id);
  if parent in (
    with recursive below as (
      select f.id
      union
      select x.id from public.folders x join below on x.parent_id = below.id
    )
    select below.id from below
  ) then
    perform private.invalid('A folder cannot be moved into itself.');
  end if;
  if (select count(*) from private.folder_chain(parent)) >= 50 then
    perform private.invalid('Folders can be nested 50 deep.');
  end if;
  perform private.name_is_free(f.matter_id, parent, f.name, f.id);
  update public.folders u set parent_id = parent where u.id = f.id returning u.* into f;
  perform private.audit('move_folder', m, null, private.folder_json(f));
  return private.folder_json(f);
end
$$;

create function public.delete_folder(folder_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.folders := private.own_folder(folder_id);
  m public.matters;
begin
  select x.* into m from public.matters x where x.id = f.matter_id;
  if exists (select from public.folders x where x.parent_id = f.id)
    or exists (select from public.documents d where d.folder_id = f.id and d.deleted_at is null)
  then
    raise exception 'Only an empty folder can be removed.' using errcode = 'OR409';
  end if;
  delete from public.folders x where x.id = f.id;
  perform private.audit('delete_folder', m, null, private.folder_json(f));
  return private.folder_json(f);
end
$$;

create function public.move_document(document_id text, folder_id text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
  m public.matters := private.matter_of(d);
  folder uuid := private.open_folder(m, move_document.folder_id);
begin
  update public.documents u set folder_id = folder where u.id = d.id returning u.* into d;
  perform private.audit('move_document', m, d.id, jsonb_build_object('folder_id', folder));
  return private.full_document_json(d);
end
$$;

revoke all on function private.folder_chain, private.folders_json, private.section_json, private.section_chain_json,
  private.locate, private.open_node, private.matter_at, private.span_of, private.chunk_total, private.matter_item,
  private.folder_item, private.document_item, private.matters_page, private.folder_page, private.check_folder_name,
  private.folder_json, private.own_folder, private.name_is_free from public, anon, authenticated;
revoke all on function public.get_node, public.list_contents, public.find_by_name, public.document_contents,
  public.read_chunks, public.neighbours, public.matter_texts, public.locate_spans, public.create_folder, public.rename_folder,
  public.move_folder, public.delete_folder, public.move_document from public, anon, authenticated, service_role;
grant execute on function public.get_node, public.list_contents, public.find_by_name, public.document_contents,
  public.read_chunks, public.neighbours, public.matter_texts, public.locate_spans, public.create_folder, public.rename_folder,
  public.move_folder, public.delete_folder, public.move_document to authenticated;
