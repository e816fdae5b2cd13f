-- Who works on a document, and how work reaches the workers.
--
-- A document's own row says what is to be done: a status that is not final, and the claim of whoever does it. A claim is a number
-- that grows with each taking; what carries an older one is refused, and so is every claim on a document that has been ordered
-- anew, deleted or finished. A worker that was paused can neither publish nor set a status. A claim lasts while it is renewed. Jobs
-- only wake a worker up: they come with the status, in the same transaction, and a lost one is made again from the row.
--
-- As service_role:
--   claim_document(document_id, lease_seconds, max_attempts)   worker document + {claim, attempts} | null: nothing to do, or another
--                                                    has it. Fails the document that was taken max_attempts times in vain.
--   renew_claim(document_id, claim, stage = null, stage_done = null, stage_total = null)   null; refused (OR409) when taken over
--   set_document_status(document_id, claim, status, reason = '', stage_done = null, stage_total = null)   worker document
--   retry_document(document_id, claim, reason, delay_seconds, counted = true)   worker document, queued again; counted: as an attempt
--   begin_revision(document_id, claim, revision), add_revision_rows(document_id, claim, revision_id, kind, "rows"),
--   publish_revision(document_id, claim, revision_id, status, reason, embedding_count)   as before, for the claim's holder; adding
--                                                    rows renews the claim
--   worker_document(document_id)                     worker document + {status_reason, page_count, paged, chunk_count}; waits for nobody
--   rescue_documents(lease_seconds)                  {jobs, documents}: jobs of silent workers dropped, documents queued anew
--   queue_state(lease_seconds)                       {waiting, later, working, workers}
-- next_queued_document is gone: jobs say which document.

alter table public.documents
  add column claim bigint not null default 0,
  add column attempts integer not null default 0,
  add column retry_at timestamptz;
comment on column public.documents.claim is 'Grows whenever the document is taken; fences older holders off.';
comment on column public.documents.attempts is 'How often it was taken since it was last ordered.';

drop index public.documents_queue;
create index documents_unfinished on public.documents (id)
  where status in ('queued', 'extracting', 'ocr', 'chunking', 'embedding') and deleted_at is null;

create function private.in_work() returns text[]
language sql immutable
set search_path = ''
as $$ select array['extracting', 'ocr', 'chunking', 'embedding'] $$;

create function private.drop_job(key text) returns void
language sql security definer
set search_path = ''
as $$ delete from queue.procrastinate_jobs j where j.queueing_lock = key and j.status = 'todo' $$;

-- At most one job waits under a key; its insertion notifies the workers when the transaction commits.
create function private.enqueue(task text, key text, args jsonb, at timestamptz default null) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.drop_job(key);
  insert into queue.procrastinate_jobs (queue_name, task_name, queueing_lock, args, scheduled_at)
  values ('orderly', task, key, args, at)
  on conflict do nothing;
end
$$;

create function private.enqueue_document(id uuid, at timestamptz default null) returns void
language sql security definer
set search_path = ''
as $$ select private.enqueue('process_document', 'document:' || id, jsonb_build_object('document_id', id), at) $$;

-- Whoever queues a document anew, or deletes it, ends the claim on it: it may be taken at once. A new order starts its attempts
-- again; a retry says when it is due.
create function private.end_claim() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  new.claimed_at := null;
  if new.retry_at is not distinct from old.retry_at then
    new.attempts := 0;
    new.retry_at := null;
  end if;
  return new;
end
$$;
create trigger end_claim before update of status on public.documents
  for each row when (new.status in ('queued', 'deleted')) execute function private.end_claim();

create function private.order_work() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.drop_job('document:' || old.id);
  elsif new.status = 'queued' then
    perform private.enqueue_document(new.id, new.retry_at);
  elsif new.status <> all (private.in_work()) then
    perform private.drop_job('document:' || new.id);
    if new.status = 'deleted' then
      perform private.enqueue('purge_deleted', 'purge', '{}');
    end if;
  end if;
  return null;
end
$$;
create trigger order_work after insert or delete or update of status on public.documents
  for each row execute function private.order_work();

create function private.taken_over() returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'Another worker has taken over this document.' using errcode = 'OR409', detail = 'claim';
end
$$;

-- Locks the document until the transaction ends, so that nobody takes it over meanwhile.
create function private.claimed_row(ref text, wanted_claim bigint) returns public.documents
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.worker_row(ref);
begin
  if d.deleted_at is not null then
    perform private.not_found('document', ref);
  end if;
  if d.claim is distinct from wanted_claim or d.status <> all (private.in_work()) then
    perform private.taken_over();
  end if;
  return d;
end
$$;

create function private.given_up(attempts integer) returns text
language sql immutable
set search_path = ''
as $$
  select format('Reading was cut short %s times before it came to an end, as if the file stopped the program that reads it. '
    'It is not tried again by itself.', attempts)
$$;

create function public.claim_document(document_id text, lease_seconds integer, max_attempts integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  wanted uuid := private.as_uuid(claim_document.document_id);
  d public.documents;
begin
  -- A locked row is in somebody's hands just now: they are not waited for.
  select x.* into d from public.documents x where x.id = wanted for update skip locked;
  if not found then
    if not exists (select from public.documents x where x.id = wanted) then
      perform private.not_found('document', claim_document.document_id);
    end if;
    return null;
  end if;
  if d.deleted_at is not null or (d.status <> 'queued' and d.status <> all (private.in_work()))
    or d.claimed_at > clock_timestamp() - make_interval(secs => lease_seconds)
  then
    return null;
  end if;
  delete from public.document_revisions r where r.document_id = d.id and r.published_at is null;
  if d.attempts >= max_attempts then
    update public.documents u
    set status = 'failed', status_reason = private.given_up(d.attempts), claim = d.claim + 1, claimed_at = null,
      stage = null, stage_done = null, stage_total = null
    where u.id = d.id;
    perform private.audit('give_up', private.matter_of(d), d.id, jsonb_build_object('attempts', d.attempts, 'sha256', d.sha256));
    return null;
  end if;
  update public.documents u
  set status = 'extracting', status_reason = '', stage = 'extracting', stage_done = null, stage_total = null,
    claim = d.claim + 1, claimed_at = clock_timestamp(), attempts = d.attempts + 1
  where u.id = d.id
  returning u.* into d;
  return private.worker_json(d) || jsonb_build_object('claim', d.claim, 'attempts', d.attempts);
end
$$;

create function public.renew_claim(
  document_id text, claim bigint, stage text default null, stage_done integer default null, stage_total integer default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.claimed_row(document_id, claim);
begin
  update public.documents u
  set claimed_at = clock_timestamp(), status = coalesce(renew_claim.stage, d.status), stage = coalesce(renew_claim.stage, d.stage),
    stage_done = case when renew_claim.stage is null then d.stage_done else renew_claim.stage_done end,
    stage_total = case when renew_claim.stage is null then d.stage_total else renew_claim.stage_total end
  where u.id = d.id and coalesce(renew_claim.stage, d.status) = any (private.in_work());
  if not found then
    perform private.invalid('A stage is extracting, ocr, chunking or embedding.');
  end if;
  return null;
end
$$;

drop function public.set_document_status;
create function public.set_document_status(
  document_id text, claim bigint, status text, reason text default '', stage_done integer default null,
  stage_total integer default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.claimed_row(document_id, claim);
  working boolean := coalesce(set_document_status.status = any (private.in_work()), false);
begin
  if not working and coalesce(set_document_status.status, '') not in ('failed', 'unsupported') then
    perform private.invalid('A worker sets the stages of its work, failed or unsupported; publishing sets the rest.');
  end if;
  update public.documents u
  set status = set_document_status.status, status_reason = coalesce(set_document_status.reason, ''),
    stage = case when working then set_document_status.status end,
    stage_done = set_document_status.stage_done, stage_total = set_document_status.stage_total,
    claimed_at = case when working then clock_timestamp() end
  where u.id = d.id
  returning u.* into d;
  return private.worker_json(d);
end
$$;

create function public.retry_document(
  document_id text, claim bigint, reason text, delay_seconds double precision, counted boolean default true
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.claimed_row(document_id, claim);
begin
  update public.documents u
  set status = 'queued', status_reason = coalesce(reason, ''), stage = null, stage_done = null, stage_total = null,
    retry_at = clock_timestamp() + make_interval(secs => greatest(coalesce(delay_seconds, 0), 0)),
    attempts = d.attempts - case when counted then 0 else 1 end
  where u.id = d.id
  returning u.* into d;
  return private.worker_json(d);
end
$$;

create or replace function public.worker_document(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents;
begin
  select x.* into d from public.documents x where x.id = private.as_uuid(worker_document.document_id);
  if not found then
    perform private.not_found('document', worker_document.document_id);
  end if;
  return private.worker_json(d) || (
    select jsonb_build_object('status_reason', d.status_reason, 'page_count', r.page_count, 'paged', r.paged,
      'chunk_count', r.chunk_count)
    from (select) one left join public.document_revisions r on r.id = d.current_revision_id
  );
end
$$;

drop function public.begin_revision;
create function public.begin_revision(document_id text, claim bigint, revision jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.claimed_row(document_id, claim);
  content text := revision ->> 'text';
  next_ordinal integer;
begin
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

drop function private.unpublished;
create function private.unpublished(d public.documents, ref text) returns public.document_revisions
language plpgsql stable security definer
set search_path = ''
as $$
declare
  r public.document_revisions;
begin
  select x.* into r from public.document_revisions x
  where x.id = private.as_uuid(ref) and x.document_id = d.id and x.published_at is null;
  if not found then
    perform private.not_found('revision', ref);
  end if;
  return r;
end
$$;

drop function public.add_revision_rows;
create function public.add_revision_rows(document_id text, claim bigint, revision_id text, kind text, "rows" jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.claimed_row(document_id, claim);
  r public.document_revisions := private.unpublished(d, revision_id);
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
      select (x ->> 'id')::uuid, r.id, r.document_id, d.matter_id, (x ->> 'ordinal')::integer, (x ->> 'start_char')::integer,
        (x ->> 'end_char')::integer, (x ->> 'page_first')::integer, (x ->> 'page_last')::integer,
        (x ->> 'section_id')::uuid, x ->> 'text'
      from jsonb_array_elements("rows") x;
    when 'embeddings' then
      insert into public.chunk_embeddings (chunk_id, part, revision_id, matter_id, model, embedding)
      select (x ->> 'chunk_id')::uuid, (x ->> 'part')::integer, r.id, d.matter_id, x ->> 'model',
        (x ->> 'embedding')::extensions.vector
      from jsonb_array_elements("rows") x;
    else
      perform private.invalid('kind is pages, sections, chunks or embeddings.');
  end case;
  get diagnostics added = row_count;
  update public.documents u set claimed_at = clock_timestamp() where u.id = d.id;
  return to_jsonb(added);
end
$$;

drop function public.publish_revision;
create function public.publish_revision(
  document_id text, claim bigint, revision_id text, status text, reason text, embedding_count integer
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.claimed_row(document_id, claim);
  r public.document_revisions := private.unpublished(d, revision_id);
begin
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

-- A job that a worker has begun stands for its document until the document's own claim counts; one whose claim has run out no longer.
create function private.job_stands(document uuid, lease interval) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from queue.procrastinate_jobs j
    where j.queueing_lock = 'document:' || document and (
      j.status = 'todo'
      or (j.status = 'doing' and exists (
        select from queue.procrastinate_events e where e.job_id = j.id and e.type = 'started' and e.at > now() - lease
      ))
    )
  )
$$;

create function public.rescue_documents(lease_seconds integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  lease interval := make_interval(secs => lease_seconds);
  dropped integer;
  lost uuid;
  found_again integer := 0;
begin
  delete from queue.procrastinate_jobs j
  where j.status = 'doing' and not exists (
    select from queue.procrastinate_workers w where w.id = j.worker_id and w.last_heartbeat >= now() - lease
  );
  get diagnostics dropped = row_count;
  for lost in
    select d.id from public.documents d
    where d.deleted_at is null and d.status in ('queued', 'extracting', 'ocr', 'chunking', 'embedding')
      and (d.claimed_at is null or d.claimed_at < now() - lease) and not private.job_stands(d.id, lease)
  loop
    perform private.enqueue_document(lost);
    found_again := found_again + 1;
  end loop;
  return jsonb_build_object('jobs', dropped, 'documents', found_again);
end
$$;

create function public.queue_state(lease_seconds integer) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'waiting', (select count(*) from queue.procrastinate_jobs j where j.status = 'todo' and coalesce(j.scheduled_at, now()) <= now()),
    'later', (select count(*) from queue.procrastinate_jobs j where j.status = 'todo' and j.scheduled_at > now()),
    'working', (
      select count(*) from public.documents d
      where d.status in ('extracting', 'ocr', 'chunking', 'embedding') and d.claimed_at >= now() - make_interval(secs => lease_seconds)
    ),
    'workers', (
      select count(*) from queue.procrastinate_workers w where w.last_heartbeat >= now() - make_interval(secs => lease_seconds)
    )
  )
$$;

drop function public.next_queued_document;

-- What was under way before there was a queue.
select private.enqueue_document(d.id) from public.documents d
where d.deleted_at is null and d.status in ('queued', 'extracting', 'ocr', 'chunking', 'embedding');

revoke all on function private.in_work, private.drop_job, private.enqueue, private.enqueue_document, private.end_claim,
  private.order_work, private.taken_over, private.claimed_row, private.given_up, private.unpublished, private.job_stands
  from public, anon, authenticated;
revoke all on function public.claim_document, public.renew_claim, public.set_document_status, public.retry_document,
  public.begin_revision, public.add_revision_rows, public.publish_revision, public.rescue_documents, public.queue_state
  from public, anon, authenticated, service_role;
grant execute on function public.claim_document, public.renew_claim, public.set_document_status, public.retry_document,
  public.begin_revision, public.add_revision_rows, public.publish_revision, public.rescue_documents, public.queue_state
  to service_role;
