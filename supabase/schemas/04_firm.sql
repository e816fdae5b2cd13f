-- The firm: tenants, people, groups, access tokens, sign-in by an identity provider, and the tools that a firm withholds.

-- == Tables ==

create table public.tenants (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (btrim(name) <> ''),
  created_at timestamptz not null default now(),
  -- Outside processors that the firm allows (14_policies.sql); null: all.
  allowed_processors text[],
  constraint tenants_processors check (allowed_processors <@ array['model', 'isaacus', 'vision', 'colivara'])
);
alter table public.tenants enable row level security;
create policy "tenant is my tenant" on public.tenants
  for select to authenticated using (id = (select private.my_tenant_id()));

-- People. The sign-in record (e-mail, password) is auth.users.
create table public.profiles (
  user_id uuid primary key references auth.users (id) on delete cascade,
  tenant_id uuid not null references public.tenants (id),
  display_name text not null,
  is_admin boolean not null default false,
  created_at timestamptz not null default now(),
  is_conflicts_officer boolean not null default false,
  -- Since when the person may do nothing here, whatever they sign in with (02_rule.sql); null: the person may.
  revoked_at timestamptz
);
create index profiles_tenant on public.profiles (tenant_id);
alter table public.profiles enable row level security;
create policy "profile is in my tenant" on public.profiles
  for select to authenticated using (tenant_id = (select private.my_tenant_id()));

create table public.groups (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id),
  name text not null,
  unique (tenant_id, name)
);
alter table public.groups enable row level security;
create policy "group is one of mine" on public.groups
  for select to authenticated using (id = any (array(select private.my_group_ids())));

create table public.group_members (
  group_id uuid not null references public.groups (id) on delete cascade,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  primary key (group_id, user_id)
);
create index group_members_user on public.group_members (user_id);
alter table public.group_members enable row level security;
create policy "membership is my own" on public.group_members
  for select to authenticated using (user_id = (select private.my_user_id()));

create table private.access_tokens (
  token_sha256 text primary key check (token_sha256 ~ '^[0-9a-f]{64}$'),
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  label text not null default '',
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index access_tokens_user on private.access_tokens (user_id);
alter table private.access_tokens enable row level security;

-- Subjects of the firm's identity provider (OpenID Connect), and the person that each of them is.
create table private.provider_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  linked_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index provider_identities_user on private.provider_identities (user_id);
alter table private.provider_identities enable row level security;

-- Tools that a client of the firm does not get. Every tool is granted until an administrator withholds it.
create table public.withheld_tools (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  client_id text not null check (client_id in ('orderly', 'mcp')),
  function_name text not null check (function_name ~ '^[a-z][a-z0-9_]{0,63}$'),
  withheld_by uuid references public.profiles (user_id) on delete set null,
  withheld_at timestamptz not null default now(),
  primary key (tenant_id, client_id, function_name)
);
alter table public.withheld_tools enable row level security;
create policy "of one's own firm" on public.withheld_tools for select to authenticated
  using (tenant_id = (select private.my_tenant_id()));

-- == Private functions ==

-- The caller's profile. Raises OR401 where the claims name nobody, or a person whose access is revoked.
create function private.caller() returns public.profiles
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles;
begin
  select p.* into me from public.profiles p where p.user_id = auth.uid() and p.revoked_at is null;
  if not found then
    raise exception 'Sign in first.' using errcode = 'OR401';
  end if;
  return me;
end
$$;

-- The caller's profile. Raises OR403 unless the caller is an administrator of the firm.
create function private.admin() returns public.profiles
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  if not me.is_admin then
    raise exception 'Only an administrator of the firm can do that.' using errcode = 'OR403';
  end if;
  return me;
end
$$;

-- user = {user_id, email, display_name, tenant_id, tenant_name, is_admin, is_conflicts_officer}
create function private.user_json(p public.profiles) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('user_id', p.user_id, 'email', u.email, 'display_name', p.display_name,
    'tenant_id', t.id, 'tenant_name', t.name, 'is_admin', p.is_admin, 'is_conflicts_officer', p.is_conflicts_officer)
  from auth.users u, public.tenants t
  where u.id = p.user_id and t.id = p.tenant_id
$$;

-- person = {user_id, email, display_name, is_admin, is_conflicts_officer}
create function private.person_json(p public.profiles) returns jsonb
language sql stable security definer
set search_path = ''
as $$ select private.user_json(p) - 'tenant_id' - 'tenant_name' $$;

-- group = {id, name, members: [email, …]}
create function private.group_json(g public.groups) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('id', g.id, 'name', g.name, 'members', (
    select coalesce(jsonb_agg(u.email order by u.email), '[]') from public.group_members gm join auth.users u on u.id = gm.user_id
    where gm.group_id = g.id
  ))
$$;

-- Finds the sign-in record of an e-mail address. Outside Supabase it creates a missing one (auth.add_local_user exists only
-- there); on Supabase, Supabase Auth creates them. There anybody may have signed up with another person's address, so a record
-- counts only once the address is confirmed, or where somebody of the firm has invited it. OR409 otherwise.
create function private.sign_in_record(wanted_email text) returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  found_id uuid;
  account jsonb;
begin
  select u.id, to_jsonb(u) into found_id, account from auth.users u where lower(u.email) = wanted_email;
  -- The columns exist on Supabase only.
  if account ? 'email_confirmed_at' and account ->> 'email_confirmed_at' is null and account ->> 'invited_at' is null then
    -- An invitation alone would keep the record, and with it the password of whoever signed up.
    raise exception 'Whoever signed up as % has not confirmed the address. Delete that sign-in in Supabase Auth, then invite the person.',
      wanted_email using errcode = 'OR409';
  end if;
  if found_id is null and to_regprocedure('auth.add_local_user(text)') is not null then
    execute 'select auth.add_local_user($1)' into found_id using wanted_email;
  end if;
  if found_id is null then
    perform private.not_found('user', wanted_email);
  end if;
  return found_id;
end
$$;

-- Finds a person of any firm by e-mail.
create function private.user_by_email(wanted_email text) returns public.profiles
language plpgsql stable security definer
set search_path = ''
as $$
declare
  p public.profiles;
begin
  select x.* into p from public.profiles x join auth.users u on u.id = x.user_id
  where lower(u.email) = lower(btrim(wanted_email));
  if not found then
    perform private.not_found('user', wanted_email);
  end if;
  return p;
end
$$;

-- The person's profile, locked until the end of the transaction: nobody gets a token while their access is being revoked.
create function private.locked(person uuid) returns public.profiles
language sql security definer
set search_path = ''
as $$ select p from public.profiles p where p.user_id = person for no key update $$;

-- Finds a person of a firm by e-mail.
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

-- Finds a group of a firm by id or name.
create function private.firm_group(tenant uuid, ref text) returns public.groups
language plpgsql stable security definer
set search_path = ''
as $$
declare
  g public.groups;
begin
  select x.* into g from public.groups x
  where x.tenant_id = tenant and (x.id = private.as_uuid(ref) or lower(x.name) = lower(btrim(ref)))
  order by (x.id = private.as_uuid(ref)) desc nulls last
  limit 1;
  if not found then
    perform private.not_found('group', ref);
  end if;
  return g;
end
$$;

-- Finds or creates the person that a subject of the identity provider is, and links both: once, by a verified e-mail address. From
-- then on the subject alone counts, whatever its address becomes. An address that the provider has not verified opens no account
-- and creates none, since it may be another person's; nor does an address whose account is another subject's of the issuer, since
-- addresses are given to new people. OR403 otherwise. Concurrent sign-ins of a subject, or of an address, wait for each other.
create function private.provider_user(
  wanted_issuer text, wanted_subject text, clean_email text, verified boolean, display_name text, tenant text
) returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  known uuid;
begin
  perform pg_advisory_xact_lock(hashtextextended(wanted_issuer || ' ' || wanted_subject, 1));
  select i.user_id into known from private.provider_identities i where i.issuer = wanted_issuer and i.subject = wanted_subject;
  if known is not null then
    return known;
  end if;
  if not verified then
    raise exception 'The identity provider has not verified your e-mail address.' using errcode = 'OR403';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(wanted_issuer || ' ' || clean_email, 0));
  select p.user_id into known
  from auth.users u join public.profiles p on p.user_id = u.id join public.tenants t on t.id = p.tenant_id
  where lower(u.email) = clean_email and t.name = provider_user.tenant;
  if known is null then
    -- Nobody is kept out by the name that the provider has: where it has hidden marks, the address stands for it.
    display_name := case when private.is_plain(display_name) and length(display_name) <= 200 then display_name end;
    known := (public.create_user(clean_email, display_name, provider_user.tenant) ->> 'user_id')::uuid;
  elsif exists (select from private.provider_identities i where i.issuer = wanted_issuer and i.user_id = known) then
    raise exception 'This e-mail address belongs to somebody here who signs in at the identity provider with another account.'
      using errcode = 'OR403';
  end if;
  insert into private.provider_identities (issuer, subject, user_id) values (wanted_issuer, wanted_subject, known);
  return known;
end
$$;

-- Gives a person the offices that the identity provider says, and records a change.
create function private.set_offices(person uuid, admin boolean, officer boolean) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.profiles;
begin
  update public.profiles x set is_admin = set_offices.admin, is_conflicts_officer = set_offices.officer
  where x.user_id = person and (x.is_admin, x.is_conflicts_officer) <> (set_offices.admin, set_offices.officer)
  returning x.* into p;
  if found then
    perform private.audit_person(p, 'set_offices', jsonb_build_object(
      'is_admin', p.is_admin, 'is_conflicts_officer', p.is_conflicts_officer));
  end if;
end
$$;

-- == As anon ==

-- Checks an access token by its SHA-256. Returns {user_id, email, expires_at} | null.
create function public.authenticate_token(token_sha256 text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('user_id', t.user_id, 'email', u.email, 'expires_at', t.expires_at)
  from private.access_tokens t join auth.users u on u.id = t.user_id
  where t.token_sha256 = lower(authenticate_token.token_sha256) and t.revoked_at is null and t.expires_at > now()
$$;

-- == As the caller (role authenticated) ==

-- Returns the caller as user.
create function public.whoami() returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return private.user_json(private.caller());
end
$$;

-- Lists everybody in the caller's firm. Returns [person, …] by e-mail.
create function public.list_people() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  perform private.audit('list_people', null);
  return (
    select coalesce(jsonb_agg(private.person_json(p) order by u.email collate "C"), '[]')
    from public.profiles p join auth.users u on u.id = p.user_id where p.tenant_id = me.tenant_id
  );
end
$$;

-- Adds a person to the firm, for administrators. On Supabase the sign-in record must exist. Returns person.
create function public.add_person(email text, display_name text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
  made jsonb := public.create_user(email, display_name, me.tenant_id::text);
begin
  perform private.audit('add_person', null, null, jsonb_build_object('person', made -> 'user_id'));
  return made - 'tenant_id' - 'tenant_name';
end
$$;

-- Changes a person's offices, for administrators; null leaves an office as it is. Returns person.
-- A firm keeps at least one administrator (OR409), and nobody makes themselves a conflicts officer (OR403).
create function public.set_person(person_email text, is_admin boolean default null, is_conflicts_officer boolean default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
  person uuid := private.colleague(me.tenant_id, person_email);
  p public.profiles;
begin
  perform from public.tenants t where t.id = me.tenant_id for update;
  if person = me.user_id and is_conflicts_officer then
    raise exception 'Another administrator has to make you a conflicts officer.' using errcode = 'OR403';
  end if;
  update public.profiles x set is_admin = coalesce(set_person.is_admin, x.is_admin),
    is_conflicts_officer = coalesce(set_person.is_conflicts_officer, x.is_conflicts_officer)
  where x.user_id = person returning x.* into p;
  if not exists (select from public.profiles x where x.tenant_id = me.tenant_id and x.is_admin) then
    raise exception 'A firm keeps at least one administrator.' using errcode = 'OR409';
  end if;
  perform private.audit('set_person', null, null, jsonb_build_object(
    'person', person, 'is_admin', p.is_admin, 'is_conflicts_officer', p.is_conflicts_officer));
  return private.person_json(p);
end
$$;

-- Lists groups: the caller's own, for administrators all of the firm. Returns [group, …] by name.
create function public.list_groups() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  perform private.audit('list_groups', null);
  return (
    select coalesce(jsonb_agg(private.group_json(g) order by g.name collate "C"), '[]') from public.groups g
    where g.tenant_id = me.tenant_id and (me.is_admin or g.id in (select private.my_group_ids()))
  );
end
$$;

-- Creates a group, for administrators. Returns group.
create function public.create_group(group_name text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
  g public.groups;
begin
  if coalesce(btrim(group_name), '') = '' or private.as_uuid(btrim(group_name)) is not null or length(group_name) > 200
    or not private.is_plain(group_name)
  then
    perform private.invalid('A group needs a name of at most 200 visible characters, which is no id.');
  end if;
  perform from public.tenants t where t.id = me.tenant_id for update;
  if exists (select from public.groups x where x.tenant_id = me.tenant_id and lower(x.name) = lower(btrim(group_name))) then
    raise exception 'There is a group % already.', btrim(group_name) using errcode = 'OR409';
  end if;
  insert into public.groups (tenant_id, name) values (me.tenant_id, btrim(group_name)) returning * into g;
  perform private.audit('create_group', null, null, jsonb_build_object('group', g.id, 'name', g.name));
  return private.group_json(g);
end
$$;

-- Deletes a group (id or name), for administrators; OR409 while documents are kept for it. Returns the deleted group.
create function public.delete_group(group_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
  g public.groups := private.firm_group(me.tenant_id, group_ref);
  gone jsonb := private.group_json(g);
begin
  perform from public.groups x where x.id = g.id for update;
  if exists (select from public.documents d where d.group_id = g.id) then
    raise exception 'Documents are for this group alone. Open them to others first.' using errcode = 'OR409';
  end if;
  delete from public.groups x where x.id = g.id;
  perform private.audit('delete_group', null, null, jsonb_build_object('group', g.id, 'name', g.name));
  return gone;
end
$$;

-- Adds a person to a group or removes them, for administrators. Returns group.
create function public.set_group_member(group_ref text, member_email text, is_member boolean) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
  g public.groups := private.firm_group(me.tenant_id, group_ref);
  member uuid := private.colleague(me.tenant_id, member_email);
begin
  if is_member then
    insert into public.group_members (group_id, user_id) values (g.id, member) on conflict do nothing;
  else
    delete from public.group_members gm where gm.group_id = g.id and gm.user_id = member;
  end if;
  perform private.audit('set_group_member', null, null,
    jsonb_build_object('group', g.id, 'name', g.name, 'member', member, 'is_member', is_member));
  return private.group_json(g);
end
$$;

-- Lists the tools that a client of the caller's firm does not get. Returns [function_name, …], sorted.
-- client_id: 'orderly' for the agents, through every interface; 'mcp' for clients of the Model Context Protocol.
create function public.withheld_tools(client_id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  return (
    select coalesce(jsonb_agg(w.function_name order by w.function_name collate "C"), '[]')
    from public.withheld_tools w
    where w.tenant_id = me.tenant_id and w.client_id = withheld_tools.client_id
  );
end
$$;

-- Grants a tool to a client of the firm, or withholds it, for administrators. Returns {client_id, function_name, granted}.
create function public.grant_tool(client_id text, function_name text, granted boolean default true) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
begin
  if coalesce(grant_tool.client_id, '') not in ('orderly', 'mcp') then
    perform private.not_found('client', grant_tool.client_id);
  end if;
  if coalesce(grant_tool.function_name, '') !~ '^[a-z][a-z0-9_]{0,63}$' then
    perform private.not_found('function', grant_tool.function_name);
  end if;
  if coalesce(grant_tool.granted, true) then
    delete from public.withheld_tools w
    where w.tenant_id = me.tenant_id and w.client_id = grant_tool.client_id and w.function_name = grant_tool.function_name;
  else
    insert into public.withheld_tools (tenant_id, client_id, function_name, withheld_by)
    values (me.tenant_id, grant_tool.client_id, grant_tool.function_name, me.user_id)
    on conflict do nothing;
  end if;
  perform private.audit('grant_tool', null, null, jsonb_build_object('client_id', grant_tool.client_id,
    'function_name', grant_tool.function_name, 'granted', coalesce(grant_tool.granted, true)));
  return jsonb_build_object('client_id', grant_tool.client_id, 'function_name', grant_tool.function_name,
    'granted', coalesce(grant_tool.granted, true));
end
$$;

-- == As the operator and the server (service_role) ==

-- Creates a firm. Returns {id, name}.
create function public.create_tenant(name text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  t public.tenants;
begin
  if coalesce(btrim(create_tenant.name), '') = '' or not private.is_plain(create_tenant.name) then
    perform private.invalid('A tenant needs a name.');
  end if;
  insert into public.tenants (name) values (btrim(create_tenant.name)) on conflict do nothing returning * into t;
  if t.id is null then
    raise exception 'Tenant % exists already.', btrim(create_tenant.name) using errcode = 'OR409';
  end if;
  return jsonb_build_object('id', t.id, 'name', t.name);
end
$$;

-- Renames a firm. Returns {id, name}.
create function public.rename_tenant(tenant text, new_name text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  t public.tenants;
begin
  if coalesce(btrim(new_name), '') = '' or not private.is_plain(new_name) then
    perform private.invalid('A tenant needs a name.');
  end if;
  begin
    update public.tenants x set name = btrim(new_name) where x.name = rename_tenant.tenant returning x.* into t;
  exception when unique_violation then
    raise exception 'Tenant % exists already.', btrim(new_name) using errcode = 'OR409';
  end;
  if t.id is null then
    perform private.not_found('tenant', tenant);
  end if;
  return jsonb_build_object('id', t.id, 'name', t.name);
end
$$;

-- Creates a person; tenant: id or name. Returns user.
create function public.create_user(email text, display_name text, tenant text, is_admin boolean default false) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  clean_email text := lower(btrim(email));
  home public.tenants;
  p public.profiles;
begin
  select t.* into home from public.tenants t where t.id = private.as_uuid(tenant) or t.name = btrim(tenant) limit 1;
  if not found then
    perform private.not_found('tenant', tenant);
  end if;
  if coalesce(clean_email, '') !~ '^[^@[:space:]]+@[^@[:space:]]+$' or not private.is_plain(clean_email) then
    perform private.invalid('That is not an e-mail address.');
  end if;
  if not private.is_plain(create_user.display_name) or length(create_user.display_name) > 200 then
    perform private.invalid('A person''s name is one line of visible text, of at most 200 characters.');
  end if;
  insert into public.profiles (user_id, tenant_id, display_name, is_admin)
  values (private.sign_in_record(clean_email), home.id, coalesce(nullif(btrim(create_user.display_name), ''), clean_email),
    coalesce(create_user.is_admin, false))
  on conflict do nothing
  returning * into p;
  if p.user_id is null then
    raise exception 'User % exists already.', clean_email using errcode = 'OR409';
  end if;
  perform private.audit_person(p, 'create_user', jsonb_build_object('is_admin', p.is_admin));
  return private.user_json(p);
end
$$;

-- Lists everybody in every firm. Returns [user with revoked_at | null, …] by e-mail.
create function public.list_users() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(private.user_json(p) || jsonb_build_object('revoked_at', p.revoked_at) order by u.email collate "C"), '[]')
  from public.profiles p join auth.users u on u.id = p.user_id
$$;

-- Issues an access token, known by its SHA-256; OR409 for a person whose access is revoked. Returns {user_id, email, expires_at, label}.
create function public.issue_token(email text, token_sha256 text, expires_at timestamptz, label text default '') returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.profiles := private.user_by_email(email);
begin
  if expires_at is null or expires_at <= now() then
    perform private.invalid('A token must expire in the future.');
  end if;
  p := private.locked(p.user_id);
  if p.revoked_at is not null then
    raise exception 'The access of % is revoked. Reinstate the user first.', lower(btrim(email)) using errcode = 'OR409';
  end if;
  insert into private.access_tokens (token_sha256, user_id, expires_at, label)
  values (lower(token_sha256), p.user_id, expires_at, coalesce(label, ''));
  perform private.audit_person(p, 'issue_token', jsonb_build_object('expires_at', expires_at));
  return jsonb_build_object('user_id', p.user_id, 'email', lower(btrim(email)), 'expires_at', expires_at,
    'label', coalesce(label, ''));
end
$$;

-- Ends a person's access at once, however they signed in: the person becomes nobody to the rule and to every function, and their
-- tokens are void. Memberships and offices stay for reinstate_user. Returns the number of tokens that were valid.
create function public.revoke_user(email text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.profiles := private.user_by_email(email);
  revoked integer;
begin
  p := private.locked(p.user_id);
  update private.access_tokens t set revoked_at = now()
  where t.user_id = p.user_id and t.revoked_at is null and t.expires_at > now();
  get diagnostics revoked = row_count;
  update public.profiles x set revoked_at = coalesce(x.revoked_at, now()) where x.user_id = p.user_id;
  perform private.audit_person(p, 'revoke_user', jsonb_build_object('tokens', revoked));
  return to_jsonb(revoked);
end
$$;

-- Gives a person whose access was revoked the access of their memberships and offices again. Tokens stay void, and the next subject
-- of the identity provider with the verified address is linked anew. Returns user.
create function public.reinstate_user(email text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.profiles := private.user_by_email(email);
begin
  if p.revoked_at is null then
    raise exception 'The access of % is not revoked.', lower(btrim(email)) using errcode = 'OR409';
  end if;
  update public.profiles x set revoked_at = null where x.user_id = p.user_id;
  delete from private.provider_identities i where i.user_id = p.user_id;
  perform private.audit_person(p, 'reinstate_user');
  return private.user_json(p);
end
$$;

-- Makes a person a conflicts officer, or ends the office. Returns user.
create function public.set_conflicts_officer(email text, is_officer boolean) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.profiles := private.user_by_email(email);
begin
  update public.profiles x set is_conflicts_officer = coalesce(is_officer, false) where x.user_id = p.user_id returning x.* into p;
  perform private.audit_person(p, 'set_conflicts_officer', jsonb_build_object('is_conflicts_officer', p.is_conflicts_officer));
  return private.user_json(p);
end
$$;

-- Signs a subject of the identity provider in under a new access token. Returns {user_id, email} | null.
-- roles: of admin, conflicts_officer, member, as the provider's groups give them; the offices become those of the roles. With no
-- role nobody is signed in (null), tokens of earlier sign-ins by the provider are revoked, and the person's offices end. OR403 for
-- an address that is not the subject's (private.provider_user), and for a person whose access the operator has revoked.
create function public.sign_in_by_provider(
  issuer text, subject text, email text, email_verified boolean, display_name text, tenant text, roles jsonb, token_sha256 text,
  expires_at timestamptz
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  clean_email text := lower(btrim(email));
  person uuid;
begin
  if coalesce(issuer, '') = '' or coalesce(subject, '') = '' then
    perform private.invalid('A subject and its issuer are needed.');
  end if;
  if not roles ?| array['admin', 'conflicts_officer', 'member'] then
    select i.user_id into person from private.provider_identities i
    where i.issuer = sign_in_by_provider.issuer and i.subject = sign_in_by_provider.subject;
    update private.access_tokens t set revoked_at = now()
    where t.user_id = person and t.label = 'identity provider' and t.revoked_at is null;
    perform private.set_offices(person, false, false);
    return null;
  end if;
  person := private.provider_user(issuer, subject, clean_email, coalesce(email_verified, false), display_name, tenant);
  if (private.locked(person)).revoked_at is not null then
    raise exception 'Your access to Orderly has ended. Ask who runs this installation.' using errcode = 'OR403';
  end if;
  perform private.set_offices(person, roles ? 'admin', roles ? 'conflicts_officer');
  insert into private.access_tokens (token_sha256, user_id, expires_at, label)
  values (lower(sign_in_by_provider.token_sha256), person, sign_in_by_provider.expires_at, 'identity provider');
  return (
    select jsonb_build_object('user_id', u.id, 'email', u.email) from auth.users u where u.id = person
  );
end
$$;

-- Counts what the database holds, for the self-check. Returns {tenants, users, matters, documents, by_status: {status: number},
-- chunks, vectors_by_model: {model: number}, postgres, pgvector}.
create function public.stats_for_doctor() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'tenants', (select count(*) from public.tenants),
    'users', (select count(*) from public.profiles),
    'matters', (select count(*) from public.matters),
    'documents', (select count(*) from public.documents d where d.deleted_at is null),
    'by_status', (
      select coalesce(jsonb_object_agg(s.status, s.n), '{}')
      from (select d.status, count(*) as n from public.documents d group by d.status) s
    ),
    'chunks', (select count(*) from public.chunks),
    'vectors_by_model', (
      select coalesce(jsonb_object_agg(s.model, s.n), '{}')
      from (select e.model, count(*) as n from public.chunk_embeddings e group by e.model) s
    ),
    'postgres', current_setting('server_version'),
    'pgvector', (select x.extversion from pg_catalog.pg_extension x where x.extname = 'vector')
  )
$$;

-- == Privileges ==

revoke all on public.tenants, public.profiles, public.groups, public.group_members, public.withheld_tools
  from anon, authenticated, service_role;
grant all on public.tenants, public.profiles, public.groups, public.group_members, public.withheld_tools to service_role;
revoke all on private.access_tokens, private.provider_identities from public, anon, authenticated, service_role;
revoke all on function private.caller, private.admin, private.user_json, private.person_json, private.group_json,
  private.sign_in_record, private.user_by_email, private.locked, private.colleague, private.firm_group, private.provider_user,
  private.set_offices
  from public, anon, authenticated;
revoke all on function public.authenticate_token, public.whoami, public.list_people, public.add_person, public.set_person,
  public.list_groups, public.create_group, public.delete_group, public.set_group_member, public.withheld_tools,
  public.grant_tool, public.create_tenant, public.rename_tenant, public.create_user, public.list_users, public.issue_token,
  public.revoke_user, public.reinstate_user, public.set_conflicts_officer, public.sign_in_by_provider, public.stats_for_doctor
  from public, anon, authenticated, service_role;
grant execute on function public.authenticate_token to anon;
grant execute on function public.whoami, public.list_people, public.add_person, public.set_person, public.list_groups,
  public.create_group, public.delete_group, public.set_group_member, public.withheld_tools, public.grant_tool to authenticated;
grant execute on function public.create_tenant, public.rename_tenant, public.create_user, public.list_users, public.issue_token,
  public.revoke_user, public.reinstate_user, public.set_conflicts_officer, public.sign_in_by_provider, public.stats_for_doctor to service_role;
