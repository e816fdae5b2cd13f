-- Ingestion: how a registered file is read and published, by workers that can die; purging; what a proof of the store reads.
--
-- A document's row says what is to be done: a status that is not final, and the claim of the worker that does it. A claim is a
-- number that grows with each taking. A holder of an earlier claim is refused, and so is every claim on a document that was
-- ordered again, deleted or finished: a worker that was paused can neither publish nor set a status. A claim lasts while it is
-- renewed. Jobs (03_queue.sql) only wake workers: a job is made with the status, in the same transaction, and a lost job is made
-- again from the row.

-- == Tables ==

-- Pages of a scan that were recognised while the document is still being read, so that reading resumes where it was interrupted.
-- settings: how the page was drawn, and in which language it was read. content: the worker's own.
create table public.ocr_pages (
  document_id uuid not null references public.documents (id) on delete cascade,
  sha256 text not null,
  page integer not null check (page > 0),
  engine text not null,
  settings text not null,
  content jsonb not null,
  primary key (document_id, sha256, page, engine, settings)
);
alter table public.ocr_pages enable row level security;

-- When a person or a firm last had its turn: when one of its documents was last taken for reading.
create table private.reading_turns (
  party uuid primary key,
  at timestamptz not null
);
alter table private.reading_turns enable row level security;

-- Stored files that are to be removed. A file that might still arrive is removed again until again_until.
create table private.blob_deletions (
  storage_key text primary key,
  asked_at timestamptz not null default now(),
  again_until timestamptz not null
);
alter table private.blob_deletions enable row level security;

-- == Private functions: jobs ==

-- The statuses of a document that a worker holds.
create function private.in_work() returns text[]
language sql immutable
set search_path = ''
as $$ select array['extracting', 'ocr', 'chunking', 'embedding'] $$;

-- The statuses of a document that waits for a worker or that one holds: those of the index documents_unfinished.
create function private.unfinished() returns text[]
language sql immutable
set search_path = ''
as $$ select array['queued'] || private.in_work() $$;

-- Removes the job that waits under a key.
create function private.drop_job(key text) returns void
language sql security definer
set search_path = ''
as $$ delete from queue.procrastinate_jobs j where j.queueing_lock = key and j.status = 'todo' $$;

-- The queue of a task. Each has workers of its own, so that signing, purging and deletion never wait behind reading.
create function private.lane_of(task text) returns text
language sql immutable
set search_path = ''
as $$ select case task when 'process_document' then 'orderly' when 'answer_review' then 'reviews' else 'upkeep' end $$;

-- Makes a job, in place of one that waits under the same key. The insertion notifies the workers at commit. Jobs of a higher
-- priority go first.
create function private.enqueue(task text, key text, args jsonb, at timestamptz default null, priority integer default 0)
returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.drop_job(key);
  insert into queue.procrastinate_jobs (queue_name, task_name, queueing_lock, args, scheduled_at, priority)
  values (private.lane_of(task), task, key, args, at, priority)
  on conflict do nothing;
end
$$;

-- Makes the job that processes a document.
create function private.enqueue_document(id uuid, at timestamptz default null) returns void
language sql security definer
set search_path = ''
as $$ select private.enqueue('process_document', 'document:' || id, jsonb_build_object('document_id', id), at) $$;

-- Whether a job stands under a key: one that waits, or one that a worker began within the lease.
create function private.job_stands(key text, lease interval) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from queue.procrastinate_jobs j
    where j.queueing_lock = key and (
      j.status = 'todo'
      or (j.status = 'doing' and exists (
        select from queue.procrastinate_events e where e.job_id = j.id and e.type = 'started' and e.at > now() - lease
      ))
    )
  )
$$;

-- == Private functions: claims ==

-- Locks a document for the worker until the transaction ends.
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

-- Raises OR409 (detail: claim).
create function private.taken_over() returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'Another worker has taken over this document.' using errcode = 'OR409', detail = 'claim';
end
$$;

-- Locks a document whose claim the worker holds, until the transaction ends. Raises OR404 for a deleted document, OR409 for a
-- lost claim.
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

-- The reason shown for a document whose processing was cut short too often.
create function private.given_up(attempts integer) returns text
language sql immutable
set search_path = ''
as $$
  select format('Reading was cut short %s times before it came to an end, as if the file stopped the program that reads it. '
    'It is not tried again by itself.', attempts)
$$;

-- worker_document = {id, tenant_id, matter_id, filename, content_type, size_bytes, sha256, storage_key, status, deleted,
-- legal_hold, in_chat}; in_chat: the document is a file of a conversation, which has a lower limit on its text
create function private.worker_json(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('id', d.id, 'tenant_id', m.tenant_id, 'matter_id', d.matter_id, 'filename', d.filename,
    'content_type', d.content_type, 'size_bytes', d.size_bytes, 'sha256', d.sha256, 'storage_key', d.storage_key,
    'status', d.status, 'deleted', d.deleted_at is not null, 'legal_hold', d.legal_hold,
    'in_chat', m.kind = 'workspace')
  from public.matters m where m.id = d.matter_id
$$;

-- Finds a revision of a document that is not published yet.
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

-- Raises OR409 unless a revision has all its pages, chunks and vectors.
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

-- Key of the advisory lock that a backup holds exclusively, and that every removal of files shares.
create function private.backup_lock() returns bigint
language sql immutable
set search_path = ''
as $$ select 7234118206::bigint $$;

-- == Triggers ==

-- Ends the claim on a document that is queued again or deleted: another worker may take it at once. A new order resets its
-- attempts; a retry sets the time at which it is due.
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

-- Makes and removes jobs as the status demands.
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

-- Removes the recognised pages of a document that became readable, is unsupported, or is deleted. After a failure they stay for
-- the next attempt.
create function private.drop_ocr_pages() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from public.ocr_pages p where p.document_id = new.id;
  return null;
end
$$;
create trigger drop_ocr_pages after update of status on public.documents
  for each row when (new.status in ('ready', 'partial', 'unsupported', 'deleted'))
  execute function private.drop_ocr_pages();

-- Notes on the file how reading it ended. When a newer file cannot be read, the earlier revision stays readable: the document is
-- failed or unsupported, for the newer file's reason, and its file columns name the file of its current revision.
create function private.note_outcome() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.document_files;
  failed boolean := new.status in ('failed', 'unsupported');
begin
  update public.document_files x set unread_reason = case when failed then new.status_reason end
  where x.storage_key = new.storage_key;
  if failed and new.current_revision_id is not null then
    select x.* into f
    from public.document_revisions r join public.document_files x on x.storage_key = r.storage_key
    where r.id = new.current_revision_id;
    new.storage_key := f.storage_key;
    new.filename := f.filename;
    new.content_type := f.content_type;
    new.size_bytes := coalesce(f.size_bytes, new.size_bytes);
    new.sha256 := f.sha256;
  end if;
  return new;
end
$$;
create trigger note_outcome before update of status on public.documents
  for each row when (new.status in ('ready', 'partial', 'failed', 'unsupported')) execute function private.note_outcome();

-- Notes a stored file for removal when its row is deleted; for any table with a storage_key.
create function private.delete_blob() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.blob_deletions (storage_key, again_until)
  values (old.storage_key, case when to_jsonb(old) -> 'stored_at' = 'null' then now() + interval '1 day' else now() end)
  on conflict do nothing;
  return null;
end
$$;
create trigger delete_blob after delete on public.document_files
  for each row execute function private.delete_blob();

-- == As the caller (role authenticated) ==

-- Queues a document again, with the newest of its files, for editors. Returns full_document.
create function public.reprocess_document(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
  f public.document_files;
begin
  select x.* into f from public.document_files x
  where x.document_id = d.id and x.stored_at is not null order by x.stored_at desc, x.ordinal desc limit 1;
  if not found then
    raise exception 'The file of this document has not arrived.' using errcode = 'OR409';
  end if;
  update public.documents u
  set status = 'queued', status_reason = '', stage = null, stage_done = null, stage_total = null, claimed_at = null,
    filename = f.filename, content_type = f.content_type, size_bytes = coalesce(f.size_bytes, u.size_bytes), sha256 = f.sha256,
    storage_key = f.storage_key
  where u.id = d.id
  returning u.* into d;
  perform private.audit('reprocess_document', private.matter_of(d), d.id);
  return private.full_document_json(d);
end
$$;

-- == As the worker (service_role): claims ==

-- Takes a document. Returns worker_document + {claim, attempts} | null where there is nothing to do or another worker has it.
-- A document that was taken max_attempts times in vain fails.
create function public.claim_document(document_id text, lease_seconds integer, max_attempts integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  wanted uuid := private.as_uuid(claim_document.document_id);
  d public.documents;
begin
  -- A locked row is in use by another transaction; the worker does not wait for it.
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

-- Renews a claim, and reports progress where stage is given. Returns null. OR409: the claim is lost.
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

-- Queues a claimed document again after a delay; counted: as an attempt. Returns worker_document.
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

-- Drops jobs of silent workers and queues the documents that have no job. Returns {jobs, documents}: numbers.
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
    where d.deleted_at is null and d.status = any (private.unfinished())
      and (d.claimed_at is null or d.claimed_at < now() - lease) and not private.job_stands('document:' || d.id, lease)
  loop
    perform private.enqueue_document(lost);
    found_again := found_again + 1;
  end loop;
  return jsonb_build_object('jobs', dropped, 'documents', found_again);
end
$$;

-- Whether a revision was read by an earlier edition of the readers, which may have stored something else of the same file.
create function private.is_outdated(d public.documents, edition integer) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select d.deleted_at is null and d.status in ('ready', 'partial') and exists (
    select from public.document_revisions r
    where r.id = d.current_revision_id and coalesce((r.health ->> 'edition')::integer, 0) < is_outdated.edition
  )
$$;

-- Number of the documents that an earlier edition of the readers has read.
create function public.outdated_documents(edition integer) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (select to_jsonb(count(*)) from public.documents d where private.is_outdated(d, outdated_documents.edition));
end
$$;

-- Queues documents that an earlier edition of the readers has read, in the order of upload. after: an upload_order.
-- Returns [{document_id, filename, upload_order}, …].
create function public.queue_outdated(edition integer, after bigint default 0, row_count integer default 100) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents;
  queued jsonb := '[]';
begin
  for d in
    select x.* from public.documents x
    where x.upload_order > coalesce(queue_outdated.after, 0) and private.is_outdated(x, queue_outdated.edition)
    order by x.upload_order limit greatest(row_count, 0) for update skip locked
  loop
    update public.documents u
    set status = 'queued', status_reason = '', stage = null, stage_done = null, stage_total = null, claimed_at = null
    where u.id = d.id;
    perform private.audit('queue_outdated', private.matter_of(d), d.id, jsonb_build_object('edition', edition));
    queued := queued || jsonb_build_object('document_id', d.id, 'filename', d.filename, 'upload_order', d.upload_order);
  end loop;
  return queued;
end
$$;

-- Documents to be read, in fair order: queued and due, or left by a silent worker. Firms take turns, then the people of a firm;
-- who has fewer documents in work comes first, then who had a turn longer ago. Within a turn the smallest file comes first.
-- for_others: without the documents of people who have one in work.
create function private.waiting_documents(lease_seconds integer, for_others boolean) returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  with unfinished as (
    select d.id, d.size_bytes, d.upload_order, m.tenant_id as firm, coalesce(d.uploaded_by, m.tenant_id) as person,
      d.status = any (private.in_work())
        and coalesce(d.claimed_at > clock_timestamp() - make_interval(secs => lease_seconds), false) as claimed,
      d.status <> 'queued' or d.retry_at is null or d.retry_at <= clock_timestamp() as due
    from public.documents d join public.matters m on m.id = d.matter_id
    where d.deleted_at is null and d.status = any (private.unfinished())
  ),
  firms as (select u.firm, count(*) filter (where u.claimed) as claimed from unfinished u group by u.firm),
  people as (select u.firm, u.person, count(*) filter (where u.claimed) as claimed from unfinished u group by u.firm, u.person)
  select u.id
  from unfinished u
  join firms f on f.firm = u.firm
  join people p on p.firm = u.firm and p.person = u.person
  left join private.reading_turns ft on ft.party = u.firm
  left join private.reading_turns pt on pt.party = u.person
  where not u.claimed and u.due and not (for_others and p.claimed > 0)
  order by f.claimed, ft.at nulls first, p.claimed, pt.at nulls first, u.size_bytes, u.upload_order
$$;

-- Takes the document whose turn it is, as claim_document does. Returns null where no document waits.
create function public.claim_next(lease_seconds integer, max_attempts integer, for_others boolean default false) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  candidate uuid;
  taken jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended('reading turns', 0));
  for candidate in select w from private.waiting_documents(lease_seconds, coalesce(for_others, false)) w loop
    taken := public.claim_document(candidate::text, lease_seconds, max_attempts);
    if taken is not null then
      insert into private.reading_turns as t (party, at)
      select x, clock_timestamp()
      from public.documents d join public.matters m on m.id = d.matter_id,
        unnest(array[m.tenant_id, coalesce(d.uploaded_by, m.tenant_id)]) x
      where d.id = candidate
      group by x
      on conflict (party) do update set at = excluded.at;
      return taken;
    end if;
  end loop;
  return null;
end
$$;

-- Counts jobs and workers. Returns {waiting, later, working, workers}; later: scheduled for a later time.
create function public.queue_state(lease_seconds integer) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'waiting', (select count(*) from queue.procrastinate_jobs j where j.status = 'todo' and coalesce(j.scheduled_at, now()) <= now()),
    'later', (select count(*) from queue.procrastinate_jobs j where j.status = 'todo' and j.scheduled_at > now()),
    'working', (
      select count(*) from public.documents d
      where d.status = any (private.in_work()) and d.claimed_at >= now() - make_interval(secs => lease_seconds)
    ),
    'workers', (
      select count(*) from queue.procrastinate_workers w where w.last_heartbeat >= now() - make_interval(secs => lease_seconds)
    )
  )
$$;

-- Reads a document without locking it. Returns worker_document + {status_reason, page_count, paged, chunk_count}.
create function public.worker_document(document_id text) returns jsonb
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

-- == As the worker (service_role): writing a revision ==

-- Begins a revision and drops unfinished ones. Returns {revision_id, ordinal}.
-- revision = {id, text, page_count, chunk_count, paged, reader, health, embedding_model}
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

-- Adds rows to an unpublished revision and renews the claim. kind: pages, sections, chunks or embeddings. Returns their number.
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

-- Publishes a complete revision: it becomes the current one, and passages of earlier ones are dropped. status: ready or partial.
-- Returns worker_document. OR409: rows are missing.
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
  -- Text, pages and sections of earlier revisions stay: citations point into them.
  with removed as (
    delete from public.chunks c using public.document_revisions old
    where old.document_id = d.id and old.id <> r.id and c.revision_id = old.id
    returning c.revision_id, c.id
  )
  update public.document_revisions old set former_passages = old.former_passages || gone.ids
  from (select x.revision_id, array_agg(x.id) as ids from removed x group by x.revision_id) gone
  where old.id = gone.revision_id;
  perform private.audit('publish_revision', private.matter_of(d), d.id,
    jsonb_build_object('revision_id', r.id, 'status', d.status, 'sha256', r.sha256));
  return private.worker_json(d);
end
$$;

-- Keeps a recognised page. Returns null. The document's row stays locked meanwhile, so that publishing waits and then removes the
-- page. A further page is progress: it resets the count of attempts.
create function public.keep_ocr_page(document_id text, claim bigint, page integer, engine text, settings text, content jsonb)
returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.claimed_row(document_id, claim);
begin
  insert into public.ocr_pages (document_id, sha256, page, engine, settings, content)
  values (d.id, d.sha256, keep_ocr_page.page, keep_ocr_page.engine, keep_ocr_page.settings, keep_ocr_page.content)
  on conflict do nothing;
  if found and d.attempts > 1 then
    update public.documents u set attempts = 1 where u.id = d.id;
  end if;
  return null;
end
$$;

-- Reads a kept page of the document's present file. Returns its content | null.
create function public.kept_ocr_page(document_id text, page integer, engine text, settings text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select p.content from public.ocr_pages p, public.documents d
  where d.id = private.as_uuid(kept_ocr_page.document_id) and p.document_id = d.id and p.sha256 = d.sha256
    and p.page = kept_ocr_page.page and p.engine = kept_ocr_page.engine and p.settings = kept_ocr_page.settings
$$;

-- == As the worker (service_role): removal ==

-- Removes deleted documents for good: those past their retention rule, and at once where there is none, without a hold; a
-- hold that was set after the deletion counts. Uploads that have not arrived go after a day. Nothing is removed while a backup
-- copies files.
-- Returns [storage_key, …] of all files that are to be removed; remove them, then call confirm_blobs_deleted.
create function public.purge_deleted() returns jsonb
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
      private.expired(d.deleted_at, coalesce(private.keep_days(m.tenant_id, m.id, 'deleted_documents'), 0))
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

-- Confirms that files were removed. Returns the number of files whose removal is still to be confirmed.
create function public.confirm_blobs_deleted(storage_keys jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from private.blob_deletions b
  where b.again_until <= now() and b.storage_key in (select jsonb_array_elements_text(storage_keys));
  return to_jsonb((select count(*) from private.blob_deletions b where b.again_until <= now()));
end
$$;

-- == As the operator (service_role): proof of the store ==

-- Lists published revisions by id. Returns [id, …].
create function public.stored_revisions(after text default null, row_count integer default 100) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(x.id order by x.id), '[]')
  from (
    select r.id from public.document_revisions r
    where r.published_at is not null and (after is null or r.id > private.as_uuid(after))
    order by r.id limit private.row_limit(row_count)
  ) x
$$;

-- Lists stored files by key. Returns [{storage_key, document_id, filename, size_bytes | null, sha256}, …].
create function public.stored_files(after text default null, row_count integer default 1000) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(to_jsonb(x) order by x.storage_key collate "C"), '[]')
  from (
    select f.storage_key, f.document_id, f.filename, f.size_bytes, f.sha256
    from public.document_files f
    where f.stored_at is not null and (after is null or f.storage_key collate "C" > after)
    order by f.storage_key collate "C" limit private.row_limit(row_count)
  ) x
$$;

-- Lists documents that are said to be readable and have no published revision. Returns [{document_id, filename, reason}, …].
create function public.unproven_documents() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('document_id', d.id, 'filename', d.filename, 'reason',
    case when r.id is null then 'it is said to be readable and has no revision' else 'its current revision was never published' end
  ) order by d.upload_order), '[]')
  from public.documents d left join public.document_revisions r on r.id = d.current_revision_id
  where (d.status in ('ready', 'partial') or d.current_revision_id is not null) and (r.id is null or r.published_at is null)
$$;

-- == Privileges ==

revoke all on public.ocr_pages from anon, authenticated, service_role;
grant all on public.ocr_pages to service_role;
revoke all on private.blob_deletions from public, anon, authenticated, service_role;
revoke all on function private.in_work, private.unfinished, private.drop_job, private.enqueue, private.enqueue_document, private.job_stands,
  private.worker_row, private.taken_over, private.claimed_row, private.given_up, private.worker_json, private.unpublished,
  private.check_complete, private.backup_lock, private.end_claim, private.order_work, private.drop_ocr_pages,
  private.note_outcome, private.delete_blob, private.lane_of, private.waiting_documents, private.is_outdated
  from public, anon, authenticated;
revoke all on function public.reprocess_document, public.claim_document, public.claim_next, public.renew_claim, public.retry_document,
  public.rescue_documents, public.queue_state, public.worker_document, public.begin_revision,
  public.add_revision_rows, public.publish_revision, public.keep_ocr_page, public.kept_ocr_page, public.purge_deleted,
  public.confirm_blobs_deleted, public.stored_revisions, public.stored_files, public.unproven_documents,
  public.outdated_documents, public.queue_outdated
  from public, anon, authenticated, service_role;
grant execute on function public.reprocess_document to authenticated;
grant execute on function public.claim_document, public.claim_next, public.renew_claim, public.retry_document, public.rescue_documents,
  public.queue_state, public.worker_document, public.begin_revision, public.add_revision_rows,
  public.publish_revision, public.keep_ocr_page, public.kept_ocr_page, public.purge_deleted, public.confirm_blobs_deleted,
  public.stored_revisions, public.stored_files, public.unproven_documents,
  public.outdated_documents, public.queue_outdated to service_role;
