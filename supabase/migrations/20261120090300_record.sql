-- The record: citations, deletion receipts, and the audit log, one hash chain a matter (a person's own chain for what
-- concerns no matter). Reading functions append in their own transaction: what cannot be recorded is not read.

create table public.citations (
  id uuid primary key default gen_random_uuid(),
  document_id uuid not null references public.documents (id) on delete cascade,
  revision_id uuid not null references public.document_revisions (id) on delete cascade,
  start_char integer not null,
  end_char integer not null,
  quote text not null,
  page integer not null,
  section_id uuid references public.sections (id),
  created_by uuid references public.profiles (user_id) on delete set null,
  created_at timestamptz not null default now(),
  unique (revision_id, start_char, end_char),
  check (start_char >= 0 and end_char > start_char)
);
create index citations_document on public.citations (document_id);

-- What is left of a deleted document. No reference to it: the receipt outlives the purge.
create table public.receipts (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id),
  matter_id uuid not null,
  document_id uuid not null,
  filename text not null,
  sha256 text not null,
  size_bytes bigint not null,
  deleted_by uuid,
  deleted_at timestamptz not null,
  purged_at timestamptz
);
create index receipts_document on public.receipts (document_id);

create table public.audit_log (
  id bigint generated always as identity primary key,
  chain uuid not null,
  seq bigint not null,
  at timestamptz not null,
  tenant_id uuid,
  matter_id uuid,
  document_id uuid,
  user_id uuid,
  action text not null,
  detail jsonb not null,
  previous_hash text not null,
  hash text not null,
  unique (chain, seq)
);
create index audit_log_matter on public.audit_log (matter_id, seq);

create table private.audit_heads (
  chain uuid primary key,
  seq bigint not null,
  hash text not null
);

alter table public.citations enable row level security;
alter table public.receipts enable row level security;
alter table public.audit_log enable row level security;
alter table private.audit_heads enable row level security;

revoke all on public.citations, public.receipts, public.audit_log from anon, authenticated;
grant select on public.citations, public.receipts to authenticated;
-- Not even the worker may rewrite the record: its functions append.
revoke all on public.audit_log from service_role;
grant select on public.audit_log to service_role;
grant all on public.citations, public.receipts to service_role;

create policy "citation in one of readable_documents" on public.citations
  for select to authenticated using (document_id = any (array(select private.readable_documents())));
create policy "receipt of one of my_matter_ids" on public.receipts
  for select to authenticated using (matter_id = any (array(select private.my_matter_ids())));

-- SHA-256 over the previous hash and every recorded value, in jsonb's canonical key order and UTC.
create function private.audit_hash(entry public.audit_log) returns text
language sql stable
set search_path = ''
as $$
  select encode(sha256(convert_to(entry.previous_hash || jsonb_build_object(
    'chain', entry.chain, 'seq', entry.seq,
    'at', to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
    'tenant_id', entry.tenant_id, 'matter_id', entry.matter_id, 'document_id', entry.document_id,
    'user_id', entry.user_id, 'action', entry.action, 'detail', entry.detail
  )::text, 'UTF8')), 'hex')
$$;

-- Call it last: it holds the chain's head until the transaction ends.
create function private.audit(
  action text, matter public.matters, document_id uuid default null, detail jsonb default '{}'
) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  entry public.audit_log;
  head private.audit_heads;
begin
  entry.user_id := auth.uid();
  entry.chain := coalesce(matter.id, entry.user_id);
  insert into private.audit_heads as h (chain, seq, hash) values (entry.chain, 0, '')
  on conflict (chain) do update set seq = h.seq
  returning h.* into head;
  entry.seq := head.seq + 1;
  entry.at := clock_timestamp();
  entry.tenant_id := coalesce(matter.tenant_id, private.my_tenant_id());
  entry.matter_id := matter.id;
  entry.document_id := audit.document_id;
  entry.action := audit.action;
  entry.detail := audit.detail;
  entry.previous_hash := head.hash;
  entry.hash := private.audit_hash(entry);
  insert into public.audit_log
    (chain, seq, at, tenant_id, matter_id, document_id, user_id, action, detail, previous_hash, hash)
  values
    (entry.chain, entry.seq, entry.at, entry.tenant_id, entry.matter_id, entry.document_id, entry.user_id,
     entry.action, entry.detail, entry.previous_hash, entry.hash);
  update private.audit_heads h set seq = entry.seq, hash = entry.hash where h.chain = entry.chain;
end
$$;

revoke all on function private.audit_hash, private.audit from public, anon, authenticated;
