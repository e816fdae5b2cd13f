-- What hosted Supabase has before the first migration: roles, the auth schema, default privileges.
-- Applied to the embedded Postgres and to a plain Postgres that lacks the roles; never to Supabase.

do $$
begin
  if not exists (select from pg_roles where rolname = 'anon') then
    create role anon nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'authenticated') then
    create role authenticated nologin noinherit;
  end if;
  if not exists (select from pg_roles where rolname = 'service_role') then
    create role service_role nologin noinherit bypassrls;
  end if;
  -- What the agent's side signs in as, here as on Supabase: it can become a caller, and nothing more.
  if not exists (select from pg_roles where rolname = 'authenticator') then
    create role authenticator login noinherit;
  end if;
end
$$;

do $$
begin
  execute format('grant anon, authenticated, service_role to %I', current_user);
  grant anon, authenticated to authenticator;
end
$$;

create schema if not exists extensions;
create schema if not exists auth;
grant usage on schema public, extensions, auth to anon, authenticated, service_role;

-- As generous as Supabase's own defaults, so that a migration that forgets to revoke fails here too.
alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges in schema public grant all on functions to anon, authenticated, service_role;
alter default privileges in schema public grant all on sequences to anon, authenticated, service_role;

create table if not exists auth.users (
  id uuid primary key default gen_random_uuid(),
  email text unique,
  created_at timestamptz not null default now()
);
alter table auth.users enable row level security;

create or replace function auth.jwt() returns jsonb
language sql stable
as $$ select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb $$;

create or replace function auth.uid() returns uuid
language sql stable
as $$ select nullif(auth.jwt() ->> 'sub', '')::uuid $$;

-- Only the shim has this function: with it, `create_user` may add the sign-in record itself.
create or replace function auth.add_local_user(new_email text) returns uuid
language sql
set search_path = ''
as $$ insert into auth.users (email) values (new_email) returning id $$;
revoke all on function auth.add_local_user(text) from public;
