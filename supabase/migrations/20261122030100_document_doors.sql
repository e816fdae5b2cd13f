-- What the doors for programs ask beyond what the tools do: pages of a list, stored files, single pages and spans of text, and
-- changes that must not undo somebody else's.
--
-- As the caller (role authenticated):
--   page_documents(matter_ref, name_like = null, content_type = null, folder_id = null, sort = 'uploaded', descending = false,
--                  match_count = 100, skip = 0)
--                  {matter, total, documents: [document, …]}; name_like: a LIKE pattern, whatever the case; content_type: a prefix;
--                  folder_id: 'top' for what lies in no folder; sort: uploaded, name, size, type, status
--   list_folders(matter_ref)         [{id, matter_id, parent_id, name, folder_count, document_count}, …] by name
--   open_file(document_id, name = null)   {storage_key, filename, content_type, size_bytes | null, sha256 | null}; name: the last part
--                                    of the key of one of the document's files or pictures of pages; null: the file that is read now
--   document_page(document_id, page_number, revision_id = null)   {document_id, revision_id, current, paged, page_count, number, label, source,
--                                    confidence, flags, width, height, start, end, text}
--   document_span(document_id, start_char, end_char)   {document_id, revision_id, start, end, char_count, text}
--   edit_document(document_id, changes, seen = null)   document; changes: any of {filename, folder_id}; seen: the same fields as
--                                    the caller saw them: where they are not so any more, OR409 with detail 'changed'
--   edit_folder(folder_id, changes, seen = null)       folder; {name, parent_id}
--   edit_matter(matter_ref, changes, seen = null)      matter; {title, archived}; for owners. An archived matter takes no files in.

create function private.check_unchanged(seen jsonb, is_now jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  if seen is not null and jsonb_typeof(seen) = 'object' and not is_now @> seen then
    raise exception 'Somebody has changed this since you looked. Look again, then decide.'
      using errcode = 'OR409', detail = 'changed';
  end if;
end
$$;

create function private.check_changes(changes jsonb, known text[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  if changes is null or jsonb_typeof(changes) <> 'object' or changes = '{}'
    or exists (select from jsonb_object_keys(changes) k where k <> all (known))
  then
    perform private.invalid(format('What can be changed here: %s.', array_to_string(known, ', ')));
  end if;
end
$$;

create function public.page_documents(
  matter_ref text, name_like text default null, content_type text default null, folder_id text default null,
  sort text default 'uploaded', descending boolean default false, match_count integer default 100, skip integer default 0
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
  perform private.audit('page_documents', m, null, jsonb_build_object('total', result -> 'total', 'name_like', name_like));
  return result;
end
$$;

create function public.list_folders(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(private.folder_json(f) || jsonb_build_object(
    'folder_count', (select count(*) from public.folders x where x.parent_id = f.id),
    'document_count', (
      select count(*) from public.documents d
      where d.folder_id = f.id and d.id = any (array(select private.readable_documents(m.id)))
    )) order by lower(f.name) collate "C", f.id), '[]') into result
  from public.folders f where f.matter_id = m.id;
  perform private.audit('list_folders', m, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

create function public.open_file(document_id text, name text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id);
  m public.matters := private.matter_of(d);
  wanted text := case when name is null then d.storage_key else concat_ws('/', m.tenant_id, m.id, d.id, name) end;
  result jsonb;
begin
  select jsonb_build_object('storage_key', f.storage_key,
    'filename', case when f.storage_key = d.storage_key then d.filename else f.filename end,
    'content_type', f.content_type, 'size_bytes', f.size_bytes, 'sha256', f.sha256) into result
  from public.document_files f
  where f.document_id = d.id and f.storage_key = wanted and f.stored_at is not null;
  if result is null then
    select jsonb_build_object('storage_key', i.storage_key, 'filename', d.filename || '.png', 'content_type', 'image/png',
      'size_bytes', null, 'sha256', null) into result
    from private.page_images i where i.document_id = d.id and i.storage_key = wanted;
  end if;
  if result is null then
    perform private.not_found('file', coalesce(name, document_id));
  end if;
  perform private.audit('open_file', m, d.id, jsonb_build_object('name', split_part(wanted, '/', 4), 'sha256', result -> 'sha256'));
  return result;
end
$$;

create function private.revision_of(d public.documents, ref text) returns public.document_revisions
language plpgsql stable security definer
set search_path = ''
as $$
declare
  r public.document_revisions;
begin
  select x.* into r from public.document_revisions x
  where x.id = case when ref is null then d.current_revision_id else private.as_uuid(ref) end
    and x.document_id = d.id and x.published_at is not null;
  if not found then
    perform private.not_found('revision', coalesce(ref, d.id::text));
  end if;
  return r;
end
$$;

create function public.document_page(document_id text, page_number integer, revision_id text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_readable(document_id);
  r public.document_revisions := private.revision_of(d, revision_id);
  p public.document_pages;
begin
  select x.* into p from public.document_pages x where x.revision_id = r.id and x.number = page_number;
  if not found then
    perform private.not_found('page', page_number::text);
  end if;
  perform private.audit('document_page', private.matter_of(d), d.id, jsonb_build_object('revision_id', r.id, 'page', p.number));
  return jsonb_build_object(
    'document_id', d.id, 'revision_id', r.id, 'current', r.id = d.current_revision_id, 'paged', r.paged, 'page_count', r.page_count,
    'number', p.number, 'label', p.label, 'source', p.source, 'confidence', p.confidence, 'flags', p.flags,
    'width', p.width, 'height', p.height, 'start', p.start_char, 'end', p.end_char,
    'text', substr(r.text, p.start_char + 1, p.end_char - p.start_char)
  );
end
$$;

create function public.document_span(document_id text, start_char integer, end_char integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_readable(document_id);
  r public.document_revisions := private.revision_of(d, null);
begin
  if start_char is null or end_char is null or start_char < 0 or end_char < start_char or end_char > r.char_count then
    perform private.invalid(format('The text has %s characters: 0 <= start <= end <= %s.', r.char_count, r.char_count));
  end if;
  perform private.audit('document_span', private.matter_of(d), d.id,
    jsonb_build_object('revision_id', r.id, 'start', start_char, 'end', end_char));
  return jsonb_build_object('document_id', d.id, 'revision_id', r.id, 'start', start_char, 'end', end_char,
    'char_count', r.char_count, 'text', substr(r.text, start_char + 1, end_char - start_char));
end
$$;

create function private.check_file_name(name text) returns text
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(btrim(name), '') = '' or length(name) > 255 or name ~ '[/\\]'
    or name ~ '[\u0001-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]'
  then
    perform private.invalid('A file''s name is one line of visible text without slashes, of at most 255 characters.');
  end if;
  return btrim(name);
end
$$;

create function public.edit_document(document_id text, changes jsonb, seen jsonb default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
  before jsonb;
  folder uuid;
  clean text;
begin
  perform private.check_changes(changes, array['filename', 'folder_id']);
  select x.* into d from public.documents x where x.id = d.id for update;
  before := jsonb_build_object('filename', d.filename, 'folder_id', d.folder_id);
  perform private.check_unchanged(seen, before);
  clean := case when changes ? 'filename' then private.check_file_name(changes ->> 'filename') else d.filename end;
  folder := case when changes ? 'folder_id' then private.open_folder(private.matter_of(d), changes ->> 'folder_id') else d.folder_id end;
  update public.documents u set filename = clean, folder_id = folder where u.id = d.id returning u.* into d;
  -- The file that is read now has the name too: reading it again, or failing to, must not bring the old one back.
  update public.document_files f set filename = clean where f.storage_key = d.storage_key and f.filename <> clean;
  perform private.audit('edit_document', private.matter_of(d), d.id, jsonb_build_object('before', before, 'changes', changes));
  return private.full_document_json(d);
end
$$;

create function public.edit_folder(folder_id text, changes jsonb, seen jsonb default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.folders := private.own_folder(folder_id);
  result jsonb;
begin
  perform private.check_changes(changes, array['name', 'parent_id']);
  perform private.check_unchanged(seen, private.folder_json(f));
  if changes ? 'name' then
    result := public.rename_folder(f.id::text, changes ->> 'name');
  end if;
  if changes ? 'parent_id' then
    result := public.move_folder(f.id::text, changes ->> 'parent_id');
  end if;
  return result;
end
$$;

create function public.edit_matter(matter_ref text, changes jsonb, seen jsonb default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'owner');
  before jsonb;
begin
  perform private.check_changes(changes, array['title', 'archived']);
  select x.* into m from public.matters x where x.id = m.id for update;
  before := jsonb_build_object('title', m.title, 'archived', m.archived_at is not null);
  perform private.check_unchanged(seen, before);
  if changes ? 'title' and coalesce(btrim(changes ->> 'title'), '') = '' then
    perform private.invalid('A matter needs a title.');
  end if;
  if changes ? 'archived' and jsonb_typeof(changes -> 'archived') <> 'boolean' then
    perform private.invalid('archived is true or false.');
  end if;
  update public.matters u
  set title = coalesce(btrim(changes ->> 'title'), u.title),
    archived_at = case when not changes ? 'archived' then u.archived_at
      when (changes ->> 'archived')::boolean then coalesce(u.archived_at, now()) end
  where u.id = m.id
  returning u.* into m;
  perform private.audit('edit_matter', m, null, jsonb_build_object('before', before, 'changes', changes));
  return private.matter_json(m);
end
$$;

create function private.refuse_in_archive() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (select from public.matters m where m.id = new.matter_id and m.archived_at is not null) then
    raise exception 'This matter is archived and takes no files in. Its owner can reopen it.' using errcode = 'OR409';
  end if;
  return new;
end
$$;
-- What lies inside a file that was taken in before still becomes a document.
create trigger refuse_in_archive before insert on public.documents
  for each row when (new.parent_document_id is null) execute function private.refuse_in_archive();

-- As before, and recognisable as this refusal.
create or replace function private.check_workspace(m public.matters, workspace_limit integer) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  if m.kind <> 'workspace' then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('workspace:' || m.id, 0));
  if (
    select count(*) from public.documents d
    where d.matter_id = m.id and d.deleted_at is null and d.parent_document_id is null
  ) >= workspace_limit then
    raise exception 'A chat holds at most % files. Delete one to make room.', workspace_limit
      using errcode = 'OR409', detail = 'workspace';
  end if;
end
$$;

revoke all on function private.check_unchanged, private.check_changes, private.revision_of, private.check_file_name,
  private.refuse_in_archive from public, anon, authenticated;
revoke all on function public.page_documents, public.list_folders, public.open_file, public.document_page, public.document_span,
  public.edit_document, public.edit_folder, public.edit_matter from public, anon, authenticated, service_role;
grant execute on function public.page_documents, public.list_folders, public.open_file, public.document_page, public.document_span,
  public.edit_document, public.edit_folder, public.edit_matter to authenticated;
