-- What a legal engine that counts was asked for, by matter and day (UTC).
--
-- As the caller (role authenticated):
--   record_engine_usage(entries, matter_ref = null, document_id = null)   null; adds to what is there. One of the two says whose
--     usage it is; neither: the caller's own, of a question to several matters at once
--     entry = {engine, model, endpoint, requests, input_tokens}; at most 100, no figure below zero
--   list_engine_usage(matter_ref = null, since = null)                    [row, …] newest day first; null: every matter of the
--     caller, and the caller's own. since: a day
--     row = {matter_id, matter_number, matter_title, day, engine, model, endpoint, requests, input_tokens}; the three of the matter
--     are null for the caller's own
-- As service_role:
--   record_document_usage(document_id, entries)   null; what taking the document in has used
--   engine_usage_totals(days = 30)                [{engine, model, endpoint, requests, input_tokens}, …] of the whole installation
--
-- The figures are those that the service has reported on behalf of the matter's members: good for knowing what a matter costs, no
-- ground for a bill.

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
revoke all on public.engine_usage from anon, authenticated;
grant select on public.engine_usage to authenticated;
grant all on public.engine_usage to service_role;
create policy "usage of one of my_matter_ids, or my own" on public.engine_usage
  for select to authenticated
  using (matter_id = any (array(select private.my_matter_ids())) or user_id = (select auth.uid()));

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

-- In one order for all, so that two that add at a time wait for each other and never in a circle.
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

revoke all on function private.check_usage, private.add_usage from public, anon, authenticated;
revoke all on function public.record_engine_usage, public.list_engine_usage, public.record_document_usage,
  public.engine_usage_totals from public, anon, authenticated, service_role;
grant execute on function public.record_engine_usage, public.list_engine_usage to authenticated;
grant execute on function public.record_document_usage, public.engine_usage_totals to service_role;
