-- What was kept for a group stays the group's when it is deleted: its name and what was asked about it in the record, and, until its
-- words are taken out of them (20261122010007), the conversations that have read it.
--
-- Shapes as in 20261122010003 (my_threads, check_thread) and 20261123010100 (list_audit, replay_run).

-- Documents of some matters that are, or were, kept for groups that the caller is not in.
create or replace function private.hidden_documents(matters uuid[]) returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select d.id from public.documents d
  where d.matter_id = any (matters) and d.group_id is not null and d.group_id <> all (array(select private.my_group_ids()))
  union
  select x.document_id from public.receipts x
  where x.matter_id = any (matters) and x.group_id is not null and x.group_id <> all (array(select private.my_group_ids()))
$$;

create or replace function private.entry_json(a public.audit_log, readable uuid[], withheld boolean) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'seq', a.seq, 'at', a.at, 'user_id', a.user_id, 'email', (select u.email from auth.users u where u.id = a.user_id),
    'action', a.action, 'document_id', a.document_id, 'document_name', d.filename,
    'run', a.detail -> 'run', 'thread', a.detail -> 'thread',
    'detail', case when withheld then null when walled.yes then a.detail - 'reason' else a.detail end,
    'previous_hash', a.previous_hash, 'hash', a.hash
  )
  from (
    select a.detail ? 'screen_id' and a.user_id is distinct from auth.uid() and not exists (
      select from public.profiles p where p.user_id = auth.uid() and p.is_conflicts_officer
    ) as yes
  ) walled
  left join public.documents d on d.id = a.document_id and (
    d.id = any (readable)
    or (d.deleted_at is not null and (d.group_id is null or d.group_id = any (array(select private.my_group_ids()))))
  )
$$;

create or replace function private.closed_threads(only_thread text) returns setof text
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
  where d.group_id is not null and d.group_id not in (select private.my_group_ids())
    and not exists (select from private.redacted_documents x where x.document_id = d.id)
$$;
