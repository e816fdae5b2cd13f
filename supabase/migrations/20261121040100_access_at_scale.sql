-- Whether one matter or document may be read costs the same for who works on three matters and on three thousand. The rule is the
-- one of 20261120090100 and 20261120090200, word for word; it can now be asked about a single matter.

-- The matter half of the one rule, for one matter or (null) for all: own tenant, member, not screened, workspaces only in their own
-- conversation.
create function private.my_matter_ids_among(only_matter uuid) returns setof uuid
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
      where s.matter_id = m.id and s.user_id = p.user_id
        and s.starts_at <= now() and (s.ends_at is null or s.ends_at > now())
    )
$$;

create or replace function private.my_matter_ids() returns setof uuid
language sql stable security definer
set search_path = ''
as $$ select private.my_matter_ids_among(null) $$;

create or replace function private.readable_documents(matter uuid default null) returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select d.id
  from public.documents d
  where d.matter_id = any (array(select private.my_matter_ids_among(matter)))
    and d.deleted_at is null
    and (d.group_id is null or d.group_id = any (array(select private.my_group_ids())))
$$;

create or replace function private.open_matter(ref text, needed_role text default 'viewer') returns public.matters
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
  where m.tenant_id = me.tenant_id and (m.id = private.as_uuid(ref) or lower(m.number) = lower(btrim(ref)))
    and m.id in (select private.my_matter_ids_among(m.id))
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

create or replace function private.open_document(ref text, needed_role text default 'viewer') returns public.documents
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  found_document public.documents;
begin
  select d.* into found_document from public.documents d
  where d.id = private.as_uuid(ref) and d.id in (select private.readable_documents(d.matter_id));
  if not found then
    perform private.not_found('document', ref);
  end if;
  if needed_role <> 'viewer' then
    perform private.open_matter(found_document.matter_id::text, needed_role);
  end if;
  return found_document;
end
$$;

create or replace function public.owning_document(document_id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  wanted uuid := private.as_uuid(owning_document.document_id);
  found_id uuid;
begin
  perform private.caller();
  select d.id into found_id from (
    select wanted as document_id
    union all
    select c.document_id from public.chunks c where c.id = wanted
    union all
    select r.document_id from public.sections s join public.document_revisions r on r.id = s.revision_id
    where s.id = wanted
  ) o
  join public.documents d on d.id = o.document_id and d.id in (select private.readable_documents(d.matter_id));
  if found_id is null then
    perform private.not_found('document', owning_document.document_id);
  end if;
  return jsonb_build_object('document_id', found_id);
end
$$;

revoke all on function private.my_matter_ids_among from public, anon, authenticated;
