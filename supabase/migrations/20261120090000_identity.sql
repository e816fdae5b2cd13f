-- Who there is: tenants, people, groups, access tokens. And the few private functions every other file stands on.
--
-- Errors of all functions (hint and detail are fixed per kind, adapters translate by SQLSTATE):
--   OR400 invalid   OR401 not signed in   OR403 may not   OR409 conflict   OR425 not ready (detail: document status)
--   OR404 missing or forbidden, which read the same (detail: matter | document | citation | user | tenant; hint: id as given)
-- Ids arrive as text: a malformed one is one that is not found. Callers are known by `request.jwt.claims` alone.

create schema if not exists extensions;
create extension if not exists vector with schema extensions;
create schema if not exists private;
revoke all on schema private from public;
grant usage on schema private to authenticated, service_role;

create table public.tenants (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (btrim(name) <> ''),
  created_at timestamptz not null default now()
);

create table public.profiles (
  user_id uuid primary key references auth.users (id) on delete cascade,
  tenant_id uuid not null references public.tenants (id),
  display_name text not null,
  is_admin boolean not null default false,
  created_at timestamptz not null default now()
);
create index profiles_tenant on public.profiles (tenant_id);

create table public.groups (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id),
  name text not null,
  unique (tenant_id, name)
);

create table public.group_members (
  group_id uuid not null references public.groups (id) on delete cascade,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  primary key (group_id, user_id)
);
create index group_members_user on public.group_members (user_id);

create table private.access_tokens (
  token_sha256 text primary key check (token_sha256 ~ '^[0-9a-f]{64}$'),
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  label text not null default '',
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index access_tokens_user on private.access_tokens (user_id);

alter table public.tenants enable row level security;
alter table public.profiles enable row level security;
alter table public.groups enable row level security;
alter table public.group_members enable row level security;
alter table private.access_tokens enable row level security;

revoke all on public.tenants, public.profiles, public.groups, public.group_members from anon, authenticated;
grant select on public.tenants, public.profiles, public.groups, public.group_members to authenticated;
grant all on public.tenants, public.profiles, public.groups, public.group_members to service_role;

-- null for what is no uuid, so that a malformed id takes the path of a missing one.
create function private.as_uuid(value text) returns uuid
language sql immutable strict
set search_path = ''
as $$
  select case
    when value ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then value::uuid
  end
$$;

create function private.not_found(kind text, ref text) returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'not found' using errcode = 'OR404', detail = kind, hint = coalesce(ref, '');
end
$$;

create function private.invalid(message text) returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception '%', message using errcode = 'OR400';
end
$$;

-- Clamps a client's wish for rows; the service layers have tighter limits of their own.
create function private.row_limit(wanted integer) returns integer
language sql immutable
set search_path = ''
as $$ select least(greatest(coalesce(wanted, 10), 1), 1000) $$;

create function private.my_tenant_id() returns uuid
language sql stable security definer
set search_path = ''
as $$ select p.tenant_id from public.profiles p where p.user_id = (select auth.uid()) $$;

create function private.my_group_ids() returns setof uuid
language sql stable security definer
set search_path = ''
as $$ select g.group_id from public.group_members g where g.user_id = (select auth.uid()) $$;

create function private.caller() returns public.profiles
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles;
begin
  select p.* into me from public.profiles p where p.user_id = auth.uid();
  if not found then
    raise exception 'Sign in first.' using errcode = 'OR401';
  end if;
  return me;
end
$$;

create policy "tenant is my tenant" on public.tenants
  for select to authenticated using (id = (select private.my_tenant_id()));
create policy "profile is in my tenant" on public.profiles
  for select to authenticated using (tenant_id = (select private.my_tenant_id()));
create policy "group is one of mine" on public.groups
  for select to authenticated using (id = any (array(select private.my_group_ids())));
create policy "membership is my own" on public.group_members
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on all functions in schema private from public, anon, authenticated;
grant execute on function private.my_tenant_id, private.my_group_ids to authenticated;
