-- Access: who works on a matter (members), who must not see it (walls), and documents kept for a group.
-- The rule that these tables feed stands in 02_rule.sql.

-- == Tables ==

create table public.matter_members (
  matter_id uuid not null references public.matters (id) on delete cascade,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  added_at timestamptz not null default now(),
  primary key (matter_id, user_id)
);
create index matter_members_user on public.matter_members (user_id, matter_id);
alter table public.matter_members enable row level security;
create policy "membership of one of my_matter_ids" on public.matter_members
  for select to authenticated using (matter_id = any (array(select private.my_matter_ids())));

-- An ethical wall: it denies one person a matter while it is in force, whatever membership they have. An owner of the matter or a
-- conflicts officer puts it up; a conflicts officer other than the screened person lifts it.
-- The table has no policy: who is screened, and why, is read through the functions alone.
create table public.matter_screens (
  id uuid primary key default gen_random_uuid(),
  matter_id uuid not null references public.matters (id) on delete cascade,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  reason text not null check (btrim(reason) <> ''),
  starts_at timestamptz not null default now(),
  -- Null: without an end.
  ends_at timestamptz,
  created_at timestamptz not null default now(),
  -- created_by and lifted_by: null where that person's profile is gone.
  created_by uuid references public.profiles (user_id) on delete set null,
  lifted_at timestamptz,
  lifted_by uuid references public.profiles (user_id) on delete set null,
  check (ends_at is null or ends_at > starts_at)
);
create index matter_screens_user on public.matter_screens (user_id, matter_id);
alter table public.matter_screens enable row level security;

-- == Private functions ==

-- member = {user_id, email, display_name, role, added_at}
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

-- Wakes the watchers of a matter, so that access that ends does so in open pages at once.
create function private.announce_access() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_notify('orderly_documents', coalesce(new.matter_id, old.matter_id)::text);
  return null;
end
$$;
create trigger announce_access after update or delete on public.matter_members
  for each row execute function private.announce_access();
create trigger announce_access after insert or update on public.matter_screens
  for each row execute function private.announce_access();

-- Raises OR409 where a matter has no owner.
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

-- Finds the matter whose walls the caller may manage: for conflicts officers any of their firm, else one that the caller owns.
-- Officers read nothing by it.
create function private.open_matter_for_walls(ref text) returns public.matters
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  m public.matters;
begin
  if me.is_conflicts_officer then
    m := private.named_matter(private.matters_of_firm(me.tenant_id, ref), ref);
    if m.id is not null then
      return m;
    end if;
  end if;
  return private.open_matter(ref, 'owner');
end
$$;

-- screen = {id, matter_id, matter_number, matter_title, user_id, email, display_name, reason | null, starts_at, ends_at | null,
--           in_force, created_at, created_by | null, lifted_at | null, lifted_by | null}
--   created_by, lifted_by: e-mail. reason: only for conflicts officers and for the person who put the wall up.
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

-- Raises OR400 where a wall would end before it starts, or in the past.
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

-- == As the caller (role authenticated): members ==

-- Adds a person to a matter or changes their role, for owners. Returns member.
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

-- Removes a person from a matter, for owners; OR409 for the last owner. Returns the removed member.
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

-- Lists the members of a matter. Returns [member, …] by e-mail.
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

-- Lists the members of any matter of the firm, for administrators. Returns [member, …] by e-mail.
create function public.firm_matter_members(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.firm_matter(matter_ref);
begin
  perform private.audit('firm_matter_members', m);
  return (
    select coalesce(jsonb_agg(private.member_json(mm) order by u.email collate "C"), '[]')
    from public.matter_members mm join auth.users u on u.id = mm.user_id where mm.matter_id = m.id
  );
end
$$;

-- Sets a person's role in any matter of the firm, for administrators; member_role null ends the membership. Returns member, as it
-- is after the change, or was before it ended. Administrators cannot add themselves (OR403).
create function public.set_firm_member(matter_ref text, member_email text, member_role text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.firm_matter(matter_ref);
  member uuid := private.colleague(m.tenant_id, member_email);
  result public.matter_members;
begin
  if member_role is not null and member_role not in ('owner', 'editor', 'viewer') then
    perform private.invalid('A member is an owner, an editor or a viewer.');
  end if;
  if member = auth.uid() and member_role is not null then
    raise exception 'An administrator does not let themselves into a matter: ask one of its owners.' using errcode = 'OR403';
  end if;
  perform from public.matters locked where locked.id = m.id for update;
  if member_role is null then
    delete from public.matter_members mm where mm.matter_id = m.id and mm.user_id = member returning mm.* into result;
    if result.matter_id is null then
      perform private.not_found('user', member_email);
    end if;
  else
    insert into public.matter_members as mm (matter_id, user_id, role) values (m.id, member, member_role)
    on conflict on constraint matter_members_pkey do update set role = excluded.role
    returning mm.* into result;
  end if;
  perform private.keep_an_owner(m);
  perform private.audit('set_firm_member', m, null, jsonb_build_object('member', member, 'role', member_role));
  return private.member_json(result);
end
$$;

-- == As the caller (role authenticated): walls ==

-- Puts a wall up, for owners of the matter and conflicts officers; starts_at null: at once; ends_at null: without an end.
-- Returns screen. OR409 where a wall against the same person lasts as long already.
create function public.add_matter_screen(
  matter_ref text, member_email text, reason text, starts_at timestamptz default null, ends_at timestamptz default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter_for_walls(matter_ref);
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

-- Lifts a wall, for conflicts officers who are not the screened person. Returns screen.
create function public.lift_matter_screen(matter_ref text, screen_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter_for_walls(matter_ref);
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
    raise exception 'You cannot lift a wall against yourself.' using errcode = 'OR403';
  end if;
  update public.matter_screens x set lifted_at = now(), lifted_by = me.user_id where x.id = s.id returning x.* into s;
  perform private.audit('lift_matter_screen', m, null, jsonb_build_object('screen_id', s.id, 'user_id', s.user_id));
  return private.screen_json(s);
end
$$;

-- Lists the walls of a matter, for its owners and conflicts officers. Returns [screen, …], newest first.
create function public.list_matter_screens(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter_for_walls(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(private.screen_json(s) order by s.created_at desc, s.id), '[]') into result
  from public.matter_screens s where s.matter_id = m.id;
  perform private.audit('list_matter_screens', m, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

-- Lists the walls of the firm, for conflicts officers; lifted: also those that are over. Returns [screen, …], newest first.
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

-- == As the caller (role authenticated): documents for a group ==

-- Keeps a document, with its attachments, for a group (id or name), for owners of the matter who are members of the group;
-- null: opens it to everybody in the matter. Returns full_document + {group: {id, name} | null}.
create function public.restrict_document(document_id text, group_ref text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'owner');
  g public.groups;
begin
  if group_ref is not null then
    g := private.firm_group((private.caller()).tenant_id, group_ref);
    if g.id not in (select private.my_group_ids()) then
      raise exception 'Only a member of the group can keep a document for it.' using errcode = 'OR403';
    end if;
    perform from public.groups x where x.id = g.id for key share;
  end if;
  update public.documents u set group_id = g.id where u.id = any (private.descendants(d.id) || d.id);
  select x.* into d from public.documents x where x.id = d.id;
  perform private.audit('restrict_document', private.matter_of(d), d.id, jsonb_build_object('group', g.id, 'name', g.name));
  return private.full_document_json(d) || jsonb_build_object('group', case when g.id is not null then
    jsonb_build_object('id', g.id, 'name', g.name) end);
end
$$;

-- == Privileges ==

revoke all on public.matter_members, public.matter_screens from anon, authenticated, service_role;
grant all on public.matter_members, public.matter_screens to service_role;
revoke all on function private.member_json, private.keep_an_owner, private.open_matter_for_walls, private.screen_json,
  private.check_dates, private.announce_access from public, anon, authenticated;
revoke all on function public.add_matter_member, public.remove_matter_member, public.list_matter_members,
  public.firm_matter_members, public.set_firm_member, public.add_matter_screen, public.lift_matter_screen,
  public.list_matter_screens, public.list_screens, public.restrict_document from public, anon, authenticated, service_role;
grant execute on function public.add_matter_member, public.remove_matter_member, public.list_matter_members,
  public.firm_matter_members, public.set_firm_member, public.add_matter_screen, public.lift_matter_screen,
  public.list_matter_screens, public.list_screens, public.restrict_document to authenticated;
