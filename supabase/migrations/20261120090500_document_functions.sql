-- As the caller (role authenticated): documents, their text, citations.
--
--   list_documents(matter_ref)      {matter, documents: [document, …]} in upload order
--     document = {id, filename, content_type, size_bytes, status, status_reason, page_count, paged, char_count, created_at,
--                 folder_id, has_revision, chunk_count, stage, stage_done, stage_total, legal_hold}
--                page_count, paged, char_count, chunk_count: null without a revision
--   get_document(document_id)       document + {matter_id, matter_number, storage_key, sha256, revision | null}
--     revision = {id, ordinal, reader, paged, page_count, char_count, chunk_count, health, embedding_model, created_at}
--   get_revision(document_id)       {document (as get_document), text, pages: [page, …], sections: [section, …]}; OR425 while none
--     page = {number, start, end, label, source, confidence, flags}
--     section = {id, ordinal, parent, level, label, title, start, end, page_first, page_last}
--   get_page_lines(document_id, page_number)   {number, width, height, lines: [{start, end, box: [x0, y0, x1, y1]}]}
--   register_document(matter_ref, filename, content_type, size_bytes, sha256, on_duplicate = 'skip', folder_id = null)
--                                   {document, duplicate_of, tenant_id, matter_id, storage_key}
--                                   storage_key: where to put the file; null when skipped. duplicate_of: a document of the
--                                   same content (skip: it is `document`), or (version) the document that gets a new version
--   document_stored(document_id)    document, now queued
--   reprocess_document(document_id) document, queued again
--   delete_document(document_id)    {receipt_id, document_id, filename, deleted_at}; hidden at once, purged by the worker
--   save_citation(document_id, revision_id, start, "end", page = null)   citation; the same span is the same citation
--   get_citation(citation_id)       citation
--     citation = {id, document_id, document_name, matter_id, revision_id, current, start, end, quote, page, paged,
--                 section_id, section_label, section_title, created_at}; current: whether the revision is still the current one

create function private.document_json(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', d.id, 'filename', d.filename, 'content_type', d.content_type, 'size_bytes', d.size_bytes,
    'status', d.status, 'status_reason', d.status_reason, 'created_at', d.created_at, 'folder_id', d.folder_id,
    'stage', d.stage, 'stage_done', d.stage_done, 'stage_total', d.stage_total, 'legal_hold', d.legal_hold,
    'has_revision', r.id is not null, 'page_count', r.page_count, 'paged', r.paged, 'char_count', r.char_count,
    'chunk_count', r.chunk_count
  )
  from (select) one left join public.document_revisions r on r.id = d.current_revision_id
$$;

create function private.full_document_json(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.document_json(d) || jsonb_build_object(
    'matter_id', d.matter_id, 'matter_number', m.number, 'storage_key', d.storage_key, 'sha256', d.sha256,
    'revision', case when r.id is not null then jsonb_build_object(
      'id', r.id, 'ordinal', r.ordinal, 'reader', r.reader, 'paged', r.paged, 'page_count', r.page_count,
      'char_count', r.char_count, 'chunk_count', r.chunk_count, 'health', r.health,
      'embedding_model', r.embedding_model, 'created_at', r.created_at
    ) end
  )
  from public.matters m left join public.document_revisions r on r.id = d.current_revision_id
  where m.id = d.matter_id
$$;

create function private.matter_of(d public.documents) returns public.matters
language sql stable security definer
set search_path = ''
as $$ select m.* from public.matters m where m.id = d.matter_id $$;

-- The document and OR425 unless something of it can be read.
create function private.open_readable(ref text) returns public.documents
language plpgsql stable security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(ref);
begin
  if d.current_revision_id is null then
    raise exception 'not ready' using errcode = 'OR425', detail = d.status, hint = d.status_reason;
  end if;
  return d;
end
$$;

create function public.list_documents(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(private.document_json(d) order by d.upload_order), '[]') into result
  from public.documents d
  where d.id = any (array(select private.readable_documents(m.id)));
  perform private.audit('list_documents', m, null, jsonb_build_object('count', jsonb_array_length(result)));
  return jsonb_build_object('matter', private.matter_json(m), 'documents', result);
end
$$;

create function public.get_document(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id);
begin
  perform private.audit('get_document', private.matter_of(d), d.id);
  return private.full_document_json(d);
end
$$;

create function private.pages_json(revision uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'number', p.number, 'start', p.start_char, 'end', p.end_char, 'label', p.label, 'source', p.source,
    'confidence', p.confidence, 'flags', p.flags
  ) order by p.number), '[]')
  from public.document_pages p where p.revision_id = revision
$$;

create function private.sections_json(revision uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', s.id, 'ordinal', s.ordinal, 'parent', s.parent, 'level', s.level, 'label', s.label, 'title', s.title,
    'start', s.start_char, 'end', s.end_char, 'page_first', s.page_first, 'page_last', s.page_last
  ) order by s.ordinal), '[]')
  from public.sections s where s.revision_id = revision
$$;

create function public.get_revision(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_readable(document_id);
begin
  perform private.audit('get_revision', private.matter_of(d), d.id,
    jsonb_build_object('revision_id', d.current_revision_id));
  return (
    select jsonb_build_object(
      'document', private.full_document_json(d), 'text', r.text,
      'pages', private.pages_json(r.id), 'sections', private.sections_json(r.id)
    )
    from public.document_revisions r where r.id = d.current_revision_id
  );
end
$$;

create function public.get_page_lines(document_id text, page_number integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_readable(document_id);
  result jsonb;
begin
  select jsonb_build_object(
    'number', p.number, 'width', p.width, 'height', p.height,
    'lines', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'start', line -> 0, 'end', line -> 1, 'box', jsonb_build_array(line -> 2, line -> 3, line -> 4, line -> 5)
      ) order by n), '[]')
      from jsonb_array_elements(p.lines) with ordinality as l (line, n)
    )
  ) into result
  from public.document_pages p where p.revision_id = d.current_revision_id and p.number = page_number;
  if result is null then
    perform private.invalid(format('This document has no page %s.', page_number));
  end if;
  perform private.audit('get_page_lines', private.matter_of(d), d.id, jsonb_build_object('page', page_number));
  return result;
end
$$;

-- One path component of plain characters: no separators, no controls, at most 100 bytes, its extension kept.
create function private.safe_name(filename text) returns text
language sql immutable
set search_path = ''
as $$
  select case when name = '' then 'file' else name end
  from (
    select regexp_replace(
      left(regexp_replace(regexp_replace(filename, '\.[^.]*$', ''), '[^A-Za-z0-9_-]+', '_', 'g'), 80)
        || coalesce('.' || left(regexp_replace(substring(filename from '\.([^.]*)$'), '[^A-Za-z0-9]+', '', 'g'), 15), ''),
      '^[._]+|[._]+$', '', 'g'
    ) as name
  ) cleaned
$$;

create function private.new_document(
  m public.matters, filename text, content_type text, size_bytes bigint, sha256 text, folder uuid
) returns public.documents
language plpgsql security definer
set search_path = ''
as $$
declare
  new_id uuid := gen_random_uuid();
  d public.documents;
begin
  insert into public.documents
    (id, matter_id, folder_id, filename, content_type, size_bytes, sha256, storage_key, uploaded_by)
  values (
    new_id, m.id, folder, filename, content_type, size_bytes, sha256,
    concat_ws('/', m.tenant_id, m.id, new_id, private.safe_name(filename)), auth.uid()
  )
  returning * into d;
  return d;
end
$$;

-- The old file and revision serve until the new file has been read.
create function private.new_version(
  d public.documents, m public.matters, filename text, content_type text, size_bytes bigint, sha256 text
) returns public.documents
language plpgsql security definer
set search_path = ''
as $$
declare
  key text := concat_ws('/', m.tenant_id, m.id, d.id, left(gen_random_uuid()::text, 8) || '-' || private.safe_name(filename));
begin
  update public.documents u
  set pending_file = jsonb_build_object(
    'storage_key', key, 'filename', new_version.filename, 'content_type', new_version.content_type,
    'size_bytes', new_version.size_bytes, 'sha256', new_version.sha256
  )
  where u.id = d.id
  returning u.* into d;
  return d;
end
$$;

create function private.same_content(m public.matters, wanted_sha256 text) returns public.documents
language sql stable security definer
set search_path = ''
as $$
  select d.* from public.documents d
  where d.sha256 = wanted_sha256 and d.status <> 'uploading' and d.id = any (array(select private.readable_documents(m.id)))
  order by d.upload_order limit 1
$$;

create function private.same_name(m public.matters, wanted_name text) returns public.documents
language sql stable security definer
set search_path = ''
as $$
  select d.* from public.documents d
  where lower(d.filename) = lower(wanted_name) and d.status <> 'uploading'
    and d.id = any (array(select private.readable_documents(m.id)))
  order by d.upload_order desc limit 1
$$;

create function private.check_new_file(
  filename text, content_type text, size_bytes bigint, sha256 text, on_duplicate text
) returns void
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(btrim(filename), '') = '' or coalesce(btrim(content_type), '') = '' then
    perform private.invalid('A document needs a file name and a content type.');
  end if;
  if size_bytes is null or size_bytes < 0 then
    perform private.invalid('A document needs its size in bytes.');
  end if;
  if coalesce(sha256, '') !~ '^[0-9a-f]{64}$' then
    perform private.invalid('A document needs its SHA-256 as 64 hexadecimal digits.');
  end if;
  if coalesce(on_duplicate, '') not in ('skip', 'keep', 'version') then
    perform private.invalid('on_duplicate is skip, keep or version.');
  end if;
end
$$;

create function private.open_folder(m public.matters, ref text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if ref is not null and not exists (
    select from public.folders f where f.id = private.as_uuid(ref) and f.matter_id = m.id
  ) then
    perform private.not_found('folder', ref);
  end if;
  return private.as_uuid(ref);
end
$$;

create function public.register_document(
  matter_ref text, filename text, content_type text, size_bytes bigint, sha256 text,
  on_duplicate text default 'skip', folder_id text default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'editor');
  folder uuid := private.open_folder(m, folder_id);
  twin public.documents;
  d public.documents;
begin
  perform private.check_new_file(filename, content_type, size_bytes, sha256, on_duplicate);
  twin := private.same_content(m, sha256);
  if on_duplicate = 'version' then
    twin := coalesce(private.same_name(m, filename), twin);
  end if;
  if twin.id is not null and on_duplicate = 'skip' then
    d := twin;
  elsif twin.id is not null and on_duplicate = 'version' then
    d := private.new_version(twin, m, filename, content_type, size_bytes, sha256);
  else
    d := private.new_document(m, filename, content_type, size_bytes, sha256, folder);
  end if;
  perform private.audit('register_document', m, d.id, jsonb_build_object(
    'filename', filename, 'sha256', sha256, 'on_duplicate', on_duplicate, 'duplicate_of', twin.id));
  return jsonb_build_object(
    'document', private.full_document_json(d), 'duplicate_of', twin.id, 'tenant_id', m.tenant_id, 'matter_id', m.id,
    'storage_key', case when d.id = twin.id then d.pending_file ->> 'storage_key' else d.storage_key end
  );
end
$$;

create function public.document_stored(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
begin
  if d.status <> 'uploading' and d.pending_file is null then
    raise exception 'No file was expected for this document.' using errcode = 'OR409';
  end if;
  update public.documents u
  set status = 'queued', status_reason = '', stage = null, stage_done = null, stage_total = null, claimed_at = null,
    filename = coalesce(u.pending_file ->> 'filename', u.filename),
    content_type = coalesce(u.pending_file ->> 'content_type', u.content_type),
    size_bytes = coalesce((u.pending_file ->> 'size_bytes')::bigint, u.size_bytes),
    sha256 = coalesce(u.pending_file ->> 'sha256', u.sha256),
    storage_key = coalesce(u.pending_file ->> 'storage_key', u.storage_key),
    pending_file = null
  where u.id = d.id
  returning u.* into d;
  perform private.audit('document_stored', private.matter_of(d), d.id, jsonb_build_object('sha256', d.sha256));
  return private.full_document_json(d);
end
$$;

create function public.reprocess_document(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
begin
  if d.status = 'uploading' then
    raise exception 'The file of this document has not arrived.' using errcode = 'OR409';
  end if;
  update public.documents u
  set status = 'queued', status_reason = '', stage = null, stage_done = null, stage_total = null, claimed_at = null
  where u.id = d.id
  returning u.* into d;
  perform private.audit('reprocess_document', private.matter_of(d), d.id);
  return private.full_document_json(d);
end
$$;

create function public.delete_document(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
  m public.matters := private.matter_of(d);
  receipt public.receipts;
begin
  update public.documents u set status = 'deleted', deleted_at = now()
  where u.id = d.id and not u.legal_hold and u.deleted_at is null;
  if not found then
    raise exception 'This document is under a legal hold and cannot be deleted.' using errcode = 'OR409';
  end if;
  insert into public.receipts (tenant_id, matter_id, document_id, filename, sha256, size_bytes, deleted_by, deleted_at)
  values (m.tenant_id, m.id, d.id, d.filename, d.sha256, d.size_bytes, auth.uid(), now())
  returning * into receipt;
  perform private.audit('delete_document', m, d.id,
    jsonb_build_object('receipt_id', receipt.id, 'filename', d.filename, 'sha256', d.sha256));
  return jsonb_build_object('receipt_id', receipt.id, 'document_id', d.id, 'filename', d.filename,
    'deleted_at', receipt.deleted_at);
end
$$;

create function private.citation_json(c public.citations) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', c.id, 'document_id', d.id, 'document_name', d.filename, 'matter_id', d.matter_id, 'revision_id', r.id,
    'current', r.id = d.current_revision_id, 'start', c.start_char, 'end', c.end_char, 'quote', c.quote,
    'page', c.page, 'paged', r.paged, 'section_id', s.id, 'section_label', s.label, 'section_title', s.title,
    'created_at', c.created_at
  )
  from public.document_revisions r
  join public.documents d on d.id = r.document_id
  left join public.sections s on s.id = c.section_id
  where r.id = c.revision_id
$$;

-- The page on which a span begins: a break between two pages belongs to the page before it.
create function private.page_at(revision uuid, start_char integer) returns integer
language sql stable security definer
set search_path = ''
as $$
  select coalesce(max(p.number) filter (where p.start_char <= page_at.start_char), min(p.number))
  from public.document_pages p where p.revision_id = revision
$$;

create function private.section_at(revision uuid, span_start integer, span_end integer) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select s.id from public.sections s
  where s.revision_id = revision and s.start_char <= span_start and s.end_char >= span_end
  order by s.level desc, s.ordinal desc limit 1
$$;

create function private.check_span(r public.document_revisions, span_start integer, span_end integer, page integer) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if span_start is null or span_end is null or span_start < 0 or span_end <= span_start or span_end > r.char_count then
    perform private.invalid('The quoted span lies outside the document''s text.');
  end if;
  if page is not null and not exists (
    select from public.document_pages p
    where p.revision_id = r.id and p.number = page and p.start_char < span_end and p.end_char > span_start
  ) then
    perform private.invalid(format('The quoted span is not on page %s.', page));
  end if;
end
$$;

create function public.save_citation(
  document_id text, revision_id text, start integer, "end" integer, page integer default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id);
  r public.document_revisions;
  c public.citations;
begin
  select x.* into r from public.document_revisions x
  where x.id = private.as_uuid(save_citation.revision_id) and x.document_id = d.id and x.published_at is not null;
  if not found then
    perform private.not_found('revision', save_citation.revision_id);
  end if;
  perform private.check_span(r, start, "end", page);
  insert into public.citations as x (document_id, revision_id, start_char, end_char, quote, page, section_id, created_by)
  values (
    d.id, r.id, start, "end", substr(r.text, start + 1, "end" - start),
    coalesce(save_citation.page, private.page_at(r.id, start)), private.section_at(r.id, start, "end"), auth.uid()
  )
  on conflict on constraint citations_revision_id_start_char_end_char_key do update set quote = x.quote
  returning x.* into c;
  perform private.audit('save_citation', private.matter_of(d), d.id,
    jsonb_build_object('citation_id', c.id, 'revision_id', r.id, 'start', c.start_char, 'end', c.end_char));
  return private.citation_json(c);
end
$$;

create function public.get_citation(citation_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  c public.citations;
  d public.documents;
begin
  select x.* into c from public.citations x
  where x.id = private.as_uuid(get_citation.citation_id)
    and x.document_id = any (array(select private.readable_documents()));
  if not found then
    perform private.not_found('citation', citation_id);
  end if;
  d := private.open_document(c.document_id::text);
  perform private.audit('get_citation', private.matter_of(d), d.id, jsonb_build_object('citation_id', c.id));
  return private.citation_json(c);
end
$$;

revoke all on function private.document_json, private.full_document_json, private.matter_of, private.open_readable,
  private.pages_json, private.sections_json, private.safe_name, private.new_document, private.new_version,
  private.same_content, private.same_name, private.check_new_file, private.open_folder, private.citation_json,
  private.page_at, private.section_at, private.check_span from public, anon, authenticated;
revoke all on function public.list_documents, public.get_document, public.get_revision, public.get_page_lines,
  public.register_document, public.document_stored, public.reprocess_document, public.delete_document,
  public.save_citation, public.get_citation from public, anon, authenticated, service_role;
grant execute on function public.list_documents, public.get_document, public.get_revision, public.get_page_lines,
  public.register_document, public.document_stored, public.reprocess_document, public.delete_document,
  public.save_citation, public.get_citation to authenticated;
