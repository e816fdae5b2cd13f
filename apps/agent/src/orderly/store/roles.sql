-- The roles of hosted Supabase. They belong to the server and to no single database, so no dump carries them.

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

-- Only what is missing: on a server of several installations, another user may have made and granted the roles.
do $$
declare
  held text := case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end;
begin
  if not (pg_has_role('anon', held) and pg_has_role('authenticated', held) and pg_has_role('service_role', held)) then
    execute format('grant anon, authenticated, service_role to %I', current_user);
  end if;
  if not (pg_has_role('authenticator', 'anon', held) and pg_has_role('authenticator', 'authenticated', held)) then
    grant anon, authenticated to authenticator;
  end if;
end
$$;
