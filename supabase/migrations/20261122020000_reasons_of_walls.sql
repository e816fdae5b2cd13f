-- Why a wall stands is for conflicts officers and for who put it up (20261122010001), in the record of the matter too: its other
-- owners read there that a wall was put up, when, by whom and against whom.

create or replace function private.entry_json(a public.audit_log, readable uuid[]) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'seq', a.seq, 'at', a.at, 'user_id', a.user_id, 'email', (select u.email from auth.users u where u.id = a.user_id),
    'action', a.action, 'document_id', a.document_id, 'document_name', d.filename,
    'run', a.detail -> 'run', 'thread', a.detail -> 'thread',
    'detail', case when restricted.yes then null when walled.yes then a.detail - 'reason' else a.detail end,
    'previous_hash', a.previous_hash, 'hash', a.hash
  )
  from (
    select a.document_id is not null and exists (
      select from public.documents x where x.id = a.document_id and x.deleted_at is null and x.id <> all (readable)
    ) as yes
  ) restricted
  cross join (
    select a.detail ? 'screen_id' and a.user_id is distinct from auth.uid() and not exists (
      select from public.profiles p where p.user_id = auth.uid() and p.is_conflicts_officer
    ) as yes
  ) walled
  left join public.documents d on d.id = a.document_id and not restricted.yes
$$;
