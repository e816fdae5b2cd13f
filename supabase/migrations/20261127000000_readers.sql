-- Words that are kept apart from a text are searched with it; documents that an earlier edition of the readers has read are read again.

-- Words that a reader kept out of the text of a revision: [{kind, text, place}, …]
--   kind: "struck", "deletion", "move away" or "hidden"; place: section, page or place in the file, empty where unknown.
create function private.apart_json(r public.document_revisions) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(a.entry order by a.part, a.n), '[]') from (
    select 1 as part, c.n, jsonb_build_object('kind', c.entry ->> 'kind', 'text', c.entry ->> 'text',
      'place', coalesce(nullif(c.entry ->> 'section', ''), c.entry ->> 'place', '')) as entry
    from jsonb_array_elements(private.changes_json(r)) with ordinality as c (entry, n)
    where c.entry ->> 'kind' in ('struck', 'deletion', 'move away')
    union all
    select 2, h.n, jsonb_build_object('kind', 'hidden', 'text', coalesce(h.entry ->> 'text', h.entry #>> '{}'),
      'place', coalesce('page ' || (h.entry ->> 'page'), ''))
    from jsonb_array_elements(coalesce(r.health #> '{details,hidden_text}', '[]')) with ordinality as h (entry, n)
  ) a
$$;

-- Reads the texts of a matter, in the order of upload, for search by regular expressions; query is recorded.
-- Returns {total, next, documents: [{document_id, document_name, revision_id, paged, text, spans, apart}, …]}: at least one
-- document, and as many as fit into max_chars. next: the `after` of the next page, null at the end. within: ids of documents,
-- folders and sections. spans: [[start, end], …] to search in; null: the whole text. apart: words kept out of the text, as of
-- private.apart_json; empty where within names sections.
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
    from private.scope(m, within) s where s.revision_id is not null group by s.revision_id
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
      'spans', t.spans, 'apart', case when t.spans is null then (
        select private.apart_json(r) from public.document_revisions r where r.id = t.revision_id
      ) else '[]' end
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

-- Whether a revision was read by an earlier edition of the readers, which may have stored something else of the same file.
create function private.is_outdated(d public.documents, edition integer) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select d.deleted_at is null and d.status in ('ready', 'partial') and exists (
    select from public.document_revisions r
    where r.id = d.current_revision_id and coalesce((r.health ->> 'edition')::integer, 0) < is_outdated.edition
  )
$$;

-- Number of the documents that an earlier edition of the readers has read.
create function public.outdated_documents(edition integer) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (select to_jsonb(count(*)) from public.documents d where private.is_outdated(d, outdated_documents.edition));
end
$$;

-- Queues documents that an earlier edition of the readers has read, in the order of upload. after: an upload_order.
-- Returns [{document_id, filename, upload_order}, …].
create function public.queue_outdated(edition integer, after bigint default 0, row_count integer default 100) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents;
  queued jsonb := '[]';
begin
  for d in
    select x.* from public.documents x
    where x.upload_order > coalesce(queue_outdated.after, 0) and private.is_outdated(x, queue_outdated.edition)
    order by x.upload_order limit greatest(row_count, 0) for update skip locked
  loop
    update public.documents u
    set status = 'queued', status_reason = '', stage = null, stage_done = null, stage_total = null, claimed_at = null
    where u.id = d.id;
    perform private.audit('queue_outdated', private.matter_of(d), d.id, jsonb_build_object('edition', edition));
    queued := queued || jsonb_build_object('document_id', d.id, 'filename', d.filename, 'upload_order', d.upload_order);
  end loop;
  return queued;
end
$$;

revoke all on function private.apart_json, private.is_outdated from public, anon, authenticated;
revoke all on function public.outdated_documents, public.queue_outdated from public, anon, authenticated, service_role;
grant execute on function public.outdated_documents, public.queue_outdated to service_role;
