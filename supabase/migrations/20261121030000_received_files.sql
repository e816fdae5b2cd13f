-- Every file that a document has had, and how files arrive: duplicates, new versions, uploads that never came.
--
-- documents' own file columns name the file that is read or in work. A newer file that cannot be read leaves what was read before
-- in place: the status is that of the newer file, and the columns name the older one again.
--
-- As the caller (role authenticated):
--   find_duplicates(matter_ref, filename, sha256)   {same_content: document + {superseded} | null, same_name: document | null}
--                                    same_content: holds this content, or held it (superseded); same_name: other content, same name
--   register_document(matter_ref, filename, content_type, size_bytes, sha256, on_duplicate = 'skip', folder_id = null,
--                     version_of = null, workspace_limit = 50)
--                                    {document, duplicate_of, superseded, unread_reason, resumed, tenant_id, matter_id, storage_key}
--                                    storage_key: where to put the file; null when there is nothing to put. duplicate_of: a document
--                                    of the same content (skip: it is `document`), or (version) the document that gets a new version.
--                                    superseded: `document` held this content before; unread_reason: why that file could not be read.
--                                    resumed: (skip) it is the caller's own upload of the same name, not read to its end yet.
--                                    version_of: the document that gets the new version, whatever its name
--   document_stored(document_id, storage_key = null)   document + {arrived}, now queued; arrived: false when the same file had
--                                    been stored by another upload of it. Without a key: the newest file that is awaited
--   withdraw_upload(document_id, storage_key)   {withdrawn}; for an upload that failed. false: another upload of it is under way
--   reprocess_document(document_id)  document, queued again, with the newest of its files

create table public.document_files (
  storage_key text primary key,
  document_id uuid not null references public.documents (id) on delete cascade,
  ordinal bigint generated always as identity,
  filename text not null,
  content_type text not null,
  -- Null for files that were replaced before this table was kept.
  size_bytes bigint check (size_bytes >= 0),
  sha256 text not null,
  registered_by uuid references public.profiles (user_id) on delete set null,
  registered_at timestamptz not null default now(),
  stored_at timestamptz,
  -- Uploads of this very file that were begun: the last of them that fails withdraws it.
  uploads integer not null default 1,
  -- Why the last attempt at reading it failed; null when it was read, or not tried yet.
  unread_reason text
);
create index document_files_document on public.document_files (document_id, ordinal);
create index document_files_content on public.document_files (sha256);

insert into public.document_files (storage_key, document_id, filename, content_type, size_bytes, sha256, registered_by, registered_at, stored_at)
select distinct on (f.storage_key) f.* from (
  select d.storage_key, d.id, d.filename, d.content_type, d.size_bytes, d.sha256, d.uploaded_by, d.created_at,
    case when d.status <> 'uploading' then d.created_at end as stored_at
  from public.documents d
  union all
  select r.storage_key, d.id, d.filename, d.content_type, null, r.sha256, d.uploaded_by, r.created_at, r.created_at
  from public.document_revisions r join public.documents d on d.id = r.document_id and d.storage_key <> r.storage_key
  union all
  select d.pending_file ->> 'storage_key', d.id, d.pending_file ->> 'filename', d.pending_file ->> 'content_type',
    (d.pending_file ->> 'size_bytes')::bigint, d.pending_file ->> 'sha256', d.uploaded_by, now(), null
  from public.documents d where d.pending_file is not null
) f
order by f.storage_key;
alter table public.documents drop column pending_file;

alter table public.document_files enable row level security;
revoke all on public.document_files from anon, authenticated;
grant select on public.document_files to authenticated;
grant all on public.document_files to service_role;
create policy "file of one of readable_documents" on public.document_files
  for select to authenticated using (document_id = any (array(select private.readable_documents())));

-- What was read before stays readable when a newer file cannot be read: the document is failed or unsupported then, for the reason
-- of the newer file, but it is called, and quoted as, what its current revision was read from.
create function private.note_outcome() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.document_files;
  failed boolean := new.status in ('failed', 'unsupported');
begin
  update public.document_files x set unread_reason = case when failed then new.status_reason end
  where x.storage_key = new.storage_key;
  if failed and new.current_revision_id is not null then
    select x.* into f
    from public.document_revisions r join public.document_files x on x.storage_key = r.storage_key
    where r.id = new.current_revision_id;
    new.storage_key := f.storage_key;
    new.filename := f.filename;
    new.content_type := f.content_type;
    new.size_bytes := coalesce(f.size_bytes, new.size_bytes);
    new.sha256 := f.sha256;
  end if;
  return new;
end
$$;
create trigger note_outcome before update of status on public.documents
  for each row when (new.status in ('ready', 'partial', 'failed', 'unsupported')) execute function private.note_outcome();

drop function private.same_content;

-- The file of a document the caller may read that has this content: as it is now, else as it was or will be.
create function private.same_content(m public.matters, wanted_sha256 text) returns public.document_files
language sql stable security definer
set search_path = ''
as $$
  select f.*
  from public.document_files f join public.documents d on d.id = f.document_id
  where f.sha256 = wanted_sha256 and d.id = any (array(select private.readable_documents(m.id)))
  order by (f.storage_key = d.storage_key) desc, (f.stored_at is not null) desc, d.upload_order
  limit 1
$$;

-- Two who bring the same content at once must not both be the first.
create function private.lock_content(m public.matters, sha256 text) returns void
language sql
set search_path = ''
as $$ select pg_advisory_xact_lock(hashtextextended(m.id || ':' || sha256, 0)) $$;

create function private.superseded(f public.document_files) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select f.stored_at is not null and d.storage_key <> f.storage_key from public.documents d where d.id = f.document_id
$$;

create function private.new_file(
  d public.documents, storage_key text, filename text, content_type text, size_bytes bigint, sha256 text
) returns public.document_files
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.document_files;
begin
  insert into public.document_files as x (storage_key, document_id, filename, content_type, size_bytes, sha256, registered_by)
  values (new_file.storage_key, d.id, new_file.filename, new_file.content_type, new_file.size_bytes, new_file.sha256, auth.uid())
  returning x.* into f;
  return f;
end
$$;

drop function private.new_version;
create function private.new_version(
  d public.documents, m public.matters, filename text, content_type text, size_bytes bigint, sha256 text
) returns public.document_files
language plpgsql security definer
set search_path = ''
as $$
begin
  if d.status = 'uploading' then
    raise exception 'The file of this document has not arrived, so there is nothing to make a new version of.'
      using errcode = 'OR409';
  end if;
  return private.new_file(d,
    concat_ws('/', m.tenant_id, m.id, d.id, left(gen_random_uuid()::text, 8) || '-' || private.safe_name(filename)),
    filename, content_type, size_bytes, sha256);
end
$$;

-- A chat's workspace holds only so many files; what is attached to them does not count.
create function private.check_workspace(m public.matters, workspace_limit integer) returns void
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
    raise exception 'A chat holds at most % files. Delete one to make room.', workspace_limit using errcode = 'OR409';
  end if;
end
$$;

-- The document that a new version is for: the one named, else the one of that name, else the one of that content.
create function private.version_target(m public.matters, version_of text, filename text, twin public.document_files)
returns public.documents
language plpgsql stable security definer
set search_path = ''
as $$
declare
  d public.documents;
begin
  if version_of is not null then
    d := private.open_document(version_of, 'editor');
    if d.matter_id <> m.id then
      perform private.not_found('document', version_of);
    end if;
    return d;
  end if;
  d := private.same_name(m, filename);
  if d.id is null and twin.stored_at is not null then
    select x.* into d from public.documents x where x.id = twin.document_id;
  end if;
  return d;
end
$$;

create function public.find_duplicates(matter_ref text, filename text, sha256 text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'editor');
  twin public.document_files := private.same_content(m, sha256);
  namesake public.documents := private.same_name(m, filename);
  result jsonb;
begin
  result := jsonb_build_object(
    'same_content', (
      select private.document_json(d) || jsonb_build_object('superseded', private.superseded(twin))
      from public.documents d where d.id = twin.document_id
    ),
    'same_name', case when namesake.id is distinct from twin.document_id and namesake.id is not null
      then private.document_json(namesake) end
  );
  perform private.audit('find_duplicates', m, null, jsonb_build_object('filename', filename, 'sha256', sha256));
  return result;
end
$$;

drop function public.register_document;
create function public.register_document(
  matter_ref text, filename text, content_type text, size_bytes bigint, sha256 text,
  on_duplicate text default 'skip', folder_id text default null, version_of text default null, workspace_limit integer default 50
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'editor');
  folder uuid := private.open_folder(m, folder_id);
  twin public.document_files;
  d public.documents;
  f public.document_files;
  mine boolean := false;
begin
  perform private.check_new_file(filename, content_type, size_bytes, sha256, on_duplicate);
  perform private.lock_content(m, sha256);
  twin := private.same_content(m, sha256);
  if on_duplicate = 'version' then
    d := private.version_target(m, version_of, filename, twin);
  elsif on_duplicate = 'skip' and twin.storage_key is not null then
    select x.* into d from public.documents x where x.id = twin.document_id;
  end if;
  if d.id is null then
    perform private.check_workspace(m, workspace_limit);
    d := private.new_document(m, filename, content_type, size_bytes, sha256, folder);
    f := private.new_file(d, d.storage_key, filename, content_type, size_bytes, sha256);
  elsif on_duplicate = 'version' then
    f := private.new_version(d, m, filename, content_type, size_bytes, sha256);
    twin.document_id := d.id;
  else
    mine := twin.registered_by = auth.uid() and twin.filename = register_document.filename and not private.superseded(twin)
      and d.status not in ('ready', 'partial', 'failed', 'unsupported');
    if twin.stored_at is null then
      -- Whoever brings it to its end: an upload that died stands in nobody's way.
      update public.document_files x set uploads = x.uploads + 1 where x.storage_key = twin.storage_key returning x.* into f;
    end if;
  end if;
  perform private.audit('register_document', m, d.id, jsonb_build_object(
    'filename', filename, 'sha256', sha256, 'on_duplicate', on_duplicate, 'duplicate_of', twin.document_id));
  return jsonb_build_object(
    'document', private.full_document_json(d), 'duplicate_of', twin.document_id,
    'superseded', coalesce(private.superseded(twin), false) and on_duplicate <> 'version',
    'unread_reason', twin.unread_reason, 'resumed', coalesce(mine, false),
    'tenant_id', m.tenant_id, 'matter_id', m.id, 'storage_key', f.storage_key
  );
end
$$;

-- The file has arrived and is the document's from now on, to be read by the next worker.
create function private.arrive(f public.document_files) returns public.documents
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents;
begin
  update public.document_files x set stored_at = clock_timestamp() where x.storage_key = f.storage_key;
  update public.documents u
  set status = 'queued', status_reason = '', stage = null, stage_done = null, stage_total = null, claimed_at = null,
    filename = f.filename, content_type = f.content_type, size_bytes = f.size_bytes, sha256 = f.sha256,
    storage_key = f.storage_key
  where u.id = f.document_id
  returning u.* into d;
  return d;
end
$$;

drop function public.document_stored;
create function public.document_stored(document_id text, storage_key text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
  f public.document_files;
  arrived boolean;
begin
  select x.* into f from public.document_files x
  where x.document_id = d.id
    and case when document_stored.storage_key is null then x.stored_at is null else x.storage_key = document_stored.storage_key end
  order by x.ordinal desc limit 1
  for update;
  if not found then
    raise exception 'No file was expected for this document.' using errcode = 'OR409';
  end if;
  arrived := f.stored_at is null;
  if arrived then
    d := private.arrive(f);
    perform private.audit('document_stored', private.matter_of(d), d.id, jsonb_build_object('sha256', f.sha256));
  end if;
  return private.full_document_json(d) || jsonb_build_object('arrived', arrived);
end
$$;

-- True where this was the last upload of the file: then nothing of it, nor of a document that has no other, stays.
create function private.withdraw(id uuid, key text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.document_files;
begin
  update public.document_files x set uploads = x.uploads - 1
  where x.storage_key = key and x.document_id = id and x.stored_at is null
  returning x.* into f;
  if coalesce(f.uploads, 1) > 0 then
    return false;
  end if;
  delete from public.document_files x where x.storage_key = key;
  delete from public.documents x
  where x.id = withdraw.id and x.status = 'uploading' and not exists (
    select from public.document_files y where y.document_id = x.id
  );
  return true;
end
$$;

create function public.withdraw_upload(document_id text, storage_key text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
  m public.matters := private.matter_of(d);
  withdrawn boolean := private.withdraw(d.id, storage_key);
begin
  perform private.audit('withdraw_upload', m, d.id, jsonb_build_object('withdrawn', withdrawn));
  return jsonb_build_object('withdrawn', withdrawn);
end
$$;

create or replace function public.reprocess_document(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
  f public.document_files;
begin
  select x.* into f from public.document_files x
  where x.document_id = d.id and x.stored_at is not null order by x.stored_at desc, x.ordinal desc limit 1;
  if not found then
    raise exception 'The file of this document has not arrived.' using errcode = 'OR409';
  end if;
  update public.documents u
  set status = 'queued', status_reason = '', stage = null, stage_done = null, stage_total = null, claimed_at = null,
    filename = f.filename, content_type = f.content_type, size_bytes = coalesce(f.size_bytes, u.size_bytes), sha256 = f.sha256,
    storage_key = f.storage_key
  where u.id = d.id
  returning u.* into d;
  perform private.audit('reprocess_document', private.matter_of(d), d.id);
  return private.full_document_json(d);
end
$$;

revoke all on function private.note_outcome, private.same_content, private.lock_content, private.superseded, private.new_file,
  private.new_version, private.check_workspace, private.version_target, private.arrive, private.withdraw
  from public, anon, authenticated;
revoke all on function public.find_duplicates, public.register_document, public.document_stored, public.withdraw_upload
  from public, anon, authenticated, service_role;
grant execute on function public.find_duplicates, public.register_document, public.document_stored, public.withdraw_upload
  to authenticated;
