-- The bucket of the files, where Supabase Storage exists. A file is readable by whoever may read its document; only the
-- worker's key writes and deletes. Paths are {tenant}/{matter}/{document}/{name}.

create function private.document_of_path(path text) returns uuid
language sql immutable
set search_path = ''
as $$ select private.as_uuid(split_part(path, '/', 3)) $$;

revoke all on function private.document_of_path from public, anon;
grant execute on function private.document_of_path, private.as_uuid to authenticated;

do $$
begin
  if to_regclass('storage.objects') is null then
    return;
  end if;
  insert into storage.buckets (id, name, public) values ('documents', 'documents', false) on conflict do nothing;
  create policy "file of one of readable_documents" on storage.objects
    for select to authenticated using (
      bucket_id = 'documents'
      and private.document_of_path(name) = any (array(select private.readable_documents()))
    );
end
$$;
