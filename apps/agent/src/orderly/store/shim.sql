-- What hosted Supabase has before the first migration, beside its roles (roles.sql): the auth schema, default privileges.
-- Applied to the embedded Postgres and to a plain Postgres that lacks the roles; never to Supabase.

create schema if not exists extensions;
create schema if not exists auth;
grant usage on schema public, extensions, auth to anon, authenticated, service_role;

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
