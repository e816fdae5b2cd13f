-- The rule is asked at every call, mostly about one matter. Whether that was one matter or all of them used to decide how the members
-- are read, so that it was planned anew at every call: for a caller with 2,000 matters that took longer than the answer. One matter is
-- a range of one now, and all are the whole range: one plan serves both, is kept, and reads of the members what it is asked about.

drop index public.matter_members_user;
create index matter_members_user on public.matter_members (user_id, matter_id);

-- The rule of 20261122010001, word for word but for the range. No table is read whole: a kept plan may be from before there was anything.
create or replace function private.my_matter_ids_among(only_matter uuid) returns setof uuid
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
  where p.user_id = (select auth.uid())
    and (m.kind = 'matter' or m.thread_id = (select private.my_thread_id()))
    and not exists (
      select from public.matter_screens s
      where s.matter_id = m.id and s.user_id = p.user_id and s.lifted_at is null
        and s.starts_at <= now() and (s.ends_at is null or s.ends_at > now())
    )
$$;
