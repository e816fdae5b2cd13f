-- Conversations and walls: what a conversation has read decides who may open it, each time anew.
--
-- As the caller (role authenticated):
--   register_thread(thread_id)    {thread_id}; at its making, by the server
--   check_thread(thread_id, opened = false)   {thread_id}; OR404 as soon as a matter, or a document, that the conversation has read is no
--                                 longer the caller's to read. opened: put the opening on record. Deleted documents do not close it
--   my_threads()                  {closed: [thread_id, …], open: [thread_id, …]}; open is null while none is closed, which is the rule

create table public.threads (
  thread_id text primary key check (length(thread_id) between 1 and 200),
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  created_at timestamptz not null default now()
);
create index threads_user on public.threads (user_id);

-- What conversations have read. No reference to matter or document: a conversation outlives them, and stays closed then.
create table public.thread_reads (
  thread_id text not null,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  matter_id uuid not null,
  document_id uuid,
  unique nulls not distinct (user_id, thread_id, matter_id, document_id)
);
create index thread_reads_document on public.thread_reads (document_id) where document_id is not null;

alter table public.threads enable row level security;
alter table public.thread_reads enable row level security;
revoke all on public.threads, public.thread_reads from anon, authenticated;
grant select on public.threads, public.thread_reads to authenticated;
grant all on public.threads, public.thread_reads to service_role;
create policy "thread of one's own" on public.threads for select to authenticated using (user_id = (select auth.uid()));
create policy "read of one's own" on public.thread_reads for select to authenticated using (user_id = (select auth.uid()));

-- What an entry of the record says that its conversation has read.
create function private.note_reads() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.thread_reads (thread_id, user_id, matter_id, document_id)
  values (new.detail ->> 'thread', new.user_id, new.matter_id, new.document_id)
  on conflict do nothing;
  if jsonb_typeof(new.detail -> 'chunks') = 'array' then
    insert into public.thread_reads (thread_id, user_id, matter_id, document_id)
    select distinct new.detail ->> 'thread', new.user_id, c.matter_id, c.document_id
    from jsonb_array_elements_text(new.detail -> 'chunks') as hit (id) join public.chunks c on c.id = private.as_uuid(hit.id)
    on conflict do nothing;
  end if;
  return null;
end
$$;
create trigger note_reads after insert on public.audit_log for each row
  when (new.detail ? 'thread' and new.matter_id is not null and new.user_id is not null and new.action <> 'denied')
  execute function private.note_reads();

-- Conversations of the caller that have read what is no longer theirs, among one or (null) all. A workspace opens in its own
-- conversation only, so for workspaces it is membership that counts.
create function private.closed_threads(only_thread text) returns setof text
language sql stable security definer
set search_path = ''
as $$
  with mine as materialized (
    select r.thread_id, r.matter_id, r.document_id from public.thread_reads r
    where r.user_id = (select auth.uid()) and (only_thread is null or r.thread_id = only_thread)
  ), matters as materialized (
    select private.my_matter_ids() as id
    union
    select m.id from public.matters m join public.matter_members mm on mm.matter_id = m.id
    where m.kind = 'workspace' and mm.user_id = (select auth.uid())
  )
  select mine.thread_id from mine where mine.matter_id not in (select matters.id from matters)
  union
  select mine.thread_id from mine join public.documents d on d.id = mine.document_id
  where d.deleted_at is null and d.group_id is not null and d.group_id not in (select private.my_group_ids())
$$;

create function public.register_thread(thread_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  if coalesce(length(register_thread.thread_id), 0) not between 1 and 200 then
    perform private.invalid('A conversation has an id of at most 200 characters.');
  end if;
  insert into public.threads (thread_id, user_id) values (register_thread.thread_id, me.user_id) on conflict do nothing;
  return jsonb_build_object('thread_id', register_thread.thread_id);
end
$$;

create function public.check_thread(thread_id text, opened boolean default false) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  if exists (select from private.closed_threads(check_thread.thread_id)) then
    perform private.not_found('conversation', check_thread.thread_id);
  end if;
  if opened then
    perform private.audit('open_thread', null, null, jsonb_build_object('opened', check_thread.thread_id));
  end if;
  return jsonb_build_object('thread_id', check_thread.thread_id);
end
$$;

create function public.my_threads() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  closed text[] := array(select private.closed_threads(null));
begin
  return jsonb_build_object('closed', to_jsonb(closed), 'open', case when cardinality(closed) > 0 then (
    select coalesce(jsonb_agg(t.thread_id order by t.created_at desc, t.thread_id), '[]') from public.threads t
    where t.user_id = me.user_id and t.thread_id <> all (closed)
  ) end);
end
$$;

-- As in 20261122010002; what closes a conversation is the matter that an attempt to open it is about.
create or replace function private.matter_named(tenant uuid, ref text) returns public.matters
language sql stable security definer
set search_path = ''
as $$
  select m.* from (
    select x.id from public.matters x
    where x.tenant_id = tenant and (x.id = private.as_uuid(ref) or lower(x.number) = lower(btrim(ref)))
    union all select d.matter_id from public.documents d where d.id = private.as_uuid(ref)
    union all select c.matter_id from public.chunks c where c.id = private.as_uuid(ref)
    union all select f.matter_id from public.folders f where f.id = private.as_uuid(ref)
    union all select d.matter_id from public.citations c join public.documents d on d.id = c.document_id where c.id = private.as_uuid(ref)
    union all
    select d.matter_id from public.sections s join public.document_revisions r on r.id = s.revision_id
    join public.documents d on d.id = r.document_id where s.id = private.as_uuid(ref)
    union all
    select r.matter_id from public.thread_reads r
    where r.thread_id = ref and r.user_id = (select auth.uid()) and r.matter_id not in (select private.my_matter_ids())
  ) named join public.matters m on m.id = named.id and m.tenant_id = tenant
  limit 1
$$;

revoke all on function private.note_reads, private.closed_threads from public, anon, authenticated;
revoke all on function public.register_thread, public.check_thread, public.my_threads from public, anon, authenticated, service_role;
grant execute on function public.register_thread, public.check_thread, public.my_threads to authenticated;
