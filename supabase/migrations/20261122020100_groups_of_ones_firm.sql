-- Who leaves for another firm leaves its groups behind, as they leave its matters: membership counts within one's own firm.

create or replace function private.my_group_ids() returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select gm.group_id
  from public.profiles p
  join public.group_members gm on gm.user_id = p.user_id
  join public.groups g on g.id = gm.group_id and g.tenant_id = p.tenant_id
  where p.user_id = (select auth.uid())
$$;
