-- Files in Supabase Storage, where there is one: row level security of its objects. The bucket itself is data and stands in a
-- migration. Paths are {tenant}/{matter}/{document}/{name}.
--
-- A file is readable by everybody who may read its document. Callers add the files that they have registered; the worker's key
-- alone may do more.

-- The document of a path; null where the path names none.
create function private.document_of_path(path text) returns uuid
language sql immutable
set search_path = ''
as $$ select private.as_uuid(split_part(path, '/', 3)) $$;

-- Whether the caller may add a file: one that they have registered and that has not arrived, in a matter that they may add to; or
-- the picture of a page of a readable document.
create function private.may_store(path text) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from public.document_files f
    join public.documents d on d.id = f.document_id
    join public.matter_members mm on mm.matter_id = d.matter_id and mm.user_id = (select auth.uid()) and mm.role in ('owner', 'editor')
    where f.storage_key = path and f.registered_by = (select auth.uid()) and f.stored_at is null
      and d.id in (select private.readable_documents(d.matter_id))
  ) or exists (
    select from private.page_images i
    where i.storage_key = path and i.document_id in (select private.readable_documents(null))
  )
$$;

-- == Privileges ==

revoke all on function private.document_of_path, private.may_store from public, anon, authenticated;
-- Policies call these as the caller.
grant execute on function private.document_of_path to authenticated;

do $$
begin
  if to_regclass('storage.objects') is null then
    return;
  end if;
  grant execute on function private.may_store to authenticated;
  create policy "file of one of readable_documents" on storage.objects
    for select to authenticated using (
      bucket_id = 'documents'
      and private.document_of_path(name) = any (array(select private.readable_documents()))
    );
  create policy "file that the caller has registered, or a page's picture" on storage.objects
    for insert to authenticated with check (bucket_id = 'documents' and private.may_store(name));
  -- The remains of an interrupted upload of the same file.
  create policy "file of the caller's that has not arrived" on storage.objects
    for delete to authenticated using (
      bucket_id = 'documents' and owner_id = (select auth.uid())::text and private.may_store(name)
    );
end
$$;

-- Set in 01_foundation.sql.
reset check_function_bodies;
