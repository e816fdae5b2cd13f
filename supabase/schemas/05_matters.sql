-- Matters and their folders, and the way from a matter to a folder, document, section and passage.
-- Members and walls stand in 06_access.sql.

-- == Tables ==

-- A name in lower case, with a hyphen for everything that is no letter or digit; at most 60 characters.
create function private.slug(name text) returns text
language sql immutable
set search_path = ''
as $$ select btrim(left(btrim(regexp_replace(lower(name), '[^a-z0-9]+', '-', 'g'), '-'), 60), '-') $$;

-- kind: a workspace is the private matter of one conversation (thread_id).
-- number: unique among the matters that a person may read. Uniqueness in the firm would tell who creates a matter which numbers
-- stand behind walls.
-- slug: the title and the beginning of the id, so that it tells nobody that another matter has the same title. No number has its
-- form (private.check_number).
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
  -- Outside processors that the matter allows (14_policies.sql); null: those of the firm.
  allowed_processors text[],
  slug text not null generated always as (coalesce(nullif(private.slug(title), ''), 'matter') || '--' || left(id::text, 8)) stored,
  check ((kind = 'workspace') = (thread_id is not null)),
  constraint matters_processors check (allowed_processors <@ array['model', 'isaacus', 'vision', 'colivara'])
);
create index matters_number on public.matters (tenant_id, lower(number));
create unique index workspaces_number on public.matters (tenant_id, number) where kind = 'workspace';
create unique index matters_thread on public.matters (tenant_id, thread_id) where thread_id is not null;
create unique index matters_slug on public.matters (tenant_id, slug);
alter table public.matters enable row level security;
create policy "matter is one of my_matter_ids" on public.matters
  for select to authenticated using (id = any (array(select private.my_matter_ids())));

create table public.folders (
  id uuid primary key default gen_random_uuid(),
  matter_id uuid not null references public.matters (id) on delete cascade,
  parent_id uuid references public.folders (id) on delete cascade,
  name text not null check (btrim(name) <> ''),
  created_at timestamptz not null default now()
);
create unique index folders_name on public.folders (matter_id, parent_id, lower(name)) nulls not distinct;
alter table public.folders enable row level security;
create policy "folder of one of my_matter_ids" on public.folders
  for select to authenticated using (matter_id = any (array(select private.my_matter_ids())));

-- == Private functions: matters ==

-- matter = {id, number, slug, title, kind, role, document_count, created_at, archived_at}; role: the caller's own
create function private.matter_json(m public.matters) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', m.id, 'number', m.number, 'slug', m.slug, 'title', m.title, 'kind', m.kind,
    'role', (select mm.role from public.matter_members mm where mm.matter_id = m.id and mm.user_id = (select auth.uid())),
    'document_count', (select count(*) from private.readable_documents(m.id)),
    'created_at', m.created_at, 'archived_at', m.archived_at
  )
$$;

-- Whether a reference is the id, the number or the slug of a matter.
create function private.is_named(m public.matters, ref text) returns boolean
language sql immutable
set search_path = ''
as $$ select m.id = private.as_uuid(ref) or lower(m.number) = lower(btrim(ref)) or m.slug = lower(btrim(ref)) $$;

-- The matter among these that a reference names; a row of nulls where there is none. Raises OR400 where several have the number,
-- as after a wall was lifted.
create function private.named_matter(candidates uuid[], ref text) returns public.matters
language plpgsql stable security definer
set search_path = ''
as $$
declare
  named uuid[] := array(
    select m.id from public.matters m where m.id = any (candidates) and private.is_named(m, ref)
    order by (m.id = private.as_uuid(ref)) desc nulls last
  );
  m public.matters;
begin
  if cardinality(named) > 1 and named[1] is distinct from private.as_uuid(ref) then
    perform private.invalid(
      format('%s matters have the number ''%s''; name one by its slug or id.', cardinality(named), btrim(ref)));
  end if;
  select x.* into m from public.matters x where x.id = named[1];
  return m;
end
$$;

-- The readable matter that alone has this title, in any case; null where there is none. Raises OR400 where several have it.
create function private.titled_matter(ref text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  titled uuid[] := array(
    select m.id from public.matters m
    where m.kind = 'matter' and lower(m.title) = lower(btrim(ref)) and m.id in (select private.my_matter_ids())
  );
begin
  if cardinality(titled) > 1 then
    perform private.invalid(format('%s matters are called ''%s''; name one by its number.', cardinality(titled), btrim(ref)));
  end if;
  return titled[1];
end
$$;

-- Finds a readable matter by id, number or slug, else by a title that only one has. Raises OR404, or OR403 where the caller's
-- role in the matter is below needed_role.
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
  found_matter := private.named_matter(array(
    select m.id from public.matters m
    where m.tenant_id = me.tenant_id
      and (m.id = private.as_uuid(ref) or lower(m.number) = lower(btrim(ref)) or m.slug = lower(btrim(ref)))
      and m.id in (select private.my_matter_ids_among(m.id))
  ), ref);
  if found_matter.id is null then
    select m.* into found_matter from public.matters m where m.id = private.titled_matter(ref);
  end if;
  if found_matter.id is null then
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

-- The matters of a firm that a reference may name, readable or not; no workspaces.
create function private.matters_of_firm(tenant uuid, ref text) returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select array(
    select m.id from public.matters m
    where m.tenant_id = tenant and m.kind = 'matter'
      and (m.id = private.as_uuid(ref) or lower(m.number) = lower(btrim(ref)) or m.slug = lower(btrim(ref)))
  )
$$;

-- Finds a matter of the administrator's firm, readable or not; no workspaces.
create function private.firm_matter(ref text) returns public.matters
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
  m public.matters;
begin
  m := private.named_matter(private.matters_of_firm(me.tenant_id, ref), ref);
  if m.id is null then
    perform private.not_found('matter', ref);
  end if;
  return m;
end
$$;

-- Finds the matter of a firm behind an id of any kind, a number or slug, or a conversation, readable or not: for the record
-- alone. Behind a conversation stands the matter that has closed it.
create function private.matter_named(tenant uuid, ref text) returns public.matters
language sql stable security definer
set search_path = ''
as $$
  select m.* from (
    select x.id from public.matters x
    where x.tenant_id = tenant and (x.id = private.as_uuid(ref) or lower(x.number) = lower(btrim(ref)) or x.slug = lower(btrim(ref)))
    union all select d.matter_id from public.documents d where d.id = private.as_uuid(ref)
    union all select c.matter_id from public.chunks c where c.id = private.as_uuid(ref)
    union all select f.matter_id from public.folders f where f.id = private.as_uuid(ref)
    union all select d.matter_id from public.citations c join public.documents d on d.id = c.document_id where c.id = private.as_uuid(ref)
    union all
    select d.matter_id from public.sections s join public.document_revisions r on r.id = s.revision_id
    join public.documents d on d.id = r.document_id where s.id = private.as_uuid(ref)
    union all
    select r.matter_id from public.thread_reads r
    where r.thread_id = ref and r.user_id = (select auth.uid()) and r.matter_id not in (select private.my_matter_ids_among(null, true))
  ) named join public.matters m on m.id = named.id and m.tenant_id = tenant
  limit 1
$$;

-- The next number "M-<year>-NNN" of a firm. The lock on the firm's row keeps two matters from getting the same number.
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

-- Raises OR400 unless a title is one line of visible text.
create function private.check_title(title text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(btrim(title), '') = '' then
    perform private.invalid('A matter needs a title.');
  end if;
  if not private.is_plain(title) then
    perform private.invalid('A matter''s title is one line of visible text.');
  end if;
end
$$;

-- Returns a chosen number without surrounding blanks; null for none. Raises OR400 where it could be taken for something else.
create function private.check_number(number text) returns text
language plpgsql
set search_path = ''
as $$
begin
  if not private.is_plain(number) then
    perform private.invalid('A matter number is one line of visible text.');
  end if;
  if private.as_uuid(btrim(number)) is not null or btrim(number) ~* '--[0-9a-f]{8}$|^chat-' then
    perform private.invalid('A matter number must not look like an id or a slug.');
  end if;
  return nullif(btrim(number), '');
end
$$;

-- == Private functions: folders ==

-- folder = {id, matter_id, parent_id, name}
create function private.folder_json(f public.folders) returns jsonb
language sql immutable
set search_path = ''
as $$ select jsonb_build_object('id', f.id, 'matter_id', f.matter_id, 'parent_id', f.parent_id, 'name', f.name) $$;

-- Returns the id of a matter's folder; null for null. Raises OR404.
create function private.open_folder(m public.matters, ref text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if ref is not null and not exists (
    select from public.folders f where f.id = private.as_uuid(ref) and f.matter_id = m.id
  ) then
    perform private.not_found('folder', ref);
  end if;
  return private.as_uuid(ref);
end
$$;

-- Finds a folder that the caller may edit, and locks its matter: two concurrent moves could otherwise make a cycle.
create function private.lock_editable_folder(ref text) returns public.folders
language plpgsql security definer
set search_path = ''
as $$
declare
  place private.located := private.locate(ref);
  f public.folders;
begin
  if place.kind is distinct from 'folder' then
    perform private.not_found('folder', ref);
  end if;
  perform private.open_matter(place.matter_id::text, 'editor');
  perform from public.matters m where m.id = place.matter_id for update;
  select x.* into f from public.folders x where x.id = place.folder_id;
  if not found then
    perform private.not_found('folder', ref);
  end if;
  return f;
end
$$;

-- The folder and those around it, innermost first.
create function private.folder_chain(folder uuid) returns table (id uuid, name text, depth integer)
language sql stable security definer
set search_path = ''
as $$
  with recursive up as (
    select f.id, f.name, f.parent_id, 0 as depth from public.folders f where f.id = folder
    union all
    select f.id, f.name, f.parent_id, up.depth + 1 from public.folders f join up on f.id = up.parent_id
  )
  select up.id, up.name, up.depth from up
$$;

-- The same as [{id, name}, …], outermost first.
create function private.folders_json(folder uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name) order by c.depth desc), '[]')
  from private.folder_chain(folder) c
$$;

-- Checks a folder's name and returns it without surrounding blanks.
create function private.check_folder_name(name text) returns text
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(btrim(name), '') = '' or length(name) > 255 or not private.is_plain(name) then
    perform private.invalid('A folder''s name is one line of visible text, of at most 255 characters.');
  end if;
  return btrim(name);
end
$$;

-- Raises OR409 where another folder in the same place has the name, in any case.
create function private.name_is_free(matter uuid, parent uuid, name text, itself uuid) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.folders f
    where f.matter_id = matter and f.parent_id is not distinct from parent
      and lower(f.name) = lower(name_is_free.name) and f.id is distinct from itself
  ) then
    raise exception 'There is a folder of that name already.' using errcode = 'OR409';
  end if;
end
$$;

-- == Private functions: nodes ==
-- A node is a matter, folder, document, section, passage or citation. One id names any of them.

create type private.located as (
  kind text, matter_id uuid, folder_id uuid, document_id uuid, revision_id uuid, section_id uuid, chunk_id uuid, citation_id uuid
);

-- Finds the node of an id; a matter also by number, slug or a title that only one has, a document by a file name that only one
-- has. kind is null where it is missing or not readable.
create function private.locate(ref text) returns private.located
language plpgsql stable security definer
set search_path = ''
as $$
declare
  wanted uuid := private.as_uuid(btrim(ref));
  place private.located;
  mine uuid[];
begin
  perform private.caller();
  mine := array(select private.my_matter_ids());
  select 'matter', m.id into place.kind, place.matter_id from private.named_matter(mine, ref) m where m.id is not null;
  if not found and wanted is null then
    select 'matter', m.id into place.kind, place.matter_id from public.matters m where m.id = private.titled_matter(ref);
    if not found then
      select 'document', d.matter_id, d.folder_id, d.id, d.current_revision_id
      into place.kind, place.matter_id, place.folder_id, place.document_id, place.revision_id
      from public.documents d where d.id = private.named_document(ref);
    end if;
  end if;
  if found or wanted is null then
    return place;
  end if;
  select 'folder', f.matter_id, f.id into place.kind, place.matter_id, place.folder_id from public.folders f
  where f.id = wanted and f.matter_id = any (mine);
  if found then
    return place;
  end if;
  select o.kind, d.matter_id, d.folder_id, d.id, o.revision_id, o.section_id, o.chunk_id, o.citation_id into place
  from (
    select 'document' as kind, x.id as document_id, x.current_revision_id as revision_id, null::uuid as section_id,
      null::uuid as chunk_id, null::uuid as citation_id
    from public.documents x where x.id = wanted
    union all
    select 'section', r.document_id, r.id, s.id, null, null
    from public.sections s join public.document_revisions r on r.id = s.revision_id and r.published_at is not null
    where s.id = wanted
    union all
    select 'passage', c.document_id, c.revision_id, c.section_id, c.id, null
    from public.chunks c join public.document_revisions r on r.id = c.revision_id and r.published_at is not null
    where c.id = wanted
    union all
    select 'passage', r.document_id, r.id, null, wanted, null
    from public.document_revisions r where r.former_passages @> array[wanted]
    union all
    select 'citation', c.document_id, c.revision_id, c.section_id, null, c.id from public.citations c where c.id = wanted
  ) o
  join public.documents d on d.id = o.document_id
  where d.matter_id = any (mine) and d.id = any (array(select private.readable_documents(d.matter_id)))
  limit 1;
  return place;
end
$$;

-- Raises OR400 for a passage of an earlier revision: publishing a later one removed it.
create function private.check_current_passage(place private.located) returns void
language plpgsql stable security definer
set search_path = ''
as $$
declare
  d public.documents;
begin
  if place.kind is distinct from 'passage' or exists (select from public.chunks c where c.id = place.chunk_id) then
    return;
  end if;
  select x.* into d from public.documents x where x.id = place.document_id;
  perform private.invalid(format(
    '%s is a passage of an earlier reading of %s, which has been read again since. Search the document again, or read it: '
    'its id is %s.', place.chunk_id, d.filename, d.id));
end
$$;

-- Finds the node of an id. Raises OR404, and OR400 for a passage of an earlier revision.
create function private.open_node(ref text) returns private.located
language plpgsql stable security definer
set search_path = ''
as $$
declare
  place private.located := private.locate(ref);
begin
  if place.kind is null then
    perform private.not_found('item', ref);
  end if;
  perform private.check_current_passage(place);
  return place;
end
$$;

-- The matter that a node belongs to.
create function private.matter_at(place private.located) returns public.matters
language sql stable security definer
set search_path = ''
as $$ select m.* from public.matters m where m.id = place.matter_id $$;

-- The span of the revision's text that a node covers; of a document all of it.
create function private.span_of(place private.located) returns int4range
language sql stable security definer
set search_path = ''
as $$
  select case place.kind
    when 'section' then (select int4range(s.start_char, s.end_char) from public.sections s where s.id = place.section_id)
    when 'passage' then (select int4range(c.start_char, c.end_char) from public.chunks c where c.id = place.chunk_id)
    else int4range(0, 2147483647)
  end
$$;

-- A matter in a list: {kind: 'matter', id, name, number, title, document_count, archived}
create function private.matter_item(m public.matters) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'kind', 'matter', 'id', m.id, 'name', m.number || ' ' || m.title, 'number', m.number, 'title', m.title,
    'document_count', (select count(*) from private.readable_documents(m.id)), 'archived', m.archived_at is not null
  )
$$;

-- A folder in a list: {kind: 'folder', id, name, folder_count, document_count}
create function private.folder_item(f public.folders) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'kind', 'folder', 'id', f.id, 'name', f.name,
    'folder_count', (select count(*) from public.folders x where x.parent_id = f.id),
    'document_count', (
      select count(*) from public.documents d
      where d.folder_id = f.id and d.id = any (array(select private.readable_documents(f.matter_id)))
    )
  )
$$;

-- One page of the readable matters: {total, items: [item, …]}; archived ones last, then by number.
create function private.matters_page(match_count integer, skip integer) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with mine as (
    select m from public.matters m where m.id = any (array(select private.my_matter_ids()))
  )
  select jsonb_build_object('total', (select count(*) from mine), 'items', (
    select coalesce(jsonb_agg(private.matter_item(p.m) order by p.n), '[]')
    from (
      select mine.m, row_number() over (order by ((mine.m).archived_at is not null), (mine.m).number collate "C") as n
      from mine order by n limit match_count offset skip
    ) p
  ))
$$;

-- One page of what lies in a folder, or (null) at the top of a matter: {total, items: [item, …]}; folders first, each by name.
create function private.folder_page(matter uuid, folder uuid, match_count integer, skip integer) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with held as (
    select 0 as rank, lower(f.name) as name, f.id::text as tie, f, null::public.documents as d
    from public.folders f where f.matter_id = matter and f.parent_id is not distinct from folder
    union all
    select 1, lower(d.filename), to_char(d.upload_order, 'FM0000000000000000000'), null::public.folders, d
    from public.documents d
    where d.matter_id = matter and d.folder_id is not distinct from folder
      and d.id = any (array(select private.readable_documents(matter)))
  )
  select jsonb_build_object('total', (select count(*) from held), 'items', (
    select coalesce(jsonb_agg(
      case p.rank when 0 then private.folder_item(p.f) else private.document_item(p.d) end
      order by p.rank, p.name collate "C", p.tie
    ), '[]')
    from (
      select * from held order by held.rank, held.name collate "C", held.tie limit match_count offset skip
    ) p
  ))
$$;

-- == As the caller (role authenticated): matters ==

-- Lists the readable matters. Returns [matter, …]; archived ones last, then by number.
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

-- Describes a matter. Returns matter.
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

-- Creates a matter that the caller owns; number null: the next number of the firm. Returns matter. OR409: a matter that the
-- caller may read has the number.
create function public.create_matter(title text, number text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  wanted text;
  m public.matters;
begin
  perform private.check_title(create_matter.title);
  wanted := coalesce(private.check_number(create_matter.number), private.next_matter_number(me.tenant_id));
  perform from public.tenants t where t.id = me.tenant_id for update;
  if exists (
    select from public.matters x
    where x.tenant_id = me.tenant_id and lower(x.number) = lower(wanted) and x.id in (select private.my_matter_ids())
  ) then
    raise exception 'Matter number % is taken.', wanted using errcode = 'OR409';
  end if;
  insert into public.matters (tenant_id, number, title, created_by)
  values (me.tenant_id, wanted, btrim(create_matter.title), me.user_id)
  returning * into m;
  insert into public.matter_members (matter_id, user_id, role) values (m.id, me.user_id, 'owner');
  perform private.audit('create_matter', m, null, jsonb_build_object('number', m.number, 'title', m.title));
  return private.matter_json(m);
end
$$;

-- Changes a matter, for its owners. changes: any of {title, archived}. Returns matter.
-- seen: the fields as the caller saw them (OR409, detail changed, where they differ). An archived matter accepts no files.
create function public.edit_matter(matter_ref text, changes jsonb, seen jsonb default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'owner');
  before jsonb;
begin
  perform private.check_changes(changes, array['title', 'archived']);
  select x.* into m from public.matters x where x.id = m.id for update;
  before := jsonb_build_object('title', m.title, 'archived', m.archived_at is not null);
  perform private.check_unchanged(seen, before);
  if changes ? 'title' then
    perform private.check_title(changes ->> 'title');
  end if;
  if changes ? 'archived' and jsonb_typeof(changes -> 'archived') <> 'boolean' then
    perform private.invalid('archived is true or false.');
  end if;
  update public.matters u
  set title = coalesce(btrim(changes ->> 'title'), u.title),
    archived_at = case when not changes ? 'archived' then u.archived_at
      when (changes ->> 'archived')::boolean then coalesce(u.archived_at, now()) end
  where u.id = m.id
  returning u.* into m;
  perform private.audit('edit_matter', m, null, jsonb_build_object('before', before, 'changes', changes));
  return private.matter_json(m);
end
$$;

-- Lists the matters of the firm, for administrators; no workspaces and no documents.
-- Returns [{id, number, title, archived_at, owners: [email, …], member_count}, …] by number.
create function public.firm_matters() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
begin
  perform private.audit('firm_matters', null);
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', m.id, 'number', m.number, 'title', m.title, 'archived_at', m.archived_at,
      'owners', (
        select coalesce(jsonb_agg(u.email order by u.email), '[]') from public.matter_members mm join auth.users u on u.id = mm.user_id
        where mm.matter_id = m.id and mm.role = 'owner'
      ),
      'member_count', (select count(*) from public.matter_members mm where mm.matter_id = m.id)
    ) order by m.number collate "C"), '[]')
    from public.matters m where m.tenant_id = me.tenant_id and m.kind = 'matter'
  );
end
$$;

-- == As the caller (role authenticated): folders ==

-- Lists the folders of a matter. Returns [folder + {folder_count, document_count}, …] by name.
create function public.list_folders(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(private.folder_json(f) || jsonb_build_object(
    'folder_count', (select count(*) from public.folders x where x.parent_id = f.id),
    'document_count', (
      select count(*) from public.documents d
      where d.folder_id = f.id and d.id = any (array(select private.readable_documents(m.id)))
    )) order by lower(f.name) collate "C", f.id), '[]') into result
  from public.folders f where f.matter_id = m.id;
  perform private.audit('list_folders', m, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

-- Creates a folder, for editors. Returns folder. Folders nest at most 50 deep.
create function public.create_folder(matter_ref text, name text, parent_id text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'editor');
  parent uuid := private.open_folder(m, parent_id);
  clean text := private.check_folder_name(create_folder.name);
  f public.folders;
begin
  perform from public.matters locked where locked.id = m.id for update;
  if (select count(*) from private.folder_chain(parent)) >= 50 then
    perform private.invalid('Folders can be nested 50 deep.');
  end if;
  perform private.name_is_free(m.id, parent, clean, null);
  insert into public.folders (matter_id, parent_id, name) values (m.id, parent, clean) returning * into f;
  perform private.audit('create_folder', m, null, private.folder_json(f));
  return private.folder_json(f);
end
$$;

-- Renames a folder, for editors. Returns folder.
create function public.rename_folder(folder_id text, name text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.folders := private.lock_editable_folder(folder_id);
  clean text := private.check_folder_name(rename_folder.name);
  m public.matters;
begin
  perform private.name_is_free(f.matter_id, f.parent_id, clean, f.id);
  update public.folders u set name = clean where u.id = f.id returning u.* into f;
  select x.* into m from public.matters x where x.id = f.matter_id;
  perform private.audit('rename_folder', m, null, private.folder_json(f));
  return private.folder_json(f);
end
$$;

-- Moves a folder within its matter, for editors; parent_id null: to the top. Returns folder.
create function public.move_folder(folder_id text, parent_id text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.folders := private.lock_editable_folder(folder_id);
  m public.matters;
  parent uuid;
begin
  select x.* into m from public.matters x where x.id = f.matter_id;
  parent := private.open_folder(m, parent_id);
  if parent in (
    with recursive below as (
      select f.id
      union
      select x.id from public.folders x join below on x.parent_id = below.id
    )
    select below.id from below
  ) then
    perform private.invalid('A folder cannot be moved into itself.');
  end if;
  if (select count(*) from private.folder_chain(parent)) >= 50 then
    perform private.invalid('Folders can be nested 50 deep.');
  end if;
  perform private.name_is_free(f.matter_id, parent, f.name, f.id);
  update public.folders u set parent_id = parent where u.id = f.id returning u.* into f;
  perform private.audit('move_folder', m, null, private.folder_json(f));
  return private.folder_json(f);
end
$$;

-- Changes a folder, for editors. changes: any of {name, parent_id}; seen as in edit_matter. Returns folder.
create function public.edit_folder(folder_id text, changes jsonb, seen jsonb default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.folders := private.lock_editable_folder(folder_id);
  result jsonb;
begin
  perform private.check_changes(changes, array['name', 'parent_id']);
  perform private.check_unchanged(seen, private.folder_json(f));
  if changes ? 'name' then
    result := public.rename_folder(f.id::text, changes ->> 'name');
  end if;
  if changes ? 'parent_id' then
    result := public.move_folder(f.id::text, changes ->> 'parent_id');
  end if;
  return result;
end
$$;

-- Deletes an empty folder, for editors; OR409 for any other. Returns the deleted folder.
create function public.delete_folder(folder_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.folders := private.lock_editable_folder(folder_id);
  m public.matters;
begin
  select x.* into m from public.matters x where x.id = f.matter_id;
  if exists (select from public.folders x where x.parent_id = f.id)
    or exists (select from public.documents d where d.folder_id = f.id and d.deleted_at is null)
  then
    raise exception 'Only an empty folder can be removed.' using errcode = 'OR409';
  end if;
  delete from public.folders x where x.id = f.id;
  perform private.audit('delete_folder', m, null, private.folder_json(f));
  return private.folder_json(f);
end
$$;

-- == As the caller (role authenticated): finding the way ==

-- Describes a node and where it stands. Returns {kind, id, parent_id | null, current, matter, folders, document | null, sections,
-- passage | null, citation | null, span | null}.
--   kind: matter, folder, document, section, passage or citation. parent_id: the node that holds it.
--   current: false where an id belongs to an earlier revision of its document.
--   folders: [{id, name}, …] from the matter down. document: as get_document, without storage_key.
--   sections: [section, …] from the outermost down. passage: {id, ordinal, section_id, page_first, page_last}.
--   citation: as get_citation. span, of a section or passage: {start, end, char_count, chunk_count}.
create function public.get_node(path_part_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  place private.located := private.open_node(path_part_id);
  d public.documents;
  span int4range := private.span_of(place);
begin
  select x.* into d from public.documents x where x.id = place.document_id;
  perform private.audit('get_node', private.matter_at(place), place.document_id,
    jsonb_build_object('kind', place.kind, 'id', path_part_id));
  return jsonb_build_object(
    'kind', place.kind,
    'id', coalesce(place.citation_id, place.chunk_id, case when place.kind = 'section' then place.section_id end,
      place.document_id, place.folder_id, place.matter_id),
    'parent_id', case place.kind
      when 'matter' then null
      when 'folder' then coalesce((select f.parent_id from public.folders f where f.id = place.folder_id), place.matter_id)
      when 'document' then coalesce(place.folder_id, place.matter_id)
      when 'section' then coalesce((
        select up.id from public.sections s join public.sections up on up.revision_id = s.revision_id and up.ordinal = s.parent
        where s.id = place.section_id), place.document_id)
      else coalesce(place.section_id, place.document_id)
    end,
    'current', place.document_id is null or place.revision_id is not distinct from d.current_revision_id,
    'matter', private.matter_json(private.matter_at(place)),
    'folders', private.folders_json(place.folder_id),
    'document', case when d.id is not null then private.full_document_json(d) - 'storage_key' end,
    'sections', private.section_chain_json(place.section_id),
    'passage', (
      select jsonb_build_object('id', c.id, 'ordinal', c.ordinal, 'section_id', c.section_id, 'page_first', c.page_first,
        'page_last', c.page_last)
      from public.chunks c where c.id = place.chunk_id
    ),
    'citation', (select private.citation_json(c) from public.citations c where c.id = place.citation_id),
    'span', case when place.kind in ('section', 'passage') then jsonb_build_object(
      'start', lower(span), 'end', upper(span), 'char_count', upper(span) - lower(span),
      'chunk_count', private.chunk_total(place.revision_id, span)
    ) end
  );
end
$$;

-- Lists what lies in a matter or folder; null: the readable matters. Returns {node | null, total, items: [item, …]}.
--   item = {kind: matter | folder | document, id, name, …}: the shapes beside private.matter_item, folder_item and document_item.
--   node = {kind, id, matter: item, folders: [{id, name}, …]}. OR400 for a node that holds neither.
create function public.list_contents(path_part_id text default null, match_count integer default 20, skip integer default 0)
returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  place private.located;
  result jsonb;
begin
  skip := greatest(coalesce(skip, 0), 0);
  if path_part_id is null then
    result := private.matters_page(private.row_limit(match_count), skip);
    perform private.audit('list_contents', null, null, jsonb_build_object('total', result -> 'total'));
    return result || jsonb_build_object('node', null);
  end if;
  place := private.open_node(path_part_id);
  if place.kind not in ('matter', 'folder') then
    perform private.invalid('Only a matter or a folder can be listed.');
  end if;
  result := private.folder_page(place.matter_id, place.folder_id, private.row_limit(match_count), skip);
  perform private.audit('list_contents', private.matter_at(place), null,
    jsonb_build_object('folder_id', place.folder_id, 'total', result -> 'total'));
  return result || jsonb_build_object('node', jsonb_build_object(
    'kind', place.kind, 'id', coalesce(place.folder_id, place.matter_id),
    'matter', private.matter_item(private.matter_at(place)), 'folders', private.folders_json(place.folder_id)
  ));
end
$$;

-- Finds matters, folders and documents by a part of their name, in any case, in every readable matter.
-- kind: FOLDER (matters too) or DOCUMENT. Returns {total, items: [item + {matter_number, folders}, …]}, the best match first.
create function public.find_by_name(
  name text, kind text default null, match_count integer default 20, skip integer default 0
) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  me public.profiles := private.caller();
  wanted text := lower(btrim(find_by_name.name));
  mine uuid[] := array(select private.my_matter_ids());
  result jsonb;
begin
  if coalesce(wanted, '') = '' then
    perform private.invalid('Give the name, or a part of it.');
  end if;
  if find_by_name.kind is not null and find_by_name.kind not in ('FOLDER', 'DOCUMENT') then
    perform private.invalid('kind is FOLDER or DOCUMENT.');
  end if;
  with matching as materialized (
    select 0 as rank, lower(m.number || ' ' || m.title) as label, m.id, m, null::public.folders as f, null::public.documents as d
    from public.matters m
    where m.id = any (mine) and find_by_name.kind is distinct from 'DOCUMENT'
      and position(wanted in lower(m.number || ' ' || m.title)) > 0
    union all
    select 1, lower(f.name), f.id, m, f, null::public.documents
    from public.folders f join public.matters m on m.id = f.matter_id
    where f.matter_id = any (mine) and find_by_name.kind is distinct from 'DOCUMENT' and position(wanted in lower(f.name)) > 0
    union all
    select 2, lower(d.filename), d.id, m, null::public.folders, d
    from public.documents d join public.matters m on m.id = d.matter_id
    where d.id = any (array(select private.readable_documents())) and find_by_name.kind is distinct from 'FOLDER'
      and position(wanted in lower(d.filename)) > 0
  ), page as (
    select k.*, row_number() over (
      order by (k.label = wanted) desc, (position(wanted in k.label) = 1) desc, k.rank, k.label collate "C", k.id
    ) as n
    from matching k order by n limit private.row_limit(match_count) offset greatest(coalesce(skip, 0), 0)
  )
  select jsonb_build_object('total', (select count(*) from matching), 'items', (
    select coalesce(jsonb_agg(
      case p.rank when 0 then private.matter_item(p.m) when 1 then private.folder_item(p.f) else private.document_item(p.d) end
      || jsonb_build_object('matter_number', (p.m).number, 'folders', private.folders_json(
        case p.rank when 1 then (p.f).parent_id when 2 then (p.d).folder_id end))
      order by p.n
    ), '[]') from page p
  )) into result;
  perform private.audit('find_by_name', null, null,
    jsonb_build_object('name', find_by_name.name, 'kind', find_by_name.kind, 'total', result -> 'total',
      'given', jsonb_path_query_array(result, '$.items[*] ? (@.kind == "document").id')));
  return result;
end
$$;

-- Reads the texts of a matter, in the order of upload, for search by regular expressions; query is recorded.
-- Returns {total, next, documents: [{document_id, document_name, revision_id, paged, text, spans, apart}, …]}: at least one
-- document, and as many as fit into max_chars. next: the `after` of the next page, null at the end. within: ids of documents,
-- folders and sections. spans: [[start, end], …] to search in; null: the whole text. apart: words kept out of the text, as of
-- private.apart_json; empty where within names sections.
create function public.matter_texts(
  matter_id text, query text, after bigint default 0, max_chars integer default 2000000, within jsonb default null
) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  m public.matters := private.open_matter(matter_id);
  scope jsonb;
  result jsonb;
  going_on bigint;
begin
  with inside as materialized (
    select s.revision_id, bool_or(s.span_end = 2147483647 and s.span_start = 0) as whole,
      jsonb_agg(jsonb_build_array(s.span_start, s.span_end) order by s.span_start, s.span_end) as spans
    from private.scope(m, within) s where s.revision_id is not null group by s.revision_id
  ), coming as (
    select d.id, d.filename, d.upload_order, r.id as revision_id, r.paged, r.text, r.char_count,
      case when i.whole then null else i.spans end as spans,
      sum(r.char_count) over (order by d.upload_order) - r.char_count as before,
      row_number() over (order by d.upload_order) as n
    from inside i
    join public.document_revisions r on r.id = i.revision_id
    join public.documents d on d.id = r.document_id
    where d.upload_order > coalesce(after, 0)
  ), taken as materialized (
    select c.* from coming c where c.n = 1 or c.before + c.char_count <= least(greatest(max_chars, 1), 20000000)
  )
  select coalesce(jsonb_agg(jsonb_build_object(
      'document_id', t.id, 'document_name', t.filename, 'revision_id', t.revision_id, 'paged', t.paged, 'text', t.text,
      'spans', t.spans, 'apart', case when t.spans is null then (
        select private.apart_json(r) from public.document_revisions r where r.id = t.revision_id
      ) else '[]' end
    ) order by t.upload_order), '[]'),
    case when count(*) < (select count(*) from coming) then max(t.upload_order) end,
    (select jsonb_build_object('total', count(*)) from inside)
  into result, going_on, scope
  from taken t;
  perform private.audit('matter_texts', m, null,
    jsonb_build_object('query', query, 'within', within, 'documents', jsonb_array_length(result),
      'given', private.given(result)));
  return scope || jsonb_build_object('next', going_on, 'documents', result);
end
$$;

-- == Privileges ==

revoke all on public.matters, public.folders from anon, authenticated, service_role;
grant all on public.matters, public.folders to service_role;
revoke all on function private.slug, private.is_named, private.named_matter, private.matters_of_firm, private.check_title,
  private.check_number, private.matter_json, private.titled_matter, private.open_matter, private.firm_matter,
  private.matter_named, private.next_matter_number, private.folder_json, private.open_folder, private.lock_editable_folder,
  private.folder_chain,
  private.folders_json, private.check_folder_name, private.name_is_free, private.locate, private.check_current_passage, private.open_node, private.matter_at,
  private.span_of, private.matter_item, private.folder_item, private.matters_page, private.folder_page
  from public, anon, authenticated;
revoke all on function public.list_matters, public.get_matter, public.create_matter, public.edit_matter, public.firm_matters,
  public.list_folders, public.create_folder, public.rename_folder, public.move_folder, public.edit_folder, public.delete_folder,
  public.get_node, public.list_contents, public.find_by_name, public.matter_texts
  from public, anon, authenticated, service_role;
grant execute on function public.list_matters, public.get_matter, public.create_matter, public.edit_matter, public.firm_matters,
  public.list_folders, public.create_folder, public.rename_folder, public.move_folder, public.edit_folder, public.delete_folder,
  public.get_node, public.list_contents, public.find_by_name, public.matter_texts to authenticated;
