-- The private bucket of the files, where Supabase Storage exists. Its row level security stands in schemas/16_storage.sql.

do $$
begin
  if to_regclass('storage.buckets') is not null then
    insert into storage.buckets (id, name, public) values ('documents', 'documents', false) on conflict do nothing;
  end if;
end
$$;
