-- Matters, who works on them, who must not, and their folders.

create table public.matters (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id),
  number text not null check (btrim(number) <> ''),
  title text not null check (btrim(title) <> ''),
  kind text not null default 'matter' check (kind in ('matter', 'workspace')),
  thread_id text,
  created_by uuid references public.profiles (user_id) on delete set null,
  created_at timestamptz not null default now(),
  archived_at timestamptz,
  check ((kind = 'workspace') = (thread_id is not null))
);
create unique index matters_number on public.matters (tenant_id, lower(number));
create unique index matters_thread on public.matters (tenant_id, thread_id) where thread_id is not null;

create table public.matter_members (
  matter_id uuid not null references public.matters (id) on delete cascade,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  added_at timestamptz not null default now(),
  primary key (matter_id, user_id)
);
create index matter_members_user on public.matter_members (user_id);

-- An ethical wall: a named deny that beats every membership while it lasts.
create table public.matter_screens (
  id uuid primary key default gen_random_uuid(),
  matter_id uuid not null references public.matters (id) on delete cascade,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  reason text not null check (btrim(reason) <> ''),
  starts_at timestamptz not null default now(),
  ends_at timestamptz,
  created_at timestamptz not null default now(),
  check (ends_at is null or ends_at > starts_at)
);
create index matter_screens_user on public.matter_screens (user_id, matter_id);

create table public.folders (
  id uuid primary key default gen_random_uuid(),
  matter_id uuid not null references public.matters (id) on delete cascade,
  parent_id uuid references public.folders (id) on delete cascade,
  name text not null check (btrim(name) <> ''),
  created_at timestamptz not null default now()
);
create unique index folders_name on public.folders (matter_id, parent_id, lower(name)) nulls not distinct;

alter table public.matters enable row level security;
alter table public.matter_members enable row level security;
alter table public.matter_screens enable row level security;
alter table public.folders enable row level security;

revoke all on public.matters, public.matter_members, public.matter_screens, public.folders from anon, authenticated;
grant select on public.matters, public.matter_members, public.matter_screens, public.folders to authenticated;
grant all on public.matters, public.matter_members, public.matter_screens, public.folders to service_role;

-- The conversation that the server authorised for this run: it opens that conversation's workspace and no other.
create function private.my_thread_id() returns text
language sql stable
set search_path = ''
as $$ select nullif(auth.jwt() ->> 'thread_id', '') $$;

-- The matter half of the one rule: own tenant, member, not screened, workspaces only in their own conversation.
-- Administrators of a tenant are members or they read nothing.
create function private.my_matter_ids() returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select m.id
  from public.profiles p
  join public.matter_members mm on mm.user_id = p.user_id
  join public.matters m on m.id = mm.matter_id and m.tenant_id = p.tenant_id
  where p.user_id = (select auth.uid())
    and (m.kind = 'matter' or m.thread_id = (select private.my_thread_id()))
    and not exists (
      select from public.matter_screens s
      where s.matter_id = m.id and s.user_id = p.user_id
        and s.starts_at <= now() and (s.ends_at is null or s.ends_at > now())
    )
$$;

-- The matter behind a uuid or a number ("M-2025-001"), or OR404; OR403 when the caller's role in it is too small.
create function private.open_matter(ref text, needed_role text default 'viewer') returns public.matters
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  found_matter public.matters;
  my_role text;
  ranks constant text[] := array['viewer', 'editor', 'owner'];
begin
  select m.* into found_matter
  from public.matters m
  where m.id = any (array(select private.my_matter_ids()))
    and (m.id = private.as_uuid(ref) or lower(m.number) = lower(btrim(ref)))
  order by (m.id = private.as_uuid(ref)) desc nulls last
  limit 1;
  if not found then
    perform private.not_found('matter', ref);
  end if;
  select mm.role into my_role from public.matter_members mm
  where mm.matter_id = found_matter.id and mm.user_id = me.user_id;
  if array_position(ranks, my_role) < array_position(ranks, needed_role) then
    raise exception 'Only an % of this matter can do that.',
      case needed_role when 'owner' then 'owner' else 'editor or owner' end using errcode = 'OR403';
  end if;
  return found_matter;
end
$$;

create policy "matter is one of my_matter_ids" on public.matters
  for select to authenticated using (id = any (array(select private.my_matter_ids())));
create policy "membership of one of my_matter_ids" on public.matter_members
  for select to authenticated using (matter_id = any (array(select private.my_matter_ids())));
-- matter_screens has no policy: who is screened, and why, is for the conflicts officer.
create policy "folder of one of my_matter_ids" on public.folders
  for select to authenticated using (matter_id = any (array(select private.my_matter_ids())));

revoke all on function private.my_thread_id, private.my_matter_ids, private.open_matter from public, anon, authenticated;
grant execute on function private.my_matter_ids to authenticated;
