-- Files in Supabase Storage as their users: the agent's side holds no key that opens more than its caller may open. Reading is
-- allowed since 20261120090800; here, what a user's upload and the pictures of pages take. The service key is the worker's.

-- A file that the caller has registered and that has not arrived yet, in a matter that they may add to; or the picture of a page of
-- a document that they may read.
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

revoke all on function private.may_store from public, anon, authenticated;

do $$
begin
  if to_regclass('storage.objects') is null then
    return;
  end if;
  grant execute on function private.may_store to authenticated;
  create policy "file that the caller has registered, or a page's picture" on storage.objects
    for insert to authenticated with check (bucket_id = 'documents' and private.may_store(name));
  -- What an interrupted upload of the same file left.
  create policy "file of the caller's that has not arrived" on storage.objects
    for delete to authenticated using (
      bucket_id = 'documents' and owner_id = (select auth.uid())::text and private.may_store(name)
    );
end
$$;
