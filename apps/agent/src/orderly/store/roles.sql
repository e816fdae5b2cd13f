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

do $$
begin
  execute format('grant anon, authenticated, service_role to %I', current_user);
  grant anon, authenticated to authenticator;
end
$$;
