-- Whether one conversation is closed is asked before every call of a model: it is looked up by its own key, however many others its
-- user has had. One query for one or all had a plan that went through all of them. As in 20261123010200 otherwise.

create function private.my_reads(only_thread text) returns setof public.thread_reads
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if only_thread is null then
    return query select r.* from public.thread_reads r where r.user_id = (select auth.uid());
  else
    return query select r.* from public.thread_reads r where r.user_id = (select auth.uid()) and r.thread_id = only_thread;
  end if;
end
$$;

create or replace function private.closed_threads(only_thread text) returns setof text
language sql stable security definer
set search_path = ''
as $$
  with mine as materialized (
    select r.thread_id, r.matter_id, r.document_id from private.my_reads(only_thread) r
  ), matters as materialized (
    select private.my_matter_ids() as id
    union
    select m.id from public.matters m join public.matter_members mm on mm.matter_id = m.id
    where m.kind = 'workspace' and mm.user_id = (select auth.uid())
  )
  select mine.thread_id from mine where mine.matter_id not in (select matters.id from matters)
  union
  select mine.thread_id from mine join public.documents d on d.id = mine.document_id
  where d.group_id is not null and d.group_id not in (select private.my_group_ids())
    and not exists (select from private.redacted_documents x where x.document_id = d.id)
$$;

revoke all on function private.my_reads from public, anon, authenticated;
