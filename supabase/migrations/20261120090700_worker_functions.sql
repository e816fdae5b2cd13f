-- As service_role: the operator's command line and the ingestion worker. The agent's side cannot call any of these.
--
--   create_tenant(name)                                     {id, name}
--   create_user(email, display_name, tenant, is_admin = false)   user; tenant: id or name. Embedded: adds the sign-in record;
--                                                           on Supabase the auth user must exist
--   list_users()                                            [user, …]   user = {user_id, email, display_name, tenant_id, tenant_name, is_admin}
--   issue_token(email, token_sha256, expires_at, label = '')     {user_id, email, expires_at, label}
--   revoke_tokens(email)                                    number of tokens that were still open
--   add_screen(matter_id, email, reason, ends_at = null)    {screen_id}; in force at once; matter_id is an id
--   lift_screen(screen_id)                                  {screen_id, ended}
--   next_queued_document(stale_after_seconds = 900)         worker document | null; taken by one worker, and again when that one went silent
--   worker_document(document_id)                            worker document
--     worker document = {id, tenant_id, matter_id, filename, content_type, size_bytes, sha256, storage_key, status, deleted, legal_hold}
--   set_document_status(document_id, status, reason = '', stage_done = null, stage_total = null)   worker document
--   begin_revision(document_id, revision)                   {revision_id, ordinal}; revision = {id, text, page_count, chunk_count, paged,
--                                                           reader, health, embedding_model}; drops unfinished ones of the document
--   add_revision_rows(revision_id, kind, "rows")            number added; kind: pages | sections | chunks | embeddings
--   publish_revision(revision_id, status, reason, embedding_count)   worker document; checks the counts, makes it current, drops the old chunks
--   set_legal_hold(document_id, held)                       worker document
--   purge_deleted(keep_days = 0)                            [storage key, …] of what was removed for good: delete those files
--   verify_audit(chain)                                     {entries, intact, broken_at}; chain: matter id or user id
--   stats_for_doctor()                                      {tenants, users, matters, documents, by_status, chunks, vectors_by_model, postgres, pgvector}

create function private.user_json(p public.profiles) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('user_id', p.user_id, 'email', u.email, 'display_name', p.display_name,
    'tenant_id', t.id, 'tenant_name', t.name, 'is_admin', p.is_admin)
  from auth.users u, public.tenants t
  where u.id = p.user_id and t.id = p.tenant_id
$$;

create function public.create_tenant(name text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  t public.tenants;
begin
  if coalesce(btrim(create_tenant.name), '') = '' then
    perform private.invalid('A tenant needs a name.');
  end if;
  insert into public.tenants (name) values (btrim(create_tenant.name)) on conflict do nothing returning * into t;
  if t.id is null then
    raise exception 'Tenant % exists already.', btrim(create_tenant.name) using errcode = 'OR409';
  end if;
  return jsonb_build_object('id', t.id, 'name', t.name);
end
$$;

-- On Supabase sign-in records are made by Supabase Auth alone; the shim's function exists only elsewhere.
create function private.sign_in_record(wanted_email text) returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  found_id uuid;
begin
  select u.id into found_id from auth.users u where lower(u.email) = wanted_email;
  if found_id is null and to_regprocedure('auth.add_local_user(text)') is not null then
    execute 'select auth.add_local_user($1)' into found_id using wanted_email;
  end if;
  if found_id is null then
    perform private.not_found('user', wanted_email);
  end if;
  return found_id;
end
$$;

create function public.create_user(email text, display_name text, tenant text, is_admin boolean default false) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  clean_email text := lower(btrim(email));
  home public.tenants;
  p public.profiles;
begin
  select t.* into home from public.tenants t where t.id = private.as_uuid(tenant) or t.name = btrim(tenant) limit 1;
  if not found then
    perform private.not_found('tenant', tenant);
  end if;
  if coalesce(clean_email, '') !~ '^[^@[:space:]]+@[^@[:space:]]+$' then
    perform private.invalid('That is not an e-mail address.');
  end if;
  insert into public.profiles (user_id, tenant_id, display_name, is_admin)
  values (private.sign_in_record(clean_email), home.id, coalesce(nullif(btrim(create_user.display_name), ''), clean_email),
    coalesce(create_user.is_admin, false))
  on conflict do nothing
  returning * into p;
  if p.user_id is null then
    raise exception 'User % exists already.', clean_email using errcode = 'OR409';
  end if;
  return private.user_json(p);
end
$$;

create function public.list_users() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(private.user_json(p) order by u.email collate "C"), '[]')
  from public.profiles p join auth.users u on u.id = p.user_id
$$;

create function private.user_by_email(wanted_email text) returns public.profiles
language plpgsql stable security definer
set search_path = ''
as $$
declare
  p public.profiles;
begin
  select x.* into p from public.profiles x join auth.users u on u.id = x.user_id
  where lower(u.email) = lower(btrim(wanted_email));
  if not found then
    perform private.not_found('user', wanted_email);
  end if;
  return p;
end
$$;

create function public.issue_token(email text, token_sha256 text, expires_at timestamptz, label text default '') returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.profiles := private.user_by_email(email);
begin
  if expires_at is null or expires_at <= now() then
    perform private.invalid('A token must expire in the future.');
  end if;
  insert into private.access_tokens (token_sha256, user_id, expires_at, label)
  values (lower(token_sha256), p.user_id, expires_at, coalesce(label, ''));
  return jsonb_build_object('user_id', p.user_id, 'email', lower(btrim(email)), 'expires_at', expires_at,
    'label', coalesce(label, ''));
end
$$;

create function public.revoke_tokens(email text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.profiles := private.user_by_email(email);
  revoked integer;
begin
  update private.access_tokens t set revoked_at = now()
  where t.user_id = p.user_id and t.revoked_at is null and t.expires_at > now();
  get diagnostics revoked = row_count;
  return to_jsonb(revoked);
end
$$;

create function private.worker_matter(ref text) returns public.matters
language plpgsql stable security definer
set search_path = ''
as $$
declare
  m public.matters;
begin
  select x.* into m from public.matters x where x.id = private.as_uuid(ref);
  if not found then
    perform private.not_found('matter', ref);
  end if;
  return m;
end
$$;

create function public.add_screen(matter_id text, email text, reason text, ends_at timestamptz default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.worker_matter(matter_id);
  p public.profiles := private.user_by_email(email);
  new_id uuid;
begin
  if coalesce(btrim(reason), '') = '' then
    perform private.invalid('A screen needs a reason.');
  end if;
  insert into public.matter_screens (matter_id, user_id, reason, ends_at)
  values (m.id, p.user_id, btrim(reason), add_screen.ends_at) returning id into new_id;
  perform private.audit('add_screen', m, null,
    jsonb_build_object('screen_id', new_id, 'user_id', p.user_id, 'reason', btrim(reason)));
  return jsonb_build_object('screen_id', new_id);
end
$$;

create function public.lift_screen(screen_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  s public.matter_screens;
begin
  update public.matter_screens x set starts_at = least(x.starts_at, now() - interval '1 second'), ends_at = now()
  where x.id = private.as_uuid(lift_screen.screen_id) and (x.ends_at is null or x.ends_at > now())
  returning x.* into s;
  if s.id is null then
    perform private.not_found('screen', lift_screen.screen_id);
  end if;
  perform private.audit('lift_screen', private.worker_matter(s.matter_id::text), null,
    jsonb_build_object('screen_id', s.id, 'user_id', s.user_id));
  return jsonb_build_object('screen_id', s.id, 'ended', s.ends_at);
end
$$;

create function private.worker_json(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('id', d.id, 'tenant_id', m.tenant_id, 'matter_id', d.matter_id, 'filename', d.filename,
    'content_type', d.content_type, 'size_bytes', d.size_bytes, 'sha256', d.sha256, 'storage_key', d.storage_key,
    'status', d.status, 'deleted', d.deleted_at is not null, 'legal_hold', d.legal_hold)
  from public.matters m where m.id = d.matter_id
$$;

create function public.next_queued_document(stale_after_seconds integer default 900) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents;
begin
  update public.documents u set status = 'extracting', claimed_at = now(), stage = 'extracting'
  where u.id = (
    select q.id from public.documents q
    where q.deleted_at is null and (
      q.status = 'queued'
      or (q.status in ('extracting', 'ocr', 'chunking', 'embedding')
        and q.claimed_at < now() - make_interval(secs => stale_after_seconds))
    )
    order by q.upload_order limit 1
    for update skip locked
  )
  returning u.* into d;
  return case when d.id is not null then private.worker_json(d) end;
end
$$;

create function private.worker_row(ref text) returns public.documents
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents;
begin
  select x.* into d from public.documents x where x.id = private.as_uuid(ref) for update;
  if not found then
    perform private.not_found('document', ref);
  end if;
  return d;
end
$$;

create function public.worker_document(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  return private.worker_json(private.worker_row(document_id));
end
$$;

create function public.set_document_status(
  document_id text, status text, reason text default '', stage_done integer default null, stage_total integer default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.worker_row(document_id);
begin
  if d.deleted_at is not null then
    raise exception 'The document has been deleted.' using errcode = 'OR409';
  end if;
  update public.documents u
  set status = set_document_status.status, status_reason = coalesce(set_document_status.reason, ''),
    stage = case when set_document_status.status in ('extracting', 'ocr', 'chunking', 'embedding') then set_document_status.status end,
    stage_done = set_document_status.stage_done, stage_total = set_document_status.stage_total,
    claimed_at = case when set_document_status.status in ('extracting', 'ocr', 'chunking', 'embedding') then now() end
  where u.id = d.id
  returning u.* into d;
  return private.worker_json(d);
end
$$;

create function public.begin_revision(document_id text, revision jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.worker_row(document_id);
  content text := revision ->> 'text';
  next_ordinal integer;
begin
  if d.deleted_at is not null then
    perform private.not_found('document', document_id);
  end if;
  delete from public.document_revisions r where r.document_id = d.id and r.published_at is null;
  select coalesce(max(r.ordinal), 0) + 1 into next_ordinal from public.document_revisions r where r.document_id = d.id;
  if exists (select from public.document_revisions r where r.id = (revision ->> 'id')::uuid) then
    raise exception 'This revision is published already.' using errcode = 'OR409';
  end if;
  insert into public.document_revisions (id, document_id, ordinal, text, char_count, page_count, chunk_count, paged, reader,
    health, embedding_model, storage_key, sha256)
  values (
    (revision ->> 'id')::uuid, d.id, next_ordinal, content, length(content),
    (revision ->> 'page_count')::integer, (revision ->> 'chunk_count')::integer, (revision ->> 'paged')::boolean,
    revision ->> 'reader', coalesce(revision -> 'health', '{}'), revision ->> 'embedding_model', d.storage_key, d.sha256
  );
  return jsonb_build_object('revision_id', revision ->> 'id', 'ordinal', next_ordinal);
end
$$;

create function private.unpublished(ref text) returns public.document_revisions
language plpgsql stable security definer
set search_path = ''
as $$
declare
  r public.document_revisions;
begin
  select x.* into r from public.document_revisions x where x.id = private.as_uuid(ref) and x.published_at is null;
  if not found then
    perform private.not_found('revision', ref);
  end if;
  return r;
end
$$;

create function public.add_revision_rows(revision_id text, kind text, "rows" jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.document_revisions := private.unpublished(revision_id);
  home uuid := (select d.matter_id from public.documents d where d.id = r.document_id);
  added integer;
begin
  case kind
    when 'pages' then
      insert into public.document_pages
      select r.id, x.number, x.start_char, x.end_char, x.label, x.source, x.confidence, x.ocr_engine, x.flags, x.width,
        x.height, x.lines
      from jsonb_populate_recordset(null::public.document_pages, "rows") x;
    when 'sections' then
      insert into public.sections
      select x.id, r.id, x.ordinal, x.parent, x.level, x.label, x.title, x.start_char, x.end_char, x.page_first, x.page_last
      from jsonb_populate_recordset(null::public.sections, "rows") x;
    when 'chunks' then
      insert into public.chunks (id, revision_id, document_id, matter_id, ordinal, start_char, end_char, page_first, page_last,
        section_id, text)
      select (x ->> 'id')::uuid, r.id, r.document_id, home, (x ->> 'ordinal')::integer, (x ->> 'start_char')::integer,
        (x ->> 'end_char')::integer, (x ->> 'page_first')::integer, (x ->> 'page_last')::integer,
        (x ->> 'section_id')::uuid, x ->> 'text'
      from jsonb_array_elements("rows") x;
    when 'embeddings' then
      insert into public.chunk_embeddings (chunk_id, part, revision_id, matter_id, model, embedding)
      select (x ->> 'chunk_id')::uuid, (x ->> 'part')::integer, r.id, home, x ->> 'model',
        (x ->> 'embedding')::extensions.vector
      from jsonb_array_elements("rows") x;
    else
      perform private.invalid('kind is pages, sections, chunks or embeddings.');
  end case;
  get diagnostics added = row_count;
  return to_jsonb(added);
end
$$;

create function private.check_complete(r public.document_revisions, embedding_count integer) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if (select count(*) from public.document_pages p where p.revision_id = r.id) <> r.page_count
    or (select count(*) from public.chunks c where c.revision_id = r.id) <> r.chunk_count
    or (select count(*) from public.chunk_embeddings e where e.revision_id = r.id) <> embedding_count
  then
    raise exception 'The revision is incomplete and was not published.' using errcode = 'OR409';
  end if;
end
$$;

create function public.publish_revision(revision_id text, status text, reason text, embedding_count integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.document_revisions := private.unpublished(revision_id);
  d public.documents := private.worker_row(r.document_id::text);
begin
  if d.deleted_at is not null then
    perform private.not_found('document', d.id::text);
  end if;
  if publish_revision.status is null or publish_revision.status not in ('ready', 'partial') then
    perform private.invalid('A published revision is ready or partial.');
  end if;
  perform private.check_complete(r, embedding_count);
  update public.document_revisions x set published_at = now() where x.id = r.id;
  update public.documents u
  set current_revision_id = r.id, status = publish_revision.status, status_reason = coalesce(publish_revision.reason, ''),
    stage = null, stage_done = null, stage_total = null, claimed_at = null
  where u.id = d.id
  returning u.* into d;
  -- Old text, pages and sections stay: citations point into them.
  delete from public.chunks c using public.document_revisions old
  where old.document_id = d.id and old.id <> r.id and c.revision_id = old.id;
  perform private.audit('publish_revision', private.matter_of(d), d.id,
    jsonb_build_object('revision_id', r.id, 'status', d.status, 'sha256', r.sha256));
  return private.worker_json(d);
end
$$;

create function public.set_legal_hold(document_id text, held boolean) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.worker_row(document_id);
begin
  if held is null then
    perform private.invalid('held is true or false.');
  end if;
  if d.deleted_at is not null and exists (select from public.receipts x where x.document_id = d.id and x.purged_at is not null) then
    perform private.not_found('document', document_id);
  end if;
  update public.documents u set legal_hold = held where u.id = d.id returning u.* into d;
  perform private.audit('set_legal_hold', private.matter_of(d), d.id, jsonb_build_object('held', held));
  return private.worker_json(d);
end
$$;

-- A hold set after the deletion still blocks the purge. Uploads that never arrived go after a day.
create function public.purge_deleted(keep_days integer default 0) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  doomed uuid[] := array(
    select d.id from public.documents d
    where not d.legal_hold and (
      d.deleted_at <= now() - make_interval(days => keep_days)
      or (d.status = 'uploading' and d.created_at < now() - interval '1 day')
    )
    for update skip locked
  );
  keys jsonb;
begin
  select coalesce(jsonb_agg(distinct k.key), '[]') into keys
  from (
    select d.storage_key as key from public.documents d where d.id = any (doomed)
    union
    select d.pending_file ->> 'storage_key' from public.documents d where d.id = any (doomed) and d.pending_file is not null
    union
    select r.storage_key from public.document_revisions r where r.document_id = any (doomed)
  ) k;
  update public.receipts x set purged_at = now() where x.document_id = any (doomed);
  delete from public.citations c where c.document_id = any (doomed);
  delete from public.documents d where d.id = any (doomed);
  return keys;
end
$$;

create function public.verify_audit(chain text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  broken bigint;
  counted bigint;
  head private.audit_heads;
begin
  select h.* into head from private.audit_heads h where h.chain = private.as_uuid(verify_audit.chain);
  select count(*), min(x.seq) filter (
    where x.hash <> x.recomputed or x.previous_hash <> x.hash_before or x.seq <> x.expected_seq
  ) into counted, broken
  from (
    select a.seq, a.hash, a.previous_hash, private.audit_hash(a) as recomputed,
      coalesce(lag(a.hash) over (order by a.seq), '') as hash_before, row_number() over (order by a.seq) as expected_seq
    from public.audit_log a where a.chain = private.as_uuid(verify_audit.chain)
  ) x;
  if broken is null and coalesce(head.seq, 0) <> counted then
    broken := counted + 1;
  end if;
  if broken is null and counted > 0 and head.hash is distinct from (
    select a.hash from public.audit_log a where a.chain = private.as_uuid(verify_audit.chain) order by a.seq desc limit 1
  ) then
    broken := counted;
  end if;
  return jsonb_build_object('entries', counted, 'intact', broken is null, 'broken_at', broken);
end
$$;

create function public.stats_for_doctor() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'tenants', (select count(*) from public.tenants),
    'users', (select count(*) from public.profiles),
    'matters', (select count(*) from public.matters),
    'documents', (select count(*) from public.documents d where d.deleted_at is null),
    'by_status', (
      select coalesce(jsonb_object_agg(s.status, s.n), '{}')
      from (select d.status, count(*) as n from public.documents d group by d.status) s
    ),
    'chunks', (select count(*) from public.chunks),
    'vectors_by_model', (
      select coalesce(jsonb_object_agg(s.model, s.n), '{}')
      from (select e.model, count(*) as n from public.chunk_embeddings e group by e.model) s
    ),
    'postgres', current_setting('server_version'),
    'pgvector', (select x.extversion from pg_catalog.pg_extension x where x.extname = 'vector')
  )
$$;

revoke all on function private.user_json, private.sign_in_record, private.user_by_email, private.worker_matter,
  private.worker_json, private.worker_row, private.unpublished, private.check_complete from public, anon, authenticated;
revoke all on function public.create_tenant, public.create_user, public.list_users, public.issue_token,
  public.revoke_tokens, public.add_screen, public.lift_screen, public.next_queued_document, public.worker_document,
  public.set_document_status, public.begin_revision, public.add_revision_rows, public.publish_revision,
  public.set_legal_hold, public.purge_deleted, public.verify_audit, public.stats_for_doctor
  from public, anon, authenticated, service_role;
grant execute on function public.create_tenant, public.create_user, public.list_users, public.issue_token,
  public.revoke_tokens, public.add_screen, public.lift_screen, public.next_queued_document, public.worker_document,
  public.set_document_status, public.begin_revision, public.add_revision_rows, public.publish_revision,
  public.set_legal_hold, public.purge_deleted, public.verify_audit, public.stats_for_doctor to service_role;
