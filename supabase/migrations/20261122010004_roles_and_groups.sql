-- Administrators manage people, groups and membership of matters, and read nothing by it; documents for a group alone.
--
-- As the caller (role authenticated); OR403 for who is no administrator of the firm, unless it says otherwise:
--   list_people()                 everybody. [{user_id, email, display_name, is_admin, is_conflicts_officer}, …] of the firm, by email
--   add_person(email, display_name)   person; on Supabase the sign-in must exist
--   set_person(person_email, is_admin = null, is_conflicts_officer = null)   person; null leaves as it is. A firm keeps an
--                                 administrator, and nobody makes a conflicts officer of themselves
--   firm_matters()                [{id, number, title, archived_at, owners: [email, …], member_count}, …]; no workspaces, no documents
--   firm_matter_members(matter_ref)   [member, …]
--   set_firm_member(matter_ref, member_email, member_role)   member as they now are, or were where member_role is null, which ends
--                                 the membership. Administrators do not let themselves in: that is for an owner
--   list_groups()                 everybody: their own groups. [{id, name, members: [email, …]}, …]; administrators: all
--   create_group(group_name)      group
--   delete_group(group_ref)       group as it was; OR409 while documents are its alone. group_ref: id or name
--   set_group_member(group_ref, member_email, is_member)   group
--   restrict_document(document_id, group_ref = null)   owners of the matter, and members of the group; document as get_document gives it.
--                                 null: for everybody in the matter again. What is attached to it goes with it

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

create function private.person_json(p public.profiles) returns jsonb
language sql stable security definer
set search_path = ''
as $$ select private.user_json(p) - 'tenant_id' - 'tenant_name' $$;

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

create function private.firm_matter(ref text) returns public.matters
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
  m public.matters;
begin
  select x.* into m from public.matters x
  where x.tenant_id = me.tenant_id and x.kind = 'matter' and (x.id = private.as_uuid(ref) or lower(x.number) = lower(btrim(ref)))
  order by (x.id = private.as_uuid(ref)) desc nulls last
  limit 1;
  if not found then
    perform private.not_found('matter', ref);
  end if;
  return m;
end
$$;

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

create function private.group_json(g public.groups) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('id', g.id, 'name', g.name, 'members', (
    select coalesce(jsonb_agg(u.email order by u.email), '[]') from public.group_members gm join auth.users u on u.id = gm.user_id
    where gm.group_id = g.id
  ))
$$;

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

create function public.create_group(group_name text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
  g public.groups;
begin
  if coalesce(btrim(group_name), '') = '' or private.as_uuid(btrim(group_name)) is not null or length(group_name) > 200 then
    perform private.invalid('A group needs a name of at most 200 characters, which is no id.');
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

revoke all on function private.admin, private.person_json, private.firm_matter, private.group_json, private.firm_group
  from public, anon, authenticated;
revoke all on function public.list_people, public.add_person, public.set_person, public.firm_matters, public.firm_matter_members,
  public.set_firm_member, public.list_groups, public.create_group, public.delete_group, public.set_group_member,
  public.restrict_document from public, anon, authenticated, service_role;
grant execute on function public.list_people, public.add_person, public.set_person, public.firm_matters, public.firm_matter_members,
  public.set_firm_member, public.list_groups, public.create_group, public.delete_group, public.set_group_member,
  public.restrict_document to authenticated;
