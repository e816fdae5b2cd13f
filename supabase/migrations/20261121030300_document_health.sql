-- What a careful reader must know about a document, and the pages of revisions that are no longer current.
--
-- documents gain: attached_to {id, filename} | null, and legal_hold counts a hold on what carries the document.
-- A document's revision gains: storage_key, sha256, filename, content_type of the file that was read, and published_at.
--
-- As the caller (role authenticated):
--   get_health(document_id)     {document, health | null, pages: [{number, label, source, confidence, ocr_engine, flags, characters}, …] that
--                               are not plain (OCR or flagged), attachments: [{name, document_id, filename, status, status_reason}, …],
--                               changes: [{kind, author, date, text, at, section}, …], versions: [version, …] newest first}
--     version = {filename, content_type, size_bytes, sha256, received_at, received_by (e-mail), unread_reason,
--                revisions: [{id, ordinal, published_at, current}, …]}
--     at: offset of the paragraph that holds the change (null: not known); section: its label and title
--   get_revision_page(document_id, revision_id, page_number)   {document_id, revision_id, current, filename, content_type, storage_key, number,
--                               width, height, start, end, lines: [{start, end, box}, …]}; of any revision ever published

create or replace function private.document_json(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', d.id, 'filename', d.filename, 'content_type', d.content_type, 'size_bytes', d.size_bytes,
    'status', d.status, 'status_reason', d.status_reason, 'created_at', d.created_at, 'folder_id', d.folder_id,
    'stage', d.stage, 'stage_done', d.stage_done, 'stage_total', d.stage_total, 'legal_hold', private.on_hold(d),
    'has_revision', r.id is not null, 'page_count', r.page_count, 'paged', r.paged, 'char_count', r.char_count,
    'chunk_count', r.chunk_count,
    'attached_to', case when d.parent_document_id is not null then (
      select jsonb_build_object('id', p.id, 'filename', p.filename) from public.documents p
      where p.id = d.parent_document_id and p.deleted_at is null
        and (p.group_id is null or p.group_id = any (array(select private.my_group_ids())))
    ) end
  )
  from (select) one left join public.document_revisions r on r.id = d.current_revision_id
$$;

create or replace function private.full_document_json(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.document_json(d) || jsonb_build_object(
    'matter_id', d.matter_id, 'matter_number', m.number, 'storage_key', d.storage_key, 'sha256', d.sha256,
    'revision', case when r.id is not null then jsonb_build_object(
      'id', r.id, 'ordinal', r.ordinal, 'reader', r.reader, 'paged', r.paged, 'page_count', r.page_count,
      'char_count', r.char_count, 'chunk_count', r.chunk_count, 'health', r.health,
      'embedding_model', r.embedding_model, 'created_at', r.created_at, 'published_at', r.published_at,
      'storage_key', r.storage_key, 'sha256', r.sha256, 'filename', f.filename, 'content_type', f.content_type
    ) end
  )
  from public.matters m
  left join public.document_revisions r on r.id = d.current_revision_id
  left join public.document_files f on f.storage_key = r.storage_key
  where m.id = d.matter_id
$$;

create function private.versions_json(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'filename', f.filename, 'content_type', f.content_type, 'size_bytes', f.size_bytes, 'sha256', f.sha256,
    'received_at', f.stored_at, 'received_by', u.email, 'unread_reason', f.unread_reason,
    'revisions', (
      select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'ordinal', r.ordinal, 'published_at', r.published_at,
        'current', r.id = d.current_revision_id) order by r.ordinal desc), '[]')
      from public.document_revisions r
      where r.document_id = d.id and r.storage_key = f.storage_key and r.published_at is not null
    )
  ) order by f.stored_at desc, f.ordinal desc), '[]')
  from public.document_files f left join auth.users u on u.id = f.registered_by
  where f.document_id = d.id and f.stored_at is not null
$$;

-- Each attached file as health lists it, with what has become of it since.
create function private.attachments_json(health jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(a.entry || jsonb_build_object(
    'document_id', d.id, 'filename', d.filename, 'status', case when d.id is not null then d.status
      when a.entry ->> 'document_id' is not null then 'deleted' end, 'status_reason', d.status_reason
  ) order by a.n), '[]')
  from jsonb_array_elements(coalesce(health -> 'attachments', '[]')) with ordinality as a (entry, n)
  left join public.documents d on d.id = private.as_uuid(a.entry ->> 'document_id')
    and d.id = any (array(select private.readable_documents()))
$$;

create function private.changes_json(r public.document_revisions) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(c.entry || jsonb_build_object('section', (
    select concat_ws(' ', s.label, s.title) from public.sections s
    where s.id = private.section_at(r.id, (c.entry ->> 'at')::integer, (c.entry ->> 'at')::integer)
  )) order by c.n), '[]')
  from jsonb_array_elements(coalesce(r.health #> '{details,tracked_changes}', '[]')) with ordinality as c (entry, n)
$$;

create function public.get_health(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id);
  r public.document_revisions;
begin
  select x.* into r from public.document_revisions x where x.id = d.current_revision_id;
  perform private.audit('get_health', private.matter_of(d), d.id, jsonb_build_object('revision_id', r.id));
  return jsonb_build_object(
    'document', private.full_document_json(d) #- '{revision,health}', 'health', r.health,
    'pages', (
      select coalesce(jsonb_agg(jsonb_build_object('number', p.number, 'label', p.label, 'source', p.source,
        'confidence', p.confidence, 'ocr_engine', p.ocr_engine, 'flags', p.flags, 'characters', p.end_char - p.start_char
      ) order by p.number), '[]')
      from public.document_pages p
      where p.revision_id = r.id and (p.source <> 'native' or p.flags <> '[]')
    ),
    'attachments', private.attachments_json(r.health), 'changes', private.changes_json(r), 'versions', private.versions_json(d)
  );
end
$$;

create function public.get_revision_page(document_id text, revision_id text, page_number integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id);
  r public.document_revisions;
  result jsonb;
begin
  select x.* into r from public.document_revisions x
  where x.id = private.as_uuid(get_revision_page.revision_id) and x.document_id = d.id and x.published_at is not null;
  if not found then
    perform private.not_found('revision', get_revision_page.revision_id);
  end if;
  select jsonb_build_object(
    'document_id', d.id, 'revision_id', r.id, 'current', r.id = d.current_revision_id, 'filename', f.filename,
    'content_type', f.content_type, 'storage_key', r.storage_key, 'number', p.number, 'width', p.width, 'height', p.height,
    'start', p.start_char, 'end', p.end_char, 'lines', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'start', line -> 0, 'end', line -> 1, 'box', jsonb_build_array(line -> 2, line -> 3, line -> 4, line -> 5)
      ) order by n), '[]')
      from jsonb_array_elements(p.lines) with ordinality as l (line, n)
    )
  ) into result
  from public.document_pages p left join public.document_files f on f.storage_key = r.storage_key
  where p.revision_id = r.id and p.number = page_number;
  if result is null then
    perform private.invalid(format('This revision has no page %s.', page_number));
  end if;
  perform private.audit('get_revision_page', private.matter_of(d), d.id, jsonb_build_object('revision_id', r.id, 'page', page_number));
  return result;
end
$$;

revoke all on function private.versions_json, private.attachments_json, private.changes_json from public, anon, authenticated;
revoke all on function public.get_health, public.get_revision_page from public, anon, authenticated, service_role;
grant execute on function public.get_health, public.get_revision_page to authenticated;
