-- Policies of a firm: which outside processors may receive text, how long things are kept, and what the engines were asked for.

-- == Tables ==

-- How many days things are kept; a matter's own rule (matter_id) goes before the firm's. Without a rule everything is kept, and
-- deleted documents are purged at once. A legal hold goes before every rule.
-- kind: deleted_documents (from their deletion), page_images (from their drawing), audit (entries of the record, from their
-- making), threads (conversations, from their last change).
create table private.retention_rules (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  matter_id uuid references public.matters (id) on delete cascade,
  kind text not null check (kind in ('deleted_documents', 'page_images', 'audit', 'threads')),
  keep_days integer not null check (keep_days between 0 and 36500),
  set_at timestamptz not null default now(),
  unique nulls not distinct (tenant_id, matter_id, kind)
);
alter table private.retention_rules enable row level security;

-- What engines that count were asked for, by day (UTC) and matter, or by person for questions to several matters at once. The
-- figures are those that the service has reported: they show what a matter costs, and are no ground for a bill.
create table public.engine_usage (
  matter_id uuid references public.matters (id) on delete cascade,
  user_id uuid references public.profiles (user_id) on delete cascade,
  day date not null,
  engine text not null,
  model text not null,
  endpoint text not null,
  requests bigint not null check (requests >= 0),
  input_tokens bigint not null check (input_tokens >= 0),
  check (num_nonnulls(matter_id, user_id) = 1),
  unique nulls not distinct (matter_id, user_id, day, engine, model, endpoint)
);
create index engine_usage_day on public.engine_usage (day);
alter table public.engine_usage enable row level security;
create policy "usage of one of my_matter_ids, or my own" on public.engine_usage
  for select to authenticated
  using (matter_id = any (array(select private.my_matter_ids())) or user_id = (select private.my_user_id()));

-- == Private functions: processors ==

-- Outside processors: model (the chat model's endpoint), isaacus, vision (the endpoint that reads scans and describes pages),
-- colivara.
create function private.processors() returns text[]
language sql immutable
set search_path = ''
as $$ select array['model', 'isaacus', 'vision', 'colivara'] $$;

-- The processors that all of some matters allow, within those of the firm.
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

-- processors = {firm: [name, …] | null, matter: [name, …] | null, allowed: [name, …]}; null: no limit
create function private.processors_json(tenant uuid, m public.matters) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('firm', to_jsonb(t.allowed_processors), 'matter', to_jsonb(m.allowed_processors),
    'allowed', private.allowed_in(t.id, array[m.id]))
  from public.tenants t where t.id = tenant
$$;

-- Reads [name, …] | null. Raises OR400 for an unknown name.
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

-- == Private functions: retention ==

-- The rule for a kind in a matter, in days: its own, else the firm's; null without a rule.
create function private.keep_days(tenant uuid, matter uuid, wanted_kind text) returns integer
language sql stable security definer
set search_path = ''
as $$
  select r.keep_days from private.retention_rules r
  where r.tenant_id = tenant and r.kind = wanted_kind and (r.matter_id = matter or r.matter_id is null)
  order by r.matter_id nulls last limit 1
$$;

-- Whether something is older than a number of days; false without a rule.
create function private.expired(since timestamptz, days integer) returns boolean
language sql stable
set search_path = ''
as $$ select coalesce(since <= now() - make_interval(days => days), false) $$;

-- == Private functions: usage ==

-- Raises OR400 unless entries is a list of at most 100 of {engine, model, endpoint, requests, input_tokens}.
create function private.check_usage(entries jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  if jsonb_typeof(entries) is distinct from 'array' or jsonb_array_length(entries) > 100 then
    perform private.invalid('Usage is a list of at most 100 entries.');
  end if;
  if exists (
    select from jsonb_array_elements(entries) as e
    where jsonb_typeof(e) <> 'object'
      or length(coalesce(e ->> 'engine', '')) not between 1 and 100
      or length(coalesce(e ->> 'model', '')) not between 1 and 100
      or length(coalesce(e ->> 'endpoint', '')) not between 1 and 100
      or coalesce(e ->> 'requests', '') !~ '^[0-9]{1,9}$'
      or coalesce(e ->> 'input_tokens', '') !~ '^[0-9]{1,12}$'
  ) then
    perform private.invalid('An entry of usage names engine, model and endpoint, and how many requests and input tokens.');
  end if;
end
$$;

-- Adds entries to the usage of a matter or person. The rows are locked in one order, so that concurrent calls cannot deadlock.
create function private.add_usage(matter uuid, person uuid, entries jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.check_usage(entries);
  insert into public.engine_usage as u (matter_id, user_id, day, engine, model, endpoint, requests, input_tokens)
  select matter, person, (now() at time zone 'UTC')::date, e ->> 'engine', e ->> 'model', e ->> 'endpoint',
    sum((e ->> 'requests')::bigint), sum((e ->> 'input_tokens')::bigint)
  from jsonb_array_elements(entries) as e
  group by 4, 5, 6
  order by 4, 5, 6
  on conflict (matter_id, user_id, day, engine, model, endpoint)
  do update set requests = u.requests + excluded.requests, input_tokens = u.input_tokens + excluded.input_tokens;
end
$$;

-- == As the caller (role authenticated) ==

-- Reads what a matter, or without one the firm, allows. Returns processors.
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

-- Sets what a matter allows, for owners; [name, …], or null for no limit of its own. Returns processors.
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

-- Sets what the firm allows, for administrators; [name, …], or null for all. Returns processors.
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

-- Lists the processors allowed for a matter, for the matter of a document, or for every matter that a conversation has read
-- (OR404 where it is closed); without any of the three, for every matter of the caller. Returns [name, …].
create function public.allowed_processors(
  matter_ref text default null, document_id text default null, thread_id text default null
) returns jsonb
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
    if exists (select from private.closed_threads(allowed_processors.thread_id)) then
      perform private.not_found('conversation', allowed_processors.thread_id);
    end if;
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

-- Adds usage to a matter, the matter of a document, or without either to the caller. Returns null.
-- entries: [{engine, model, endpoint, requests, input_tokens}, …], at most 100.
create function public.record_engine_usage(entries jsonb, matter_ref text default null, document_id text default null)
returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  d public.documents;
  m public.matters;
begin
  if document_id is not null then
    d := private.open_document(document_id);
    perform private.add_usage(d.matter_id, null, entries);
  elsif matter_ref is not null then
    m := private.open_matter(matter_ref);
    perform private.add_usage(m.id, null, entries);
  else
    perform private.add_usage(null, me.user_id, entries);
  end if;
  return null;
end
$$;

-- Lists usage, the newest day first; matter_ref null: of every matter of the caller, and the caller's own. since: a day.
-- Returns [{matter_id, matter_number, matter_title, day, engine, model, endpoint, requests, input_tokens}, …]; the first three
-- are null for the caller's own.
create function public.list_engine_usage(matter_ref text default null, since text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  m public.matters;
  first_day date := coalesce(since::date, '-infinity');
  result jsonb;
begin
  if matter_ref is not null then
    m := private.open_matter(matter_ref);
  end if;
  select coalesce(jsonb_agg(jsonb_build_object(
    'matter_id', u.matter_id, 'matter_number', x.number, 'matter_title', x.title, 'day', u.day, 'engine', u.engine,
    'model', u.model, 'endpoint', u.endpoint, 'requests', u.requests, 'input_tokens', u.input_tokens
  ) order by u.day desc, x.number collate "C" nulls last, u.engine, u.model, u.endpoint), '[]') into result
  from public.engine_usage u left join public.matters x on x.id = u.matter_id
  where u.day >= first_day and case
    when m.id is not null then u.matter_id = m.id
    else u.matter_id = any (array(select private.my_matter_ids())) or u.user_id = me.user_id
  end;
  perform private.audit('list_engine_usage', m, null, jsonb_build_object('since', since));
  return result;
end
$$;

-- == As the worker and the operator (service_role) ==

-- Lists the processors allowed for a document. Returns [name, …].
create function public.document_processors(document_id text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce((
    select private.allowed_in(m.tenant_id, array[m.id]) from public.documents d join public.matters m on m.id = d.matter_id
    where d.id = private.as_uuid(document_processors.document_id)
  ), '[]')
$$;

-- Adds what processing a document has used to its matter. Returns null.
create function public.record_document_usage(document_id text, entries jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  home uuid;
begin
  select d.matter_id into home from public.documents d where d.id = private.as_uuid(record_document_usage.document_id);
  if home is null then
    perform private.not_found('document', record_document_usage.document_id);
  end if;
  perform private.add_usage(home, null, entries);
  return null;
end
$$;

-- Sums the usage of the last days over the whole installation. Returns [{engine, model, endpoint, requests, input_tokens}, …].
create function public.engine_usage_totals(days integer default 30) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(to_jsonb(t) order by t.engine, t.model, t.endpoint), '[]')
  from (
    select u.engine, u.model, u.endpoint, sum(u.requests)::bigint as requests, sum(u.input_tokens)::bigint as input_tokens
    from public.engine_usage u
    where u.day > (now() at time zone 'UTC')::date - days
    group by u.engine, u.model, u.endpoint
  ) t
$$;

-- Sets or (keep_days null) removes a retention rule of a firm (by name) or matter. Returns {tenant, matter_number, kind,
-- keep_days}.
create function public.set_retention(tenant text, kind text, keep_days integer, matter_ref text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  t public.tenants;
  m public.matters;
begin
  select x.* into t from public.tenants x where x.name = tenant;
  if not found then
    perform private.not_found('tenant', tenant);
  end if;
  if matter_ref is not null then
    m := private.named_matter(private.matters_of_firm(t.id, matter_ref), matter_ref);
    if m.id is null then
      perform private.not_found('matter', matter_ref);
    end if;
  end if;
  if set_retention.kind is null or set_retention.kind not in ('deleted_documents', 'page_images', 'audit', 'threads') then
    perform private.invalid('Rules are for deleted_documents, page_images, audit or threads.');
  end if;
  if set_retention.keep_days not between 0 and 36500 then
    perform private.invalid('Days to keep are 0 to 36500.');
  end if;
  delete from private.retention_rules r
  where r.tenant_id = t.id and r.matter_id is not distinct from m.id and r.kind = set_retention.kind;
  if set_retention.keep_days is not null then
    insert into private.retention_rules (tenant_id, matter_id, kind, keep_days)
    values (t.id, m.id, set_retention.kind, set_retention.keep_days);
  end if;
  if m.id is not null then
    perform private.audit('set_retention', m, null, jsonb_build_object('kind', kind, 'keep_days', keep_days));
  end if;
  return jsonb_build_object('tenant', t.name, 'matter_number', m.number, 'kind', kind, 'keep_days', keep_days);
end
$$;

-- Lists the retention rules. Returns [{tenant, matter_number | null, kind, keep_days}, …].
create function public.list_retention() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('tenant', t.name, 'matter_number', m.number, 'kind', r.kind, 'keep_days', r.keep_days)
    order by t.name, m.number nulls first, r.kind), '[]')
  from private.retention_rules r join public.tenants t on t.id = r.tenant_id left join public.matters m on m.id = r.matter_id
$$;

-- Counts what retention would remove at once, and what a legal hold keeps; without conversations, whose ages the server knows.
-- Returns [{kind, tenant, matter_number | null, count, held}, …].
create function public.retention_due() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'kind', x.kind, 'tenant', t.name, 'matter_number', m.number, 'count', x.count, 'held', x.held
  ) order by t.name, m.number nulls last, x.kind), '[]')
  from (
    select 'deleted_documents' as kind, y.tenant_id, d.matter_id,
      count(*) filter (where not private.on_hold(d)) as count, count(*) filter (where private.on_hold(d)) as held
    from public.documents d join public.matters y on y.id = d.matter_id
    where private.expired(d.deleted_at, coalesce(private.keep_days(y.tenant_id, y.id, 'deleted_documents'), 0))
    group by y.tenant_id, d.matter_id
    union all
    select 'page_images', y.tenant_id, i.matter_id, count(*) filter (where not i.held), count(*) filter (where i.held)
    from private.expired_images() i join public.matters y on y.id = i.matter_id
    group by y.tenant_id, i.matter_id
    union all
    select 'audit', e.tenant_id, e.matter_id, sum(e.entries) filter (where not e.held), sum(e.entries) filter (where e.held)
    from private.expired_entries() e group by e.tenant_id, e.matter_id
  ) x
  join public.tenants t on t.id = x.tenant_id left join public.matters m on m.id = x.matter_id
$$;

-- == Privileges ==

revoke all on public.engine_usage from anon, authenticated, service_role;
grant all on public.engine_usage to service_role;
revoke all on private.retention_rules from public, anon, authenticated, service_role;
revoke all on function private.processors, private.allowed_in, private.processors_json, private.checked_processors,
  private.keep_days, private.expired, private.check_usage, private.add_usage from public, anon, authenticated;
revoke all on function public.get_processors, public.set_matter_processors, public.set_firm_processors,
  public.allowed_processors, public.record_engine_usage, public.list_engine_usage, public.document_processors,
  public.record_document_usage, public.engine_usage_totals, public.set_retention, public.list_retention, public.retention_due
  from public, anon, authenticated, service_role;
grant execute on function public.get_processors, public.set_matter_processors, public.set_firm_processors,
  public.allowed_processors, public.record_engine_usage, public.list_engine_usage to authenticated;
grant execute on function public.document_processors, public.record_document_usage, public.engine_usage_totals,
  public.set_retention, public.list_retention, public.retention_due to service_role;
