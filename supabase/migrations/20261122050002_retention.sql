-- How long things are kept: by the firm's rule, or the matter's own, which goes before it. Where there is no rule, everything is kept;
-- deleted documents are purged at once. A hold wins: nothing of a held document goes, and of its matter no record and no conversation.
--
-- Kinds: deleted_documents (from their deletion), page_images (from their drawing), audit (entries of the record, from their making),
-- threads (conversations, from their last change).
--
-- As service_role:
--   set_retention(tenant, kind, keep_days, matter_ref = null)   {tenant, matter_number, kind, keep_days}; keep_days null: no rule
--   list_retention()              [{tenant, matter_number | null, kind, keep_days}, …]
--   retention_due()               [{kind, tenant, matter_number | null, count, held}, …]: what would go now, and what only a hold keeps;
--                                 without conversations, whose ages the server knows
--   expired_page_images(row_count = 1000)   [key, …]: delete those files, then
--   drop_page_images(keys)        number of pictures forgotten
--   trim_audit()                  [{chain, entries, to}, …]: entries removed, up to which; the chain says so itself in a new entry
--   youngest_thread_rule()        days of the shortest rule for conversations; null: none
--   threads_due(threads)          {due: [thread_id, …], held: [thread_id, …]} of [{thread_id, user_id, changed_at}, …]. One that has read
--                                 several matters goes when each of them lets it
--   forget_threads(thread_ids)    number forgotten, with their answers and the files of their workspaces
--   purge_deleted(keep_days = 0)  as before; keep_days where there is no rule
--   verify_audit(chain)           as before + {trimmed_to}: entries up to there were removed by retention, and the chain tells it

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
revoke all on private.retention_rules from public, anon, authenticated, service_role;

create table private.audit_trims (
  chain uuid primary key,
  seq bigint not null,
  hash text not null
);
alter table private.audit_trims enable row level security;
revoke all on private.audit_trims from public, anon, authenticated, service_role;

create function private.keep_days(tenant uuid, matter uuid, wanted_kind text) returns integer
language sql stable security definer
set search_path = ''
as $$
  select r.keep_days from private.retention_rules r
  where r.tenant_id = tenant and r.kind = wanted_kind and (r.matter_id = matter or r.matter_id is null)
  order by r.matter_id nulls last limit 1
$$;

create function private.expired(since timestamptz, days integer) returns boolean
language sql stable
set search_path = ''
as $$ select coalesce(since <= now() - make_interval(days => days), false) $$;

create function private.matter_held(matter uuid) returns boolean
language sql stable security definer
set search_path = ''
as $$ select exists (select from public.documents d where d.matter_id = matter and d.legal_hold) $$;

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
    select x.* into m from public.matters x
    where x.tenant_id = t.id and (x.id = private.as_uuid(matter_ref) or lower(x.number) = lower(btrim(matter_ref)));
    if not found then
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

create function public.list_retention() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('tenant', t.name, 'matter_number', m.number, 'kind', r.kind, 'keep_days', r.keep_days)
    order by t.name, m.number nulls first, r.kind), '[]')
  from private.retention_rules r join public.tenants t on t.id = r.tenant_id left join public.matters m on m.id = r.matter_id
$$;

create function private.expired_images() returns table (storage_key text, matter_id uuid, held boolean)
language sql stable security definer
set search_path = ''
as $$
  select i.storage_key, d.matter_id, private.on_hold(d)
  from private.page_images i join public.documents d on d.id = i.document_id join public.matters m on m.id = d.matter_id
  where private.expired(i.created_at, private.keep_days(m.tenant_id, m.id, 'page_images'))
$$;

-- Of each chain: the last entry that is old enough. A person's own chain goes by the firm's rule.
create function private.expired_entries() returns table (chain uuid, tenant_id uuid, matter_id uuid, entries bigint, last_seq bigint, held boolean)
language sql stable security definer
set search_path = ''
as $$
  select a.chain, owner.tenant_id, owner.matter_id, count(*), max(a.seq), coalesce(private.matter_held(owner.matter_id), false)
  from (
    select m.id as chain, m.tenant_id, m.id as matter_id from public.matters m
    union all
    select p.user_id, p.tenant_id, null from public.profiles p
  ) owner
  join public.audit_log a on a.chain = owner.chain
  where private.expired(a.at, private.keep_days(owner.tenant_id, owner.matter_id, 'audit'))
  group by a.chain, owner.tenant_id, owner.matter_id
$$;

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

create function public.expired_page_images(row_count integer default 1000) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(x.storage_key), '[]')
  from (select i.storage_key from private.expired_images() i where not i.held limit private.row_limit(row_count)) x
$$;

create function public.drop_page_images(keys jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  gone integer;
begin
  delete from private.page_images i
  where i.storage_key in (select jsonb_array_elements_text(keys))
    and i.storage_key in (select e.storage_key from private.expired_images() e where not e.held);
  get diagnostics gone = row_count;
  return to_jsonb(gone);
end
$$;

create function private.trim_chain(trimmed uuid, matter uuid, tenant uuid, to_seq bigint) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  last public.audit_log;
  m public.matters;
  entry public.audit_log;
  head private.audit_heads;
  gone integer;
begin
  select h.* into head from private.audit_heads h where h.chain = trimmed for update;
  select a.* into last from public.audit_log a where a.chain = trimmed and a.seq = to_seq;
  delete from public.audit_log a where a.chain = trimmed and a.seq <= to_seq;
  get diagnostics gone = row_count;
  insert into private.audit_trims as x (chain, seq, hash) values (trimmed, to_seq, last.hash)
  on conflict (chain) do update set seq = excluded.seq, hash = excluded.hash;
  -- As private.audit does, in the chain that was trimmed, whose ever it is.
  entry.chain := trimmed;
  entry.seq := head.seq + 1;
  entry.at := clock_timestamp();
  entry.tenant_id := tenant;
  entry.matter_id := matter;
  entry.action := 'trim_audit';
  entry.detail := jsonb_build_object('to', to_seq, 'hash', last.hash, 'entries', gone);
  entry.previous_hash := head.hash;
  entry.hash := private.audit_hash(entry);
  insert into public.audit_log (chain, seq, at, tenant_id, matter_id, action, detail, previous_hash, hash)
  values (entry.chain, entry.seq, entry.at, entry.tenant_id, entry.matter_id, entry.action, entry.detail, entry.previous_hash, entry.hash);
  update private.audit_heads h set seq = entry.seq, hash = entry.hash where h.chain = trimmed;
  return jsonb_build_object('chain', trimmed, 'entries', gone, 'to', to_seq);
end
$$;

create function public.trim_audit() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  e record;
  done jsonb := '[]';
begin
  for e in
    select x.* from private.expired_entries() x join private.audit_heads h on h.chain = x.chain
    -- A chain of which nothing but the last trimming would be trimmed is left alone.
    where not x.held and exists (
      select from public.audit_log a where a.chain = x.chain and a.seq <= x.last_seq and a.action <> 'trim_audit'
    )
  loop
    done := done || private.trim_chain(e.chain, e.matter_id, e.tenant_id, e.last_seq);
  end loop;
  return done;
end
$$;

create or replace function public.verify_audit(chain text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  broken bigint;
  counted bigint;
  head private.audit_heads;
  trim private.audit_trims;
begin
  select h.* into head from private.audit_heads h where h.chain = private.as_uuid(verify_audit.chain);
  select t.* into trim from private.audit_trims t where t.chain = private.as_uuid(verify_audit.chain);
  select count(*), min(x.seq) filter (
    where x.hash <> x.recomputed or x.previous_hash <> x.hash_before or x.seq <> x.expected_seq
  ) into counted, broken
  from (
    select a.seq, a.hash, a.previous_hash, private.audit_hash(a) as recomputed,
      coalesce(lag(a.hash) over (order by a.seq), trim.hash, '') as hash_before,
      coalesce(trim.seq, 0) + row_number() over (order by a.seq) as expected_seq
    from public.audit_log a where a.chain = private.as_uuid(verify_audit.chain)
  ) x;
  -- What was trimmed must be told by an entry of the chain itself, which is hashed and signed like any other.
  if broken is null and trim.chain is not null and not exists (
    select from public.audit_log a
    where a.chain = trim.chain and a.action = 'trim_audit' and (a.detail ->> 'to')::bigint = trim.seq and a.detail ->> 'hash' = trim.hash
  ) then
    broken := trim.seq;
  end if;
  if broken is null and coalesce(head.seq, 0) <> coalesce(trim.seq, 0) + counted then
    broken := coalesce(trim.seq, 0) + counted + 1;
  end if;
  if broken is null and counted > 0 and head.hash is distinct from (
    select a.hash from public.audit_log a where a.chain = private.as_uuid(verify_audit.chain) order by a.seq desc limit 1
  ) then
    broken := coalesce(trim.seq, 0) + counted;
  end if;
  return jsonb_build_object('entries', counted, 'intact', broken is null, 'broken_at', broken, 'trimmed_to', coalesce(trim.seq, 0));
end
$$;

create function public.youngest_thread_rule() returns jsonb
language sql stable security definer
set search_path = ''
as $$ select to_jsonb(min(r.keep_days)) from private.retention_rules r where r.kind = 'threads' $$;

-- One row for each matter that a conversation has read, or whose files it holds; one without a matter for one that has read none.
create function private.thread_matters(thread text, person uuid) returns table (matter_id uuid, tenant_id uuid)
language sql stable security definer
set search_path = ''
as $$
  with read as (
    select r.matter_id from public.thread_reads r where r.thread_id = thread and r.user_id = person
    union
    select m.id from public.matters m where m.kind = 'workspace' and m.thread_id = thread and m.created_by = person
  )
  select read.matter_id, p.tenant_id from public.profiles p left join read on true where p.user_id = person
$$;

create function public.threads_due(threads jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with asked as (
    select x ->> 'thread_id' as id, private.as_uuid(x ->> 'user_id') as person, (x ->> 'changed_at')::timestamptz as changed
    from jsonb_array_elements(threads) x
  ), judged as (
    select a.id, bool_and(private.expired(a.changed, private.keep_days(r.tenant_id, r.matter_id, 'threads'))) as due,
      bool_or(coalesce(private.matter_held(r.matter_id), false)) as held
    from asked a cross join lateral private.thread_matters(a.id, a.person) r
    group by a.id
  )
  select jsonb_build_object(
    'due', coalesce(jsonb_agg(j.id order by j.id) filter (where j.due and not j.held), '[]'),
    'held', coalesce(jsonb_agg(j.id order by j.id) filter (where j.due and j.held), '[]')
  )
  from judged j
$$;

create function public.forget_threads(thread_ids jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  ids text[] := array(select jsonb_array_elements_text(thread_ids));
  d public.documents;
  gone integer;
begin
  delete from public.responses r where r.thread_id = any (ids);
  for d in
    select x.* from public.documents x join public.matters m on m.id = x.matter_id
    where m.kind = 'workspace' and m.thread_id = any (ids) and x.deleted_at is null and not private.on_hold(x)
    order by x.id for update of x
  loop
    update public.documents u set status = 'deleted', deleted_at = now() where u.id = d.id;
    perform private.receipt_for(d, private.matter_of(d));
  end loop;
  delete from public.thread_reads r where r.thread_id = any (ids);
  delete from public.threads t where t.thread_id = any (ids);
  get diagnostics gone = row_count;
  return to_jsonb(gone);
end
$$;

-- A hold set after the deletion still blocks the purge. Uploads that never arrived go after a day.
create or replace function public.purge_deleted(keep_days integer default 0) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  doomed uuid[];
begin
  if not pg_try_advisory_xact_lock_shared(private.backup_lock()) then
    return '[]';
  end if;
  doomed := array(
    select d.id from public.documents d join public.matters m on m.id = d.matter_id
    where not private.on_hold(d) and (
      private.expired(d.deleted_at, coalesce(private.keep_days(m.tenant_id, m.id, 'deleted_documents'), purge_deleted.keep_days))
      or (d.status = 'uploading' and d.created_at < now() - interval '1 day')
    )
    for update of d skip locked
  );
  update public.receipts x set purged_at = now() where x.document_id = any (doomed);
  delete from public.citations c where c.document_id = any (doomed);
  delete from public.documents d where d.id = any (doomed);
  delete from public.document_files f using public.documents d
  where d.id = f.document_id and f.stored_at is null and f.registered_at < now() - interval '1 day' and d.storage_key <> f.storage_key;
  return (
    select coalesce(jsonb_agg(b.storage_key order by b.asked_at, b.storage_key), '[]')
    from (select * from private.blob_deletions order by asked_at, storage_key limit 10000) b
  );
end
$$;

revoke all on function private.keep_days, private.expired, private.matter_held, private.expired_images, private.expired_entries,
  private.trim_chain, private.thread_matters from public, anon, authenticated;
revoke all on function public.set_retention, public.list_retention, public.retention_due, public.expired_page_images,
  public.drop_page_images, public.trim_audit, public.youngest_thread_rule, public.threads_due, public.forget_threads
  from public, anon, authenticated, service_role;
grant execute on function public.set_retention, public.list_retention, public.retention_due, public.expired_page_images,
  public.drop_page_images, public.trim_audit, public.youngest_thread_rule, public.threads_due, public.forget_threads to service_role;
