-- The access rule: which matters and documents the caller may read.
--
-- One rule decides for every policy, every function and every file:
--   a person whose access the operator has revoked is nobody;
--   a matter is readable by its members, in their own firm, unless a wall (matter_screens) stands between the two;
--   a workspace (the private matter of a conversation) is readable only from within its conversation;
--   a request of a run that names its matters reads no other matter, whatever its user may read elsewhere;
--   a document is readable in a readable matter while it is not deleted, and inside its group where it has one.
-- Administrators and conflicts officers read nothing by their office. Nothing else may decide about access.

-- == The caller ==

-- The caller, where the claims name a person whose access is not revoked; null otherwise.
create function private.my_user_id() returns uuid
language sql stable security definer
set search_path = ''
as $$ select p.user_id from public.profiles p where p.user_id = (select auth.uid()) and p.revoked_at is null $$;

-- The caller's firm.
create function private.my_tenant_id() returns uuid
language sql stable security definer
set search_path = ''
as $$ select p.tenant_id from public.profiles p where p.user_id = (select private.my_user_id()) $$;

-- Groups that the caller is a member of, within the caller's own firm.
create function private.my_group_ids() returns setof uuid
language sql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
  select gm.group_id
  from public.profiles p
  join public.group_members gm on gm.user_id = p.user_id
  join public.groups g on g.id = gm.group_id and g.tenant_id = p.tenant_id
  where p.user_id = (select auth.uid()) and p.revoked_at is null
$$;

-- The conversation that the server has authorised for this request; null outside a conversation.
create function private.my_thread_id() returns text
language sql stable
set search_path = ''
as $$ select nullif(auth.jwt() ->> 'thread_id', '') $$;

-- The run that the request is part of; null outside a run.
create function private.my_run_id() returns text
language sql stable
set search_path = ''
as $$ select nullif(auth.jwt() ->> 'run_id', '') $$;

-- The matters that the run of the request is kept to; null where it is kept to none.
create function private.my_chosen_matters() returns uuid[]
language sql stable
set search_path = ''
as $$
  select array(select private.as_uuid(named.id) from jsonb_array_elements_text(auth.jwt() -> 'matters') as named (id))
  where auth.jwt() ? 'matters'
$$;

-- == Matters ==

-- Readable matters: one (only_matter) or all (null); beyond_run: also those that the run is not kept to, for what its user may
-- still read. The files of the run's own conversation belong to every run. One plan serves both, because one matter is a range of one id and all are
-- the whole range; the plan is kept. It may be made while the tables are empty, so no table is read whole.
create function private.my_matter_ids_among(only_matter uuid, beyond_run boolean default false) returns setof uuid
language sql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
  select m.id
  from public.profiles p
  join public.matter_members mm on mm.user_id = p.user_id
    and mm.matter_id >= coalesce(only_matter, '00000000-0000-0000-0000-000000000000')
    and mm.matter_id <= coalesce(only_matter, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  join public.matters m on m.id = mm.matter_id and m.tenant_id = p.tenant_id
  where p.user_id = (select auth.uid()) and p.revoked_at is null
    and (m.kind = 'matter' or m.thread_id = (select private.my_thread_id()))
    and (beyond_run or m.kind = 'workspace' or (select private.my_chosen_matters()) is null
      or m.id = any ((select private.my_chosen_matters())::uuid[]))
    and not exists (
      select from public.matter_screens s
      where s.matter_id = m.id and s.user_id = p.user_id and s.lifted_at is null
        and s.starts_at <= now() and (s.ends_at is null or s.ends_at > now())
    )
$$;

-- All readable matters.
create function private.my_matter_ids() returns setof uuid
language sql stable security definer
set search_path = ''
as $$ select private.my_matter_ids_among(null) $$;

-- Readable matters, and the caller's workspaces outside their conversations too: for the record and for closing conversations.
create function private.my_matters_and_workspaces() returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select private.my_matter_ids()
  union
  select m.id from public.matters m join public.matter_members mm on mm.matter_id = m.id
  where m.kind = 'workspace' and mm.user_id = (select private.my_user_id())
$$;

-- == Documents ==

-- Readable documents of one matter, or (null) of all.
create function private.readable_documents(matter uuid default null) returns setof uuid
language sql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
  select d.id
  from public.documents d
  where d.matter_id = any (array(select private.my_matter_ids_among(matter)))
    and d.deleted_at is null
    and (d.group_id is null or d.group_id = any (array(select private.my_group_ids())))
$$;

-- Published revisions of readable documents. Earlier revisions are included: citations point into them.
create function private.readable_revisions() returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select r.id from public.document_revisions r
  where r.published_at is not null and r.document_id = any (array(select private.readable_documents()))
$$;

-- Documents of some matters that are, or were until their deletion, kept for groups that the caller is not in.
create function private.hidden_documents(matters uuid[]) returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select d.id from public.documents d
  where d.matter_id = any (matters) and d.group_id is not null and d.group_id <> all (array(select private.my_group_ids()))
  union
  select x.document_id from public.receipts x
  where x.matter_id = any (matters) and x.group_id is not null and x.group_id <> all (array(select private.my_group_ids()))
$$;

-- == Privileges ==

revoke all on function private.my_user_id, private.my_tenant_id, private.my_group_ids, private.my_thread_id, private.my_run_id,
  private.my_chosen_matters, private.my_matter_ids_among, private.my_matter_ids, private.my_matters_and_workspaces, private.readable_documents,
  private.readable_revisions, private.hidden_documents from public, anon, authenticated;
-- Policies call these as the caller.
grant execute on function private.my_user_id, private.my_tenant_id, private.my_group_ids, private.my_matter_ids, private.readable_documents,
  private.readable_revisions to authenticated;
