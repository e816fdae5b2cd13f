-- As the caller (role authenticated): who am I, matters and their members.
--
--   whoami()              {user_id, email, display_name, tenant_id, tenant_name, is_admin}
--   list_matters()        [matter, …]                 archived last, then by number
--   get_matter(matter_ref)                            matter; matter_ref is an id or a number, here and everywhere
--     matter = {id, number, title, kind, role, document_count, created_at, archived_at}
--   create_matter(title, number = null)               matter; the caller owns it; null: next "M-<year>-NNN" of the tenant
--   add_matter_member(matter_ref, member_email, member_role)   member; adding again changes the role
--   remove_matter_member(matter_ref, member_email)    member as it was
--   list_matter_members(matter_ref)                   [member, …] by email
--     member = {user_id, email, display_name, role, added_at}
-- As anon:
--   authenticate_token(token_sha256)                  {user_id, email, expires_at} | null

create function private.matter_json(m public.matters) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', m.id, 'number', m.number, 'title', m.title, 'kind', m.kind,
    'role', (select mm.role from public.matter_members mm where mm.matter_id = m.id and mm.user_id = (select auth.uid())),
    'document_count', (select count(*) from private.readable_documents(m.id)),
    'created_at', m.created_at, 'archived_at', m.archived_at
  )
$$;

create function private.member_json(mm public.matter_members) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'user_id', mm.user_id, 'email', u.email, 'display_name', p.display_name, 'role', mm.role, 'added_at', mm.added_at
  )
  from public.profiles p join auth.users u on u.id = p.user_id
  where p.user_id = mm.user_id
$$;

create function public.whoami() returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  return (
    select jsonb_build_object(
      'user_id', me.user_id, 'email', u.email, 'display_name', me.display_name,
      'tenant_id', t.id, 'tenant_name', t.name, 'is_admin', me.is_admin
    )
    from public.tenants t, auth.users u
    where t.id = me.tenant_id and u.id = me.user_id
  );
end
$$;

create function public.list_matters() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  result jsonb;
begin
  select coalesce(jsonb_agg(private.matter_json(m) order by (m.archived_at is not null), m.number collate "C"), '[]')
  into result
  from public.matters m
  where m.id = any (array(select private.my_matter_ids()));
  perform private.audit('list_matters', null, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

create function public.get_matter(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
begin
  perform private.audit('get_matter', m);
  return private.matter_json(m);
end
$$;

-- Serialised per tenant by a lock on the tenant's row, so that two people never get the same number.
create function private.next_matter_number(tenant uuid) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  prefix text := 'M-' || extract(year from now() at time zone 'UTC') || '-';
  last_used bigint;
begin
  perform from public.tenants t where t.id = tenant for update;
  select max(substr(m.number, length(prefix) + 1)::bigint) into last_used
  from public.matters m
  where m.tenant_id = tenant and m.number ~ ('^' || prefix || '[0-9]{1,15}$');
  return prefix || lpad((coalesce(last_used, 0) + 1)::text, greatest(3, length((coalesce(last_used, 0) + 1)::text)), '0');
end
$$;

create function public.create_matter(title text, number text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  m public.matters;
begin
  if coalesce(btrim(create_matter.title), '') = '' then
    perform private.invalid('A matter needs a title.');
  end if;
  if private.as_uuid(btrim(create_matter.number)) is not null then
    perform private.invalid('A matter number must not look like an id.');
  end if;
  insert into public.matters (tenant_id, number, title, created_by)
  values (
    me.tenant_id,
    coalesce(nullif(btrim(create_matter.number), ''), private.next_matter_number(me.tenant_id)),
    btrim(create_matter.title),
    me.user_id
  )
  on conflict do nothing
  returning * into m;
  if m.id is null then
    raise exception 'Matter number % is taken.', btrim(create_matter.number) using errcode = 'OR409';
  end if;
  insert into public.matter_members (matter_id, user_id, role) values (m.id, me.user_id, 'owner');
  perform private.audit('create_matter', m, null, jsonb_build_object('number', m.number, 'title', m.title));
  return private.matter_json(m);
end
$$;

create function private.colleague(tenant uuid, member_email text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  member uuid;
begin
  select p.user_id into member
  from public.profiles p join auth.users u on u.id = p.user_id
  where p.tenant_id = tenant and lower(u.email) = lower(btrim(member_email));
  if not found then
    perform private.not_found('user', member_email);
  end if;
  return member;
end
$$;

create function private.keep_an_owner(m public.matters) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if not exists (select from public.matter_members mm where mm.matter_id = m.id and mm.role = 'owner') then
    raise exception 'A matter keeps at least one owner.' using errcode = 'OR409';
  end if;
end
$$;

create function public.add_matter_member(matter_ref text, member_email text, member_role text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'owner');
  member uuid := private.colleague(m.tenant_id, member_email);
  result public.matter_members;
begin
  if member_role is null or member_role not in ('owner', 'editor', 'viewer') then
    perform private.invalid('A member is an owner, an editor or a viewer.');
  end if;
  if m.kind = 'workspace' then
    perform private.invalid('A chat''s workspace is private to its user.');
  end if;
  perform from public.matters locked where locked.id = m.id for update;
  insert into public.matter_members as mm (matter_id, user_id, role) values (m.id, member, member_role)
  on conflict on constraint matter_members_pkey do update set role = excluded.role
  returning mm.* into result;
  perform private.keep_an_owner(m);
  perform private.audit('add_matter_member', m, null, jsonb_build_object('member', member, 'role', member_role));
  return private.member_json(result);
end
$$;

create function public.remove_matter_member(matter_ref text, member_email text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'owner');
  member uuid := private.colleague(m.tenant_id, member_email);
  gone public.matter_members;
  result jsonb;
begin
  perform from public.matters locked where locked.id = m.id for update;
  delete from public.matter_members mm where mm.matter_id = m.id and mm.user_id = member returning mm.* into gone;
  if not found then
    perform private.not_found('user', member_email);
  end if;
  perform private.keep_an_owner(m);
  result := private.member_json(gone);
  perform private.audit('remove_matter_member', m, null, jsonb_build_object('member', member, 'role', gone.role));
  return result;
end
$$;

create function public.list_matter_members(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(private.member_json(mm) order by u.email collate "C"), '[]') into result
  from public.matter_members mm join auth.users u on u.id = mm.user_id
  where mm.matter_id = m.id;
  perform private.audit('list_matter_members', m);
  return result;
end
$$;

create function public.authenticate_token(token_sha256 text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('user_id', t.user_id, 'email', u.email, 'expires_at', t.expires_at)
  from private.access_tokens t join auth.users u on u.id = t.user_id
  where t.token_sha256 = lower(authenticate_token.token_sha256) and t.revoked_at is null and t.expires_at > now()
$$;

revoke all on function private.matter_json, private.member_json, private.next_matter_number, private.colleague,
  private.keep_an_owner from public, anon, authenticated;
revoke all on function public.whoami, public.list_matters, public.get_matter, public.create_matter,
  public.add_matter_member, public.remove_matter_member, public.list_matter_members, public.authenticate_token
  from public, anon, authenticated, service_role;
grant execute on function public.whoami, public.list_matters, public.get_matter, public.create_matter,
  public.add_matter_member, public.remove_matter_member, public.list_matter_members to authenticated;
grant execute on function public.authenticate_token to anon;
