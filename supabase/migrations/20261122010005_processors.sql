-- What may leave the installation: which outside processors the text of a matter may be sent to.
--
-- Processors: model (the chat model's endpoint), isaacus, vision (the endpoint that reads scans and describes pages), colivara. The firm
-- names those that it allows, a matter those of them that it allows; null: no further limit. An empty list keeps a matter on this
-- installation. What an installation has no key for is never used, whatever is allowed here.
--
-- As the caller (role authenticated):
--   get_processors(matter_ref = null)   {firm: [name, …] | null, matter: the same, allowed: [name, …]}; without a matter, of the firm
--   set_matter_processors(matter_ref, processors)   owner; the same; processors: [name, …] | null
--   set_firm_processors(processors)                 administrator; the same
--   allowed_processors(matter_ref = null, document_id = null, thread_id = null)   [name, …]: what the matter, the matter of the document,
--                                 every matter that the conversation has read, or (none given) every matter of the caller allows
-- As service_role:
--   document_processors(document_id)    [name, …]

create function private.processors() returns text[]
language sql immutable
set search_path = ''
as $$ select array['model', 'isaacus', 'vision', 'colivara'] $$;

alter table public.tenants add column allowed_processors text[];
alter table public.matters add column allowed_processors text[];
alter table public.tenants add constraint tenants_processors
  check (allowed_processors <@ array['model', 'isaacus', 'vision', 'colivara']);
alter table public.matters add constraint matters_processors
  check (allowed_processors <@ array['model', 'isaacus', 'vision', 'colivara']);

-- What all of some matters allow; the firm's own list where there are none.
create function private.allowed_in(tenant uuid, matters uuid[]) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(p.name order by p.n), '[]')
  from unnest(private.processors()) with ordinality as p (name, n), public.tenants t
  where t.id = tenant and (t.allowed_processors is null or p.name = any (t.allowed_processors))
    and not exists (
      select from public.matters m
      where m.id = any (matters) and m.allowed_processors is not null and p.name <> all (m.allowed_processors)
    )
$$;

create function private.processors_json(tenant uuid, m public.matters) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('firm', to_jsonb(t.allowed_processors), 'matter', to_jsonb(m.allowed_processors),
    'allowed', private.allowed_in(t.id, array[m.id]))
  from public.tenants t where t.id = tenant
$$;

create function private.checked_processors(given jsonb) returns text[]
language plpgsql stable
set search_path = ''
as $$
declare
  names text[];
begin
  if given is null or jsonb_typeof(given) = 'null' then
    return null;
  end if;
  if jsonb_typeof(given) = 'array' then
    names := array(select distinct jsonb_array_elements_text(given));
  end if;
  if names is null or not names <@ private.processors() then
    perform private.invalid('Processors are: ' || array_to_string(private.processors(), ', ') || '.');
  end if;
  return names;
end
$$;

create function public.get_processors(matter_ref text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  m public.matters;
begin
  if matter_ref is not null then
    m := private.open_matter(matter_ref);
  end if;
  perform private.audit('get_processors', m);
  return private.processors_json(me.tenant_id, m);
end
$$;

create function public.set_matter_processors(matter_ref text, processors jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'owner');
begin
  update public.matters x set allowed_processors = private.checked_processors(processors) where x.id = m.id returning x.* into m;
  perform private.audit('set_matter_processors', m, null, jsonb_build_object('allowed', to_jsonb(m.allowed_processors)));
  return private.processors_json(m.tenant_id, m);
end
$$;

create function public.set_firm_processors(processors jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
  names text[] := private.checked_processors(processors);
begin
  update public.tenants t set allowed_processors = names where t.id = me.tenant_id;
  perform private.audit('set_firm_processors', null, null, jsonb_build_object('allowed', to_jsonb(names)));
  return private.processors_json(me.tenant_id, null);
end
$$;

create function public.allowed_processors(matter_ref text default null, document_id text default null, thread_id text default null)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  matters uuid[];
begin
  if matter_ref is not null then
    matters := array[(private.open_matter(matter_ref)).id];
  elsif document_id is not null then
    matters := array[(private.open_document(document_id)).matter_id];
  elsif thread_id is not null then
    matters := array(
      select distinct r.matter_id from public.thread_reads r
      where r.user_id = me.user_id and r.thread_id = allowed_processors.thread_id
    );
  else
    matters := array(select private.my_matter_ids());
  end if;
  return private.allowed_in(me.tenant_id, matters);
end
$$;

create function public.document_processors(document_id text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce((
    select private.allowed_in(m.tenant_id, array[m.id]) from public.documents d join public.matters m on m.id = d.matter_id
    where d.id = private.as_uuid(document_processors.document_id)
  ), '[]')
$$;

revoke all on function private.processors, private.allowed_in, private.processors_json, private.checked_processors
  from public, anon, authenticated;
revoke all on function public.get_processors, public.set_matter_processors, public.set_firm_processors, public.allowed_processors,
  public.document_processors from public, anon, authenticated, service_role;
grant execute on function public.get_processors, public.set_matter_processors, public.set_firm_processors, public.allowed_processors
  to authenticated;
grant execute on function public.document_processors to service_role;
