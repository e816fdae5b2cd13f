-- Ethical walls in the doors: who puts them up, who lifts them, who sees them all.
--
-- A wall is put up by an owner of the matter or by a conflicts officer of the firm, and lifted by a conflicts officer alone, never
-- by the one whom it stands against. It is in force from its start at the next statement that anybody sends, and beats every
-- membership. Officers name any matter of their firm here, and here only: walls give them nothing to read.
--
-- As the caller (role authenticated):
--   add_matter_screen(matter_ref, member_email, reason, starts_at = null, ends_at = null)   screen; null: at once, for ever
--                                   OR409 where a wall against the same person stands as long already
--   lift_matter_screen(matter_ref, screen_id)     screen
--   list_matter_screens(matter_ref)               [screen, …] newest first; owners of the matter, and officers
--   list_screens(lifted = false)                  [screen, …] of the whole firm, officers alone; lifted: also those that are over
--     screen = {id, matter_id, matter_number, matter_title, user_id, email, display_name, reason, starts_at, ends_at, in_force,
--               created_at, created_by, lifted_at, lifted_by}; created_by, lifted_by: e-mail, null: the operator;
--               reason: null for whoever is neither an officer nor the one who put it up
-- As service_role:
--   set_conflicts_officer(email, is_officer)      user + {is_conflicts_officer}
--   lift_screen(screen_id)                        {screen_id, ended}

alter table public.profiles add column is_conflicts_officer boolean not null default false;
alter table public.matter_screens
  add column created_by uuid references public.profiles (user_id) on delete set null,
  add column lifted_at timestamptz,
  add column lifted_by uuid references public.profiles (user_id) on delete set null;

-- The rule of 20261121040100; a wall that was lifted keeps the dates it had.
create or replace function private.my_matter_ids_among(only_matter uuid) returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select m.id
  from public.profiles p
  join public.matter_members mm on mm.user_id = p.user_id and (only_matter is null or mm.matter_id = only_matter)
  join public.matters m on m.id = mm.matter_id and m.tenant_id = p.tenant_id
  where p.user_id = (select auth.uid())
    and (m.kind = 'matter' or m.thread_id = (select private.my_thread_id()))
    and not exists (
      select from public.matter_screens s
      where s.matter_id = m.id and s.user_id = p.user_id and s.lifted_at is null
        and s.starts_at <= now() and (s.ends_at is null or s.ends_at > now())
    )
$$;

create or replace function private.user_json(p public.profiles) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('user_id', p.user_id, 'email', u.email, 'display_name', p.display_name,
    'tenant_id', t.id, 'tenant_name', t.name, 'is_admin', p.is_admin, 'is_conflicts_officer', p.is_conflicts_officer)
  from auth.users u, public.tenants t
  where u.id = p.user_id and t.id = p.tenant_id
$$;

create or replace function public.whoami() returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return private.user_json(private.caller());
end
$$;

create function public.set_conflicts_officer(email text, is_officer boolean) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.profiles := private.user_by_email(email);
begin
  update public.profiles x set is_conflicts_officer = coalesce(is_officer, false) where x.user_id = p.user_id returning x.* into p;
  return private.user_json(p);
end
$$;

-- The matter whose walls the caller may manage.
create function private.walled_matter(ref text) returns public.matters
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  m public.matters;
begin
  if me.is_conflicts_officer then
    select x.* into m from public.matters x
    where x.tenant_id = me.tenant_id and x.kind = 'matter'
      and (x.id = private.as_uuid(ref) or lower(x.number) = lower(btrim(ref)))
    order by (x.id = private.as_uuid(ref)) desc nulls last
    limit 1;
    if found then
      return m;
    end if;
  end if;
  return private.open_matter(ref, 'owner');
end
$$;

create function private.screen_json(s public.matter_screens) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', s.id, 'matter_id', m.id, 'matter_number', m.number, 'matter_title', m.title,
    'user_id', s.user_id, 'email', u.email, 'display_name', p.display_name,
    'reason', case when me.is_conflicts_officer or s.created_by = me.user_id then s.reason end,
    'starts_at', s.starts_at, 'ends_at', s.ends_at,
    'in_force', s.lifted_at is null and s.starts_at <= now() and (s.ends_at is null or s.ends_at > now()),
    'created_at', s.created_at, 'created_by', (select x.email from auth.users x where x.id = s.created_by),
    'lifted_at', s.lifted_at, 'lifted_by', (select x.email from auth.users x where x.id = s.lifted_by)
  )
  from public.matters m, public.profiles p, auth.users u, public.profiles me
  where m.id = s.matter_id and p.user_id = s.user_id and u.id = s.user_id and me.user_id = (select auth.uid())
$$;

create function private.check_dates(starts_at timestamptz, ends_at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  if ends_at <= greatest(starts_at, now()) then
    perform private.invalid('A wall ends after it starts, and not in the past.');
  end if;
end
$$;

create function public.add_matter_screen(
  matter_ref text, member_email text, reason text, starts_at timestamptz default null, ends_at timestamptz default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.walled_matter(matter_ref);
  screened uuid := private.colleague(m.tenant_id, member_email);
  begins timestamptz := coalesce(starts_at, now());
  s public.matter_screens;
begin
  if coalesce(btrim(reason), '') = '' then
    perform private.invalid('A wall needs a reason.');
  end if;
  perform private.check_dates(begins, ends_at);
  perform from public.matters x where x.id = m.id for update;
  if exists (
    select from public.matter_screens x
    where x.matter_id = m.id and x.user_id = screened and x.lifted_at is null and x.starts_at <= begins
      and coalesce(x.ends_at, 'infinity') >= coalesce(add_matter_screen.ends_at, 'infinity')
  ) then
    raise exception 'A wall stands between % and this matter already.', btrim(member_email) using errcode = 'OR409';
  end if;
  insert into public.matter_screens (matter_id, user_id, reason, starts_at, ends_at, created_by)
  values (m.id, screened, btrim(reason), begins, add_matter_screen.ends_at, auth.uid())
  returning * into s;
  perform private.audit('add_matter_screen', m, null, jsonb_build_object(
    'screen_id', s.id, 'user_id', screened, 'reason', s.reason, 'starts_at', s.starts_at, 'ends_at', s.ends_at));
  return private.screen_json(s);
end
$$;

create function public.lift_matter_screen(matter_ref text, screen_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.walled_matter(matter_ref);
  me public.profiles := private.caller();
  s public.matter_screens;
begin
  if not me.is_conflicts_officer then
    raise exception 'Only a conflicts officer lifts a wall.' using errcode = 'OR403';
  end if;
  select x.* into s from public.matter_screens x
  where x.id = private.as_uuid(screen_id) and x.matter_id = m.id and x.lifted_at is null and (x.ends_at is null or x.ends_at > now())
  for update;
  if not found then
    perform private.not_found('screen', screen_id);
  end if;
  if s.user_id = me.user_id then
    raise exception 'A wall is not lifted by the one whom it stands against.' using errcode = 'OR403';
  end if;
  update public.matter_screens x set lifted_at = now(), lifted_by = me.user_id where x.id = s.id returning x.* into s;
  perform private.audit('lift_matter_screen', m, null, jsonb_build_object('screen_id', s.id, 'user_id', s.user_id));
  return private.screen_json(s);
end
$$;

create function public.list_matter_screens(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.walled_matter(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(private.screen_json(s) order by s.created_at desc, s.id), '[]') into result
  from public.matter_screens s where s.matter_id = m.id;
  perform private.audit('list_matter_screens', m, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

create function public.list_screens(lifted boolean default false) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  result jsonb;
begin
  if not me.is_conflicts_officer then
    raise exception 'Only a conflicts officer sees the walls of the firm.' using errcode = 'OR403';
  end if;
  select coalesce(jsonb_agg(private.screen_json(s) order by s.created_at desc, s.id), '[]') into result
  from public.matter_screens s join public.matters m on m.id = s.matter_id
  where m.tenant_id = me.tenant_id
    and (coalesce(lifted, false) or (s.lifted_at is null and (s.ends_at is null or s.ends_at > now())));
  perform private.audit('list_screens', null, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

create or replace function public.lift_screen(screen_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  s public.matter_screens;
begin
  update public.matter_screens x set lifted_at = now()
  where x.id = private.as_uuid(lift_screen.screen_id) and x.lifted_at is null and (x.ends_at is null or x.ends_at > now())
  returning x.* into s;
  if s.id is null then
    perform private.not_found('screen', lift_screen.screen_id);
  end if;
  perform private.audit('lift_screen', private.worker_matter(s.matter_id::text), null,
    jsonb_build_object('screen_id', s.id, 'user_id', s.user_id));
  return jsonb_build_object('screen_id', s.id, 'ended', s.lifted_at);
end
$$;

revoke all on function private.walled_matter, private.screen_json, private.check_dates from public, anon, authenticated;
revoke all on function public.set_conflicts_officer, public.add_matter_screen, public.lift_matter_screen,
  public.list_matter_screens, public.list_screens from public, anon, authenticated, service_role;
grant execute on function public.add_matter_screen, public.lift_matter_screen, public.list_matter_screens, public.list_screens
  to authenticated;
grant execute on function public.set_conflicts_officer to service_role;
