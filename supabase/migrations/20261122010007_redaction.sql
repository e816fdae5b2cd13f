-- A purge takes a document's words out of the conversations too: those that the production server keeps, and stored responses.
--
-- As service_role:
--   next_redaction()               {document_id, threads: [thread_id, …], texts: [text, …]} | null: a deleted document without a hold, the
--                                  conversations that have read its matter, and the text of each of its revisions
--   redaction_done(document_id)    {document_id}

create table private.redacted_documents (
  document_id uuid primary key references public.documents (id) on delete cascade,
  redacted_at timestamptz not null default now()
);
alter table private.redacted_documents enable row level security;
revoke all on private.redacted_documents from public, anon, authenticated, service_role;

-- Its words are in the body, and nobody could fetch it any more.
create function private.delete_responses() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from public.responses r where r.document_ids @> array[old.id];
  return null;
end
$$;
create trigger delete_responses after delete on public.documents for each row execute function private.delete_responses();
create index responses_documents on public.responses using gin (document_ids);

create function public.next_redaction() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'document_id', d.id,
    'threads', (select jsonb_agg(distinct r.thread_id) from public.thread_reads r where r.matter_id = d.matter_id),
    'texts', (select coalesce(jsonb_agg(v.text), '[]') from public.document_revisions v where v.document_id = d.id)
  )
  from public.documents d
  where d.deleted_at is not null and not private.on_hold(d)
    and not exists (select from private.redacted_documents x where x.document_id = d.id)
    and exists (select from public.thread_reads r where r.matter_id = d.matter_id)
  order by d.deleted_at, d.id
  limit 1
$$;

create function public.redaction_done(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.redacted_documents (document_id)
  select d.id from public.documents d where d.id = private.as_uuid(redaction_done.document_id)
  on conflict do nothing;
  return jsonb_build_object('document_id', redaction_done.document_id);
end
$$;

revoke all on function private.delete_responses from public, anon, authenticated;
revoke all on function public.next_redaction, public.redaction_done from public, anon, authenticated, service_role;
grant execute on function public.next_redaction, public.redaction_done to service_role;
