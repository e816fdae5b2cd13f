-- Generated from supabase/schemas by `make baseline`. Edit the schema files, not this one.

do $$
begin
  if to_regclass('public.tenants') is not null then
    raise exception 'This database holds tables of another version of Orderly. Nothing was changed.'
      using hint = 'Use an empty project or database, or the version of Orderly that made this one.';
  end if;
end
$$;

-- schemas/01_foundation.sql

-- Foundation: schemas, the extension for vectors, and what the functions of every subject use.
--
-- These files describe the database as it is, one file per subject. supabase/config.toml names their order, `make baseline`
-- writes supabase/migrations/*_baseline.sql from them, and tests/store/test_schemas.py compares both in a database.
--
-- Schemas
--   public      tables, and the functions that the agent and the worker call. Only these functions have an interface.
--   private     tables and functions that only functions, policies and triggers use. Not callable from outside.
--   queue       the job queue (03_queue.sql).
--   extensions  pgvector.
-- Roles
--   authenticated  a caller: the claims of the access token (request.jwt.claims) say who it is. Callers read tables through functions
--   alone, because a plain select would leave no entry in the record; every table has row level security nevertheless, as a second lock.
--   service_role   the worker and the operator's command line.
--   anon           nobody yet; may check an access token.
-- Errors: SQLSTATE, with fixed detail and hint. The adapters translate the SQLSTATE into exceptions.
--   OR400 invalid   OR401 not signed in   OR403 not allowed   OR409 conflict   OR425 not ready (detail: the document's status)
--   OR404 missing or forbidden, which read the same (detail: matter, document, citation, user, …; hint: the id as given)
-- Arguments
--   Ids are text; a malformed id is an id that is not found. matter_ref and matter_id: a matter's id, number, slug or title that
--   only one has. document_id: its id, or a file name that only one has.
--   match_count and row_count: number of rows, 1 to 1000. skip: rows to leave out. after: the last key of the page before.
-- Results are JSON. {…} is an object, […, …] a list, | null a value that can be missing. A bare word such as matter, document or
--   hit is the shape that stands beside the function private.<word>_json. Times are ISO 8601.
-- Offsets are zero-based and half-open, in Unicode code points of a revision's text:
--   substr(text, start_char + 1, end_char - start_char) is the quotation.

-- Functions call functions and read tables that stand in later files, so bodies are not checked while the files are applied.
-- tests/store/test_schemas.py checks every body in the finished database. The last file ends this setting.
set check_function_bodies = off;

create schema if not exists extensions;
create extension if not exists vector with schema extensions;
create schema if not exists private;
revoke all on schema private from public;
grant usage on schema private to authenticated, service_role;

-- == Ids, errors and limits ==

-- Reads a uuid; null for any other text, so that a malformed id takes the path of a missing one.
create function private.as_uuid(value text) returns uuid
language sql immutable strict
set search_path = ''
as $$
  select case
    when value ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then value::uuid
  end
$$;

-- Raises OR404 for an id of a kind. A missing thing and a forbidden one raise the same error.
create function private.not_found(kind text, ref text) returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'not found' using errcode = 'OR404', detail = kind, hint = coalesce(ref, '');
end
$$;

-- Raises OR400 with a message for the user.
create function private.invalid(message text) returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception '%', message using errcode = 'OR400';
end
$$;

-- Whether a name is one line of visible text: line breaks, control characters and marks that reverse the direction of writing
-- would let it look like another name.
create function private.is_plain(name text) returns boolean
language sql immutable
set search_path = ''
as $$
  select name !~ '[\u0001-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]'
$$;

-- Limits a requested number of rows to 1 to 1000; null is 10. The services have lower limits of their own.
create function private.row_limit(wanted integer) returns integer
language sql immutable
set search_path = ''
as $$ select least(greatest(coalesce(wanted, 10), 1), 1000) $$;

-- == Changes of a row ==

-- Raises OR409 (detail: changed) where the fields that the caller saw differ from the present ones. seen null: no comparison.
create function private.check_unchanged(seen jsonb, is_now jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  if seen is not null and jsonb_typeof(seen) = 'object' and not is_now @> seen then
    raise exception 'Somebody has changed this since you looked. Look again, then decide.'
      using errcode = 'OR409', detail = 'changed';
  end if;
end
$$;

-- Raises OR400 unless changes is a non-empty object of known fields.
create function private.check_changes(changes jsonb, known text[]) returns void
language plpgsql
set search_path = ''
as $$
begin
  if changes is null or jsonb_typeof(changes) <> 'object' or changes = '{}'
    or exists (select from jsonb_object_keys(changes) k where k <> all (known))
  then
    perform private.invalid(format('What can be changed here: %s.', array_to_string(known, ', ')));
  end if;
end
$$;

-- == Privileges ==

revoke all on function private.as_uuid, private.not_found, private.invalid, private.is_plain, private.row_limit, private.check_unchanged,
  private.check_changes from public, anon, authenticated;
-- Policies call these as the caller.
grant execute on function private.as_uuid to authenticated;

-- schemas/02_rule.sql

-- The access rule: which matters and documents the caller may read.
--
-- One rule decides for every policy, every function and every file:
--   a person whose access the operator has revoked is nobody;
--   a matter is readable by its members, in their own firm, unless a wall (matter_screens) stands between the two;
--   a workspace (the private matter of a conversation) is readable only from within its conversation;
--   a request of a run that names its matters reads no other matter, whatever its user may read elsewhere;
--   a document is readable in a readable matter while it is not deleted, and inside its group where it has one.
-- Administrators and conflicts officers read nothing by their office. Nothing else may decide about access.

-- == The caller ==

-- The caller, where the claims name a person whose access is not revoked; null otherwise.
create function private.my_user_id() returns uuid
language sql stable security definer
set search_path = ''
as $$ select p.user_id from public.profiles p where p.user_id = (select auth.uid()) and p.revoked_at is null $$;

-- The caller's firm.
create function private.my_tenant_id() returns uuid
language sql stable security definer
set search_path = ''
as $$ select p.tenant_id from public.profiles p where p.user_id = (select private.my_user_id()) $$;

-- Groups that the caller is a member of, within the caller's own firm.
create function private.my_group_ids() returns setof uuid
language sql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
  select gm.group_id
  from public.profiles p
  join public.group_members gm on gm.user_id = p.user_id
  join public.groups g on g.id = gm.group_id and g.tenant_id = p.tenant_id
  where p.user_id = (select auth.uid()) and p.revoked_at is null
$$;

-- The conversation that the server has authorised for this request; null outside a conversation.
create function private.my_thread_id() returns text
language sql stable
set search_path = ''
as $$ select nullif(auth.jwt() ->> 'thread_id', '') $$;

-- The run that the request is part of; null outside a run.
create function private.my_run_id() returns text
language sql stable
set search_path = ''
as $$ select nullif(auth.jwt() ->> 'run_id', '') $$;

-- The matters that the run of the request is kept to; null where it is kept to none.
create function private.my_chosen_matters() returns uuid[]
language sql stable
set search_path = ''
as $$
  select array(select private.as_uuid(named.id) from jsonb_array_elements_text(auth.jwt() -> 'matters') as named (id))
  where auth.jwt() ? 'matters'
$$;

-- == Matters ==

-- Readable matters: one (only_matter) or all (null); beyond_run: also those that the run is not kept to, for what its user may
-- still read. The files of the run's own conversation belong to every run. One plan serves both, because one matter is a range of one id and all are
-- the whole range; the plan is kept. It may be made while the tables are empty, so no table is read whole.
create function private.my_matter_ids_among(only_matter uuid, beyond_run boolean default false) returns setof uuid
language sql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
  select m.id
  from public.profiles p
  join public.matter_members mm on mm.user_id = p.user_id
    and mm.matter_id >= coalesce(only_matter, '00000000-0000-0000-0000-000000000000')
    and mm.matter_id <= coalesce(only_matter, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
  join public.matters m on m.id = mm.matter_id and m.tenant_id = p.tenant_id
  where p.user_id = (select auth.uid()) and p.revoked_at is null
    and (m.kind = 'matter' or m.thread_id = (select private.my_thread_id()))
    and (beyond_run or m.kind = 'workspace' or (select private.my_chosen_matters()) is null
      or m.id = any ((select private.my_chosen_matters())::uuid[]))
    and not exists (
      select from public.matter_screens s
      where s.matter_id = m.id and s.user_id = p.user_id and s.lifted_at is null
        and s.starts_at <= now() and (s.ends_at is null or s.ends_at > now())
    )
$$;

-- All readable matters.
create function private.my_matter_ids() returns setof uuid
language sql stable security definer
set search_path = ''
as $$ select private.my_matter_ids_among(null) $$;

-- Readable matters, and the caller's workspaces outside their conversations too: for the record and for closing conversations.
create function private.my_matters_and_workspaces() returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select private.my_matter_ids()
  union
  select m.id from public.matters m join public.matter_members mm on mm.matter_id = m.id
  where m.kind = 'workspace' and mm.user_id = (select private.my_user_id())
$$;

-- == Documents ==

-- Readable documents of one matter, or (null) of all.
create function private.readable_documents(matter uuid default null) returns setof uuid
language sql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
  select d.id
  from public.documents d
  where d.matter_id = any (array(select private.my_matter_ids_among(matter)))
    and d.deleted_at is null
    and (d.group_id is null or d.group_id = any (array(select private.my_group_ids())))
$$;

-- Published revisions of readable documents. Earlier revisions are included: citations point into them.
create function private.readable_revisions() returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select r.id from public.document_revisions r
  where r.published_at is not null and r.document_id = any (array(select private.readable_documents()))
$$;

-- Documents of some matters that are, or were until their deletion, kept for groups that the caller is not in.
create function private.hidden_documents(matters uuid[]) returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select d.id from public.documents d
  where d.matter_id = any (matters) and d.group_id is not null and d.group_id <> all (array(select private.my_group_ids()))
  union
  select x.document_id from public.receipts x
  where x.matter_id = any (matters) and x.group_id is not null and x.group_id <> all (array(select private.my_group_ids()))
$$;

-- == Privileges ==

revoke all on function private.my_user_id, private.my_tenant_id, private.my_group_ids, private.my_thread_id, private.my_run_id,
  private.my_chosen_matters, private.my_matter_ids_among, private.my_matter_ids, private.my_matters_and_workspaces, private.readable_documents,
  private.readable_revisions, private.hidden_documents from public, anon, authenticated;
-- Policies call these as the caller.
grant execute on function private.my_user_id, private.my_tenant_id, private.my_group_ids, private.my_matter_ids, private.readable_documents,
  private.readable_revisions to authenticated;

-- schemas/03_queue.sql

-- The job queue: the schema of procrastinate 3.10.0 (https://procrastinate.readthedocs.io), word for word from "Enums" to its end,
-- in a schema of its own that no caller's role reaches. Only its plpgsql extension is left out, which every Postgres has.
-- tests/store/test_queue.py compares it with the installed library: an upgrade that changes it needs a migration.
--
-- MIT License
--
-- Copyright (c) 2019-2021, PeopleDoc
-- Copyright (c) 2021-2023, Joachim Jablon, Eric Lemoine
-- Copyright (c) 2024-, Joachim Jablon, Kai Schlamp
--
-- Permission is hereby granted, free of charge, to any person obtaining a copy of this
-- software and associated documentation files (the "Software"), to deal in the Software
-- without restriction, including without limitation the rights to use, copy, modify,
-- merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
-- permit persons to whom the Software is furnished to do so, subject to the following
-- conditions:
--
-- The above copyright notice and this permission notice shall be included in all copies or
-- substantial portions of the Software.
--
-- THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED,
-- INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR
-- PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
-- LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT
-- OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR
-- OTHER DEALINGS IN THE SOFTWARE.

create schema queue;
revoke all on schema queue from public;
set search_path = queue;

-- Enums

CREATE TYPE procrastinate_job_status AS ENUM (
    'todo',  -- The job is queued
    'doing',  -- The job has been fetched by a worker
    'succeeded',  -- The job ended successfully
    'failed',  -- The job ended with an error
    'cancelled', -- The job was cancelled
    'aborting',  -- legacy, not used anymore since v3.0.0
    'aborted'  -- The job was aborted
);

CREATE TYPE procrastinate_job_event_type AS ENUM (
    'deferred',  -- Job created, in todo
    'started',  -- todo -> doing
    'deferred_for_retry',  -- doing -> todo
    'failed',  -- doing -> failed
    'succeeded',  -- doing -> succeeded
    'cancelled', -- todo -> cancelled
    'abort_requested', -- not a state transition, but set in a separate field
    'aborted', -- doing -> aborted (only allowed when abort_requested field is set)
    'scheduled', -- not a state transition, but recording when a task is scheduled for
    'retried' -- Manually retried failed job
);

-- Composite Types

CREATE TYPE procrastinate_job_to_defer_v1 AS (
    queue_name character varying,
    task_name character varying,
    priority integer,
    lock text,
    queueing_lock text,
    args jsonb,
    scheduled_at timestamp with time zone
);

-- Tables

CREATE TABLE procrastinate_workers(
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    last_heartbeat timestamp with time zone NOT NULL DEFAULT NOW()
);

CREATE TABLE procrastinate_jobs (
    id bigserial PRIMARY KEY,
    queue_name character varying(128) NOT NULL,
    task_name character varying(128) NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    lock text,
    queueing_lock text,
    args jsonb DEFAULT '{}' NOT NULL,
    status procrastinate_job_status DEFAULT 'todo'::procrastinate_job_status NOT NULL,
    scheduled_at timestamp with time zone NULL,
    attempts integer DEFAULT 0 NOT NULL,
    abort_requested boolean DEFAULT false NOT NULL,
    worker_id bigint REFERENCES procrastinate_workers(id) ON DELETE SET NULL,
    CONSTRAINT check_not_todo_abort_requested CHECK (NOT (status = 'todo' AND abort_requested = true))
);

CREATE TABLE procrastinate_periodic_defers (
    id bigserial PRIMARY KEY,
    task_name character varying(128) NOT NULL,
    defer_timestamp bigint,
    job_id bigint REFERENCES procrastinate_jobs(id) NULL,
    periodic_id character varying(128) NOT NULL DEFAULT '',
    CONSTRAINT procrastinate_periodic_defers_unique UNIQUE (task_name, periodic_id, defer_timestamp)
);

CREATE TABLE procrastinate_events (
    id bigserial PRIMARY KEY,
    job_id bigint NOT NULL REFERENCES procrastinate_jobs ON DELETE CASCADE,
    type procrastinate_job_event_type,
    at timestamp with time zone DEFAULT NOW() NULL
);

-- Constraints & Indices

-- this prevents from having several jobs with the same queueing lock in the "todo" state
CREATE UNIQUE INDEX procrastinate_jobs_queueing_lock_idx_v1 ON procrastinate_jobs (queueing_lock) WHERE status = 'todo';
-- this prevents from having several jobs with the same lock in the "doing" state
CREATE UNIQUE INDEX procrastinate_jobs_lock_idx_v1 ON procrastinate_jobs (lock) WHERE status = 'doing';

-- Index for select_stalled_jobs_by_heartbeat query
CREATE INDEX idx_procrastinate_jobs_worker_not_null ON procrastinate_jobs(worker_id) WHERE worker_id IS NOT NULL AND status = 'doing'::procrastinate_job_status;

CREATE INDEX procrastinate_jobs_queue_name_idx_v1 ON procrastinate_jobs(queue_name);
CREATE INDEX procrastinate_jobs_id_lock_idx_v1 ON procrastinate_jobs (id, lock) WHERE status = ANY (ARRAY['todo'::procrastinate_job_status, 'doing'::procrastinate_job_status]);
CREATE INDEX procrastinate_jobs_priority_idx_v1 ON procrastinate_jobs(priority desc, id asc) WHERE (status = 'todo'::procrastinate_job_status);

CREATE INDEX procrastinate_events_job_id_fkey_v1 ON procrastinate_events(job_id);

CREATE INDEX procrastinate_periodic_defers_job_id_fkey_v1 ON procrastinate_periodic_defers(job_id);

CREATE INDEX idx_procrastinate_workers_last_heartbeat ON procrastinate_workers(last_heartbeat);

-- Functions
CREATE FUNCTION procrastinate_defer_jobs_v1(
    jobs procrastinate_job_to_defer_v1[]
)
    RETURNS bigint[]
    LANGUAGE plpgsql
AS $$
DECLARE
    job_ids bigint[];
BEGIN
    WITH inserted_jobs AS (
        INSERT INTO procrastinate_jobs (queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at)
        SELECT (job).queue_name,
               (job).task_name,
               (job).priority,
               (job).lock,
               (job).queueing_lock,
               (job).args,
               (job).scheduled_at
        FROM unnest(jobs) AS job
        RETURNING id
    )
    SELECT array_agg(id) FROM inserted_jobs INTO job_ids;

    RETURN job_ids;
END;
$$;

CREATE FUNCTION procrastinate_defer_periodic_job_v2(
    _queue_name character varying,
    _lock character varying,
    _queueing_lock character varying,
    _task_name character varying,
    _priority integer,
    _periodic_id character varying,
    _defer_timestamp bigint,
    _args jsonb
)
    RETURNS bigint
    LANGUAGE plpgsql
AS $$
DECLARE
	_job_id bigint;
	_defer_id bigint;
BEGIN
    INSERT
        INTO procrastinate_periodic_defers (task_name, periodic_id, defer_timestamp)
        VALUES (_task_name, _periodic_id, _defer_timestamp)
        ON CONFLICT DO NOTHING
        RETURNING id into _defer_id;

    IF _defer_id IS NULL THEN
        RETURN NULL;
    END IF;

    UPDATE procrastinate_periodic_defers
        SET job_id = (
            SELECT COALESCE((
                SELECT unnest(procrastinate_defer_jobs_v1(
                    ARRAY[
                        ROW(
                            _queue_name,
                            _task_name,
                            _priority,
                            _lock,
                            _queueing_lock,
                            _args,
                            NULL::timestamptz
                        )
                    ]::procrastinate_job_to_defer_v1[]
                ))
            ), NULL)
        )
        WHERE id = _defer_id
        RETURNING job_id INTO _job_id;

    DELETE
        FROM procrastinate_periodic_defers
        USING (
            SELECT id
            FROM procrastinate_periodic_defers
            WHERE procrastinate_periodic_defers.task_name = _task_name
            AND procrastinate_periodic_defers.periodic_id = _periodic_id
            AND procrastinate_periodic_defers.defer_timestamp < _defer_timestamp
            ORDER BY id
            FOR UPDATE
        ) to_delete
        WHERE procrastinate_periodic_defers.id = to_delete.id;

    RETURN _job_id;
END;
$$;

CREATE FUNCTION procrastinate_fetch_job_v2(
    target_queue_names character varying[],
    p_worker_id bigint
)
    RETURNS procrastinate_jobs
    LANGUAGE plpgsql
AS $$
DECLARE
	found_jobs procrastinate_jobs;
BEGIN
    WITH candidate AS (
        SELECT jobs.*
            FROM procrastinate_jobs AS jobs
            WHERE
                -- reject the job if its lock has earlier or higher priority jobs
                NOT EXISTS (
                    SELECT 1
                        FROM procrastinate_jobs AS other_jobs
                        WHERE
                            jobs.lock IS NOT NULL
                            AND other_jobs.lock = jobs.lock
                            AND (
                                -- job with same lock is already running
                                other_jobs.status = 'doing'
                                OR
                                -- job with same lock is waiting and has higher priority (or same priority but was queued first)
                                (
                                    other_jobs.status = 'todo'
                                    AND (
                                        other_jobs.priority > jobs.priority
                                        OR (
                                        other_jobs.priority = jobs.priority
                                        AND other_jobs.id < jobs.id
                                        )
                                    )
                                )
                            )
                )
                AND jobs.status = 'todo'
                AND (target_queue_names IS NULL OR jobs.queue_name = ANY( target_queue_names ))
                AND (jobs.scheduled_at IS NULL OR jobs.scheduled_at <= now())
            ORDER BY jobs.priority DESC, jobs.id ASC LIMIT 1
            FOR UPDATE OF jobs SKIP LOCKED
    )
    UPDATE procrastinate_jobs
        SET status = 'doing', worker_id = p_worker_id
        FROM candidate
        WHERE procrastinate_jobs.id = candidate.id
        RETURNING procrastinate_jobs.* INTO found_jobs;

 RETURN found_jobs;
END;
$$;

CREATE FUNCTION procrastinate_finish_job_v1(job_id bigint, end_status procrastinate_job_status, delete_job boolean)
    RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    _job_id bigint;
BEGIN
    IF end_status NOT IN ('succeeded', 'failed', 'aborted') THEN
        RAISE 'End status should be either "succeeded", "failed" or "aborted" (job id: %)', job_id;
    END IF;
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = end_status,
            abort_requested = false,
            attempts = CASE status
                WHEN 'doing' THEN attempts + 1 ELSE attempts
            END
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" or "todo" status (job id: %)', job_id;
    END IF;
END;
$$;

CREATE FUNCTION procrastinate_cancel_job_v1(job_id bigint, abort boolean, delete_job boolean)
    RETURNS bigint
    LANGUAGE plpgsql
AS $$
DECLARE
    _job_id bigint;
BEGIN
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status = 'todo'
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        IF abort THEN
            UPDATE procrastinate_jobs
            SET abort_requested = true,
                status = CASE status
                    WHEN 'todo' THEN 'cancelled'::procrastinate_job_status ELSE status
                END
            WHERE id = job_id AND status IN ('todo', 'doing')
            RETURNING id INTO _job_id;
        ELSE
            UPDATE procrastinate_jobs
            SET status = 'cancelled'::procrastinate_job_status
            WHERE id = job_id AND status = 'todo'
            RETURNING id INTO _job_id;
        END IF;
    END IF;
    RETURN _job_id;
END;
$$;

CREATE FUNCTION procrastinate_retry_job_v1(
    job_id bigint,
    retry_at timestamp with time zone,
    new_priority integer,
    new_queue_name character varying,
    new_lock character varying
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
BEGIN
    SELECT abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status = 'doing'
    FOR UPDATE
    INTO _abort_requested;
    IF _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    END IF;

    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" status (job id: %)', job_id;
    END IF;
END;
$$;

CREATE FUNCTION procrastinate_retry_job_v2(
    job_id bigint,
    retry_at timestamp with time zone,
    new_priority integer,
    new_queue_name character varying,
    new_lock character varying
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
    _current_status procrastinate_job_status;
BEGIN
    SELECT status, abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status IN ('doing', 'failed')
    FOR UPDATE
    INTO _current_status, _abort_requested;
    IF _current_status = 'doing' AND _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status IN ('doing', 'failed')
        RETURNING id INTO _job_id;
    END IF;

    IF _job_id IS NULL THEN
        RAISE 'Job was not found or has an invalid status to retry (job id: %)', job_id;
    END IF;

END;
$$;

CREATE FUNCTION procrastinate_notify_queue_job_inserted_v1()
    RETURNS trigger
    LANGUAGE plpgsql
AS $$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'job_inserted', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$$;

CREATE FUNCTION procrastinate_notify_queue_abort_job_v1()
RETURNS trigger
    LANGUAGE plpgsql
AS $$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'abort_job_requested', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$$;

CREATE FUNCTION procrastinate_trigger_function_status_events_insert_v1()
    RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'deferred'::procrastinate_job_event_type);
	RETURN NEW;
END;
$$;

CREATE FUNCTION procrastinate_trigger_function_status_events_update_v1()
    RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    WITH t AS (
        SELECT CASE
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND NEW.status = 'doing'::procrastinate_job_status
                THEN 'started'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'deferred_for_retry'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'failed'::procrastinate_job_status
                THEN 'failed'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'succeeded'::procrastinate_job_status
                THEN 'succeeded'::procrastinate_job_event_type
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND (
                    NEW.status = 'cancelled'::procrastinate_job_status
                    OR NEW.status = 'failed'::procrastinate_job_status
                    OR NEW.status = 'succeeded'::procrastinate_job_status
                )
                THEN 'cancelled'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'aborted'::procrastinate_job_status
                THEN 'aborted'::procrastinate_job_event_type
            WHEN OLD.status = 'failed'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'retried'::procrastinate_job_event_type
            ELSE NULL
        END as event_type
    )
    INSERT INTO procrastinate_events(job_id, type)
        SELECT NEW.id, t.event_type
        FROM t
        WHERE t.event_type IS NOT NULL;
	RETURN NEW;
END;
$$;

CREATE FUNCTION procrastinate_trigger_function_scheduled_events_v1()
    RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type, at)
        VALUES (NEW.id, 'scheduled'::procrastinate_job_event_type, NEW.scheduled_at);

	RETURN NEW;
END;
$$;

CREATE FUNCTION procrastinate_trigger_abort_requested_events_procedure_v1()
    RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'abort_requested'::procrastinate_job_event_type);
    RETURN NEW;
END;
$$;

CREATE FUNCTION procrastinate_unlink_periodic_defers_v1()
    RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE procrastinate_periodic_defers
    SET job_id = NULL
    WHERE job_id = OLD.id;
    RETURN OLD;
END;
$$;

CREATE FUNCTION procrastinate_register_worker_v1()
    RETURNS TABLE(worker_id bigint)
    LANGUAGE plpgsql
AS $$
BEGIN
    RETURN QUERY
    INSERT INTO procrastinate_workers DEFAULT VALUES
    RETURNING procrastinate_workers.id;
END;
$$;

CREATE FUNCTION procrastinate_unregister_worker_v1(worker_id bigint)
    RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    DELETE FROM procrastinate_workers
    WHERE id = worker_id;
END;
$$;

CREATE FUNCTION procrastinate_update_heartbeat_v1(worker_id bigint)
    RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE procrastinate_workers
    SET last_heartbeat = NOW()
    WHERE id = worker_id;
END;
$$;

CREATE FUNCTION procrastinate_prune_stalled_workers_v1(seconds_since_heartbeat float)
    RETURNS TABLE(worker_id bigint)
    LANGUAGE plpgsql
AS $$
BEGIN
    RETURN QUERY
    DELETE FROM procrastinate_workers
    WHERE last_heartbeat < NOW() - (seconds_since_heartbeat || 'SECOND')::INTERVAL
    RETURNING procrastinate_workers.id;
END;
$$;

-- Triggers

CREATE TRIGGER procrastinate_jobs_notify_queue_job_inserted_v1
    AFTER INSERT ON procrastinate_jobs
    FOR EACH ROW WHEN ((new.status = 'todo'::procrastinate_job_status))
    EXECUTE PROCEDURE procrastinate_notify_queue_job_inserted_v1();

CREATE TRIGGER procrastinate_jobs_notify_queue_job_aborted_v1
    AFTER UPDATE OF abort_requested ON procrastinate_jobs
    FOR EACH ROW WHEN ((old.abort_requested = false AND new.abort_requested = true AND new.status = 'doing'::procrastinate_job_status))
    EXECUTE PROCEDURE procrastinate_notify_queue_abort_job_v1();

CREATE TRIGGER procrastinate_trigger_status_events_update_v1
    AFTER UPDATE OF status ON procrastinate_jobs
    FOR EACH ROW
    EXECUTE PROCEDURE procrastinate_trigger_function_status_events_update_v1();

CREATE TRIGGER procrastinate_trigger_status_events_insert_v1
    AFTER INSERT ON procrastinate_jobs
    FOR EACH ROW WHEN ((new.status = 'todo'::procrastinate_job_status))
    EXECUTE PROCEDURE procrastinate_trigger_function_status_events_insert_v1();

CREATE TRIGGER procrastinate_trigger_scheduled_events_v1
    AFTER UPDATE OR INSERT ON procrastinate_jobs
    FOR EACH ROW WHEN ((new.scheduled_at IS NOT NULL AND new.status = 'todo'::procrastinate_job_status))
    EXECUTE PROCEDURE procrastinate_trigger_function_scheduled_events_v1();

CREATE TRIGGER procrastinate_trigger_abort_requested_events_v1
    AFTER UPDATE OF abort_requested ON procrastinate_jobs
    FOR EACH ROW WHEN ((new.abort_requested = true))
    EXECUTE PROCEDURE procrastinate_trigger_abort_requested_events_procedure_v1();

CREATE TRIGGER procrastinate_trigger_delete_jobs_v1
    BEFORE DELETE ON procrastinate_jobs
    FOR EACH ROW EXECUTE PROCEDURE procrastinate_unlink_periodic_defers_v1();

reset search_path;

-- The functions name tables without a schema, so each has a search path of its own: what it finds must not depend on the role that
-- fires a trigger. Only the owner of the database, as whom the worker signs in, has privileges here.
do $$
declare
  item record;
begin
  for item in select p.oid::regprocedure as name from pg_catalog.pg_proc p where p.pronamespace = 'queue'::regnamespace loop
    execute format('alter function %s set search_path = queue, pg_temp', item.name);
    execute format('revoke all on function %s from public', item.name);
  end loop;
  for item in
    select c.oid::regclass as name from pg_catalog.pg_class c where c.relnamespace = 'queue'::regnamespace and c.relkind = 'r'
  loop
    execute format('alter table %s enable row level security', item.name);
    execute format('revoke all on table %s from public, anon, authenticated, service_role', item.name);
  end loop;
end
$$;

-- schemas/04_firm.sql

-- The firm: tenants, people, groups, access tokens, sign-in by an identity provider, and the tools that a firm withholds.

-- == Tables ==

create table public.tenants (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (btrim(name) <> ''),
  created_at timestamptz not null default now(),
  -- Outside processors that the firm allows (14_policies.sql); null: all.
  allowed_processors text[],
  constraint tenants_processors check (allowed_processors <@ array['model', 'isaacus', 'vision', 'colivara'])
);
alter table public.tenants enable row level security;
create policy "tenant is my tenant" on public.tenants
  for select to authenticated using (id = (select private.my_tenant_id()));

-- People. The sign-in record (e-mail, password) is auth.users.
create table public.profiles (
  user_id uuid primary key references auth.users (id) on delete cascade,
  tenant_id uuid not null references public.tenants (id),
  display_name text not null,
  is_admin boolean not null default false,
  created_at timestamptz not null default now(),
  is_conflicts_officer boolean not null default false,
  -- Since when the person may do nothing here, whatever they sign in with (02_rule.sql); null: the person may.
  revoked_at timestamptz
);
create index profiles_tenant on public.profiles (tenant_id);
alter table public.profiles enable row level security;
create policy "profile is in my tenant" on public.profiles
  for select to authenticated using (tenant_id = (select private.my_tenant_id()));

create table public.groups (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id),
  name text not null,
  unique (tenant_id, name)
);
alter table public.groups enable row level security;
create policy "group is one of mine" on public.groups
  for select to authenticated using (id = any (array(select private.my_group_ids())));

create table public.group_members (
  group_id uuid not null references public.groups (id) on delete cascade,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  primary key (group_id, user_id)
);
create index group_members_user on public.group_members (user_id);
alter table public.group_members enable row level security;
create policy "membership is my own" on public.group_members
  for select to authenticated using (user_id = (select private.my_user_id()));

create table private.access_tokens (
  token_sha256 text primary key check (token_sha256 ~ '^[0-9a-f]{64}$'),
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  label text not null default '',
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index access_tokens_user on private.access_tokens (user_id);
alter table private.access_tokens enable row level security;

-- Subjects of the firm's identity provider (OpenID Connect), and the person that each of them is.
create table private.provider_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  linked_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index provider_identities_user on private.provider_identities (user_id);
alter table private.provider_identities enable row level security;

-- Tools that a client of the firm does not get. Every tool is granted until an administrator withholds it.
create table public.withheld_tools (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  client_id text not null check (client_id in ('orderly', 'mcp')),
  function_name text not null check (function_name ~ '^[a-z][a-z0-9_]{0,63}$'),
  withheld_by uuid references public.profiles (user_id) on delete set null,
  withheld_at timestamptz not null default now(),
  primary key (tenant_id, client_id, function_name)
);
alter table public.withheld_tools enable row level security;
create policy "of one's own firm" on public.withheld_tools for select to authenticated
  using (tenant_id = (select private.my_tenant_id()));

-- == Private functions ==

-- The caller's profile. Raises OR401 where the claims name nobody, or a person whose access is revoked.
create function private.caller() returns public.profiles
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles;
begin
  select p.* into me from public.profiles p where p.user_id = auth.uid() and p.revoked_at is null;
  if not found then
    raise exception 'Sign in first.' using errcode = 'OR401';
  end if;
  return me;
end
$$;

-- The caller's profile. Raises OR403 unless the caller is an administrator of the firm.
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

-- user = {user_id, email, display_name, tenant_id, tenant_name, is_admin, is_conflicts_officer}
create function private.user_json(p public.profiles) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('user_id', p.user_id, 'email', u.email, 'display_name', p.display_name,
    'tenant_id', t.id, 'tenant_name', t.name, 'is_admin', p.is_admin, 'is_conflicts_officer', p.is_conflicts_officer)
  from auth.users u, public.tenants t
  where u.id = p.user_id and t.id = p.tenant_id
$$;

-- person = {user_id, email, display_name, is_admin, is_conflicts_officer}
create function private.person_json(p public.profiles) returns jsonb
language sql stable security definer
set search_path = ''
as $$ select private.user_json(p) - 'tenant_id' - 'tenant_name' $$;

-- group = {id, name, members: [email, …]}
create function private.group_json(g public.groups) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('id', g.id, 'name', g.name, 'members', (
    select coalesce(jsonb_agg(u.email order by u.email), '[]') from public.group_members gm join auth.users u on u.id = gm.user_id
    where gm.group_id = g.id
  ))
$$;

-- Finds the sign-in record of an e-mail address. Outside Supabase it creates a missing one (auth.add_local_user exists only
-- there); on Supabase, Supabase Auth creates them. There anybody may have signed up with another person's address, so a record
-- counts only once the address is confirmed, or where somebody of the firm has invited it. OR409 otherwise.
create function private.sign_in_record(wanted_email text) returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  found_id uuid;
  account jsonb;
begin
  select u.id, to_jsonb(u) into found_id, account from auth.users u where lower(u.email) = wanted_email;
  -- The columns exist on Supabase only.
  if account ? 'email_confirmed_at' and account ->> 'email_confirmed_at' is null and account ->> 'invited_at' is null then
    -- An invitation alone would keep the record, and with it the password of whoever signed up.
    raise exception 'Whoever signed up as % has not confirmed the address. Delete that sign-in in Supabase Auth, then invite the person.',
      wanted_email using errcode = 'OR409';
  end if;
  if found_id is null and to_regprocedure('auth.add_local_user(text)') is not null then
    execute 'select auth.add_local_user($1)' into found_id using wanted_email;
  end if;
  if found_id is null then
    perform private.not_found('user', wanted_email);
  end if;
  return found_id;
end
$$;

-- Finds a person of any firm by e-mail.
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

-- The person's profile, locked until the end of the transaction: nobody gets a token while their access is being revoked.
create function private.locked(person uuid) returns public.profiles
language sql security definer
set search_path = ''
as $$ select p from public.profiles p where p.user_id = person for no key update $$;

-- Finds a person of a firm by e-mail.
create function private.colleague(tenant uuid, member_email text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  member uuid;
begin
  select p.user_id into member
  from public.profiles p join auth.users u on u.id = p.user_id
  where p.tenant_id = tenant and lower(u.email) = lower(btrim(member_email));
  if not found then
    perform private.not_found('user', member_email);
  end if;
  return member;
end
$$;

-- Finds a group of a firm by id or name.
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

-- Finds or creates the person that a subject of the identity provider is, and links both: once, by a verified e-mail address. From
-- then on the subject alone counts, whatever its address becomes. An address that the provider has not verified opens no account
-- and creates none, since it may be another person's; nor does an address whose account is another subject's of the issuer, since
-- addresses are given to new people. OR403 otherwise. Concurrent sign-ins of a subject, or of an address, wait for each other.
create function private.provider_user(
  wanted_issuer text, wanted_subject text, clean_email text, verified boolean, display_name text, tenant text
) returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  known uuid;
begin
  perform pg_advisory_xact_lock(hashtextextended(wanted_issuer || ' ' || wanted_subject, 1));
  select i.user_id into known from private.provider_identities i where i.issuer = wanted_issuer and i.subject = wanted_subject;
  if known is not null then
    return known;
  end if;
  if not verified then
    raise exception 'The identity provider has not verified your e-mail address.' using errcode = 'OR403';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(wanted_issuer || ' ' || clean_email, 0));
  select p.user_id into known
  from auth.users u join public.profiles p on p.user_id = u.id join public.tenants t on t.id = p.tenant_id
  where lower(u.email) = clean_email and t.name = provider_user.tenant;
  if known is null then
    -- Nobody is kept out by the name that the provider has: where it has hidden marks, the address stands for it.
    display_name := case when private.is_plain(display_name) and length(display_name) <= 200 then display_name end;
    known := (public.create_user(clean_email, display_name, provider_user.tenant) ->> 'user_id')::uuid;
  elsif exists (select from private.provider_identities i where i.issuer = wanted_issuer and i.user_id = known) then
    raise exception 'This e-mail address belongs to somebody here who signs in at the identity provider with another account.'
      using errcode = 'OR403';
  end if;
  insert into private.provider_identities (issuer, subject, user_id) values (wanted_issuer, wanted_subject, known);
  return known;
end
$$;

-- Gives a person the offices that the identity provider says, and records a change.
create function private.set_offices(person uuid, admin boolean, officer boolean) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.profiles;
begin
  update public.profiles x set is_admin = set_offices.admin, is_conflicts_officer = set_offices.officer
  where x.user_id = person and (x.is_admin, x.is_conflicts_officer) <> (set_offices.admin, set_offices.officer)
  returning x.* into p;
  if found then
    perform private.audit_person(p, 'set_offices', jsonb_build_object(
      'is_admin', p.is_admin, 'is_conflicts_officer', p.is_conflicts_officer));
  end if;
end
$$;

-- == As anon ==

-- Checks an access token by its SHA-256. Returns {user_id, email, expires_at} | null.
create function public.authenticate_token(token_sha256 text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('user_id', t.user_id, 'email', u.email, 'expires_at', t.expires_at)
  from private.access_tokens t join auth.users u on u.id = t.user_id
  where t.token_sha256 = lower(authenticate_token.token_sha256) and t.revoked_at is null and t.expires_at > now()
$$;

-- == As the caller (role authenticated) ==

-- Returns the caller as user.
create function public.whoami() returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return private.user_json(private.caller());
end
$$;

-- Lists everybody in the caller's firm. Returns [person, …] by e-mail.
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

-- Adds a person to the firm, for administrators. On Supabase the sign-in record must exist. Returns person.
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

-- Changes a person's offices, for administrators; null leaves an office as it is. Returns person.
-- A firm keeps at least one administrator (OR409), and nobody makes themselves a conflicts officer (OR403).
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

-- Lists groups: the caller's own, for administrators all of the firm. Returns [group, …] by name.
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

-- Creates a group, for administrators. Returns group.
create function public.create_group(group_name text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
  g public.groups;
begin
  if coalesce(btrim(group_name), '') = '' or private.as_uuid(btrim(group_name)) is not null or length(group_name) > 200
    or not private.is_plain(group_name)
  then
    perform private.invalid('A group needs a name of at most 200 visible characters, which is no id.');
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

-- Deletes a group (id or name), for administrators; OR409 while documents are kept for it. Returns the deleted group.
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

-- Adds a person to a group or removes them, for administrators. Returns group.
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

-- Lists the tools that a client of the caller's firm does not get. Returns [function_name, …], sorted.
-- client_id: 'orderly' for the agents, through every interface; 'mcp' for clients of the Model Context Protocol.
create function public.withheld_tools(client_id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  return (
    select coalesce(jsonb_agg(w.function_name order by w.function_name collate "C"), '[]')
    from public.withheld_tools w
    where w.tenant_id = me.tenant_id and w.client_id = withheld_tools.client_id
  );
end
$$;

-- Grants a tool to a client of the firm, or withholds it, for administrators. Returns {client_id, function_name, granted}.
create function public.grant_tool(client_id text, function_name text, granted boolean default true) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
begin
  if coalesce(grant_tool.client_id, '') not in ('orderly', 'mcp') then
    perform private.not_found('client', grant_tool.client_id);
  end if;
  if coalesce(grant_tool.function_name, '') !~ '^[a-z][a-z0-9_]{0,63}$' then
    perform private.not_found('function', grant_tool.function_name);
  end if;
  if coalesce(grant_tool.granted, true) then
    delete from public.withheld_tools w
    where w.tenant_id = me.tenant_id and w.client_id = grant_tool.client_id and w.function_name = grant_tool.function_name;
  else
    insert into public.withheld_tools (tenant_id, client_id, function_name, withheld_by)
    values (me.tenant_id, grant_tool.client_id, grant_tool.function_name, me.user_id)
    on conflict do nothing;
  end if;
  perform private.audit('grant_tool', null, null, jsonb_build_object('client_id', grant_tool.client_id,
    'function_name', grant_tool.function_name, 'granted', coalesce(grant_tool.granted, true)));
  return jsonb_build_object('client_id', grant_tool.client_id, 'function_name', grant_tool.function_name,
    'granted', coalesce(grant_tool.granted, true));
end
$$;

-- == As the operator and the server (service_role) ==

-- Creates a firm. Returns {id, name}.
create function public.create_tenant(name text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  t public.tenants;
begin
  if coalesce(btrim(create_tenant.name), '') = '' or not private.is_plain(create_tenant.name) then
    perform private.invalid('A tenant needs a name.');
  end if;
  insert into public.tenants (name) values (btrim(create_tenant.name)) on conflict do nothing returning * into t;
  if t.id is null then
    raise exception 'Tenant % exists already.', btrim(create_tenant.name) using errcode = 'OR409';
  end if;
  return jsonb_build_object('id', t.id, 'name', t.name);
end
$$;

-- Creates a person; tenant: id or name. Returns user.
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
  if coalesce(clean_email, '') !~ '^[^@[:space:]]+@[^@[:space:]]+$' or not private.is_plain(clean_email) then
    perform private.invalid('That is not an e-mail address.');
  end if;
  if not private.is_plain(create_user.display_name) or length(create_user.display_name) > 200 then
    perform private.invalid('A person''s name is one line of visible text, of at most 200 characters.');
  end if;
  insert into public.profiles (user_id, tenant_id, display_name, is_admin)
  values (private.sign_in_record(clean_email), home.id, coalesce(nullif(btrim(create_user.display_name), ''), clean_email),
    coalesce(create_user.is_admin, false))
  on conflict do nothing
  returning * into p;
  if p.user_id is null then
    raise exception 'User % exists already.', clean_email using errcode = 'OR409';
  end if;
  perform private.audit_person(p, 'create_user', jsonb_build_object('is_admin', p.is_admin));
  return private.user_json(p);
end
$$;

-- Lists everybody in every firm. Returns [user with revoked_at | null, …] by e-mail.
create function public.list_users() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(private.user_json(p) || jsonb_build_object('revoked_at', p.revoked_at) order by u.email collate "C"), '[]')
  from public.profiles p join auth.users u on u.id = p.user_id
$$;

-- Issues an access token, known by its SHA-256; OR409 for a person whose access is revoked. Returns {user_id, email, expires_at, label}.
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
  p := private.locked(p.user_id);
  if p.revoked_at is not null then
    raise exception 'The access of % is revoked. Reinstate the user first.', lower(btrim(email)) using errcode = 'OR409';
  end if;
  insert into private.access_tokens (token_sha256, user_id, expires_at, label)
  values (lower(token_sha256), p.user_id, expires_at, coalesce(label, ''));
  perform private.audit_person(p, 'issue_token', jsonb_build_object('expires_at', expires_at));
  return jsonb_build_object('user_id', p.user_id, 'email', lower(btrim(email)), 'expires_at', expires_at,
    'label', coalesce(label, ''));
end
$$;

-- Ends a person's access at once, however they signed in: the person becomes nobody to the rule and to every function, and their
-- tokens are void. Memberships and offices stay for reinstate_user. Returns the number of tokens that were valid.
create function public.revoke_user(email text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.profiles := private.user_by_email(email);
  revoked integer;
begin
  p := private.locked(p.user_id);
  update private.access_tokens t set revoked_at = now()
  where t.user_id = p.user_id and t.revoked_at is null and t.expires_at > now();
  get diagnostics revoked = row_count;
  update public.profiles x set revoked_at = coalesce(x.revoked_at, now()) where x.user_id = p.user_id;
  perform private.audit_person(p, 'revoke_user', jsonb_build_object('tokens', revoked));
  return to_jsonb(revoked);
end
$$;

-- Gives a person whose access was revoked the access of their memberships and offices again. Tokens stay void, and the next subject
-- of the identity provider with the verified address is linked anew. Returns user.
create function public.reinstate_user(email text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.profiles := private.user_by_email(email);
begin
  if p.revoked_at is null then
    raise exception 'The access of % is not revoked.', lower(btrim(email)) using errcode = 'OR409';
  end if;
  update public.profiles x set revoked_at = null where x.user_id = p.user_id;
  delete from private.provider_identities i where i.user_id = p.user_id;
  perform private.audit_person(p, 'reinstate_user');
  return private.user_json(p);
end
$$;

-- Makes a person a conflicts officer, or ends the office. Returns user.
create function public.set_conflicts_officer(email text, is_officer boolean) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.profiles := private.user_by_email(email);
begin
  update public.profiles x set is_conflicts_officer = coalesce(is_officer, false) where x.user_id = p.user_id returning x.* into p;
  perform private.audit_person(p, 'set_conflicts_officer', jsonb_build_object('is_conflicts_officer', p.is_conflicts_officer));
  return private.user_json(p);
end
$$;

-- Signs a subject of the identity provider in under a new access token. Returns {user_id, email} | null.
-- roles: of admin, conflicts_officer, member, as the provider's groups give them; the offices become those of the roles. With no
-- role nobody is signed in (null), tokens of earlier sign-ins by the provider are revoked, and the person's offices end. OR403 for
-- an address that is not the subject's (private.provider_user), and for a person whose access the operator has revoked.
create function public.sign_in_by_provider(
  issuer text, subject text, email text, email_verified boolean, display_name text, tenant text, roles jsonb, token_sha256 text,
  expires_at timestamptz
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  clean_email text := lower(btrim(email));
  person uuid;
begin
  if coalesce(issuer, '') = '' or coalesce(subject, '') = '' then
    perform private.invalid('A subject and its issuer are needed.');
  end if;
  if not roles ?| array['admin', 'conflicts_officer', 'member'] then
    select i.user_id into person from private.provider_identities i
    where i.issuer = sign_in_by_provider.issuer and i.subject = sign_in_by_provider.subject;
    update private.access_tokens t set revoked_at = now()
    where t.user_id = person and t.label = 'identity provider' and t.revoked_at is null;
    perform private.set_offices(person, false, false);
    return null;
  end if;
  person := private.provider_user(issuer, subject, clean_email, coalesce(email_verified, false), display_name, tenant);
  if (private.locked(person)).revoked_at is not null then
    raise exception 'Your access to Orderly has ended. Ask who runs this installation.' using errcode = 'OR403';
  end if;
  perform private.set_offices(person, roles ? 'admin', roles ? 'conflicts_officer');
  insert into private.access_tokens (token_sha256, user_id, expires_at, label)
  values (lower(sign_in_by_provider.token_sha256), person, sign_in_by_provider.expires_at, 'identity provider');
  return (
    select jsonb_build_object('user_id', u.id, 'email', u.email) from auth.users u where u.id = person
  );
end
$$;

-- Counts what the database holds, for the self-check. Returns {tenants, users, matters, documents, by_status: {status: number},
-- chunks, vectors_by_model: {model: number}, postgres, pgvector}.
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

-- == Privileges ==

revoke all on public.tenants, public.profiles, public.groups, public.group_members, public.withheld_tools
  from anon, authenticated, service_role;
grant all on public.tenants, public.profiles, public.groups, public.group_members, public.withheld_tools to service_role;
revoke all on private.access_tokens, private.provider_identities from public, anon, authenticated, service_role;
revoke all on function private.caller, private.admin, private.user_json, private.person_json, private.group_json,
  private.sign_in_record, private.user_by_email, private.locked, private.colleague, private.firm_group, private.provider_user,
  private.set_offices
  from public, anon, authenticated;
revoke all on function public.authenticate_token, public.whoami, public.list_people, public.add_person, public.set_person,
  public.list_groups, public.create_group, public.delete_group, public.set_group_member, public.withheld_tools,
  public.grant_tool, public.create_tenant, public.create_user, public.list_users, public.issue_token, public.revoke_user,
  public.reinstate_user, public.set_conflicts_officer, public.sign_in_by_provider, public.stats_for_doctor
  from public, anon, authenticated, service_role;
grant execute on function public.authenticate_token to anon;
grant execute on function public.whoami, public.list_people, public.add_person, public.set_person, public.list_groups,
  public.create_group, public.delete_group, public.set_group_member, public.withheld_tools, public.grant_tool to authenticated;
grant execute on function public.create_tenant, public.create_user, public.list_users, public.issue_token, public.revoke_user,
  public.reinstate_user, public.set_conflicts_officer, public.sign_in_by_provider, public.stats_for_doctor to service_role;

-- schemas/05_matters.sql

-- Matters and their folders, and the way from a matter to a folder, document, section and passage.
-- Members and walls stand in 06_access.sql.

-- == Tables ==

-- A name in lower case, with a hyphen for everything that is no letter or digit; at most 60 characters.
create function private.slug(name text) returns text
language sql immutable
set search_path = ''
as $$ select btrim(left(btrim(regexp_replace(lower(name), '[^a-z0-9]+', '-', 'g'), '-'), 60), '-') $$;

-- kind: a workspace is the private matter of one conversation (thread_id).
-- number: unique among the matters that a person may read. Uniqueness in the firm would tell who creates a matter which numbers
-- stand behind walls.
-- slug: the title and the beginning of the id, so that it tells nobody that another matter has the same title. No number has its
-- form (private.check_number).
create table public.matters (
  id uuid primary key default gen_random_uuid(),
  tenant_id uuid not null references public.tenants (id),
  number text not null check (btrim(number) <> ''),
  title text not null check (btrim(title) <> ''),
  kind text not null default 'matter' check (kind in ('matter', 'workspace')),
  thread_id text,
  created_by uuid references public.profiles (user_id) on delete set null,
  created_at timestamptz not null default now(),
  archived_at timestamptz,
  -- Outside processors that the matter allows (14_policies.sql); null: those of the firm.
  allowed_processors text[],
  slug text not null generated always as (coalesce(nullif(private.slug(title), ''), 'matter') || '--' || left(id::text, 8)) stored,
  check ((kind = 'workspace') = (thread_id is not null)),
  constraint matters_processors check (allowed_processors <@ array['model', 'isaacus', 'vision', 'colivara'])
);
create index matters_number on public.matters (tenant_id, lower(number));
create unique index workspaces_number on public.matters (tenant_id, number) where kind = 'workspace';
create unique index matters_thread on public.matters (tenant_id, thread_id) where thread_id is not null;
create unique index matters_slug on public.matters (tenant_id, slug);
alter table public.matters enable row level security;
create policy "matter is one of my_matter_ids" on public.matters
  for select to authenticated using (id = any (array(select private.my_matter_ids())));

create table public.folders (
  id uuid primary key default gen_random_uuid(),
  matter_id uuid not null references public.matters (id) on delete cascade,
  parent_id uuid references public.folders (id) on delete cascade,
  name text not null check (btrim(name) <> ''),
  created_at timestamptz not null default now()
);
create unique index folders_name on public.folders (matter_id, parent_id, lower(name)) nulls not distinct;
alter table public.folders enable row level security;
create policy "folder of one of my_matter_ids" on public.folders
  for select to authenticated using (matter_id = any (array(select private.my_matter_ids())));

-- == Private functions: matters ==

-- matter = {id, number, slug, title, kind, role, document_count, created_at, archived_at}; role: the caller's own
create function private.matter_json(m public.matters) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', m.id, 'number', m.number, 'slug', m.slug, 'title', m.title, 'kind', m.kind,
    'role', (select mm.role from public.matter_members mm where mm.matter_id = m.id and mm.user_id = (select auth.uid())),
    'document_count', (select count(*) from private.readable_documents(m.id)),
    'created_at', m.created_at, 'archived_at', m.archived_at
  )
$$;

-- Whether a reference is the id, the number or the slug of a matter.
create function private.is_named(m public.matters, ref text) returns boolean
language sql immutable
set search_path = ''
as $$ select m.id = private.as_uuid(ref) or lower(m.number) = lower(btrim(ref)) or m.slug = lower(btrim(ref)) $$;

-- The matter among these that a reference names; a row of nulls where there is none. Raises OR400 where several have the number,
-- as after a wall was lifted.
create function private.named_matter(candidates uuid[], ref text) returns public.matters
language plpgsql stable security definer
set search_path = ''
as $$
declare
  named uuid[] := array(
    select m.id from public.matters m where m.id = any (candidates) and private.is_named(m, ref)
    order by (m.id = private.as_uuid(ref)) desc nulls last
  );
  m public.matters;
begin
  if cardinality(named) > 1 and named[1] is distinct from private.as_uuid(ref) then
    perform private.invalid(
      format('%s matters have the number ''%s''; name one by its slug or id.', cardinality(named), btrim(ref)));
  end if;
  select x.* into m from public.matters x where x.id = named[1];
  return m;
end
$$;

-- The readable matter that alone has this title, in any case; null where there is none. Raises OR400 where several have it.
create function private.titled_matter(ref text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  titled uuid[] := array(
    select m.id from public.matters m
    where m.kind = 'matter' and lower(m.title) = lower(btrim(ref)) and m.id in (select private.my_matter_ids())
  );
begin
  if cardinality(titled) > 1 then
    perform private.invalid(format('%s matters are called ''%s''; name one by its number.', cardinality(titled), btrim(ref)));
  end if;
  return titled[1];
end
$$;

-- Finds a readable matter by id, number or slug, else by a title that only one has. Raises OR404, or OR403 where the caller's
-- role in the matter is below needed_role.
create function private.open_matter(ref text, needed_role text default 'viewer') returns public.matters
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  found_matter public.matters;
  my_role text;
  ranks constant text[] := array['viewer', 'editor', 'owner'];
begin
  found_matter := private.named_matter(array(
    select m.id from public.matters m
    where m.tenant_id = me.tenant_id
      and (m.id = private.as_uuid(ref) or lower(m.number) = lower(btrim(ref)) or m.slug = lower(btrim(ref)))
      and m.id in (select private.my_matter_ids_among(m.id))
  ), ref);
  if found_matter.id is null then
    select m.* into found_matter from public.matters m where m.id = private.titled_matter(ref);
  end if;
  if found_matter.id is null then
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

-- The matters of a firm that a reference may name, readable or not; no workspaces.
create function private.matters_of_firm(tenant uuid, ref text) returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select array(
    select m.id from public.matters m
    where m.tenant_id = tenant and m.kind = 'matter'
      and (m.id = private.as_uuid(ref) or lower(m.number) = lower(btrim(ref)) or m.slug = lower(btrim(ref)))
  )
$$;

-- Finds a matter of the administrator's firm, readable or not; no workspaces.
create function private.firm_matter(ref text) returns public.matters
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.admin();
  m public.matters;
begin
  m := private.named_matter(private.matters_of_firm(me.tenant_id, ref), ref);
  if m.id is null then
    perform private.not_found('matter', ref);
  end if;
  return m;
end
$$;

-- Finds the matter of a firm behind an id of any kind, a number or slug, or a conversation, readable or not: for the record
-- alone. Behind a conversation stands the matter that has closed it.
create function private.matter_named(tenant uuid, ref text) returns public.matters
language sql stable security definer
set search_path = ''
as $$
  select m.* from (
    select x.id from public.matters x
    where x.tenant_id = tenant and (x.id = private.as_uuid(ref) or lower(x.number) = lower(btrim(ref)) or x.slug = lower(btrim(ref)))
    union all select d.matter_id from public.documents d where d.id = private.as_uuid(ref)
    union all select c.matter_id from public.chunks c where c.id = private.as_uuid(ref)
    union all select f.matter_id from public.folders f where f.id = private.as_uuid(ref)
    union all select d.matter_id from public.citations c join public.documents d on d.id = c.document_id where c.id = private.as_uuid(ref)
    union all
    select d.matter_id from public.sections s join public.document_revisions r on r.id = s.revision_id
    join public.documents d on d.id = r.document_id where s.id = private.as_uuid(ref)
    union all
    select r.matter_id from public.thread_reads r
    where r.thread_id = ref and r.user_id = (select auth.uid()) and r.matter_id not in (select private.my_matter_ids_among(null, true))
  ) named join public.matters m on m.id = named.id and m.tenant_id = tenant
  limit 1
$$;

-- The next number "M-<year>-NNN" of a firm. The lock on the firm's row keeps two matters from getting the same number.
create function private.next_matter_number(tenant uuid) returns text
language plpgsql security definer
set search_path = ''
as $$
declare
  prefix text := 'M-' || extract(year from now() at time zone 'UTC') || '-';
  last_used bigint;
begin
  perform from public.tenants t where t.id = tenant for update;
  select max(substr(m.number, length(prefix) + 1)::bigint) into last_used
  from public.matters m
  where m.tenant_id = tenant and m.number ~ ('^' || prefix || '[0-9]{1,15}$');
  return prefix || lpad((coalesce(last_used, 0) + 1)::text, greatest(3, length((coalesce(last_used, 0) + 1)::text)), '0');
end
$$;

-- Raises OR400 unless a title is one line of visible text.
create function private.check_title(title text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(btrim(title), '') = '' then
    perform private.invalid('A matter needs a title.');
  end if;
  if not private.is_plain(title) then
    perform private.invalid('A matter''s title is one line of visible text.');
  end if;
end
$$;

-- Returns a chosen number without surrounding blanks; null for none. Raises OR400 where it could be taken for something else.
create function private.check_number(number text) returns text
language plpgsql
set search_path = ''
as $$
begin
  if not private.is_plain(number) then
    perform private.invalid('A matter number is one line of visible text.');
  end if;
  if private.as_uuid(btrim(number)) is not null or btrim(number) ~* '--[0-9a-f]{8}$|^chat-' then
    perform private.invalid('A matter number must not look like an id or a slug.');
  end if;
  return nullif(btrim(number), '');
end
$$;

-- == Private functions: folders ==

-- folder = {id, matter_id, parent_id, name}
create function private.folder_json(f public.folders) returns jsonb
language sql immutable
set search_path = ''
as $$ select jsonb_build_object('id', f.id, 'matter_id', f.matter_id, 'parent_id', f.parent_id, 'name', f.name) $$;

-- Returns the id of a matter's folder; null for null. Raises OR404.
create function private.open_folder(m public.matters, ref text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if ref is not null and not exists (
    select from public.folders f where f.id = private.as_uuid(ref) and f.matter_id = m.id
  ) then
    perform private.not_found('folder', ref);
  end if;
  return private.as_uuid(ref);
end
$$;

-- Finds a folder that the caller may edit, and locks its matter: two concurrent moves could otherwise make a cycle.
create function private.lock_editable_folder(ref text) returns public.folders
language plpgsql security definer
set search_path = ''
as $$
declare
  place private.located := private.locate(ref);
  f public.folders;
begin
  if place.kind is distinct from 'folder' then
    perform private.not_found('folder', ref);
  end if;
  perform private.open_matter(place.matter_id::text, 'editor');
  perform from public.matters m where m.id = place.matter_id for update;
  select x.* into f from public.folders x where x.id = place.folder_id;
  if not found then
    perform private.not_found('folder', ref);
  end if;
  return f;
end
$$;

-- The folder and those around it, innermost first.
create function private.folder_chain(folder uuid) returns table (id uuid, name text, depth integer)
language sql stable security definer
set search_path = ''
as $$
  with recursive up as (
    select f.id, f.name, f.parent_id, 0 as depth from public.folders f where f.id = folder
    union all
    select f.id, f.name, f.parent_id, up.depth + 1 from public.folders f join up on f.id = up.parent_id
  )
  select up.id, up.name, up.depth from up
$$;

-- The same as [{id, name}, …], outermost first.
create function private.folders_json(folder uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'name', c.name) order by c.depth desc), '[]')
  from private.folder_chain(folder) c
$$;

-- Checks a folder's name and returns it without surrounding blanks.
create function private.check_folder_name(name text) returns text
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(btrim(name), '') = '' or length(name) > 255 or not private.is_plain(name) then
    perform private.invalid('A folder''s name is one line of visible text, of at most 255 characters.');
  end if;
  return btrim(name);
end
$$;

-- Raises OR409 where another folder in the same place has the name, in any case.
create function private.name_is_free(matter uuid, parent uuid, name text, itself uuid) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if exists (
    select from public.folders f
    where f.matter_id = matter and f.parent_id is not distinct from parent
      and lower(f.name) = lower(name_is_free.name) and f.id is distinct from itself
  ) then
    raise exception 'There is a folder of that name already.' using errcode = 'OR409';
  end if;
end
$$;

-- == Private functions: nodes ==
-- A node is a matter, folder, document, section, passage or citation. One id names any of them.

create type private.located as (
  kind text, matter_id uuid, folder_id uuid, document_id uuid, revision_id uuid, section_id uuid, chunk_id uuid, citation_id uuid
);

-- Finds the node of an id; a matter also by number, slug or a title that only one has, a document by a file name that only one
-- has. kind is null where it is missing or not readable.
create function private.locate(ref text) returns private.located
language plpgsql stable security definer
set search_path = ''
as $$
declare
  wanted uuid := private.as_uuid(btrim(ref));
  place private.located;
  mine uuid[];
begin
  perform private.caller();
  mine := array(select private.my_matter_ids());
  select 'matter', m.id into place.kind, place.matter_id from private.named_matter(mine, ref) m where m.id is not null;
  if not found and wanted is null then
    select 'matter', m.id into place.kind, place.matter_id from public.matters m where m.id = private.titled_matter(ref);
    if not found then
      select 'document', d.matter_id, d.folder_id, d.id, d.current_revision_id
      into place.kind, place.matter_id, place.folder_id, place.document_id, place.revision_id
      from public.documents d where d.id = private.named_document(ref);
    end if;
  end if;
  if found or wanted is null then
    return place;
  end if;
  select 'folder', f.matter_id, f.id into place.kind, place.matter_id, place.folder_id from public.folders f
  where f.id = wanted and f.matter_id = any (mine);
  if found then
    return place;
  end if;
  select o.kind, d.matter_id, d.folder_id, d.id, o.revision_id, o.section_id, o.chunk_id, o.citation_id into place
  from (
    select 'document' as kind, x.id as document_id, x.current_revision_id as revision_id, null::uuid as section_id,
      null::uuid as chunk_id, null::uuid as citation_id
    from public.documents x where x.id = wanted
    union all
    select 'section', r.document_id, r.id, s.id, null, null
    from public.sections s join public.document_revisions r on r.id = s.revision_id and r.published_at is not null
    where s.id = wanted
    union all
    select 'passage', c.document_id, c.revision_id, c.section_id, c.id, null
    from public.chunks c join public.document_revisions r on r.id = c.revision_id and r.published_at is not null
    where c.id = wanted
    union all
    select 'passage', r.document_id, r.id, null, wanted, null
    from public.document_revisions r where r.former_passages @> array[wanted]
    union all
    select 'citation', c.document_id, c.revision_id, c.section_id, null, c.id from public.citations c where c.id = wanted
  ) o
  join public.documents d on d.id = o.document_id
  where d.matter_id = any (mine) and d.id = any (array(select private.readable_documents(d.matter_id)))
  limit 1;
  return place;
end
$$;

-- Raises OR400 for a passage of an earlier revision: publishing a later one removed it.
create function private.check_current_passage(place private.located) returns void
language plpgsql stable security definer
set search_path = ''
as $$
declare
  d public.documents;
begin
  if place.kind is distinct from 'passage' or exists (select from public.chunks c where c.id = place.chunk_id) then
    return;
  end if;
  select x.* into d from public.documents x where x.id = place.document_id;
  perform private.invalid(format(
    '%s is a passage of an earlier reading of %s, which has been read again since. Search the document again, or read it: '
    'its id is %s.', place.chunk_id, d.filename, d.id));
end
$$;

-- Finds the node of an id. Raises OR404, and OR400 for a passage of an earlier revision.
create function private.open_node(ref text) returns private.located
language plpgsql stable security definer
set search_path = ''
as $$
declare
  place private.located := private.locate(ref);
begin
  if place.kind is null then
    perform private.not_found('item', ref);
  end if;
  perform private.check_current_passage(place);
  return place;
end
$$;

-- The matter that a node belongs to.
create function private.matter_at(place private.located) returns public.matters
language sql stable security definer
set search_path = ''
as $$ select m.* from public.matters m where m.id = place.matter_id $$;

-- The span of the revision's text that a node covers; of a document all of it.
create function private.span_of(place private.located) returns int4range
language sql stable security definer
set search_path = ''
as $$
  select case place.kind
    when 'section' then (select int4range(s.start_char, s.end_char) from public.sections s where s.id = place.section_id)
    when 'passage' then (select int4range(c.start_char, c.end_char) from public.chunks c where c.id = place.chunk_id)
    else int4range(0, 2147483647)
  end
$$;

-- A matter in a list: {kind: 'matter', id, name, number, title, document_count, archived}
create function private.matter_item(m public.matters) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'kind', 'matter', 'id', m.id, 'name', m.number || ' ' || m.title, 'number', m.number, 'title', m.title,
    'document_count', (select count(*) from private.readable_documents(m.id)), 'archived', m.archived_at is not null
  )
$$;

-- A folder in a list: {kind: 'folder', id, name, folder_count, document_count}
create function private.folder_item(f public.folders) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'kind', 'folder', 'id', f.id, 'name', f.name,
    'folder_count', (select count(*) from public.folders x where x.parent_id = f.id),
    'document_count', (
      select count(*) from public.documents d
      where d.folder_id = f.id and d.id = any (array(select private.readable_documents(f.matter_id)))
    )
  )
$$;

-- One page of the readable matters: {total, items: [item, …]}; archived ones last, then by number.
create function private.matters_page(match_count integer, skip integer) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with mine as (
    select m from public.matters m where m.id = any (array(select private.my_matter_ids()))
  )
  select jsonb_build_object('total', (select count(*) from mine), 'items', (
    select coalesce(jsonb_agg(private.matter_item(p.m) order by p.n), '[]')
    from (
      select mine.m, row_number() over (order by ((mine.m).archived_at is not null), (mine.m).number collate "C") as n
      from mine order by n limit match_count offset skip
    ) p
  ))
$$;

-- One page of what lies in a folder, or (null) at the top of a matter: {total, items: [item, …]}; folders first, each by name.
create function private.folder_page(matter uuid, folder uuid, match_count integer, skip integer) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with held as (
    select 0 as rank, lower(f.name) as name, f.id::text as tie, f, null::public.documents as d
    from public.folders f where f.matter_id = matter and f.parent_id is not distinct from folder
    union all
    select 1, lower(d.filename), to_char(d.upload_order, 'FM0000000000000000000'), null::public.folders, d
    from public.documents d
    where d.matter_id = matter and d.folder_id is not distinct from folder
      and d.id = any (array(select private.readable_documents(matter)))
  )
  select jsonb_build_object('total', (select count(*) from held), 'items', (
    select coalesce(jsonb_agg(
      case p.rank when 0 then private.folder_item(p.f) else private.document_item(p.d) end
      order by p.rank, p.name collate "C", p.tie
    ), '[]')
    from (
      select * from held order by held.rank, held.name collate "C", held.tie limit match_count offset skip
    ) p
  ))
$$;

-- == As the caller (role authenticated): matters ==

-- Lists the readable matters. Returns [matter, …]; archived ones last, then by number.
create function public.list_matters() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  result jsonb;
begin
  select coalesce(jsonb_agg(private.matter_json(m) order by (m.archived_at is not null), m.number collate "C"), '[]')
  into result
  from public.matters m
  where m.id = any (array(select private.my_matter_ids()));
  perform private.audit('list_matters', null, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

-- Describes a matter. Returns matter.
create function public.get_matter(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
begin
  perform private.audit('get_matter', m);
  return private.matter_json(m);
end
$$;

-- Creates a matter that the caller owns; number null: the next number of the firm. Returns matter. OR409: a matter that the
-- caller may read has the number.
create function public.create_matter(title text, number text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  wanted text;
  m public.matters;
begin
  perform private.check_title(create_matter.title);
  wanted := coalesce(private.check_number(create_matter.number), private.next_matter_number(me.tenant_id));
  perform from public.tenants t where t.id = me.tenant_id for update;
  if exists (
    select from public.matters x
    where x.tenant_id = me.tenant_id and lower(x.number) = lower(wanted) and x.id in (select private.my_matter_ids())
  ) then
    raise exception 'Matter number % is taken.', wanted using errcode = 'OR409';
  end if;
  insert into public.matters (tenant_id, number, title, created_by)
  values (me.tenant_id, wanted, btrim(create_matter.title), me.user_id)
  returning * into m;
  insert into public.matter_members (matter_id, user_id, role) values (m.id, me.user_id, 'owner');
  perform private.audit('create_matter', m, null, jsonb_build_object('number', m.number, 'title', m.title));
  return private.matter_json(m);
end
$$;

-- Changes a matter, for its owners. changes: any of {title, archived}. Returns matter.
-- seen: the fields as the caller saw them (OR409, detail changed, where they differ). An archived matter accepts no files.
create function public.edit_matter(matter_ref text, changes jsonb, seen jsonb default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'owner');
  before jsonb;
begin
  perform private.check_changes(changes, array['title', 'archived']);
  select x.* into m from public.matters x where x.id = m.id for update;
  before := jsonb_build_object('title', m.title, 'archived', m.archived_at is not null);
  perform private.check_unchanged(seen, before);
  if changes ? 'title' then
    perform private.check_title(changes ->> 'title');
  end if;
  if changes ? 'archived' and jsonb_typeof(changes -> 'archived') <> 'boolean' then
    perform private.invalid('archived is true or false.');
  end if;
  update public.matters u
  set title = coalesce(btrim(changes ->> 'title'), u.title),
    archived_at = case when not changes ? 'archived' then u.archived_at
      when (changes ->> 'archived')::boolean then coalesce(u.archived_at, now()) end
  where u.id = m.id
  returning u.* into m;
  perform private.audit('edit_matter', m, null, jsonb_build_object('before', before, 'changes', changes));
  return private.matter_json(m);
end
$$;

-- Lists the matters of the firm, for administrators; no workspaces and no documents.
-- Returns [{id, number, title, archived_at, owners: [email, …], member_count}, …] by number.
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

-- == As the caller (role authenticated): folders ==

-- Lists the folders of a matter. Returns [folder + {folder_count, document_count}, …] by name.
create function public.list_folders(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(private.folder_json(f) || jsonb_build_object(
    'folder_count', (select count(*) from public.folders x where x.parent_id = f.id),
    'document_count', (
      select count(*) from public.documents d
      where d.folder_id = f.id and d.id = any (array(select private.readable_documents(m.id)))
    )) order by lower(f.name) collate "C", f.id), '[]') into result
  from public.folders f where f.matter_id = m.id;
  perform private.audit('list_folders', m, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

-- Creates a folder, for editors. Returns folder. Folders nest at most 50 deep.
create function public.create_folder(matter_ref text, name text, parent_id text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'editor');
  parent uuid := private.open_folder(m, parent_id);
  clean text := private.check_folder_name(create_folder.name);
  f public.folders;
begin
  perform from public.matters locked where locked.id = m.id for update;
  if (select count(*) from private.folder_chain(parent)) >= 50 then
    perform private.invalid('Folders can be nested 50 deep.');
  end if;
  perform private.name_is_free(m.id, parent, clean, null);
  insert into public.folders (matter_id, parent_id, name) values (m.id, parent, clean) returning * into f;
  perform private.audit('create_folder', m, null, private.folder_json(f));
  return private.folder_json(f);
end
$$;

-- Renames a folder, for editors. Returns folder.
create function public.rename_folder(folder_id text, name text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.folders := private.lock_editable_folder(folder_id);
  clean text := private.check_folder_name(rename_folder.name);
  m public.matters;
begin
  perform private.name_is_free(f.matter_id, f.parent_id, clean, f.id);
  update public.folders u set name = clean where u.id = f.id returning u.* into f;
  select x.* into m from public.matters x where x.id = f.matter_id;
  perform private.audit('rename_folder', m, null, private.folder_json(f));
  return private.folder_json(f);
end
$$;

-- Moves a folder within its matter, for editors; parent_id null: to the top. Returns folder.
create function public.move_folder(folder_id text, parent_id text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.folders := private.lock_editable_folder(folder_id);
  m public.matters;
  parent uuid;
begin
  select x.* into m from public.matters x where x.id = f.matter_id;
  parent := private.open_folder(m, parent_id);
  if parent in (
    with recursive below as (
      select f.id
      union
      select x.id from public.folders x join below on x.parent_id = below.id
    )
    select below.id from below
  ) then
    perform private.invalid('A folder cannot be moved into itself.');
  end if;
  if (select count(*) from private.folder_chain(parent)) >= 50 then
    perform private.invalid('Folders can be nested 50 deep.');
  end if;
  perform private.name_is_free(f.matter_id, parent, f.name, f.id);
  update public.folders u set parent_id = parent where u.id = f.id returning u.* into f;
  perform private.audit('move_folder', m, null, private.folder_json(f));
  return private.folder_json(f);
end
$$;

-- Changes a folder, for editors. changes: any of {name, parent_id}; seen as in edit_matter. Returns folder.
create function public.edit_folder(folder_id text, changes jsonb, seen jsonb default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.folders := private.lock_editable_folder(folder_id);
  result jsonb;
begin
  perform private.check_changes(changes, array['name', 'parent_id']);
  perform private.check_unchanged(seen, private.folder_json(f));
  if changes ? 'name' then
    result := public.rename_folder(f.id::text, changes ->> 'name');
  end if;
  if changes ? 'parent_id' then
    result := public.move_folder(f.id::text, changes ->> 'parent_id');
  end if;
  return result;
end
$$;

-- Deletes an empty folder, for editors; OR409 for any other. Returns the deleted folder.
create function public.delete_folder(folder_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.folders := private.lock_editable_folder(folder_id);
  m public.matters;
begin
  select x.* into m from public.matters x where x.id = f.matter_id;
  if exists (select from public.folders x where x.parent_id = f.id)
    or exists (select from public.documents d where d.folder_id = f.id and d.deleted_at is null)
  then
    raise exception 'Only an empty folder can be removed.' using errcode = 'OR409';
  end if;
  delete from public.folders x where x.id = f.id;
  perform private.audit('delete_folder', m, null, private.folder_json(f));
  return private.folder_json(f);
end
$$;

-- == As the caller (role authenticated): finding the way ==

-- Describes a node and where it stands. Returns {kind, id, parent_id | null, current, matter, folders, document | null, sections,
-- passage | null, citation | null, span | null}.
--   kind: matter, folder, document, section, passage or citation. parent_id: the node that holds it.
--   current: false where an id belongs to an earlier revision of its document.
--   folders: [{id, name}, …] from the matter down. document: as get_document, without storage_key.
--   sections: [section, …] from the outermost down. passage: {id, ordinal, section_id, page_first, page_last}.
--   citation: as get_citation. span, of a section or passage: {start, end, char_count, chunk_count}.
create function public.get_node(path_part_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  place private.located := private.open_node(path_part_id);
  d public.documents;
  span int4range := private.span_of(place);
begin
  select x.* into d from public.documents x where x.id = place.document_id;
  perform private.audit('get_node', private.matter_at(place), place.document_id,
    jsonb_build_object('kind', place.kind, 'id', path_part_id));
  return jsonb_build_object(
    'kind', place.kind,
    'id', coalesce(place.citation_id, place.chunk_id, case when place.kind = 'section' then place.section_id end,
      place.document_id, place.folder_id, place.matter_id),
    'parent_id', case place.kind
      when 'matter' then null
      when 'folder' then coalesce((select f.parent_id from public.folders f where f.id = place.folder_id), place.matter_id)
      when 'document' then coalesce(place.folder_id, place.matter_id)
      when 'section' then coalesce((
        select up.id from public.sections s join public.sections up on up.revision_id = s.revision_id and up.ordinal = s.parent
        where s.id = place.section_id), place.document_id)
      else coalesce(place.section_id, place.document_id)
    end,
    'current', place.document_id is null or place.revision_id is not distinct from d.current_revision_id,
    'matter', private.matter_json(private.matter_at(place)),
    'folders', private.folders_json(place.folder_id),
    'document', case when d.id is not null then private.full_document_json(d) - 'storage_key' end,
    'sections', private.section_chain_json(place.section_id),
    'passage', (
      select jsonb_build_object('id', c.id, 'ordinal', c.ordinal, 'section_id', c.section_id, 'page_first', c.page_first,
        'page_last', c.page_last)
      from public.chunks c where c.id = place.chunk_id
    ),
    'citation', (select private.citation_json(c) from public.citations c where c.id = place.citation_id),
    'span', case when place.kind in ('section', 'passage') then jsonb_build_object(
      'start', lower(span), 'end', upper(span), 'char_count', upper(span) - lower(span),
      'chunk_count', private.chunk_total(place.revision_id, span)
    ) end
  );
end
$$;

-- Lists what lies in a matter or folder; null: the readable matters. Returns {node | null, total, items: [item, …]}.
--   item = {kind: matter | folder | document, id, name, …}: the shapes beside private.matter_item, folder_item and document_item.
--   node = {kind, id, matter: item, folders: [{id, name}, …]}. OR400 for a node that holds neither.
create function public.list_contents(path_part_id text default null, match_count integer default 20, skip integer default 0)
returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  place private.located;
  result jsonb;
begin
  skip := greatest(coalesce(skip, 0), 0);
  if path_part_id is null then
    result := private.matters_page(private.row_limit(match_count), skip);
    perform private.audit('list_contents', null, null, jsonb_build_object('total', result -> 'total'));
    return result || jsonb_build_object('node', null);
  end if;
  place := private.open_node(path_part_id);
  if place.kind not in ('matter', 'folder') then
    perform private.invalid('Only a matter or a folder can be listed.');
  end if;
  result := private.folder_page(place.matter_id, place.folder_id, private.row_limit(match_count), skip);
  perform private.audit('list_contents', private.matter_at(place), null,
    jsonb_build_object('folder_id', place.folder_id, 'total', result -> 'total'));
  return result || jsonb_build_object('node', jsonb_build_object(
    'kind', place.kind, 'id', coalesce(place.folder_id, place.matter_id),
    'matter', private.matter_item(private.matter_at(place)), 'folders', private.folders_json(place.folder_id)
  ));
end
$$;

-- Finds matters, folders and documents by a part of their name, in any case, in every readable matter.
-- kind: FOLDER (matters too) or DOCUMENT. Returns {total, items: [item + {matter_number, folders}, …]}, the best match first.
create function public.find_by_name(
  name text, kind text default null, match_count integer default 20, skip integer default 0
) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  me public.profiles := private.caller();
  wanted text := lower(btrim(find_by_name.name));
  mine uuid[] := array(select private.my_matter_ids());
  result jsonb;
begin
  if coalesce(wanted, '') = '' then
    perform private.invalid('Give the name, or a part of it.');
  end if;
  if find_by_name.kind is not null and find_by_name.kind not in ('FOLDER', 'DOCUMENT') then
    perform private.invalid('kind is FOLDER or DOCUMENT.');
  end if;
  with matching as materialized (
    select 0 as rank, lower(m.number || ' ' || m.title) as label, m.id, m, null::public.folders as f, null::public.documents as d
    from public.matters m
    where m.id = any (mine) and find_by_name.kind is distinct from 'DOCUMENT'
      and position(wanted in lower(m.number || ' ' || m.title)) > 0
    union all
    select 1, lower(f.name), f.id, m, f, null::public.documents
    from public.folders f join public.matters m on m.id = f.matter_id
    where f.matter_id = any (mine) and find_by_name.kind is distinct from 'DOCUMENT' and position(wanted in lower(f.name)) > 0
    union all
    select 2, lower(d.filename), d.id, m, null::public.folders, d
    from public.documents d join public.matters m on m.id = d.matter_id
    where d.id = any (array(select private.readable_documents())) and find_by_name.kind is distinct from 'FOLDER'
      and position(wanted in lower(d.filename)) > 0
  ), page as (
    select k.*, row_number() over (
      order by (k.label = wanted) desc, (position(wanted in k.label) = 1) desc, k.rank, k.label collate "C", k.id
    ) as n
    from matching k order by n limit private.row_limit(match_count) offset greatest(coalesce(skip, 0), 0)
  )
  select jsonb_build_object('total', (select count(*) from matching), 'items', (
    select coalesce(jsonb_agg(
      case p.rank when 0 then private.matter_item(p.m) when 1 then private.folder_item(p.f) else private.document_item(p.d) end
      || jsonb_build_object('matter_number', (p.m).number, 'folders', private.folders_json(
        case p.rank when 1 then (p.f).parent_id when 2 then (p.d).folder_id end))
      order by p.n
    ), '[]') from page p
  )) into result;
  perform private.audit('find_by_name', null, null,
    jsonb_build_object('name', find_by_name.name, 'kind', find_by_name.kind, 'total', result -> 'total',
      'given', jsonb_path_query_array(result, '$.items[*] ? (@.kind == "document").id')));
  return result;
end
$$;

-- Reads the texts of a matter, in the order of upload, for search by regular expressions; query is recorded.
-- Returns {total, next, documents: [{document_id, document_name, revision_id, paged, text, spans, apart}, …]}: at least one
-- document, and as many as fit into max_chars. next: the `after` of the next page, null at the end. within: ids of documents,
-- folders and sections. spans: [[start, end], …] to search in; null: the whole text. apart: words kept out of the text, as of
-- private.apart_json; empty where within names sections.
create function public.matter_texts(
  matter_id text, query text, after bigint default 0, max_chars integer default 2000000, within jsonb default null
) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  m public.matters := private.open_matter(matter_id);
  scope jsonb;
  result jsonb;
  going_on bigint;
begin
  with inside as materialized (
    select s.revision_id, bool_or(s.span_end = 2147483647 and s.span_start = 0) as whole,
      jsonb_agg(jsonb_build_array(s.span_start, s.span_end) order by s.span_start, s.span_end) as spans
    from private.scope(m, within) s where s.revision_id is not null group by s.revision_id
  ), coming as (
    select d.id, d.filename, d.upload_order, r.id as revision_id, r.paged, r.text, r.char_count,
      case when i.whole then null else i.spans end as spans,
      sum(r.char_count) over (order by d.upload_order) - r.char_count as before,
      row_number() over (order by d.upload_order) as n
    from inside i
    join public.document_revisions r on r.id = i.revision_id
    join public.documents d on d.id = r.document_id
    where d.upload_order > coalesce(after, 0)
  ), taken as materialized (
    select c.* from coming c where c.n = 1 or c.before + c.char_count <= least(greatest(max_chars, 1), 20000000)
  )
  select coalesce(jsonb_agg(jsonb_build_object(
      'document_id', t.id, 'document_name', t.filename, 'revision_id', t.revision_id, 'paged', t.paged, 'text', t.text,
      'spans', t.spans, 'apart', case when t.spans is null then (
        select private.apart_json(r) from public.document_revisions r where r.id = t.revision_id
      ) else '[]' end
    ) order by t.upload_order), '[]'),
    case when count(*) < (select count(*) from coming) then max(t.upload_order) end,
    (select jsonb_build_object('total', count(*)) from inside)
  into result, going_on, scope
  from taken t;
  perform private.audit('matter_texts', m, null,
    jsonb_build_object('query', query, 'within', within, 'documents', jsonb_array_length(result),
      'given', private.given(result)));
  return scope || jsonb_build_object('next', going_on, 'documents', result);
end
$$;

-- == Privileges ==

revoke all on public.matters, public.folders from anon, authenticated, service_role;
grant all on public.matters, public.folders to service_role;
revoke all on function private.slug, private.is_named, private.named_matter, private.matters_of_firm, private.check_title,
  private.check_number, private.matter_json, private.titled_matter, private.open_matter, private.firm_matter,
  private.matter_named, private.next_matter_number, private.folder_json, private.open_folder, private.lock_editable_folder,
  private.folder_chain,
  private.folders_json, private.check_folder_name, private.name_is_free, private.locate, private.check_current_passage, private.open_node, private.matter_at,
  private.span_of, private.matter_item, private.folder_item, private.matters_page, private.folder_page
  from public, anon, authenticated;
revoke all on function public.list_matters, public.get_matter, public.create_matter, public.edit_matter, public.firm_matters,
  public.list_folders, public.create_folder, public.rename_folder, public.move_folder, public.edit_folder, public.delete_folder,
  public.get_node, public.list_contents, public.find_by_name, public.matter_texts
  from public, anon, authenticated, service_role;
grant execute on function public.list_matters, public.get_matter, public.create_matter, public.edit_matter, public.firm_matters,
  public.list_folders, public.create_folder, public.rename_folder, public.move_folder, public.edit_folder, public.delete_folder,
  public.get_node, public.list_contents, public.find_by_name, public.matter_texts to authenticated;

-- schemas/06_access.sql

-- Access: who works on a matter (members), who must not see it (walls), and documents kept for a group.
-- The rule that these tables feed stands in 02_rule.sql.

-- == Tables ==

create table public.matter_members (
  matter_id uuid not null references public.matters (id) on delete cascade,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  role text not null check (role in ('owner', 'editor', 'viewer')),
  added_at timestamptz not null default now(),
  primary key (matter_id, user_id)
);
create index matter_members_user on public.matter_members (user_id, matter_id);
alter table public.matter_members enable row level security;
create policy "membership of one of my_matter_ids" on public.matter_members
  for select to authenticated using (matter_id = any (array(select private.my_matter_ids())));

-- An ethical wall: it denies one person a matter while it is in force, whatever membership they have. An owner of the matter or a
-- conflicts officer puts it up; a conflicts officer other than the screened person lifts it.
-- The table has no policy: who is screened, and why, is read through the functions alone.
create table public.matter_screens (
  id uuid primary key default gen_random_uuid(),
  matter_id uuid not null references public.matters (id) on delete cascade,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  reason text not null check (btrim(reason) <> ''),
  starts_at timestamptz not null default now(),
  -- Null: without an end.
  ends_at timestamptz,
  created_at timestamptz not null default now(),
  -- created_by and lifted_by: null where that person's profile is gone.
  created_by uuid references public.profiles (user_id) on delete set null,
  lifted_at timestamptz,
  lifted_by uuid references public.profiles (user_id) on delete set null,
  check (ends_at is null or ends_at > starts_at)
);
create index matter_screens_user on public.matter_screens (user_id, matter_id);
alter table public.matter_screens enable row level security;

-- == Private functions ==

-- member = {user_id, email, display_name, role, added_at}
create function private.member_json(mm public.matter_members) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'user_id', mm.user_id, 'email', u.email, 'display_name', p.display_name, 'role', mm.role, 'added_at', mm.added_at
  )
  from public.profiles p join auth.users u on u.id = p.user_id
  where p.user_id = mm.user_id
$$;

-- Wakes the watchers of a matter, so that access that ends does so in open pages at once.
create function private.announce_access() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  perform pg_notify('orderly_documents', coalesce(new.matter_id, old.matter_id)::text);
  return null;
end
$$;
create trigger announce_access after update or delete on public.matter_members
  for each row execute function private.announce_access();
create trigger announce_access after insert or update on public.matter_screens
  for each row execute function private.announce_access();

-- Raises OR409 where a matter has no owner.
create function private.keep_an_owner(m public.matters) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if not exists (select from public.matter_members mm where mm.matter_id = m.id and mm.role = 'owner') then
    raise exception 'A matter keeps at least one owner.' using errcode = 'OR409';
  end if;
end
$$;

-- Finds the matter whose walls the caller may manage: for conflicts officers any of their firm, else one that the caller owns.
-- Officers read nothing by it.
create function private.open_matter_for_walls(ref text) returns public.matters
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  m public.matters;
begin
  if me.is_conflicts_officer then
    m := private.named_matter(private.matters_of_firm(me.tenant_id, ref), ref);
    if m.id is not null then
      return m;
    end if;
  end if;
  return private.open_matter(ref, 'owner');
end
$$;

-- screen = {id, matter_id, matter_number, matter_title, user_id, email, display_name, reason | null, starts_at, ends_at | null,
--           in_force, created_at, created_by | null, lifted_at | null, lifted_by | null}
--   created_by, lifted_by: e-mail. reason: only for conflicts officers and for the person who put the wall up.
create function private.screen_json(s public.matter_screens) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', s.id, 'matter_id', m.id, 'matter_number', m.number, 'matter_title', m.title,
    'user_id', s.user_id, 'email', u.email, 'display_name', p.display_name,
    'reason', case when me.is_conflicts_officer or s.created_by = me.user_id then s.reason end,
    'starts_at', s.starts_at, 'ends_at', s.ends_at,
    'in_force', s.lifted_at is null and s.starts_at <= now() and (s.ends_at is null or s.ends_at > now()),
    'created_at', s.created_at, 'created_by', (select x.email from auth.users x where x.id = s.created_by),
    'lifted_at', s.lifted_at, 'lifted_by', (select x.email from auth.users x where x.id = s.lifted_by)
  )
  from public.matters m, public.profiles p, auth.users u, public.profiles me
  where m.id = s.matter_id and p.user_id = s.user_id and u.id = s.user_id and me.user_id = (select auth.uid())
$$;

-- Raises OR400 where a wall would end before it starts, or in the past.
create function private.check_dates(starts_at timestamptz, ends_at timestamptz) returns void
language plpgsql
set search_path = ''
as $$
begin
  if ends_at <= greatest(starts_at, now()) then
    perform private.invalid('A wall ends after it starts, and not in the past.');
  end if;
end
$$;

-- == As the caller (role authenticated): members ==

-- Adds a person to a matter or changes their role, for owners. Returns member.
create function public.add_matter_member(matter_ref text, member_email text, member_role text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'owner');
  member uuid := private.colleague(m.tenant_id, member_email);
  result public.matter_members;
begin
  if member_role is null or member_role not in ('owner', 'editor', 'viewer') then
    perform private.invalid('A member is an owner, an editor or a viewer.');
  end if;
  if m.kind = 'workspace' then
    perform private.invalid('A chat''s workspace is private to its user.');
  end if;
  perform from public.matters locked where locked.id = m.id for update;
  insert into public.matter_members as mm (matter_id, user_id, role) values (m.id, member, member_role)
  on conflict on constraint matter_members_pkey do update set role = excluded.role
  returning mm.* into result;
  perform private.keep_an_owner(m);
  perform private.audit('add_matter_member', m, null, jsonb_build_object('member', member, 'role', member_role));
  return private.member_json(result);
end
$$;

-- Removes a person from a matter, for owners; OR409 for the last owner. Returns the removed member.
create function public.remove_matter_member(matter_ref text, member_email text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'owner');
  member uuid := private.colleague(m.tenant_id, member_email);
  gone public.matter_members;
  result jsonb;
begin
  perform from public.matters locked where locked.id = m.id for update;
  delete from public.matter_members mm where mm.matter_id = m.id and mm.user_id = member returning mm.* into gone;
  if not found then
    perform private.not_found('user', member_email);
  end if;
  perform private.keep_an_owner(m);
  result := private.member_json(gone);
  perform private.audit('remove_matter_member', m, null, jsonb_build_object('member', member, 'role', gone.role));
  return result;
end
$$;

-- Lists the members of a matter. Returns [member, …] by e-mail.
create function public.list_matter_members(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(private.member_json(mm) order by u.email collate "C"), '[]') into result
  from public.matter_members mm join auth.users u on u.id = mm.user_id
  where mm.matter_id = m.id;
  perform private.audit('list_matter_members', m);
  return result;
end
$$;

-- Lists the members of any matter of the firm, for administrators. Returns [member, …] by e-mail.
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

-- Sets a person's role in any matter of the firm, for administrators; member_role null ends the membership. Returns member, as it
-- is after the change, or was before it ended. Administrators cannot add themselves (OR403).
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

-- == As the caller (role authenticated): walls ==

-- Puts a wall up, for owners of the matter and conflicts officers; starts_at null: at once; ends_at null: without an end.
-- Returns screen. OR409 where a wall against the same person lasts as long already.
create function public.add_matter_screen(
  matter_ref text, member_email text, reason text, starts_at timestamptz default null, ends_at timestamptz default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter_for_walls(matter_ref);
  screened uuid := private.colleague(m.tenant_id, member_email);
  begins timestamptz := coalesce(starts_at, now());
  s public.matter_screens;
begin
  if coalesce(btrim(reason), '') = '' then
    perform private.invalid('A wall needs a reason.');
  end if;
  perform private.check_dates(begins, ends_at);
  perform from public.matters x where x.id = m.id for update;
  if exists (
    select from public.matter_screens x
    where x.matter_id = m.id and x.user_id = screened and x.lifted_at is null and x.starts_at <= begins
      and coalesce(x.ends_at, 'infinity') >= coalesce(add_matter_screen.ends_at, 'infinity')
  ) then
    raise exception 'A wall stands between % and this matter already.', btrim(member_email) using errcode = 'OR409';
  end if;
  insert into public.matter_screens (matter_id, user_id, reason, starts_at, ends_at, created_by)
  values (m.id, screened, btrim(reason), begins, add_matter_screen.ends_at, auth.uid())
  returning * into s;
  perform private.audit('add_matter_screen', m, null, jsonb_build_object(
    'screen_id', s.id, 'user_id', screened, 'reason', s.reason, 'starts_at', s.starts_at, 'ends_at', s.ends_at));
  return private.screen_json(s);
end
$$;

-- Lifts a wall, for conflicts officers who are not the screened person. Returns screen.
create function public.lift_matter_screen(matter_ref text, screen_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter_for_walls(matter_ref);
  me public.profiles := private.caller();
  s public.matter_screens;
begin
  if not me.is_conflicts_officer then
    raise exception 'Only a conflicts officer lifts a wall.' using errcode = 'OR403';
  end if;
  select x.* into s from public.matter_screens x
  where x.id = private.as_uuid(screen_id) and x.matter_id = m.id and x.lifted_at is null and (x.ends_at is null or x.ends_at > now())
  for update;
  if not found then
    perform private.not_found('screen', screen_id);
  end if;
  if s.user_id = me.user_id then
    raise exception 'You cannot lift a wall against yourself.' using errcode = 'OR403';
  end if;
  update public.matter_screens x set lifted_at = now(), lifted_by = me.user_id where x.id = s.id returning x.* into s;
  perform private.audit('lift_matter_screen', m, null, jsonb_build_object('screen_id', s.id, 'user_id', s.user_id));
  return private.screen_json(s);
end
$$;

-- Lists the walls of a matter, for its owners and conflicts officers. Returns [screen, …], newest first.
create function public.list_matter_screens(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter_for_walls(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(private.screen_json(s) order by s.created_at desc, s.id), '[]') into result
  from public.matter_screens s where s.matter_id = m.id;
  perform private.audit('list_matter_screens', m, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

-- Lists the walls of the firm, for conflicts officers; lifted: also those that are over. Returns [screen, …], newest first.
create function public.list_screens(lifted boolean default false) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  result jsonb;
begin
  if not me.is_conflicts_officer then
    raise exception 'Only a conflicts officer sees the walls of the firm.' using errcode = 'OR403';
  end if;
  select coalesce(jsonb_agg(private.screen_json(s) order by s.created_at desc, s.id), '[]') into result
  from public.matter_screens s join public.matters m on m.id = s.matter_id
  where m.tenant_id = me.tenant_id
    and (coalesce(lifted, false) or (s.lifted_at is null and (s.ends_at is null or s.ends_at > now())));
  perform private.audit('list_screens', null, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

-- == As the caller (role authenticated): documents for a group ==

-- Keeps a document, with its attachments, for a group (id or name), for owners of the matter who are members of the group;
-- null: opens it to everybody in the matter. Returns full_document + {group: {id, name} | null}.
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

-- == Privileges ==

revoke all on public.matter_members, public.matter_screens from anon, authenticated, service_role;
grant all on public.matter_members, public.matter_screens to service_role;
revoke all on function private.member_json, private.keep_an_owner, private.open_matter_for_walls, private.screen_json,
  private.check_dates, private.announce_access from public, anon, authenticated;
revoke all on function public.add_matter_member, public.remove_matter_member, public.list_matter_members,
  public.firm_matter_members, public.set_firm_member, public.add_matter_screen, public.lift_matter_screen,
  public.list_matter_screens, public.list_screens, public.restrict_document from public, anon, authenticated, service_role;
grant execute on function public.add_matter_member, public.remove_matter_member, public.list_matter_members,
  public.firm_matter_members, public.set_firm_member, public.add_matter_screen, public.lift_matter_screen,
  public.list_matter_screens, public.list_screens, public.restrict_document to authenticated;

-- schemas/07_documents.sql

-- Documents: their files, revisions, pages and sections, attachments, receipts of deletion, and the changes that watchers follow.
-- How files become revisions stands in 08_ingestion.sql, passages and vectors in 09_search.sql.

-- == Tables ==

-- The file columns (filename to storage_key) name the file that is read or being read. A newer file that cannot be read leaves
-- the earlier one in place: the status is that of the newer file, and the columns name the earlier one again.
create table public.documents (
  id uuid primary key default gen_random_uuid(),
  upload_order bigint generated always as identity,
  matter_id uuid not null references public.matters (id) on delete cascade,
  folder_id uuid references public.folders (id) on delete set null,
  -- Null: for everybody in the matter; else for the members of the group alone.
  group_id uuid references public.groups (id),
  filename text not null check (btrim(filename) <> ''),
  content_type text not null,
  size_bytes bigint not null check (size_bytes >= 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  storage_key text not null unique,
  status text not null default 'uploading' check (status in (
    'uploading', 'queued', 'extracting', 'ocr', 'chunking', 'embedding', 'ready', 'partial', 'failed', 'unsupported', 'deleted'
  )),
  status_reason text not null default '',
  stage text,
  stage_done integer,
  stage_total integer,
  -- When the worker's claim was taken or last renewed.
  claimed_at timestamptz,
  current_revision_id uuid,
  legal_hold boolean not null default false,
  uploaded_by uuid references public.profiles (user_id) on delete set null,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  claim bigint not null default 0,
  attempts integer not null default 0,
  retry_at timestamptz,
  parent_document_id uuid references public.documents (id) on delete set null,
  -- The words of the file name. A matter's documents are all looked at, so no index serves them.
  name_words tsvector not null generated always as (
    to_tsvector('pg_catalog.english', regexp_replace(filename, '[^[:alnum:]]+|(?<=[[:lower:]])(?=[[:upper:]])', ' ', 'g'))
  ) stored
);
comment on column public.documents.claim is 'Grows whenever a worker takes the document; refuses holders of an earlier claim.';
comment on column public.documents.attempts is 'How often the document was taken since its processing was last ordered.';
comment on column public.documents.parent_document_id is 'The document in which this one was found: an e-mail, a PDF.';
create index documents_matter on public.documents (matter_id, upload_order);
create index documents_unfinished on public.documents (id)
  where status in ('queued', 'extracting', 'ocr', 'chunking', 'embedding') and deleted_at is null;
create index documents_parent on public.documents (parent_document_id) where parent_document_id is not null;
alter table public.documents enable row level security;
create policy "document is one of readable_documents" on public.documents
  for select to authenticated using (id = any (array(select private.readable_documents())));

-- Every file that a document has had.
create table public.document_files (
  storage_key text primary key,
  document_id uuid not null references public.documents (id) on delete cascade,
  ordinal bigint generated always as identity,
  filename text not null,
  content_type text not null,
  -- Null where the size was not recorded.
  size_bytes bigint check (size_bytes >= 0),
  sha256 text not null,
  registered_by uuid references public.profiles (user_id) on delete set null,
  registered_at timestamptz not null default now(),
  -- Null until the file has been uploaded.
  stored_at timestamptz,
  -- Pages, or what counts as one, as estimated before the file is read. Null where nobody estimated them.
  pages integer check (pages > 0),
  -- Uploads of this file that were begun: the last of them that fails withdraws the file.
  uploads integer not null default 1,
  -- Why the last attempt at reading the file failed; null when it was read, or not tried yet.
  unread_reason text
);
create index document_files_document on public.document_files (document_id, ordinal);
create index document_files_content on public.document_files (sha256);
alter table public.document_files enable row level security;
create policy "file of one of readable_documents" on public.document_files
  for select to authenticated using (document_id = any (array(select private.readable_documents())));

-- One reading of a file: its whole text. health: what the reader found out, see get_health.
create table public.document_revisions (
  id uuid primary key,
  document_id uuid not null references public.documents (id) on delete cascade,
  ordinal integer not null,
  text text not null,
  char_count integer not null,
  page_count integer not null,
  chunk_count integer not null,
  -- Whether the file has pages of its own; a text file has one page in name only.
  paged boolean not null,
  reader text not null,
  health jsonb not null default '{}',
  embedding_model text,
  storage_key text not null,
  sha256 text not null,
  created_at timestamptz not null default now(),
  -- Null while the worker writes it.
  published_at timestamptz,
  text_sha256 text not null,
  -- Ids of its passages, which publishing a later revision removed: a caller that still holds such an id gets an explanation.
  former_passages uuid[] not null default '{}',
  unique (document_id, ordinal)
);
create index document_revisions_former_passages on public.document_revisions using gin (former_passages);
-- Not compressed: writing a text is several times faster, and the vectors take more room than the texts.
alter table public.document_revisions alter column text set storage external;
alter table public.documents add foreign key (current_revision_id) references public.document_revisions (id)
  deferrable initially deferred;
alter table public.document_revisions enable row level security;
create policy "revision is one of readable_revisions" on public.document_revisions
  for select to authenticated using (id = any (array(select private.readable_revisions())));

create table public.document_pages (
  revision_id uuid not null references public.document_revisions (id) on delete cascade,
  number integer not null,
  start_char integer not null,
  end_char integer not null,
  label text,
  source text not null check (source in ('native', 'ocr', 'none')),
  -- Of OCR: 0 to 100.
  confidence real,
  ocr_engine text,
  flags jsonb not null default '[]',
  -- In points, as are the boxes of lines.
  width real,
  height real,
  -- [[start, end, x0, y0, x1, y1], …], from the top left corner.
  lines jsonb not null default '[]',
  primary key (revision_id, number)
);
alter table public.document_pages enable row level security;
create policy "page of one of readable_revisions" on public.document_pages
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));

-- parent: ordinal of the section that contains this one.
create table public.sections (
  id uuid primary key,
  revision_id uuid not null references public.document_revisions (id) on delete cascade,
  ordinal integer not null,
  parent integer,
  level integer not null,
  label text,
  title text,
  start_char integer not null,
  end_char integer not null,
  page_first integer not null,
  page_last integer not null,
  unique (revision_id, ordinal)
);
alter table public.sections enable row level security;
create policy "section of one of readable_revisions" on public.sections
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));

-- Which documents carry which attachments. The same content in several carriers is one document with several links.
create table public.attachment_links (
  parent_document_id uuid not null references public.documents (id) on delete cascade,
  document_id uuid not null references public.documents (id) on delete cascade,
  name text not null,
  primary key (parent_document_id, document_id, name)
);
create index attachment_links_document on public.attachment_links (document_id);
alter table public.attachment_links enable row level security;
create policy "attachment of one of readable_documents" on public.attachment_links
  for select to authenticated using (
    parent_document_id = any (array(select private.readable_documents()))
    and document_id = any (array(select private.readable_documents()))
  );

-- Receipts of deletion, for those who could read the document. No reference to the document: a receipt outlives the purge.
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
  purged_at timestamptz,
  group_id uuid references public.groups (id),
  -- Documents that carried the deleted one.
  attached_to uuid[] not null default '{}'
);
create index receipts_document on public.receipts (document_id);
alter table public.receipts enable row level security;
create policy "receipt of one of my_matter_ids" on public.receipts
  for select to authenticated using (
    matter_id = any (array(select private.my_matter_ids()))
    and (group_id is null or group_id = any (array(select private.my_group_ids())))
  );

-- Every visible change of a document takes the next number of its matter. The number is taken at commit, under a lock on the
-- matter's counter: a client that has seen n has seen everything below n. Only the last change of a document is kept. The log
-- names no file and outlives the documents: their deletion is the last change.
create table private.matter_changes (
  matter_id uuid primary key references public.matters (id) on delete cascade,
  number bigint not null
);
alter table private.matter_changes enable row level security;

create table private.document_changes (
  document_id uuid primary key,
  matter_id uuid not null references public.matters (id) on delete cascade,
  number bigint not null,
  group_id uuid,
  -- Whether it was ever outside a group: only then do others than the group's members learn of its deletion.
  was_open boolean not null,
  unique (matter_id, number)
);
alter table private.document_changes enable row level security;

-- Limits of the installation's settings: one row, or none before a server first started. It sets them (set_limits), no caller can.
-- waiting_files, waiting_mb, waiting_pages, waiting_passages: files of one person that wait to be read, their MiB, their pages and
-- the passages that are made of them; a firm may have ten times as many.
create table private.limits (
  only_row boolean primary key default true check (only_row),
  chat_files integer not null check (chat_files > 0),
  waiting_files integer not null check (waiting_files > 0),
  waiting_mb integer not null check (waiting_mb > 0),
  waiting_pages integer not null check (waiting_pages > 0),
  waiting_passages integer not null check (waiting_passages > 0)
);
alter table private.limits enable row level security;

-- When a person's watching of a matter was last recorded.
create table private.watchers (
  matter_id uuid not null references public.matters (id) on delete cascade,
  user_id uuid not null,
  recorded_at timestamptz not null,
  primary key (matter_id, user_id)
);
alter table private.watchers enable row level security;

-- == Private functions: finding documents ==

-- The readable document that alone has this file name, in any case; null where there is none. Raises OR400 where several have it.
create function private.named_document(ref text) returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  named uuid[] := array(
    select d.id from public.documents d
    where d.matter_id in (select private.my_matter_ids()) and lower(d.filename) = lower(btrim(ref))
      and d.id in (select private.readable_documents(d.matter_id))
  );
begin
  if cardinality(named) > 1 then
    perform private.invalid(format('%s documents are called ''%s''; name one by its id.', cardinality(named), btrim(ref)));
  end if;
  return named[1];
end
$$;

-- Finds a readable document by id, else by a file name that only one has. Raises OR404, or OR403 where the caller's role in its
-- matter is below needed_role.
create function private.open_document(ref text, needed_role text default 'viewer') returns public.documents
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  found_document public.documents;
begin
  select d.* into found_document from public.documents d
  where d.id = coalesce(private.as_uuid(ref), private.named_document(ref)) and d.id in (select private.readable_documents(d.matter_id));
  if not found then
    perform private.not_found('document', ref);
  end if;
  if needed_role <> 'viewer' then
    perform private.open_matter(found_document.matter_id::text, needed_role);
  end if;
  return found_document;
end
$$;

-- Finds a readable document that has a revision. Raises OR425 where it has none.
create function private.open_readable(ref text) returns public.documents
language plpgsql stable security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(ref);
begin
  if d.current_revision_id is null then
    raise exception 'not ready' using errcode = 'OR425', detail = d.status, hint = d.status_reason;
  end if;
  return d;
end
$$;

-- The matter of a document.
create function private.matter_of(d public.documents) returns public.matters
language sql stable security definer
set search_path = ''
as $$ select m.* from public.matters m where m.id = d.matter_id $$;

-- Finds a published revision of a document; null: the current one. Raises OR404.
create function private.revision_of(d public.documents, ref text) returns public.document_revisions
language plpgsql stable security definer
set search_path = ''
as $$
declare
  r public.document_revisions;
begin
  select x.* into r from public.document_revisions x
  where x.id = case when ref is null then d.current_revision_id else private.as_uuid(ref) end
    and x.document_id = d.id and x.published_at is not null;
  if not found then
    perform private.not_found('revision', coalesce(ref, d.id::text));
  end if;
  return r;
end
$$;

-- == Private functions: shapes ==

-- document = {id, filename, content_type, size_bytes, status, status_reason, created_at, folder_id, stage, stage_done,
--   stage_total, legal_hold, has_revision, page_count, paged, char_count, chunk_count, attached_to: {id, filename} | null}
--   legal_hold: also through a hold on a document that carries it.
--   page_count, paged, char_count, chunk_count: null without a revision.
create function private.document_json(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', d.id, 'filename', d.filename, 'content_type', d.content_type, 'size_bytes', d.size_bytes,
    'status', d.status, 'status_reason', d.status_reason, 'created_at', d.created_at, 'folder_id', d.folder_id,
    'stage', d.stage, 'stage_done', d.stage_done, 'stage_total', d.stage_total, 'legal_hold', private.on_hold(d),
    'has_revision', r.id is not null, 'page_count', r.page_count, 'paged', r.paged, 'char_count', r.char_count,
    'chunk_count', r.chunk_count,
    'attached_to', case when d.parent_document_id is not null then (
      select jsonb_build_object('id', p.id, 'filename', p.filename) from public.documents p
      where p.id = d.parent_document_id and p.deleted_at is null
        and (p.group_id is null or p.group_id = any (array(select private.my_group_ids())))
    ) end
  )
  from (select) one left join public.document_revisions r on r.id = d.current_revision_id
$$;

-- full_document = document + {matter_id, matter_number, storage_key, sha256, revision | null}
--   revision = {id, ordinal, reader, paged, page_count, char_count, chunk_count, health, embedding_model, created_at,
--     published_at, storage_key, sha256, filename, content_type}; the last four of the file that was read
create function private.full_document_json(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.document_json(d) || jsonb_build_object(
    'matter_id', d.matter_id, 'matter_number', m.number, 'storage_key', d.storage_key, 'sha256', d.sha256,
    'revision', case when r.id is not null then jsonb_build_object(
      'id', r.id, 'ordinal', r.ordinal, 'reader', r.reader, 'paged', r.paged, 'page_count', r.page_count,
      'char_count', r.char_count, 'chunk_count', r.chunk_count, 'health', r.health,
      'embedding_model', r.embedding_model, 'created_at', r.created_at, 'published_at', r.published_at,
      'storage_key', r.storage_key, 'sha256', r.sha256, 'filename', f.filename, 'content_type', f.content_type
    ) end
  )
  from public.matters m
  left join public.document_revisions r on r.id = d.current_revision_id
  left join public.document_files f on f.storage_key = r.storage_key
  where m.id = d.matter_id
$$;

-- A document in a list: {kind: 'document', id, name, content_type, status, status_reason, size_bytes, page_count, paged,
-- char_count, chunk_count}
create function private.document_item(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'kind', 'document', 'id', d.id, 'name', d.filename, 'content_type', d.content_type, 'status', d.status,
    'status_reason', d.status_reason, 'size_bytes', d.size_bytes, 'page_count', r.page_count, 'paged', r.paged,
    'char_count', r.char_count, 'chunk_count', r.chunk_count
  )
  from (select) one left join public.document_revisions r on r.id = d.current_revision_id
$$;

-- [{number, start, end, label, source, confidence, flags}, …]
create function private.pages_json(revision uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'number', p.number, 'start', p.start_char, 'end', p.end_char, 'label', p.label, 'source', p.source,
    'confidence', p.confidence, 'flags', p.flags
  ) order by p.number), '[]')
  from public.document_pages p where p.revision_id = revision
$$;

-- section = {id, ordinal, parent, level, label, title, start, end, page_first, page_last}
create function private.section_json(s public.sections) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', s.id, 'ordinal', s.ordinal, 'parent', s.parent, 'level', s.level, 'label', s.label, 'title', s.title,
    'start', s.start_char, 'end', s.end_char, 'page_first', s.page_first, 'page_last', s.page_last
  )
$$;

-- [section, …] of a revision, in order.
create function private.sections_json(revision uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', s.id, 'ordinal', s.ordinal, 'parent', s.parent, 'level', s.level, 'label', s.label, 'title', s.title,
    'start', s.start_char, 'end', s.end_char, 'page_first', s.page_first, 'page_last', s.page_last
  ) order by s.ordinal), '[]')
  from public.sections s where s.revision_id = revision
$$;

-- [section, …] from the outermost section to the one given.
create function private.section_chain_json(section uuid) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with recursive up as (
    select s.id, s.revision_id, s.parent, 0 as depth from public.sections s where s.id = section
    union all
    select s.id, s.revision_id, s.parent, up.depth + 1
    from public.sections s join up on s.revision_id = up.revision_id and s.ordinal = up.parent
  )
  select coalesce(jsonb_agg(private.section_json(s) order by up.depth desc), '[]')
  from up join public.sections s on s.id = up.id
$$;

-- [version, …] of a document's uploaded files, newest first:
-- version = {filename, content_type, size_bytes, sha256, received_at, received_by (e-mail), unread_reason,
--            revisions: [{id, ordinal, published_at, current}, …]}
create function private.versions_json(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'filename', f.filename, 'content_type', f.content_type, 'size_bytes', f.size_bytes, 'sha256', f.sha256,
    'received_at', f.stored_at, 'received_by', u.email, 'unread_reason', f.unread_reason,
    'revisions', (
      select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'ordinal', r.ordinal, 'published_at', r.published_at,
        'current', r.id = d.current_revision_id) order by r.ordinal desc), '[]')
      from public.document_revisions r
      where r.document_id = d.id and r.storage_key = f.storage_key and r.published_at is not null
    )
  ) order by f.stored_at desc, f.ordinal desc), '[]')
  from public.document_files f left join auth.users u on u.id = f.registered_by
  where f.document_id = d.id and f.stored_at is not null
$$;

-- The attached files that health lists, each with the present state of its document:
-- [{name, document_id, filename, status, status_reason}, …]
create function private.attachments_json(health jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(a.entry || jsonb_build_object(
    'document_id', d.id, 'filename', d.filename, 'status', case when d.id is not null then d.status
      when a.entry ->> 'document_id' is not null then 'deleted' end, 'status_reason', d.status_reason
  ) order by a.n), '[]')
  from jsonb_array_elements(coalesce(health -> 'attachments', '[]')) with ordinality as a (entry, n)
  left join public.documents d on d.id = private.as_uuid(a.entry ->> 'document_id')
    and d.id = any (array(select private.readable_documents()))
$$;

-- Tracked changes that health lists, each with its section: [{kind, author, date, text, at, section}, …]
--   at: offset of the paragraph that holds the change, null where unknown; section: label and title.
create function private.changes_json(r public.document_revisions) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(c.entry || jsonb_build_object('section', (
    select concat_ws(' ', s.label, s.title) from public.sections s
    where s.id = private.section_at(r.id, (c.entry ->> 'at')::integer, (c.entry ->> 'at')::integer)
  )) order by c.n), '[]')
  from jsonb_array_elements(coalesce(r.health #> '{details,tracked_changes}', '[]')) with ordinality as c (entry, n)
$$;

-- Words that a reader kept out of the text of a revision: [{kind, text, place}, …]
--   kind: "struck", "deletion", "move away" or "hidden"; place: section, page or place in the file, empty where unknown.
create function private.apart_json(r public.document_revisions) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(a.entry order by a.part, a.n), '[]') from (
    select 1 as part, c.n, jsonb_build_object('kind', c.entry ->> 'kind', 'text', c.entry ->> 'text',
      'place', coalesce(nullif(c.entry ->> 'section', ''), c.entry ->> 'place', '')) as entry
    from jsonb_array_elements(private.changes_json(r)) with ordinality as c (entry, n)
    where c.entry ->> 'kind' in ('struck', 'deletion', 'move away')
    union all
    select 2, h.n, jsonb_build_object('kind', 'hidden', 'text', coalesce(h.entry ->> 'text', h.entry #>> '{}'),
      'place', coalesce('page ' || (h.entry ->> 'page'), ''))
    from jsonb_array_elements(coalesce(r.health #> '{details,hidden_text}', '[]')) with ordinality as h (entry, n)
  ) a
$$;

-- == Private functions: places in a text ==

-- The page on which a span begins. A break between two pages belongs to the page before it.
create function private.page_at(revision uuid, start_char integer) returns integer
language sql stable security definer
set search_path = ''
as $$
  select coalesce(max(p.number) filter (where p.start_char <= page_at.start_char), min(p.number))
  from public.document_pages p where p.revision_id = revision
$$;

-- The innermost section that contains a span.
create function private.section_at(revision uuid, span_start integer, span_end integer) returns uuid
language sql stable security definer
set search_path = ''
as $$
  select s.id from public.sections s
  where s.revision_id = revision and s.start_char <= span_start and s.end_char >= span_end
  order by s.level desc, s.ordinal desc limit 1
$$;

-- A section's span, whole up to 4,000 characters; of a longer section the part around near.
create function private.excerpt_span(home int4range, near int4range) returns int4range
language sql immutable
set search_path = ''
as $$
  select case when upper(home) - lower(home) <= 4000 then home else int4range(
    greatest(lower(home), least(lower(near) - 2000, upper(home) - 4000)),
    least(upper(home), greatest(upper(near) + 2000, lower(home) + 4000))
  ) end
$$;

-- The storage key of a page's picture: the same picture has the same key.
create function private.page_image_key(d public.documents, revision uuid, page integer, dpi integer, marked text) returns text
language sql stable security definer
set search_path = ''
as $$
  select concat_ws('/', m.tenant_id, d.matter_id, d.id, concat('page-', revision, '-', page, '-', dpi, '-',
    left(encode(sha256(convert_to(coalesce(marked, ''), 'UTF8')), 'hex'), 16), '.png'))
  from public.matters m where m.id = d.matter_id
$$;

-- == Private functions: registering files ==

-- A file name as one component of a storage key: plain characters, at most 100 bytes, with its extension.
create function private.safe_name(filename text) returns text
language sql immutable
set search_path = ''
as $$
  select case when name = '' then 'file' else name end
  from (
    select regexp_replace(
      left(regexp_replace(regexp_replace(filename, '\.[^.]*$', ''), '[^A-Za-z0-9_-]+', '_', 'g'), 80)
        || coalesce('.' || left(regexp_replace(substring(filename from '\.([^.]*)$'), '[^A-Za-z0-9]+', '', 'g'), 15), ''),
      '^[._]+|[._]+$', '', 'g'
    ) as name
  ) cleaned
$$;

-- Raises OR400 for an incomplete registration.
create function private.check_new_file(
  filename text, content_type text, size_bytes bigint, sha256 text, on_duplicate text
) returns void
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(btrim(filename), '') = '' or coalesce(btrim(content_type), '') = '' then
    perform private.invalid('A document needs a file name and a content type.');
  end if;
  if not private.is_plain(filename) or length(filename) > 255 then
    perform private.invalid('A file name is one line of visible text, of at most 255 characters.');
  end if;
  if size_bytes is null or size_bytes < 0 then
    perform private.invalid('A document needs its size in bytes.');
  end if;
  if coalesce(sha256, '') !~ '^[0-9a-f]{64}$' then
    perform private.invalid('A document needs its SHA-256 as 64 hexadecimal digits.');
  end if;
  if coalesce(on_duplicate, '') not in ('skip', 'keep', 'new_version', 'ask') then
    perform private.invalid('on_duplicate is skip, keep, new_version or ask.');
  end if;
end
$$;

-- Checks a document's new name and returns it without surrounding blanks.
create function private.check_file_name(name text) returns text
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(btrim(name), '') = '' or length(name) > 255 or name ~ '[/\\]' or not private.is_plain(name) then
    perform private.invalid('A file''s name is one line of visible text without slashes, of at most 255 characters.');
  end if;
  return btrim(name);
end
$$;

-- The limits; before a server first started, the defaults of the settings.
create function private.limits_now() returns private.limits
language sql stable security definer
set search_path = ''
as $$
  select coalesce((select l from private.limits l), row(true, 50, 5000, 20000, 250000, 1000000)::private.limits)
$$;

-- Raises OR409 (detail: workspace) where a conversation's workspace is full. Attachments do not count.
create function private.check_workspace(m public.matters) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  most integer := (private.limits_now()).chat_files;
begin
  if m.kind <> 'workspace' then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('workspace:' || m.id, 0));
  if (
    select count(*) from public.documents d
    where d.matter_id = m.id and d.deleted_at is null and d.parent_document_id is null
  ) >= most then
    raise exception 'A chat holds at most % files. Delete one to make room.', most
      using errcode = 'OR409', detail = 'workspace';
  end if;
end
$$;

-- Raises OR409 (detail: waiting) where the caller, or the caller's firm, has too much waiting to be read. A page counts three
-- passages until the document is divided; a file without an estimate counts a page for each 50 kB.
create function private.check_waiting(m public.matters) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  most private.limits := private.limits_now();
  mine record;
begin
  with waiting as (
    select d.uploaded_by = auth.uid() as own, d.size_bytes, case when d.status = 'embedding' then 0 else e.pages end as pages,
      case when d.status = 'embedding' then greatest(coalesce(d.stage_total - d.stage_done, 0), 0) else 3 * e.pages end as passages
    from public.documents d
    join public.matters x on x.id = d.matter_id
    left join public.document_files f on f.storage_key = d.storage_key
    cross join lateral (select coalesce(f.pages, 1 + d.size_bytes / 50000) as pages) e
    where x.tenant_id = m.tenant_id and d.deleted_at is null
      and d.status = any (private.unfinished())
  )
  select count(*) filter (where w.own) as files, count(*) as files_of_firm,
    coalesce(sum(w.size_bytes) filter (where w.own), 0)::bigint >> 20 as mb, coalesce(sum(w.size_bytes), 0)::bigint >> 20 as mb_of_firm,
    coalesce(sum(w.pages) filter (where w.own), 0)::bigint as pages, coalesce(sum(w.pages), 0)::bigint as pages_of_firm,
    coalesce(sum(w.passages) filter (where w.own), 0)::bigint as passages, coalesce(sum(w.passages), 0)::bigint as passages_of_firm
  into mine from waiting w;
  if mine.files >= most.waiting_files or mine.mb >= most.waiting_mb or mine.pages >= most.waiting_pages
      or mine.passages >= most.waiting_passages then
    raise exception
      'You have % files (% MB, some % pages and % passages) waiting to be read, the most that one person may. Go on when some are read.',
      mine.files, mine.mb, mine.pages, mine.passages using errcode = 'OR409', detail = 'waiting';
  end if;
  if mine.files_of_firm >= 10 * most.waiting_files or mine.mb_of_firm >= 10 * most.waiting_mb
      or mine.pages_of_firm >= 10::bigint * most.waiting_pages or mine.passages_of_firm >= 10::bigint * most.waiting_passages then
    raise exception 'Your firm has too many files waiting to be read. Go on when some are read.'
      using errcode = 'OR409', detail = 'waiting';
  end if;
end
$$;

-- The file of a readable document with this content: preferably a present file, else an earlier one or one being uploaded.
create function private.same_content(m public.matters, wanted_sha256 text) returns public.document_files
language sql stable security definer
set search_path = ''
as $$
  select f.*
  from public.document_files f join public.documents d on d.id = f.document_id
  where f.sha256 = wanted_sha256 and d.id = any (array(select private.readable_documents(m.id)))
  order by (f.storage_key = d.storage_key) desc, (f.stored_at is not null) desc, d.upload_order
  limit 1
$$;

-- The latest readable document of a matter with this name, in any case; awaited: also one whose file has not arrived.
create function private.same_name(m public.matters, wanted_name text, awaited boolean default false) returns public.documents
language sql stable security definer
set search_path = ''
as $$
  select d.* from public.documents d
  where lower(d.filename) = lower(wanted_name) and (awaited or d.status <> 'uploading')
    and d.id = any (array(select private.readable_documents(m.id)))
  order by d.upload_order desc limit 1
$$;

-- Whether a newer file has replaced this one.
create function private.superseded(f public.document_files) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select f.stored_at is not null and d.storage_key <> f.storage_key from public.documents d where d.id = f.document_id
$$;

-- duplicates = {same_content: document + {superseded} | null, same_name: document | null}
--   same_name: null also where that document has the same content.
create function private.duplicates_json(twin public.document_files, namesake public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'same_content', (
      select private.document_json(d) || jsonb_build_object('superseded', private.superseded(twin))
      from public.documents d where d.id = twin.document_id
    ),
    'same_name', case when namesake.id is distinct from twin.document_id and namesake.id is not null
      then private.document_json(namesake) end
  )
$$;

-- Makes registrations of the same name in a matter wait for each other until the transaction ends. Taken after lock_content.
create function private.lock_name(m public.matters, filename text) returns void
language sql
set search_path = ''
as $$ select pg_advisory_xact_lock(hashtextextended(m.id || ':' || lower(filename), 1)) $$;

-- Makes registrations of the same content in a matter wait for each other until the transaction ends.
create function private.lock_content(m public.matters, sha256 text) returns void
language sql
set search_path = ''
as $$ select pg_advisory_xact_lock(hashtextextended(m.id || ':' || sha256, 0)) $$;

-- Creates a document, without its file.
create function private.new_document(
  m public.matters, filename text, content_type text, size_bytes bigint, sha256 text, folder uuid
) returns public.documents
language plpgsql security definer
set search_path = ''
as $$
declare
  new_id uuid := gen_random_uuid();
  d public.documents;
begin
  insert into public.documents
    (id, matter_id, folder_id, filename, content_type, size_bytes, sha256, storage_key, uploaded_by)
  values (
    new_id, m.id, folder, filename, content_type, size_bytes, sha256,
    concat_ws('/', m.tenant_id, m.id, new_id, private.safe_name(filename)), auth.uid()
  )
  returning * into d;
  return d;
end
$$;

-- Registers a file of a document.
create function private.new_file(
  d public.documents, storage_key text, filename text, content_type text, size_bytes bigint, sha256 text
) returns public.document_files
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.document_files;
begin
  insert into public.document_files as x (storage_key, document_id, filename, content_type, size_bytes, sha256, registered_by)
  values (new_file.storage_key, d.id, new_file.filename, new_file.content_type, new_file.size_bytes, new_file.sha256, auth.uid())
  returning x.* into f;
  return f;
end
$$;

-- Registers a new version of a document. The present file and revision serve until the new file has been read.
create function private.new_version(
  d public.documents, m public.matters, filename text, content_type text, size_bytes bigint, sha256 text
) returns public.document_files
language plpgsql security definer
set search_path = ''
as $$
begin
  if d.status = 'uploading' then
    raise exception 'The file of this document has not arrived, so there is nothing to make a new version of.'
      using errcode = 'OR409';
  end if;
  return private.new_file(d,
    concat_ws('/', m.tenant_id, m.id, d.id, left(gen_random_uuid()::text, 8) || '-' || private.safe_name(filename)),
    filename, content_type, size_bytes, sha256);
end
$$;

-- The document that a new version is for: version_of, else the one of that name, else the one of that content.
create function private.version_target(m public.matters, version_of text, filename text, twin public.document_files)
returns public.documents
language plpgsql stable security definer
set search_path = ''
as $$
declare
  d public.documents;
begin
  if version_of is not null then
    d := private.open_document(version_of, 'editor');
    if d.matter_id <> m.id then
      perform private.not_found('document', version_of);
    end if;
    return d;
  end if;
  d := private.same_name(m, filename);
  if d.id is null and twin.stored_at is not null then
    select x.* into d from public.documents x where x.id = twin.document_id;
  end if;
  return d;
end
$$;

-- Marks a file as uploaded, makes it the document's file, and queues the document.
create function private.arrive(f public.document_files) returns public.documents
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents;
begin
  update public.document_files x set stored_at = clock_timestamp() where x.storage_key = f.storage_key;
  update public.documents u
  set status = 'queued', status_reason = '', stage = null, stage_done = null, stage_total = null, claimed_at = null,
    filename = f.filename, content_type = f.content_type, size_bytes = f.size_bytes, sha256 = f.sha256,
    storage_key = f.storage_key
  where u.id = f.document_id
  returning u.* into d;
  return d;
end
$$;

-- Counts a failed upload of a file. True where it was the last: the file is removed, and a document without any other file too.
create function private.withdraw(id uuid, key text) returns boolean
language plpgsql security definer
set search_path = ''
as $$
declare
  f public.document_files;
begin
  update public.document_files x set uploads = x.uploads - 1
  where x.storage_key = key and x.document_id = id and x.stored_at is null
  returning x.* into f;
  if coalesce(f.uploads, 1) > 0 then
    return false;
  end if;
  delete from public.document_files x where x.storage_key = key;
  delete from public.documents x
  where x.id = withdraw.id and x.status = 'uploading' and not exists (
    select from public.document_files y where y.document_id = x.id
  );
  return true;
end
$$;

-- == Private functions: attachments ==

-- The documents that carry this one, the nearest first.
create function private.ancestors(document uuid) returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  with recursive above (id, depth) as (
    select d.parent_document_id, 1 from public.documents d where d.id = document and d.parent_document_id is not null
    union all
    select d.parent_document_id, a.depth + 1
    from above a join public.documents d on d.id = a.id
    where d.parent_document_id is not null
  )
  select coalesce(array_agg(a.id order by a.depth), '{}') from above a
$$;

-- The documents inside this one, at any depth.
create function private.descendants(document uuid) returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  with recursive below (id) as (
    select d.id from public.documents d where d.parent_document_id = document
    union all
    select d.id from below b join public.documents d on d.parent_document_id = b.id
  )
  select coalesce(array_agg(b.id), '{}') from below b
$$;

-- The file of a document of the same content and matter that everybody may read who may read the carrier.
create function private.attachment_twin(p public.documents, wanted_sha256 text) returns public.document_files
language sql stable security definer
set search_path = ''
as $$
  select f.*
  from public.document_files f join public.documents d on d.id = f.document_id
  where f.sha256 = wanted_sha256 and d.matter_id = p.matter_id and d.deleted_at is null and f.storage_key = d.storage_key
    and (d.group_id is null or d.group_id is not distinct from p.group_id)
  order by (d.parent_document_id = p.id) desc nulls last, (f.stored_at is not null) desc, d.upload_order
  limit 1
$$;

-- Creates the document of an attached file, in the carrier's folder and group.
create function private.new_attachment(
  p public.documents, m public.matters, filename text, content_type text, size_bytes bigint, sha256 text
) returns public.document_files
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.new_document(m, filename, content_type, size_bytes, sha256, p.folder_id);
  f public.document_files := private.new_file(d, d.storage_key, filename, content_type, size_bytes, sha256);
begin
  update public.documents u set parent_document_id = p.id, group_id = p.group_id, uploaded_by = p.uploaded_by where u.id = d.id;
  update public.document_files u set registered_by = p.uploaded_by where u.storage_key = f.storage_key;
  return f;
end
$$;

-- 'too deep' or 'too many' where an attachment exceeds a limit, else null.
create function private.no_room(p public.documents, family_limit integer, depth_limit integer) returns text
language plpgsql stable security definer
set search_path = ''
as $$
declare
  above uuid[] := private.ancestors(p.id);
  outermost uuid := coalesce(above[cardinality(above)], p.id);
begin
  if cardinality(above) + 1 > depth_limit then
    return 'too deep';
  elsif cardinality(private.descendants(outermost)) >= family_limit then
    return 'too many';
  end if;
  return null;
end
$$;

-- == Private functions: holds and deletion ==

-- Whether a legal hold keeps a document: its own, or that of a document that carries it.
create function private.on_hold(d public.documents) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select d.legal_hold or (d.parent_document_id is not null and exists (
    select from public.documents x where x.id = any (private.ancestors(d.id)) and x.legal_hold
  ))
$$;

-- Whether a legal hold keeps any document of a matter.
create function private.matter_held(matter uuid) returns boolean
language sql stable security definer
set search_path = ''
as $$ select exists (select from public.documents d where d.matter_id = matter and d.legal_hold) $$;

-- The documents that are deleted with a document: itself and what only it carries. What another document carries too stays.
create function private.deleted_with(document uuid) returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  with recursive family as (
    select array_append(private.descendants(document), document) as ids
  ), doomed (id) as (
    select document
    union all
    select c.id
    from doomed p join public.documents c on c.parent_document_id = p.id, family
    where c.deleted_at is null and not exists (
      select from public.attachment_links l join public.documents other on other.id = l.parent_document_id
      where l.document_id = c.id and other.deleted_at is null and other.id <> all (family.ids)
    )
  )
  select array_agg(doomed.id) from doomed
$$;

-- Raises OR409 where a legal hold forbids the deletion. A carrier's file contains its attachments: a hold on one keeps the carrier.
create function private.check_no_hold(d public.documents, doomed uuid[]) returns void
language plpgsql stable security definer
set search_path = ''
as $$
declare
  held text;
begin
  if d.legal_hold then
    raise exception 'This document is under a legal hold and cannot be deleted.' using errcode = 'OR409';
  elsif private.on_hold(d) then
    raise exception 'This document is attached to one under a legal hold, so it cannot be deleted either.' using errcode = 'OR409';
  end if;
  select x.filename into held from public.documents x where x.id = any (doomed) and x.legal_hold order by x.upload_order limit 1;
  if held is not null then
    raise exception 'The attached % is under a legal hold, so the document that carries it cannot be deleted.', held
      using errcode = 'OR409';
  end if;
end
$$;

-- Hands attachments that stay over to another document that carries them. Returns [{document_id, filename, attached_to}, …].
create function private.hand_over(doomed uuid[]) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  kept jsonb;
begin
  with staying as (
    select c.id, (
      select l.parent_document_id
      from public.attachment_links l join public.documents other on other.id = l.parent_document_id
      where l.document_id = c.id and other.deleted_at is null and other.id <> all (doomed)
      order by other.upload_order limit 1
    ) as heir
    from public.documents c
    where c.parent_document_id = any (doomed) and c.deleted_at is null and c.id <> all (doomed)
  ), moved as (
    update public.documents u set parent_document_id = s.heir from staying s where u.id = s.id
    returning u.id, u.filename, s.heir, u.upload_order
  )
  select jsonb_agg(jsonb_build_object('document_id', moved.id, 'filename', moved.filename, 'attached_to', h.filename)
    order by moved.upload_order) into kept
  from moved join public.documents h on h.id = moved.heir;
  return coalesce(kept, '[]');
end
$$;

-- Writes the receipt of a deletion and records it. Returns {receipt_id, document_id, filename, deleted_at}.
create function private.receipt_for(d public.documents, m public.matters) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  receipt public.receipts;
begin
  insert into public.receipts
    (tenant_id, matter_id, document_id, filename, sha256, size_bytes, deleted_by, deleted_at, group_id, attached_to)
  values (
    m.tenant_id, m.id, d.id, d.filename, d.sha256, d.size_bytes, auth.uid(), now(), d.group_id,
    array(select distinct l.parent_document_id from public.attachment_links l where l.document_id = d.id)
  )
  returning * into receipt;
  perform private.audit('delete_document', m, d.id,
    jsonb_build_object('receipt_id', receipt.id, 'filename', d.filename, 'sha256', d.sha256));
  return jsonb_build_object('receipt_id', receipt.id, 'document_id', d.id, 'filename', d.filename,
    'deleted_at', receipt.deleted_at);
end
$$;

-- == Triggers ==

-- The hash by which a revision's text is proven.
create function private.note_text_sha256() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.text_sha256 := encode(sha256(convert_to(new.text, 'UTF8')), 'hex');
  return new;
end
$$;
create trigger note_text_sha256 before insert on public.document_revisions
  for each row execute function private.note_text_sha256();

-- Refuses files in an archived matter (OR409). Attachments of a file that was accepted before still become documents.
create function private.refuse_in_archive() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (select from public.matters m where m.id = new.matter_id and m.archived_at is not null) then
    raise exception 'This matter is archived and takes no files in. Its owner can reopen it.' using errcode = 'OR409';
  end if;
  return new;
end
$$;
create trigger refuse_in_archive before insert on public.documents
  for each row when (new.parent_document_id is null) execute function private.refuse_in_archive();

-- Numbers a change of a document and announces it: channel orderly_documents, payload the matter's id.
create function private.note_change(document uuid, matter uuid, in_group uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  next_number bigint;
begin
  -- When a whole matter is deleted, nobody is left to be notified.
  perform from public.matters m where m.id = matter;
  if not found then
    return;
  end if;
  insert into private.matter_changes as c (matter_id, number) values (matter, 1)
  on conflict (matter_id) do update set number = c.number + 1
  returning c.number into next_number;
  insert into private.document_changes as c (document_id, matter_id, number, group_id, was_open)
  values (document, matter, next_number, in_group, in_group is null)
  on conflict (document_id) do update set matter_id = excluded.matter_id, number = excluded.number, group_id = excluded.group_id,
    was_open = c.was_open or excluded.was_open;
  perform pg_notify('orderly_documents', matter::text);
end
$$;

create function private.document_changed() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.note_change(old.id, old.matter_id, old.group_id);
  else
    perform private.note_change(new.id, new.matter_id, new.group_id);
  end if;
  return null;
end
$$;
-- Deferred, so that the matter's counter is the last lock of a transaction: no two transactions wait for each other.
create constraint trigger document_added after insert on public.documents
  deferrable initially deferred for each row execute function private.document_changed();
create constraint trigger document_changed after update on public.documents
  deferrable initially deferred for each row
  when ((old.status, old.status_reason, old.stage, old.stage_done, old.stage_total, old.filename, old.folder_id, old.legal_hold,
      old.group_id, old.current_revision_id, old.parent_document_id, old.deleted_at, old.matter_id, old.storage_key)
    is distinct from (new.status, new.status_reason, new.stage, new.stage_done, new.stage_total, new.filename, new.folder_id,
      new.legal_hold, new.group_id, new.current_revision_id, new.parent_document_id, new.deleted_at, new.matter_id,
      new.storage_key))
  execute function private.document_changed();
-- The deletion of a document is announced when it is hidden. Removing its row announces only uploads that never arrived.
create constraint trigger document_removed after delete on public.documents
  deferrable initially deferred for each row
  when (old.deleted_at is null)
  execute function private.document_changed();

-- Records that the caller watches a matter, once in ten minutes.
create function private.record_watcher(m public.matters) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  due boolean;
begin
  insert into private.watchers as w (matter_id, user_id, recorded_at) values (m.id, auth.uid(), now())
  on conflict (matter_id, user_id) do update set recorded_at = now() where w.recorded_at < now() - interval '10 minutes'
  returning true into due;
  if due then
    perform private.audit('document_changes', m);
  end if;
end
$$;

-- == As the caller (role authenticated): registering files ==

-- Looks for documents that a file would double.
-- Returns {same_content: document + {superseded} | null, same_name: document | null}.
--   same_content: holds this content, or held it (superseded). same_name: other content under the same name.
create function public.find_duplicates(matter_ref text, filename text, sha256 text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'editor');
  twin public.document_files := private.same_content(m, sha256);
  namesake public.documents := private.same_name(m, filename);
  result jsonb;
begin
  result := private.duplicates_json(twin, namesake);
  perform private.audit('find_duplicates', m, null, jsonb_build_object('filename', filename, 'sha256', sha256));
  return result;
end
$$;

-- Registers a file, for editors. Returns {document: full_document, duplicate_of | null, superseded, unread_reason | null,
-- resumed, tenant_id, matter_id, storage_key | null, already: duplicates | null}.
--   on_duplicate: skip (the document of the same content, without a new file), keep (another document), new_version, ask.
--   already: (ask) the documents of the same content or name, for which nothing was registered; concurrent registrations count.
--   version_of: the document that gets the new version.
--   storage_key: where to put the file; null where there is nothing to put; then document_stored or withdraw_upload.
--   duplicate_of: the document of the same content, or the one that gets the version. superseded: it held the content before.
--   unread_reason: why that file could not be read.
--   resumed: (skip) the caller's own upload of the same name, not read to its end.
--   pages: an estimate, which counts among what waits to be read.
create function public.register_document(
  matter_ref text, filename text, content_type text, size_bytes bigint, sha256 text,
  on_duplicate text default 'skip', folder_id text default null, version_of text default null, pages integer default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'editor');
  folder uuid := private.open_folder(m, folder_id);
  twin public.document_files;
  d public.documents;
  f public.document_files;
  mine boolean := false;
  already jsonb;
begin
  perform private.check_new_file(filename, content_type, size_bytes, sha256, on_duplicate);
  perform private.lock_content(m, sha256);
  perform private.lock_name(m, filename);
  twin := private.same_content(m, sha256);
  if on_duplicate = 'ask' then
    d := private.same_name(m, filename, true);
    if twin.document_id is not null or d.id is not null then
      already := private.duplicates_json(twin, d);
    end if;
    if twin.document_id is not null then
      select x.* into d from public.documents x where x.id = twin.document_id;
    end if;
  elsif on_duplicate = 'new_version' then
    d := private.version_target(m, version_of, filename, twin);
  elsif on_duplicate = 'skip' and twin.storage_key is not null then
    select x.* into d from public.documents x where x.id = twin.document_id;
  end if;
  if d.id is null then
    perform private.check_workspace(m);
    perform private.check_waiting(m);
    d := private.new_document(m, filename, content_type, size_bytes, sha256, folder);
    f := private.new_file(d, d.storage_key, filename, content_type, size_bytes, sha256);
  elsif on_duplicate = 'new_version' then
    f := private.new_version(d, m, filename, content_type, size_bytes, sha256);
    twin.document_id := d.id;
  elsif on_duplicate <> 'ask' then
    mine := twin.registered_by = auth.uid() and twin.filename = register_document.filename and not private.superseded(twin)
      and d.status not in ('ready', 'partial', 'failed', 'unsupported');
    if twin.stored_at is null then
      -- Any upload of the file may complete it: an interrupted one blocks nobody.
      update public.document_files x set uploads = x.uploads + 1 where x.storage_key = twin.storage_key returning x.* into f;
    end if;
  end if;
  update public.document_files x set pages = least(greatest(register_document.pages, 1), 1000000)
  where x.storage_key = f.storage_key and register_document.pages is not null;
  perform private.audit('register_document', m, d.id, jsonb_build_object(
    'filename', filename, 'sha256', sha256, 'on_duplicate', on_duplicate, 'duplicate_of', twin.document_id));
  return jsonb_build_object(
    'document', private.full_document_json(d), 'duplicate_of', twin.document_id,
    'superseded', coalesce(private.superseded(twin), false) and on_duplicate <> 'new_version',
    'unread_reason', twin.unread_reason, 'resumed', coalesce(mine, false),
    'tenant_id', m.tenant_id, 'matter_id', m.id, 'storage_key', f.storage_key, 'already', already
  );
end
$$;

-- Reports that a file has been uploaded, and queues its document. Returns full_document + {arrived}; arrived: false where another
-- upload of the same file had stored it. storage_key null: the newest file that is awaited.
create function public.document_stored(document_id text, storage_key text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
  f public.document_files;
  arrived boolean;
begin
  select x.* into f from public.document_files x
  where x.document_id = d.id
    and case when document_stored.storage_key is null then x.stored_at is null else x.storage_key = document_stored.storage_key end
  order by x.ordinal desc limit 1
  for update;
  if not found then
    raise exception 'No file was expected for this document.' using errcode = 'OR409';
  end if;
  arrived := f.stored_at is null;
  if arrived then
    d := private.arrive(f);
    perform private.audit('document_stored', private.matter_of(d), d.id, jsonb_build_object('sha256', f.sha256));
  end if;
  return private.full_document_json(d) || jsonb_build_object('arrived', arrived);
end
$$;

-- Reports that an upload failed. Returns {withdrawn}; false where another upload of the file is under way.
create function public.withdraw_upload(document_id text, storage_key text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
  m public.matters := private.matter_of(d);
  withdrawn boolean := private.withdraw(d.id, storage_key);
begin
  perform private.audit('withdraw_upload', m, d.id, jsonb_build_object('withdrawn', withdrawn));
  return jsonb_build_object('withdrawn', withdrawn);
end
$$;

-- == As the caller (role authenticated): lists ==

-- Lists the documents of a matter, in the order of upload. Returns {matter, documents: [document, …]}.
create function public.list_documents(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(private.document_json(d) order by d.upload_order), '[]') into result
  from public.documents d
  where d.id = any (array(select private.readable_documents(m.id)));
  perform private.audit('list_documents', m, null, jsonb_build_object('count', jsonb_array_length(result)));
  return jsonb_build_object('matter', private.matter_json(m), 'documents', result);
end
$$;

-- Lists one page of a matter's documents. Returns {matter, total, documents: [document, …]}.
--   name_like: a LIKE pattern, in any case. content_type: a prefix. folder_id: 'top' for documents in no folder.
--   sort: uploaded, name, size, type, status.
create function public.page_documents(
  matter_ref text, name_like text default null, content_type text default null, folder_id text default null,
  sort text default 'uploaded', descending boolean default false, match_count integer default 100,
  skip integer default 0
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  folder uuid := case when page_documents.folder_id <> 'top' then private.open_folder(m, page_documents.folder_id) end;
  result jsonb;
begin
  if coalesce(sort, '') not in ('uploaded', 'name', 'size', 'type', 'status') then
    perform private.invalid('Documents are sorted by uploaded, name, size, type or status.');
  end if;
  with matching as (
    select d from public.documents d
    where d.id = any (array(select private.readable_documents(m.id)))
      and (name_like is null or d.filename ilike name_like)
      and (page_documents.content_type is null or starts_with(lower(d.content_type), lower(page_documents.content_type)))
      and (page_documents.folder_id is null or d.folder_id is not distinct from folder)
  ), ranked as (
    select x.d, row_number() over (order by
      case when sort = 'size' and not descending then (x.d).size_bytes end,
      case when sort = 'size' and descending then -(x.d).size_bytes end,
      case when not descending then x.words end, case when descending then x.words end desc,
      case when sort = 'uploaded' and descending then -(x.d).upload_order else (x.d).upload_order end
    ) as n
    from (
      select y.d, case sort when 'name' then lower((y.d).filename) when 'type' then (y.d).content_type
        when 'status' then (y.d).status end collate "C" as words
      from matching y
    ) x
  )
  select jsonb_build_object(
    'matter', private.matter_json(m), 'total', (select count(*) from ranked),
    'documents', coalesce((
      select jsonb_agg(private.document_json(p.d) order by p.n) from ranked p
      where p.n > greatest(coalesce(skip, 0), 0)
        and p.n <= greatest(coalesce(skip, 0), 0)::bigint + least(greatest(coalesce(match_count, 100), 1), 1000)
    ), '[]')
  ) into result;
  perform private.audit('page_documents', m, null, jsonb_build_object('total', result -> 'total', 'name_like', name_like)
    || case when name_like is null then '{}' else jsonb_build_object('given', jsonb_path_query_array(result, '$.documents[*].id')) end);
  return result;
end
$$;

-- Lists the documents of a matter that a search covers, in the order of upload. within as in search_chunks.
-- Returns {matter: {id, number, title}, documents: [{id, filename, status, status_reason, chunk_count | null}, …]}.
create function public.searched_documents(matter_id text, within jsonb default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object(
    'id', d.id, 'filename', d.filename, 'status', d.status, 'status_reason', d.status_reason, 'chunk_count', r.chunk_count
  ) order by d.upload_order), '[]') into result
  from public.documents d left join public.document_revisions r on r.id = d.current_revision_id
  where d.matter_id = m.id and (d.id = any (array(select s.document_id from private.scope(m, within) s))) is true;
  perform private.audit('searched_documents', m, null,
    jsonb_build_object('within', within, 'count', jsonb_array_length(result)));
  return jsonb_build_object(
    'matter', jsonb_build_object('id', m.id, 'number', m.number, 'title', m.title), 'documents', result);
end
$$;

-- Ranks the documents of a matter that a question names: by the words of their file names and beginnings, each by its rarity.
-- Returns [{document_id, document_name, score}, …], best first. score: 1 for one word that no other document has.
create function public.named_documents(matter_id text, words text, match_count integer default 5) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  result := private.documents_named(m, words, private.row_limit(match_count));
  perform private.audit('named_documents', m, null,
    jsonb_build_object('words', words, 'documents', jsonb_array_length(result), 'given', private.given(result)));
  return result;
end
$$;

-- Lists the changes of a matter's documents after a number, in order, and records the watcher.
-- Returns {matter_id, latest, more, changes: [{number, document_id, document | null}, …]}.
--   after null: every present document. document: null where it is deleted or not readable. more: there are further changes.
create function public.document_changes(matter_ref text, after bigint default null, match_count integer default 200)
returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  wanted integer := least(greatest(coalesce(match_count, 200), 1), 1000);
  found_changes jsonb;
  newest bigint;
  reached bigint;
begin
  select coalesce(max(c.number), 0) into newest from private.matter_changes c where c.matter_id = m.id;
  select coalesce(jsonb_agg(x.entry order by x.number), '[]'), max(x.number) into found_changes, reached
  from (
    select c.number, jsonb_build_object('number', c.number, 'document_id', c.document_id,
      'document', case when d.id is not null then private.document_json(d) end) as entry
    from private.document_changes c
    left join public.documents d on d.id = c.document_id and d.id in (select private.readable_documents(m.id))
    where c.matter_id = m.id and c.number > coalesce(after, 0)
      -- A deletion is reported only to clients that have seen an earlier state.
      and (d.id is not null or (after is not null
        and (c.was_open or c.group_id = any (array(select private.my_group_ids())))))
    order by c.number
    limit wanted
  ) x;
  perform private.record_watcher(m);
  return jsonb_build_object(
    'matter_id', m.id,
    'more', jsonb_array_length(found_changes) >= wanted,
    'latest', case when jsonb_array_length(found_changes) >= wanted then reached else greatest(newest, coalesce(reached, 0)) end,
    'changes', found_changes
  );
end
$$;

-- == As the caller (role authenticated): one document ==

-- Describes a document. Returns full_document.
create function public.get_document(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id);
begin
  perform private.audit('get_document', private.matter_of(d), d.id);
  return private.full_document_json(d);
end
$$;

-- Finds the document that an id belongs to: a document (also by a file name that only one has), or a passage or section of one.
-- Returns {document_id}.
create function public.owning_document(document_id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  wanted uuid := private.as_uuid(owning_document.document_id);
  found_id uuid;
begin
  perform private.caller();
  select d.id into found_id from (
    select coalesce(wanted, private.named_document(owning_document.document_id)) as document_id
    union all
    select c.document_id from public.chunks c where c.id = wanted
    union all
    select r.document_id from public.document_revisions r where r.former_passages @> array[wanted]
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

-- Changes a document, for editors. changes: any of {filename, folder_id}; seen as in edit_matter. Returns full_document.
create function public.edit_document(document_id text, changes jsonb, seen jsonb default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
  before jsonb;
  folder uuid;
  clean text;
begin
  perform private.check_changes(changes, array['filename', 'folder_id']);
  select x.* into d from public.documents x where x.id = d.id for update;
  before := jsonb_build_object('filename', d.filename, 'folder_id', d.folder_id);
  perform private.check_unchanged(seen, before);
  clean := case when changes ? 'filename' then private.check_file_name(changes ->> 'filename') else d.filename end;
  folder := case when changes ? 'folder_id' then private.open_folder(private.matter_of(d), changes ->> 'folder_id') else d.folder_id end;
  update public.documents u set filename = clean, folder_id = folder where u.id = d.id returning u.* into d;
  -- The present file gets the name too, so that reading it again, or failing to, keeps the name.
  update public.document_files f set filename = clean where f.storage_key = d.storage_key and f.filename <> clean;
  perform private.audit('edit_document', private.matter_of(d), d.id, jsonb_build_object('before', before, 'changes', changes));
  return private.full_document_json(d);
end
$$;

-- Moves a document to a folder of its matter, for editors; null: to the top. Returns full_document.
create function public.move_document(document_id text, folder_id text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'editor');
  m public.matters := private.matter_of(d);
  folder uuid := private.open_folder(m, move_document.folder_id);
begin
  update public.documents u set folder_id = folder where u.id = d.id returning u.* into d;
  perform private.audit('move_document', m, d.id, jsonb_build_object('folder_id', folder));
  return private.full_document_json(d);
end
$$;

-- Places a legal hold on a document and its attachments, or ends it, for owners. Returns full_document.
create function public.hold_document(document_id text, held boolean) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'owner');
begin
  if held is null then
    perform private.invalid('held is true or false.');
  end if;
  update public.documents u set legal_hold = held where u.id = d.id returning u.* into d;
  perform private.audit('set_legal_hold', private.matter_of(d), d.id, jsonb_build_object('held', held));
  return private.full_document_json(d);
end
$$;

-- Deletes a document with its attachments, for owners: hidden at once, purged by the worker. OR409 under a hold.
-- Returns {receipt_id, document_id, filename, deleted_at, attachments: [the same four, …], kept: [{document_id, filename,
-- attached_to}, …]}. kept: attachments that stay, because another document carries them.
create function public.delete_document(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id, 'owner');
  m public.matters := private.matter_of(d);
  doomed uuid[];
  gone public.documents;
  kept jsonb;
  receipt jsonb;
  receipts jsonb := '[]';
begin
  perform from public.documents x where x.id = any (private.ancestors(d.id) || d.id || private.descendants(d.id)) order by x.id for update;
  select x.* into d from public.documents x where x.id = d.id;
  doomed := private.deleted_with(d.id);
  if d.deleted_at is not null then
    perform private.not_found('document', document_id);
  end if;
  perform private.check_no_hold(d, doomed);
  kept := private.hand_over(doomed);
  update public.documents u set status = 'deleted', deleted_at = now() where u.id = any (doomed);
  receipt := private.receipt_for(d, m);
  for gone in select x.* from public.documents x where x.id = any (doomed) and x.id <> d.id order by x.upload_order loop
    receipts := receipts || private.receipt_for(gone, m);
  end loop;
  return receipt || jsonb_build_object('attachments', receipts, 'kept', kept);
end
$$;

-- Lists a matter's receipts of deletion, newest first.
-- Returns [{receipt_id, document_id, filename, sha256, size_bytes, deleted_by (e-mail), deleted_at, purged_at,
-- attached_to: [document_id, …]}, …].
create function public.list_receipts(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object(
    'receipt_id', x.id, 'document_id', x.document_id, 'filename', x.filename, 'sha256', x.sha256, 'size_bytes', x.size_bytes,
    'deleted_by', u.email, 'deleted_at', x.deleted_at, 'purged_at', x.purged_at, 'attached_to', to_jsonb(x.attached_to)
  ) order by x.deleted_at desc, x.filename, x.id), '[]') into result
  from public.receipts x left join auth.users u on u.id = x.deleted_by
  where x.matter_id = m.id and (x.group_id is null or x.group_id = any (array(select private.my_group_ids())));
  perform private.audit('list_receipts', m, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

-- == As the caller (role authenticated): reading ==

-- Reads the current revision. Returns {document: full_document, text, pages: [page, …], sections: [section, …]}.
--   page = {number, start, end, label, source, confidence, flags}
create function public.get_revision(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_readable(document_id);
begin
  perform private.audit('get_revision', private.matter_of(d), d.id,
    jsonb_build_object('revision_id', d.current_revision_id));
  return (
    select jsonb_build_object(
      'document', private.full_document_json(d), 'text', r.text,
      'pages', private.pages_json(r.id), 'sections', private.sections_json(r.id)
    )
    from public.document_revisions r where r.id = d.current_revision_id
  );
end
$$;

-- Reads the outline of the current revision. Returns {document: full_document without storage_key, sections: [section, …],
-- passages: [[start, end], …]}.
create function public.document_contents(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_readable(document_id);
  result jsonb;
begin
  select jsonb_build_object(
    'document', private.full_document_json(d) - 'storage_key', 'sections', private.sections_json(r.id),
    'passages', (
      select coalesce(jsonb_agg(jsonb_build_array(c.start_char, c.end_char) order by c.ordinal), '[]')
      from public.chunks c where c.revision_id = r.id
    )
  ) into result
  from public.document_revisions r where r.id = d.current_revision_id;
  perform private.audit('document_contents', private.matter_of(d), d.id, jsonb_build_object('revision_id', d.current_revision_id));
  return result;
end
$$;

-- Reads one page; revision_id null: of the current revision. Returns {document_id, revision_id, current, paged, page_count,
-- number, label, source, confidence, ocr_engine, flags, width, height, start, end, text, lines}. lines: as in the table.
create function public.document_page(document_id text, page_number integer, revision_id text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_readable(document_id);
  r public.document_revisions := private.revision_of(d, revision_id);
  p public.document_pages;
begin
  select x.* into p from public.document_pages x where x.revision_id = r.id and x.number = page_number;
  if not found then
    perform private.not_found('page', page_number::text);
  end if;
  perform private.audit('document_page', private.matter_of(d), d.id, jsonb_build_object('revision_id', r.id, 'page', p.number));
  return jsonb_build_object(
    'document_id', d.id, 'revision_id', r.id, 'current', r.id = d.current_revision_id, 'paged', r.paged, 'page_count', r.page_count,
    'number', p.number, 'label', p.label, 'source', p.source, 'confidence', p.confidence, 'flags', p.flags,
    'width', p.width, 'height', p.height, 'start', p.start_char, 'end', p.end_char,
    'text', substr(r.text, p.start_char + 1, p.end_char - p.start_char), 'ocr_engine', p.ocr_engine, 'lines', p.lines
  );
end
$$;

-- Reads a span of the current revision's text. Returns {document_id, revision_id, start, end, char_count, text}.
create function public.document_span(document_id text, start_char integer, end_char integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_readable(document_id);
  r public.document_revisions := private.revision_of(d, null);
begin
  if start_char is null or end_char is null or start_char < 0 or end_char < start_char or end_char > r.char_count then
    perform private.invalid(format('The text has %s characters: 0 <= start <= end <= %s.', r.char_count, r.char_count));
  end if;
  perform private.audit('document_span', private.matter_of(d), d.id,
    jsonb_build_object('revision_id', r.id, 'start', start_char, 'end', end_char));
  return jsonb_build_object('document_id', d.id, 'revision_id', r.id, 'start', start_char, 'end', end_char,
    'char_count', r.char_count, 'text', substr(r.text, start_char + 1, end_char - start_char));
end
$$;

-- Finds pages, sections and passages of spans. spans: [[start, end], …]. Returns [{start, end, page_first, page_last, paged,
-- section_id, section_label, section_title, chunk_id | null}, …]; OR404 for a revision of another document.
create function public.locate_spans(document_id text, revision_id text, spans jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id);
  r public.document_revisions;
  result jsonb;
begin
  select x.* into r from public.document_revisions x
  where x.id = private.as_uuid(locate_spans.revision_id) and x.document_id = d.id and x.published_at is not null;
  if not found then
    perform private.not_found('document', locate_spans.document_id);
  end if;
  select coalesce(jsonb_agg(jsonb_build_object(
    'start', k.s, 'end', k.e, 'page_first', private.page_at(r.id, k.s),
    'page_last', private.page_at(r.id, greatest(k.s, k.e - 1)), 'paged', r.paged,
    'section_id', n.id, 'section_label', n.label, 'section_title', n.title,
    'chunk_id', (
      select c.id from public.chunks c
      where c.revision_id = r.id and c.start_char <= k.s and c.end_char > k.s order by c.ordinal limit 1
    )
  ) order by k.n), '[]') into result
  from (
    select (w.span ->> 0)::integer as s, (w.span ->> 1)::integer as e, w.n
    from jsonb_array_elements(spans) with ordinality as w (span, n)
  ) k
  left join public.sections n on n.id = private.section_at(r.id, k.s, k.s + 1);
  perform private.audit('locate_spans', private.matter_of(d), d.id,
    jsonb_build_object('revision_id', r.id, 'spans', jsonb_array_length(result)));
  return result;
end
$$;

-- Opens a page and its text, for showing; path_part_id: a document, section, passage or citation.
--   highlight: a citation, passage or section of the same document; null: the passage or citation itself.
--   page_number null: where the highlight or section begins. dpi: resolution of the picture.
-- Returns {document_id, document_name, content_type, matter_id, revision_id, current, file_key, image_key, paged, page_count,
-- page, text: {start, text}, span: {start, end} | null, span_page_first, span_page_last, quote, section_label, section_title}.
--   page = {number, label, source, start, end, width, height, lines: [[start, end, x0, y0, x1, y1], …]}
--   text: of the page; in a document without pages of the section, or its part around the span.
--   image_key: storage key of the picture.
create function public.open_page(
  path_part_id text, page_number integer default null, highlight text default null, dpi integer default 110
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  place private.located := private.open_node(path_part_id);
  marked private.located;
  d public.documents;
  r public.document_revisions;
  p public.document_pages;
  s public.sections;
  home int4range;
  span int4range;
  whole int4range;
  shown int4range;
  image_key text;
begin
  if place.document_id is null then
    perform private.invalid('Only a document, a section, a passage or a citation has pages.');
  end if;
  if highlight is not null then
    marked := private.locate(highlight);
    perform private.check_current_passage(marked);
    if marked.document_id is distinct from place.document_id or marked.kind = 'document' then
      perform private.not_found('citation', highlight);
    end if;
  elsif place.kind in ('passage', 'citation') then
    marked := place;
  end if;
  d := private.open_readable(place.document_id::text);
  select x.* into r from public.document_revisions x
  where x.id = coalesce(marked.revision_id, place.revision_id, d.current_revision_id);
  if marked.kind = 'citation' then
    select int4range(c.start_char, c.end_char) into span from public.citations c where c.id = marked.citation_id;
  elsif marked.kind is not null then
    span := private.span_of(marked);
  end if;
  if place.kind = 'section' and place.revision_id = r.id then
    home := private.span_of(place);
  end if;
  select x.* into p from public.document_pages x
  where x.revision_id = r.id and x.number = coalesce(page_number, private.page_at(r.id, lower(coalesce(span, home))), 1);
  if not found then
    perform private.invalid(format('%s has pages 1 to %s.', d.filename, r.page_count));
  end if;
  select x.* into s from public.sections x
  where x.id = private.section_at(r.id, lower(coalesce(span, home)), lower(coalesce(span, home)) + 1);
  whole := coalesce(home, case when s.id is not null then int4range(s.start_char, s.end_char) end, int4range(0, r.char_count));
  shown := case when r.paged then int4range(p.start_char, p.end_char)
    else private.excerpt_span(whole, coalesce(span, int4range(lower(whole), lower(whole) + 1))) end;
  image_key := private.page_image_key(d, r.id, p.number, dpi,
    concat_ws('-', lower(span), upper(span), case when not r.paged then shown::text end));
  insert into private.page_images (storage_key, document_id) values (image_key, d.id) on conflict do nothing;
  perform private.audit('open_page', private.matter_of(d), d.id,
    jsonb_build_object('revision_id', r.id, 'page', p.number, 'highlight', highlight));
  return jsonb_build_object(
    'document_id', d.id, 'document_name', d.filename, 'content_type', d.content_type, 'matter_id', d.matter_id,
    'revision_id', r.id, 'current', r.id = d.current_revision_id, 'file_key', r.storage_key, 'image_key', image_key,
    'paged', r.paged, 'page_count', r.page_count,
    'page', jsonb_build_object('number', p.number, 'label', p.label, 'source', p.source, 'start', p.start_char,
      'end', p.end_char, 'width', p.width, 'height', p.height, 'lines', p.lines),
    'text', jsonb_build_object(
      -- A page without text is an empty range, which has no bounds.
      'start', coalesce(lower(shown), p.start_char),
      'text', coalesce(substr(r.text, lower(shown) + 1, upper(shown) - lower(shown)), '')
    ),
    'span', case when span is not null then jsonb_build_object('start', lower(span), 'end', upper(span)) end,
    'span_page_first', private.page_at(r.id, lower(span)),
    'span_page_last', private.page_at(r.id, greatest(upper(span) - 1, lower(span))),
    'quote', substr(r.text, lower(span) + 1, upper(span) - lower(span)),
    'section_label', s.label, 'section_title', s.title
  );
end
$$;

-- Finds the storage key of a document's file or of a page's picture. name: the last part of the key; null: the file that is read.
-- Returns {storage_key, filename, content_type, size_bytes | null, sha256 | null}.
create function public.open_file(document_id text, name text default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id);
  m public.matters := private.matter_of(d);
  wanted text := case when name is null then d.storage_key else concat_ws('/', m.tenant_id, m.id, d.id, name) end;
  result jsonb;
begin
  select jsonb_build_object('storage_key', f.storage_key,
    'filename', case when f.storage_key = d.storage_key then d.filename else f.filename end,
    'content_type', f.content_type, 'size_bytes', f.size_bytes, 'sha256', f.sha256) into result
  from public.document_files f
  where f.document_id = d.id and f.storage_key = wanted and f.stored_at is not null;
  if result is null then
    select jsonb_build_object('storage_key', i.storage_key, 'filename', d.filename || '.png', 'content_type', 'image/png',
      'size_bytes', null, 'sha256', null) into result
    from private.page_images i where i.document_id = d.id and i.storage_key = wanted;
  end if;
  if result is null then
    perform private.not_found('file', coalesce(name, document_id));
  end if;
  perform private.audit('open_file', m, d.id, jsonb_build_object('name', split_part(wanted, '/', 4), 'sha256', result -> 'sha256'));
  return result;
end
$$;

-- Describes how a document was read. Returns {document: full_document without health, health | null, pages, attachments, changes,
-- versions}.
--   pages: [{number, label, source, confidence, ocr_engine, flags, characters}, …] that were read by OCR or are flagged.
--   attachments, changes, versions: the shapes beside private.attachments_json, changes_json and versions_json.
create function public.get_health(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id);
  r public.document_revisions;
begin
  select x.* into r from public.document_revisions x where x.id = d.current_revision_id;
  perform private.audit('get_health', private.matter_of(d), d.id, jsonb_build_object('revision_id', r.id));
  return jsonb_build_object(
    'document', private.full_document_json(d) #- '{revision,health}', 'health', r.health,
    'pages', (
      select coalesce(jsonb_agg(jsonb_build_object('number', p.number, 'label', p.label, 'source', p.source,
        'confidence', p.confidence, 'ocr_engine', p.ocr_engine, 'flags', p.flags, 'characters', p.end_char - p.start_char
      ) order by p.number), '[]')
      from public.document_pages p
      where p.revision_id = r.id and (p.source <> 'native' or p.flags <> '[]')
    ),
    'attachments', private.attachments_json(r.health), 'changes', private.changes_json(r), 'versions', private.versions_json(d)
  );
end
$$;

-- Counts the places where hidden text was left out of the text of documents. Returns {document_id: number}; documents that are
-- not readable or have none are left out.
create function public.hidden_text(document_ids jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  asked uuid[];
begin
  perform private.caller();
  if jsonb_typeof(document_ids) is distinct from 'array' then
    perform private.invalid('Documents are named by an array of their ids.');
  end if;
  asked := array(select private.as_uuid(x) from jsonb_array_elements_text(document_ids) x);
  return (
    select coalesce(jsonb_object_agg(d.id, jsonb_array_length(r.health #> '{details,hidden_text}')), '{}')
    from public.documents d join public.document_revisions r on r.id = d.current_revision_id
    where d.id = any (asked) and d.id = any (array(
      select private.readable_documents(m.id) from (select distinct x.matter_id as id from public.documents x where x.id = any (asked)) m
    ))
    and jsonb_typeof(r.health #> '{details,hidden_text}') = 'array' and r.health #> '{details,hidden_text}' <> '[]'
  );
end
$$;

-- Describes how completely the documents that a search covers were read, in the order of upload. within as in search_chunks.
-- Returns [{document_id, filename, status, status_reason, page_count, paged, char_count, whole, ocr_pages, ocr_confidence | null,
-- unread: [{number, flags}, …]}, …]. whole: false where within names sections of the document only; all figures are then those
-- of the sections and their pages. ocr_confidence: mean, 0 to 100. unread: pages of which text is missing, with the reasons.
create function public.reading_coverage(matter_ref text, within jsonb default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  result jsonb;
begin
  with inside as materialized (
    select s.document_id as id, bool_or(s.span_start = 0 and s.span_end = 2147483647) as whole,
      range_agg(int4range(s.span_start, s.span_end)) as spans
    from private.scope(m, within) s group by s.document_id
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'document_id', d.id, 'filename', d.filename, 'status', d.status, 'status_reason', d.status_reason, 'whole', i.whole,
    'page_count', case when i.whole then r.page_count else o.all_pages end, 'paged', r.paged,
    'char_count', case when i.whole then r.char_count else c.characters end,
    'ocr_pages', o.pages, 'ocr_confidence', o.confidence, 'unread', coalesce(u.pages, '[]')
  ) order by d.upload_order), '[]') into result
  from inside i
  join public.documents d on d.id = i.id
  left join public.document_revisions r on r.id = d.current_revision_id
  left join lateral (select sum(upper(x) - lower(x)) as characters from unnest(i.spans) as x) c on true
  left join lateral (
    select count(*) as all_pages, count(*) filter (where p.source = 'ocr') as pages,
      round((avg(p.confidence) filter (where p.source = 'ocr'))::numeric, 1) as confidence
    from public.document_pages p where p.revision_id = r.id and (i.whole or int4range(p.start_char, p.end_char) && i.spans)
  ) o on true
  left join lateral (
    select jsonb_agg(jsonb_build_object('number', p.number, 'flags', p.flags) order by p.number) as pages
    from public.document_pages p
    where p.revision_id = r.id
      and (i.whole or int4range(p.start_char, p.end_char) && i.spans)
      and p.flags ?| array['no_text', 'unreadable_glyphs', 'low_confidence', 'ocr_failed', 'damaged', 'truncated']
  ) u on true;
  perform private.audit('reading_coverage', m, null,
    jsonb_build_object('within', within, 'count', jsonb_array_length(result)));
  return result;
end
$$;

-- == As the worker (service_role) ==

-- Sets the limits of the installation's settings. Returns {chat_files, waiting_files, waiting_mb, waiting_pages, waiting_passages}.
create function public.set_limits(
  chat_files integer, waiting_files integer, waiting_mb integer, waiting_pages integer, waiting_passages integer
) returns jsonb
language sql security definer
set search_path = ''
as $$
  insert into private.limits as l (chat_files, waiting_files, waiting_mb, waiting_pages, waiting_passages)
  values (chat_files, waiting_files, waiting_mb, waiting_pages, waiting_passages)
  on conflict (only_row) do update set chat_files = excluded.chat_files, waiting_files = excluded.waiting_files,
    waiting_mb = excluded.waiting_mb, waiting_pages = excluded.waiting_pages, waiting_passages = excluded.waiting_passages
  returning to_jsonb(l) - 'only_row'
$$;

-- Sets the status of a claimed document: a stage of the work, failed or unsupported. Returns worker_document.
create function public.set_document_status(document_id text, claim bigint, status text, reason text default '') returns jsonb
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
    stage_done = null, stage_total = null,
    claimed_at = case when working then clock_timestamp() end
  where u.id = d.id
  returning u.* into d;
  return private.worker_json(d);
end
$$;

-- Registers a file that is attached to a claimed document as a document of its own. Returns {outcome, document_id | null, own,
-- filename, status, storage_key | null, deleted_at | null}.
--   family_limit: documents attached to one file, at any depth. depth_limit: how deep they may be nested.
--   outcome: new, known (the matter holds this content: linked, not doubled; own: as an attachment of this document), deleted (a
--   person deleted it, so it is not registered again), too many, too deep.
--   storage_key: where to put a file that has not arrived; then attachment_stored or withdraw_attachment.
create function public.register_attachment(
  document_id text, claim bigint, filename text, content_type text, size_bytes bigint, sha256 text,
  family_limit integer, depth_limit integer
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  p public.documents := private.claimed_row(document_id, claim);
  m public.matters := private.matter_of(p);
  f public.document_files;
  d public.documents;
  outcome text;
  gone timestamptz;
begin
  perform private.check_new_file(filename, content_type, size_bytes, sha256, 'skip');
  perform private.lock_content(m, sha256);
  f := private.attachment_twin(p, sha256);
  if f.storage_key is not null then
    outcome := 'known';
    update public.document_files x set uploads = x.uploads + 1 where x.storage_key = f.storage_key and x.stored_at is null;
  else
    select max(x.deleted_at) into gone from public.receipts x
    where x.matter_id = m.id and x.sha256 = register_attachment.sha256 and p.id = any (x.attached_to);
    outcome := case when gone is not null then 'deleted' else private.no_room(p, family_limit, depth_limit) end;
  end if;
  if outcome is null then
    outcome := 'new';
    f := private.new_attachment(p, m, filename, content_type, size_bytes, sha256);
    perform private.audit('register_attachment', m, f.document_id,
      jsonb_build_object('attached_to', p.id, 'filename', filename, 'sha256', sha256));
  end if;
  select x.* into d from public.documents x where x.id = f.document_id;
  if d.id is not null then
    insert into public.attachment_links (parent_document_id, document_id, name) values (p.id, d.id, register_attachment.filename)
    on conflict do nothing;
  end if;
  return jsonb_build_object('outcome', outcome, 'document_id', d.id, 'own', coalesce(d.parent_document_id = p.id, false),
    'filename', d.filename, 'status', d.status, 'storage_key', case when f.stored_at is null then f.storage_key end,
    'deleted_at', gone);
end
$$;

-- Reports that an attached file has been stored, and queues its document. Returns worker_document.
create function public.attachment_stored(document_id text, storage_key text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.worker_row(document_id);
  f public.document_files;
begin
  select x.* into f from public.document_files x
  where x.storage_key = attachment_stored.storage_key and x.document_id = d.id
  for update;
  if not found or d.deleted_at is not null then
    perform private.not_found('document', document_id);
  end if;
  if f.stored_at is null then
    d := private.arrive(f);
  end if;
  return private.worker_json(d);
end
$$;

-- Reports that an attached file could not be stored. Returns {withdrawn}.
create function public.withdraw_attachment(document_id text, storage_key text) returns jsonb
language sql security definer
set search_path = ''
as $$ select jsonb_build_object('withdrawn', private.withdraw(private.as_uuid(document_id), storage_key)) $$;

-- Lists the attachments of a document.
-- Returns [{id, name, own, filename, status, status_reason, page_count, paged, chunk_count}, …] in the order of upload.
create function public.attached_documents(document_id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  wanted uuid := private.as_uuid(document_id);
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', d.id, 'name', l.name, 'own', coalesce(d.parent_document_id = wanted, false), 'filename', d.filename,
      'status', d.status, 'status_reason', d.status_reason, 'page_count', r.page_count, 'paged', r.paged,
      'chunk_count', r.chunk_count
    ) order by d.upload_order, l.name), '[]')
    from public.attachment_links l
    join public.documents d on d.id = l.document_id and d.deleted_at is null
    left join public.document_revisions r on r.id = d.current_revision_id
    where l.parent_document_id = wanted
  );
end
$$;

-- Reads all that proves a revision. Returns null where it is missing, else {id, document_id, filename, current, text,
-- text_sha256, char_count, page_count, chunk_count, embedding_model, storage_key, sha256, file_known, pages: [[number, start,
-- end], …], sections: [[start, end], …], chunks: [[ordinal, start, end, SHA-256 of the text], …], vectors: [[model, vectors when
-- complete, vectors found, chunks without a vector], …], citations: [[id, start, end, SHA-256 of the quotation], …]}.
create function public.revision_record(revision_id text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', r.id, 'document_id', r.document_id, 'filename', d.filename, 'current', d.current_revision_id is not distinct from r.id,
    'text', r.text, 'text_sha256', r.text_sha256, 'char_count', r.char_count, 'page_count', r.page_count,
    'chunk_count', r.chunk_count, 'embedding_model', r.embedding_model, 'storage_key', r.storage_key, 'sha256', r.sha256,
    'file_known', exists (
      select from public.document_files f where f.storage_key = r.storage_key and f.sha256 = r.sha256
    ),
    'pages', (
      select coalesce(jsonb_agg(jsonb_build_array(p.number, p.start_char, p.end_char) order by p.number), '[]')
      from public.document_pages p where p.revision_id = r.id
    ),
    'sections', (
      select coalesce(jsonb_agg(jsonb_build_array(s.start_char, s.end_char) order by s.ordinal), '[]')
      from public.sections s where s.revision_id = r.id
    ),
    'chunks', (
      select coalesce(jsonb_agg(jsonb_build_array(c.ordinal, c.start_char, c.end_char,
        encode(sha256(convert_to(c.text, 'UTF8')), 'hex')) order by c.ordinal), '[]')
      from public.chunks c where c.revision_id = r.id
    ),
    'vectors', private.vectors_record(r),
    'citations', (
      select coalesce(jsonb_agg(jsonb_build_array(c.id, c.start_char, c.end_char,
        encode(sha256(convert_to(c.quote, 'UTF8')), 'hex')) order by c.start_char, c.end_char), '[]')
      from public.citations c where c.revision_id = r.id
    )
  )
  from public.document_revisions r join public.documents d on d.id = r.document_id
  where r.id = private.as_uuid(revision_record.revision_id)
$$;

-- == Privileges ==

revoke all on public.documents, public.document_files, public.document_revisions, public.document_pages, public.sections,
  public.attachment_links, public.receipts from anon, authenticated, service_role;
grant all on public.documents, public.document_files, public.document_revisions, public.document_pages, public.sections,
  public.attachment_links, public.receipts to service_role;
revoke all on private.matter_changes, private.document_changes, private.watchers, private.limits from public, anon, authenticated, service_role;
revoke all on function private.open_document, private.named_document, private.open_readable, private.matter_of, private.revision_of,
  private.document_json, private.full_document_json, private.document_item, private.pages_json, private.section_json,
  private.sections_json, private.section_chain_json, private.versions_json, private.attachments_json, private.changes_json,
  private.apart_json,
  private.page_at, private.section_at, private.excerpt_span, private.page_image_key, private.safe_name, private.check_new_file,
  private.check_file_name, private.limits_now, private.check_workspace, private.check_waiting, private.same_content, private.same_name, private.superseded,
  private.lock_content, private.lock_name, private.duplicates_json, private.new_document, private.new_file, private.new_version, private.version_target, private.arrive,
  private.withdraw, private.ancestors, private.descendants, private.attachment_twin, private.new_attachment, private.no_room,
  private.on_hold, private.matter_held, private.deleted_with, private.check_no_hold, private.hand_over, private.receipt_for,
  private.note_text_sha256, private.refuse_in_archive, private.note_change, private.document_changed, private.record_watcher
  from public, anon, authenticated;
revoke all on function public.find_duplicates, public.register_document, public.document_stored, public.withdraw_upload,
  public.list_documents, public.page_documents, public.searched_documents, public.named_documents, public.document_changes,
  public.get_document, public.owning_document, public.edit_document, public.move_document, public.hold_document,
  public.delete_document, public.list_receipts, public.get_revision, public.document_contents, public.document_page,
  public.document_span, public.locate_spans, public.open_page, public.open_file, public.get_health, public.hidden_text,
  public.reading_coverage, public.set_document_status, public.register_attachment, public.attachment_stored,
  public.withdraw_attachment, public.attached_documents, public.revision_record, public.set_limits
  from public, anon, authenticated, service_role;
grant execute on function public.find_duplicates, public.register_document, public.document_stored, public.withdraw_upload,
  public.list_documents, public.page_documents, public.searched_documents, public.named_documents, public.document_changes,
  public.get_document, public.owning_document, public.edit_document, public.move_document, public.hold_document,
  public.delete_document, public.list_receipts, public.get_revision, public.document_contents, public.document_page,
  public.document_span, public.locate_spans, public.open_page, public.open_file, public.get_health, public.hidden_text,
  public.reading_coverage to authenticated;
grant execute on function public.set_document_status, public.register_attachment, public.attachment_stored,
  public.withdraw_attachment, public.attached_documents, public.revision_record, public.set_limits to service_role;

-- schemas/08_ingestion.sql

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

-- schemas/09_search.sql

-- Search inside one matter: passages (chunks), their vectors, and the index of words.
--
-- A search first finds what the caller may read (private.reach) and then reads as the functions' owner, because the indexes are
-- not used under row level security. Results are deterministic and cover current revisions only.
--   Vectors: exact, up to private.exact_components() numbers; above it, codes of one bit per dimension choose the passages that
--   are compared exactly.
--   Words: every word counts by its rarity (IDF) in the matter. Up to private.scan_limit() passages are read one by one; above it
--   an index is read whose keys are matter and word together; above private.exact_limit() the frequency of common words is
--   estimated.
-- A search costs what its matter costs, whatever else the database holds.
--
-- Settings of functions: plan_cache_mode = force_generic_plan keeps one plan where it serves every matter, because planning costs
-- a small matter as much as searching; the plan may be made while the tables are empty, so these functions look rows up by key
-- alone (enable_seqscan = off). Searches by index are planned at every call (force_custom_plan). A setting also holds inside the
-- functions that a function calls.

-- == Private functions: words as keys ==

-- A word in a matter, as a key: two matters have no key in common.
create function private.term(matter uuid, lexeme text) returns bigint
language sql immutable parallel safe
set search_path = ''
as $$ select hashtextextended(lexeme, uuid_hash_extended(matter, 0)) $$;

-- The keys of a passage. The high cost makes the planner read the index instead of computing keys row by row.
create function private.terms(matter uuid, tsv tsvector) returns bigint[]
language sql immutable parallel safe cost 10000
set search_path = ''
as $$
  select coalesce(array_agg(hashtextextended(word.lexeme, seed.value)), '{}')
  from unnest(tsvector_to_array(tsv)) as word (lexeme), uuid_hash_extended(matter, 0) as seed (value)
$$;

-- == Tables ==

-- Passages. The one foreign key is that of the revision, from which all else follows: each further key costs publishing some 5 %.
-- document_id, matter_id and section_id are copies for reading, written once by the worker.
create table public.chunks (
  id uuid primary key,
  revision_id uuid not null references public.document_revisions (id) on delete cascade,
  document_id uuid not null,
  matter_id uuid not null,
  ordinal integer not null,
  start_char integer not null,
  end_char integer not null,
  page_first integer not null,
  page_last integer not null,
  section_id uuid,
  text text not null,
  tsv tsvector generated always as (to_tsvector('pg_catalog.english', text)) stored,
  unique (revision_id, ordinal)
);
-- New keys wait in a list that every look-up reads. At 1 MB (some 1,000 passages) the list costs a search less than 10 ms, and
-- the index costs publishing 0.1 ms a passage; at 256 kB, 0.2 ms.
create index chunks_terms on public.chunks using gin (private.terms(matter_id, tsv)) with (gin_pending_list_limit = 1024);
-- Ids are hashes: the first of them by id are a sample.
create index chunks_matter on public.chunks (matter_id, id);
-- Words are read in every row of a search, the text only in those that are shown: the text is moved out of the row first.
alter table public.chunks alter column tsv set storage main;
-- An index is read alone only where the vacuum has been, and the vacuum empties the list of new keys: it comes after every
-- fiftieth of new rows.
alter table public.chunks set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table public.chunks enable row level security;
create policy "chunk of one of readable_revisions" on public.chunks
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));

-- Vectors. The table is narrow and its vectors are never moved out of the row: an exact search reads this table alone. A long
-- chunk has several parts. Vectors of several models lie side by side and are never compared.
create table public.chunk_embeddings (
  chunk_id uuid not null references public.chunks (id) on delete cascade,
  part integer not null,
  revision_id uuid not null,
  matter_id uuid not null,
  model text not null,
  embedding extensions.vector not null,
  code bit varying not null generated always as (extensions.binary_quantize(embedding)) stored,
  primary key (chunk_id, model, part)
);
alter table public.chunk_embeddings alter column embedding set storage plain;
create index chunk_embeddings_revision on public.chunk_embeddings (revision_id, model);
create index chunk_embeddings_code on public.chunk_embeddings (matter_id, model) include (chunk_id, part, revision_id, code);
-- As for chunks.
alter table public.chunk_embeddings set (autovacuum_vacuum_insert_scale_factor = 0.02);
alter table public.chunk_embeddings enable row level security;
create policy "vector of one of readable_revisions" on public.chunk_embeddings
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));

-- The models under which a revision has all its vectors. vector_count: their number when the model was complete.
create table public.revision_vectors (
  revision_id uuid not null references public.document_revisions (id) on delete cascade,
  model text not null,
  completed_at timestamptz not null default now(),
  vector_count integer not null,
  primary key (revision_id, model)
);
alter table public.revision_vectors enable row level security;
create policy "vectors of one of readable_revisions" on public.revision_vectors
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));

-- == Triggers ==

-- Notes the model of a revision when it is published: it is published with its vectors.
create function private.note_vectors() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.revision_vectors (revision_id, model) values (new.id, new.embedding_model) on conflict do nothing;
  return null;
end
$$;
create trigger note_vectors after update of published_at on public.document_revisions
  for each row when (old.published_at is null and new.published_at is not null and new.embedding_model is not null)
  execute function private.note_vectors();

-- Counts the vectors of a model that is complete.
create function private.note_vector_count() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  select count(*) into new.vector_count
  from public.chunk_embeddings e where e.revision_id = new.revision_id and e.model = new.model;
  return new;
end
$$;
create trigger note_vector_count before insert on public.revision_vectors
  for each row execute function private.note_vector_count();

-- == Private functions: limits ==

-- Passages up to which every word of a query is counted.
create function private.exact_limit() returns integer language sql immutable set search_path = '' as $$ select 20000 $$;

-- Numbers in all vectors of a matter up to which all are compared: 26,000 vectors of 384 dimensions, 5,600 of 1,792.
create function private.exact_components() returns integer language sql immutable set search_path = '' as $$ select 10000000 $$;

-- Passages up to which all are read, in place of the index of words.
create function private.scan_limit() returns integer language sql immutable set search_path = '' as $$ select 1000 $$;

-- Passages that are ranked: words choose candidates, from the rarest word on, until there are so many.
create function private.candidate_limit() returns integer language sql immutable set search_path = '' as $$ select 1000 $$;

-- Passages that the codes choose: 3 % of all, and 40 for each that is wanted. With MiniLM's vectors of 100,000 passages, one in
-- 500 of the nearest twenty is not among them.
create function private.code_candidates(passages bigint, wanted_count integer) returns bigint
language sql immutable
set search_path = ''
as $$ select greatest(passages * 3 / 100, 40 * wanted_count) $$;

-- Characters at the beginning of a document in which title and parties stand.
create function private.opening() returns integer language sql immutable set search_path = '' as $$ select 2000 $$;

-- == Private functions: what a search covers ==

-- What a search may read, found once per call. span_…: where sections were named, the spans side by side; null for whole
-- documents.
create type private.reach as (
  revisions uuid[],
  span_revisions uuid[],
  span_starts integer[],
  span_ends integer[],
  passages bigint
);

-- Ids of passages with their scores, best first.
create type private.ranking as (ids uuid[], scores double precision[]);

-- Whether a list of ids names nothing, so that a search covers the whole matter.
create function private.unfiltered(within jsonb) returns boolean
language sql immutable
set search_path = ''
as $$ select within is null or jsonb_typeof(within) <> 'array' or within = '[]' $$;

-- Documents of a matter with their current revisions (null: none yet), or spans of them, that a search may read. within: ids of
-- documents, folders and sections (OR404 for any other); null or an empty list: all.
create function private.scope(m public.matters, within jsonb)
returns table (document_id uuid, revision_id uuid, span_start integer, span_end integer)
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_seqscan = on
as $$
declare
  docs uuid[] := array(select private.readable_documents(m.id));
  missing text;
begin
  if private.unfiltered(within) then
    return query
      select d.id, d.current_revision_id, 0, 2147483647 from public.documents d where d.id = any (docs);
    return;
  end if;
  select w.ref into missing from jsonb_array_elements_text(within) as w (ref)
  where private.as_uuid(w.ref) is null or not (
    private.as_uuid(w.ref) = any (docs)
    or exists (select from public.folders f where f.id = private.as_uuid(w.ref) and f.matter_id = m.id)
    or exists (
      select from public.sections s join public.documents d on d.current_revision_id = s.revision_id
      where s.id = private.as_uuid(w.ref) and d.id = any (docs)
    )
  )
  limit 1;
  if found then
    perform private.not_found('document', missing);
  end if;
  return query
    with recursive wanted as (
      select distinct private.as_uuid(w.ref) as id from jsonb_array_elements_text(within) as w (ref)
    ), inside as (
      select f.id from public.folders f join wanted on wanted.id = f.id
      union
      select f.id from public.folders f join inside on f.parent_id = inside.id
    )
    select d.id, d.current_revision_id, 0, 2147483647 from public.documents d
    where d.id = any (docs)
      and (d.id in (select wanted.id from wanted) or d.folder_id in (select inside.id from inside))
    union
    select d.id, s.revision_id, s.start_char, s.end_char from public.sections s
    join wanted on wanted.id = s.id
    join public.documents d on d.current_revision_id = s.revision_id and d.id = any (docs);
end
$$;

-- The same as one value, with the number of passages.
create function private.reach(m public.matters, within jsonb) returns private.reach
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  found_reach private.reach;
  whole boolean;
  matter uuid := m.id;
begin
  if private.unfiltered(within) then
    -- "offset 0" makes the planner look up row by row, by key.
    select coalesce(array_agg(r.id), '{}'), coalesce(sum(r.chunk_count), 0)
    into found_reach.revisions, found_reach.passages
    from private.readable_documents(matter) as readable (id)
    cross join lateral (select d.current_revision_id as id from public.documents d where d.id = readable.id offset 0) d
    cross join lateral (select v.id, v.chunk_count from public.document_revisions v where v.id = d.id offset 0) r;
    return found_reach;
  end if;
  select array_agg(distinct s.revision_id), array_agg(s.revision_id), array_agg(s.span_start), array_agg(s.span_end),
    bool_and(s.span_start = 0 and s.span_end = 2147483647)
  into found_reach.revisions, found_reach.span_revisions, found_reach.span_starts, found_reach.span_ends, whole
  from private.scope(m, within) s where s.revision_id is not null;
  found_reach.revisions := coalesce(found_reach.revisions, '{}');
  if coalesce(whole, true) then
    found_reach.span_revisions := null;
    select coalesce(sum(r.chunk_count), 0) into found_reach.passages
    from public.document_revisions r where r.id = any (found_reach.revisions);
  else
    select count(*) into found_reach.passages from public.chunks c
    where c.revision_id = any (found_reach.revisions)
      and private.in_reach(found_reach, c.revision_id, c.start_char, c.end_char);
  end if;
  return found_reach;
end
$$;

-- Whether a passage lies in one of the spans.
create function private.in_reach(r private.reach, revision uuid, start_char integer, end_char integer) returns boolean
language sql immutable
set search_path = ''
as $$
  select exists (
    select from unnest(r.span_revisions, r.span_starts, r.span_ends) as s (revision_id, span_start, span_end)
    where s.revision_id = revision and start_char < s.span_end and end_char > s.span_start
  )
$$;

-- The id below which this share (0 to 1) of all ids lies.
create function private.id_below(share double precision) returns uuid
language sql immutable
set search_path = ''
as $$ select (lpad(to_hex(least(floor(share * 4294967296), 4294967295)::bigint), 8, '0') || repeat('0', 24))::uuid $$;

-- == Private functions: shapes ==

-- hit = {chunk_id, document_id, document_name, revision_id, ordinal, start, end, page_first, page_last, paged, section_id,
--   section_label, section_title, text}
create function private.hit_json(c public.chunks) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'chunk_id', c.id, 'document_id', d.id, 'document_name', d.filename, 'revision_id', c.revision_id,
    'ordinal', c.ordinal, 'start', c.start_char, 'end', c.end_char,
    'page_first', c.page_first, 'page_last', c.page_last, 'paged', r.paged,
    'section_id', s.id, 'section_label', s.label, 'section_title', s.title, 'text', c.text
  )
  from public.documents d
  join public.document_revisions r on r.id = c.revision_id
  left join public.sections s on s.id = c.section_id
  where d.id = c.document_id
$$;

-- [hit + {score_name: score}, …] of passages, in the order given.
create function private.hits_json(ids uuid[], scores double precision[], score_name text) returns jsonb
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'chunk_id', c.id, 'document_id', d.id, 'document_name', d.filename, 'revision_id', c.revision_id,
      'ordinal', c.ordinal, 'start', c.start_char, 'end', c.end_char,
      'page_first', c.page_first, 'page_last', c.page_last, 'paged', r.paged,
      'section_id', s.id, 'section_label', s.label, 'section_title', s.title, 'text', c.text, score_name, given.score
    ) order by given.place), '[]')
    from unnest(ids, scores) with ordinality as given (id, score, place)
    join public.chunks c on c.id = given.id
    join public.documents d on d.id = c.document_id
    join public.document_revisions r on r.id = c.revision_id
    left join public.sections s on s.id = c.section_id
  );
end
$$;

-- Ids of the passages of hits, in order.
create function private.chunk_ids(hits jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$ select jsonb_path_query_array(hits, '$[*].chunk_id') $$;

-- Ids of the documents of hits, in order: the record names the documents that a search has given.
create function private.given(hits jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$ select jsonb_path_query_array(hits, '$[*].document_id') $$;

-- Number of passages of a revision that touch a span.
create function private.chunk_total(revision uuid, span int4range) returns bigint
language sql stable security definer
set search_path = ''
as $$
  select count(*) from public.chunks c
  where c.revision_id = revision and c.start_char < upper(span) and c.end_char > lower(span)
$$;

-- == Private functions: search by vectors ==

-- Ranks all passages of these revisions, exactly. The nearest part of a chunk decides.
create function private.nearest_of_all(
  revisions uuid[], query_embedding extensions.vector, wanted_model text, wanted_count integer
) returns private.ranking
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  found_ranking private.ranking;
begin
  -- "offset 0" computes the distances first, so that no vector is carried through the grouping.
  with best as (
    select p.chunk_id, min(p.distance) as distance
    from (
      select e.chunk_id, e.embedding operator(extensions.<=>) query_embedding as distance
      from public.chunk_embeddings e
      where e.revision_id = any (revisions) and e.model = wanted_model
      offset 0
    ) p
    group by p.chunk_id
    order by distance, p.chunk_id
    limit wanted_count
  )
  select array_agg(best.chunk_id order by best.distance, best.chunk_id),
    array_agg(1 - best.distance order by best.distance, best.chunk_id)
  into found_ranking.ids, found_ranking.scores
  from best;
  return found_ranking;
end
$$;

-- Ranks these passages of these revisions, exactly; chunk_ids null: all of them.
create function private.nearest(
  revisions uuid[], chunk_ids uuid[], query_embedding extensions.vector, wanted_model text, wanted_count integer
) returns private.ranking
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  found_ranking private.ranking;
begin
  if chunk_ids is null then
    return private.nearest_of_all(revisions, query_embedding, wanted_model, wanted_count);
  end if;
  with parts as materialized (
    select e.chunk_id, e.embedding operator(extensions.<=>) query_embedding as distance
    from public.chunk_embeddings e
    where e.revision_id = any (revisions) and e.model = wanted_model and e.chunk_id = any (chunk_ids)
  ), best as (
    select p.chunk_id, min(p.distance) as distance from parts p
    group by p.chunk_id
    order by distance, p.chunk_id
    limit wanted_count
  )
  select array_agg(best.chunk_id order by best.distance, best.chunk_id),
    array_agg(1 - best.distance order by best.distance, best.chunk_id)
  into found_ranking.ids, found_ranking.scores
  from best;
  return found_ranking;
end
$$;

-- The passages that are nearest by the codes of their vectors.
create function private.near_by_code(
  m public.matters, r private.reach, query_embedding extensions.vector, wanted_model text, wanted_count integer
) returns uuid[]
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  matter uuid := m.id;
  revisions uuid[] := r.revisions;
  wanted_code bit varying := extensions.binary_quantize(query_embedding);
begin
  return array(
    select e.chunk_id from public.chunk_embeddings e
    where e.matter_id = matter and e.model = wanted_model and (e.revision_id = any (revisions)) is true
    order by e.code operator(extensions.<~>) wanted_code, e.chunk_id, e.part
    limit private.code_candidates(r.passages, wanted_count)
  );
end
$$;

-- Searches by vectors. Returns [hit + {similarity}, …]. The function is stable, so one snapshot serves all its steps: a revision
-- that is replaced meanwhile is found whole or not at all.
create function private.embedding_hits(
  m public.matters, query_embedding extensions.vector, model text, wanted_count integer, within jsonb
) returns jsonb
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  r private.reach := private.reach(m, within);
  among uuid[];
  nearest private.ranking;
begin
  if r.span_revisions is not null then
    among := array(
      select c.id from public.chunks c
      where c.revision_id = any (r.revisions) and private.in_reach(r, c.revision_id, c.start_char, c.end_char)
    );
  elsif r.passages * extensions.vector_dims(query_embedding) > private.exact_components() then
    among := private.near_by_code(m, r, query_embedding, model, wanted_count);
  end if;
  nearest := private.nearest(r.revisions, among, query_embedding, model, wanted_count);
  return private.hits_json(nearest.ids, nearest.scores, 'similarity');
end
$$;

-- == Private functions: search by words ==

-- The words of a query as the index knows them, each as a tsquery of its own; at most 64. Stop words drop out.
create function private.lexemes(query text) returns table (lexeme text, needle tsquery)
language sql stable
set search_path = ''
as $$
  select w.lexeme, ('''' || replace(replace(w.lexeme, '\', '\\'), '''', '''''') || '''')::tsquery
  from unnest(to_tsvector('pg_catalog.english', query)) as w
  order by w.lexeme collate "C"
  limit 64
$$;

-- Okapi's inverse document frequency, with passages for documents.
create function private.idf(total bigint, matching bigint) returns double precision
language sql immutable
set search_path = ''
as $$ select ln(1 + (total - matching + 0.5) / (matching + 0.5)) $$;

-- Ranks by reading every passage in reach, each once: "offset 0" keeps its words from being read again for every word of the
-- query, and only compressed ones have to be copied for that. ts_rank without its own weighting saturates with the number of
-- occurrences.
create function private.ranked_by_scan(r private.reach, query text, wanted_count integer) returns private.ranking
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set work_mem = '64MB'
as $$
declare
  ranking private.ranking;
  revisions uuid[] := r.revisions;
  whole boolean := r.span_revisions is null;
begin
  with words as materialized (
    select l.lexeme, l.needle from private.lexemes(query) l
  ), standing as materialized (
    select c.id, words.lexeme, ts_rank(c.tsv, words.needle) as rank
    from (
      select p.id, case when pg_column_compression(p.tsv) is null then p.tsv else p.tsv || '' end as tsv
      from public.chunks p
      where p.revision_id = any (revisions) and (whole or private.in_reach(r, p.revision_id, p.start_char, p.end_char))
      offset 0
    ) c join words on c.tsv @@ words.needle
  ), weights as (
    select s.lexeme, private.idf(r.passages, count(*)) as idf,
      coalesce(sum(count(*)) over (
        order by count(*), s.lexeme collate "C" rows between unbounded preceding and 1 preceding
      ), 0) < private.candidate_limit() as chooses
    from standing s group by s.lexeme
  ), ranked as (
    select s.id, sum(w.idf * s.rank) as score from standing s join weights w using (lexeme)
    group by s.id
    having bool_or(w.chooses)
    order by score desc, s.id
    limit wanted_count
  )
  select array_agg(k.id order by k.score desc, k.id), array_agg(k.score order by k.score desc, k.id)
  into ranking.ids, ranking.scores
  from ranked k;
  return ranking;
end
$$;

-- Ranks by the index of words. Up to private.exact_limit() passages every word is counted. Above it, a word that a sample shows
-- to be common is counted in the sample, and its candidates are the first by id, which is a sample as well. "is true" keeps the
-- planner from joining the index of revisions to that of words.
create function private.ranked_by_index(m public.matters, r private.reach, query text, wanted_count integer)
returns private.ranking
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set work_mem = '64MB'
as $$
declare
  ranking private.ranking;
  matter uuid := m.id;
  most constant integer := private.candidate_limit();
  sampled boolean := r.passages > private.exact_limit();
  sample_end uuid := private.id_below(4096.0 / greatest(r.passages, 1));
begin
  with sample as materialized (
    select case when pg_column_compression(c.tsv) is null then c.tsv else c.tsv || '' end as tsv from public.chunks c
    where sampled and c.matter_id = matter and c.id < sample_end and (c.revision_id = any (r.revisions)) is true
      and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
  ), words as materialized (
    select l.lexeme, l.needle, private.term(matter, l.lexeme) as term,
      (select count(*) filter (where sample.tsv @@ l.needle)::double precision / greatest(count(*), 1) from sample) as share
    from private.lexemes(query) l
  ), frequency as materialized (
    select w.lexeme, w.needle, w.term, case
      when w.share * r.passages > 2 * most then (w.share * r.passages)::bigint
      else (
        select count(*) from public.chunks c
        where private.terms(c.matter_id, c.tsv) @> array[w.term] and (c.revision_id = any (r.revisions)) is true
          and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
      ) end as df
    from words w
  ), weighted as materialized (
    select f.lexeme, f.needle, f.term, private.idf(r.passages, f.df) as idf, f.df::double precision / r.passages as share,
      coalesce(sum(f.df) over (
        order by f.df, f.lexeme collate "C" rows between unbounded preceding and 1 preceding
      ), 0) < most as chooses
    from frequency f
    where f.df > 0
  ), candidates as materialized (
    select distinct on (hit.id) hit.id,
      case when pg_column_compression(hit.tsv) is null then hit.tsv else hit.tsv || '' end as tsv
    from weighted w,
      lateral (
        (
          select c.id, c.tsv from public.chunks c
          where not (sampled and w.share > 0.25)
            and private.terms(c.matter_id, c.tsv) @> array[w.term] and (c.revision_id = any (r.revisions)) is true
            and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
          order by c.id limit most
        )
        union all
        (
          select c.id, c.tsv from public.chunks c
          where sampled and w.share > 0.25 and c.matter_id = matter and c.tsv @@ w.needle and (c.revision_id = any (r.revisions)) is true
            and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
          order by c.id limit most
        )
      ) hit
    where w.chooses
    order by hit.id
  ), ranked as (
    select c.id, sum(w.idf * ts_rank(c.tsv, w.needle)) as score
    from candidates c join weighted w on c.tsv @@ w.needle
    group by c.id
    order by score desc, c.id
    limit wanted_count
  )
  select array_agg(k.id order by k.score desc, k.id), array_agg(k.score order by k.score desc, k.id)
  into ranking.ids, ranking.scores
  from ranked k;
  return ranking;
end
$$;

-- Searches by words. Returns [hit + {rank}, …].
create function private.keyword_hits(m public.matters, query text, wanted_count integer, within jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  r private.reach := private.reach(m, within);
  ranking private.ranking;
begin
  if r.passages > private.scan_limit() then
    ranking := private.ranked_by_index(m, r, query, wanted_count);
  else
    ranking := private.ranked_by_scan(r, query, wanted_count);
  end if;
  return private.hits_json(ranking.ids, ranking.scores, 'rank');
end
$$;

-- Ranks the documents that words name: see named_documents (07_documents.sql).
create function private.documents_named(m public.matters, words text, wanted_count integer) returns jsonb
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
as $$
declare
  r private.reach := private.reach(m, null);
  matter uuid := m.id;
  sampled boolean := r.passages > private.exact_limit();
  sample_end uuid := private.id_below(512.0 / greatest(r.passages, 1));
  result jsonb;
begin
  with documents as materialized (
    select d.id, d.filename, d.current_revision_id as revision_id, d.name_words as name
    from public.documents d
    where d.matter_id = matter and (d.current_revision_id = any (r.revisions)) is true
  ), sample as materialized (
    select c.tsv || '' as tsv from public.chunks c
    where sampled and c.matter_id = matter and c.id < sample_end and (c.revision_id = any (r.revisions)) is true
  ), lexemes as materialized (
    select l.lexeme, l.needle, private.term(matter, l.lexeme) as term,
      coalesce((select avg((sample.tsv @@ l.needle)::integer) from sample), 0) as share
    from private.lexemes(words) l
  ), places as materialized (
    select l.lexeme, hit.revision_id, hit.first_char
    from lexemes l, lateral (
      select c.revision_id, min(c.start_char) as first_char from public.chunks c
      where private.terms(c.matter_id, c.tsv) @> array[l.term] and (c.revision_id = any (r.revisions)) is true
      group by c.revision_id
    ) hit
    -- A word that a tenth of all passages have distinguishes no document from another.
    where l.share < 0.1
  ), standing as materialized (
    select l.lexeme, d.id, d.filename, coalesce(p.first_char < private.opening(), false) or d.name @@ l.needle as opens
    from lexemes l
    cross join documents d
    left join places p on p.lexeme = l.lexeme and p.revision_id = d.revision_id
    where l.share < 0.1 and (p.revision_id is not null or d.name @@ l.needle)
  ), rarity as (
    select s.lexeme, private.idf(t.n, count(*)) / private.idf(t.n, 1) as weight
    from standing s, (select count(*) as n from documents) t
    group by s.lexeme, t.n
  ), ranked as (
    select s.id, s.filename, sum(y.weight) as score
    from standing s join rarity y using (lexeme)
    where s.opens
    group by s.id, s.filename
    order by score desc, s.id
    limit wanted_count
  )
  select coalesce(jsonb_agg(jsonb_build_object('document_id', k.id, 'document_name', k.filename, 'score', k.score)
    order by k.score desc, k.id), '[]') into result
  from ranked k;
  return result;
end
$$;

-- Gathers the lines of a text into passages of about 1,000 characters.
create function private.passages(text text) returns table (span_start integer, span_end integer, passage text)
language sql immutable
set search_path = ''
as $$
  with lines as (
    select t.line, t.n, (sum(length(t.line) + 1) over (order by t.n) - length(t.line) - 1)::integer as start_char
    from string_to_table(text, E'\n') with ordinality as t (line, n)
  )
  select min(l.start_char), max(l.start_char + length(l.line)), string_agg(l.line, E'\n' order by l.n)
  from lines l group by l.start_char / 1000
$$;

-- == Private functions: proof ==

-- [[model, vectors when complete, vectors found, chunks without a vector], …] of a revision.
create function private.vectors_record(r public.document_revisions) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_array(v.model, v.vector_count,
    (select count(*) from public.chunk_embeddings e where e.revision_id = r.id and e.model = v.model),
    (select count(*) from public.chunks c where c.revision_id = r.id and not exists (
      select from public.chunk_embeddings e where e.chunk_id = c.id and e.model = v.model
    ))
  ) order by v.model), '[]')
  from public.revision_vectors v where v.revision_id = r.id
$$;

-- == As the caller (role authenticated) ==

-- Searches a matter by words. Returns [hit + {rank}, …], best first. rank: comparable within one call.
-- within: ids of documents, folders and sections of the matter (OR404 for any other); null: all.
create function public.search_chunks(
  matter_id text, query text, match_count integer default 10, within jsonb default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  result := private.keyword_hits(m, query, private.row_limit(match_count), within);
  perform private.audit('search_chunks', m, null,
    jsonb_build_object('query', query, 'within', within, 'chunks', private.chunk_ids(result),
      'given', private.given(result)));
  return result;
end
$$;

-- Searches a matter by a vector. Returns [hit + {similarity}, …], best first. similarity: cosine of the chunk's nearest part.
-- query_embedding: '[0.1,…]'. within as in search_chunks.
create function public.match_document_embeddings(
  matter_id text, query_embedding text, model text, match_count integer default 10, within jsonb default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  result := private.embedding_hits(m, query_embedding::extensions.vector, model, private.row_limit(match_count), within);
  perform private.audit('match_document_embeddings', m, null,
    jsonb_build_object('model', model, 'within', within, 'chunks', private.chunk_ids(result),
      'given', private.given(result)));
  return result;
end
$$;

-- Measures passages that were found by other means against a vector; at most 100. Returns [{chunk_id, similarity}, …], best
-- first. Passages outside the matter, or without vectors of the model, are left out.
create function public.passage_similarities(
  matter_id text, query_embedding text, model text, chunk_ids jsonb
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
  r private.reach := private.reach(m, null);
  wanted uuid[] := array(select private.as_uuid(c.ref) from jsonb_array_elements_text(chunk_ids) as c (ref));
  nearest private.ranking;
begin
  nearest := private.nearest(r.revisions, wanted, query_embedding::extensions.vector, model, 100);
  perform private.audit('passage_similarities', m, null, jsonb_build_object(
    'model', model, 'chunks', to_jsonb(nearest.ids),
    'given', to_jsonb(array(select distinct c.document_id from public.chunks c where c.id = any (nearest.ids)))));
  return (
    select coalesce(jsonb_agg(jsonb_build_object('chunk_id', s.id, 'similarity', s.score) order by s.place), '[]')
    from unnest(nearest.ids, nearest.scores) with ordinality as s (id, score, place)
  );
end
$$;

-- Searches documents that have a text and no passages. Returns [{document_id, document_name, revision_id, start, end, page,
-- paged, text, rank}, …], best first.
create function public.search_revision_text(matter_id text, query text, match_count integer default 10) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  with passages as materialized (
    select d.id as document_id, d.filename, r.id as revision_id, r.paged, p.span_start, p.span_end, p.passage,
      to_tsvector('pg_catalog.english', p.passage) as tsv
    from public.documents d
    join public.document_revisions r on r.id = d.current_revision_id and r.chunk_count = 0
    cross join lateral private.passages(r.text) p
    where d.id = any (array(select private.readable_documents(m.id)))
  ), words as materialized (
    select l.needle, private.idf((select count(*) from passages), count(*)) as idf
    from private.lexemes(query) l join passages p on p.tsv @@ l.needle
    group by l.needle
  ), ranked as (
    select p.document_id, p.filename, p.revision_id, p.paged, p.span_start, p.span_end, p.passage,
      sum(w.idf * ts_rank(p.tsv, w.needle)) as score
    from passages p join words w on p.tsv @@ w.needle
    group by p.document_id, p.filename, p.revision_id, p.paged, p.span_start, p.span_end, p.passage
    order by score desc, p.document_id, p.span_start
    limit private.row_limit(match_count)
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'document_id', k.document_id, 'document_name', k.filename, 'revision_id', k.revision_id, 'start', k.span_start,
    'end', k.span_end, 'page', private.page_at(k.revision_id, k.span_start), 'paged', k.paged, 'text', k.passage,
    'rank', k.score
  ) order by k.score desc, k.document_id, k.span_start), '[]') into result
  from ranked k;
  perform private.audit('search_revision_text', m, null,
    jsonb_build_object('query', query, 'hits', jsonb_array_length(result), 'given', private.given(result)));
  return result;
end
$$;

-- Reads passages of a document or section in order, or one passage. Returns {total, chunks: [hit, …]}.
create function public.read_chunks(path_part_id text, match_count integer default 20, skip integer default 0) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  place private.located := private.open_node(path_part_id);
  span int4range := private.span_of(place);
  result jsonb;
begin
  if place.kind not in ('document', 'section', 'passage') then
    perform private.invalid('Only a document, a section or a passage has text of its own.');
  end if;
  if place.kind = 'passage' then
    select jsonb_build_array(private.hit_json(c)) into result from public.chunks c where c.id = place.chunk_id;
  else
    select coalesce(jsonb_agg(private.hit_json(p.c) order by (p.c).ordinal), '[]') into result
    from (
      select c from public.chunks c
      where c.revision_id = place.revision_id and c.start_char < upper(span) and c.end_char > lower(span)
      order by c.ordinal limit private.row_limit(match_count) offset greatest(coalesce(skip, 0), 0)
    ) p;
  end if;
  perform private.audit('read_chunks', private.matter_at(place), place.document_id,
    jsonb_build_object('id', path_part_id, 'skip', skip, 'chunks', private.chunk_ids(result)));
  return jsonb_build_object('chunks', result, 'total',
    case place.kind when 'passage' then 1 else private.chunk_total(place.revision_id, span) end);
end
$$;

-- Reads a passage and those around it. Returns {total, anchor, chunks: [hit, …], section: section + {chunk_count} | null}.
-- around: passages on each side, 1 to 10. anchor: the passage's ordinal.
create function public.neighbours(chunk_id text, around integer default 1) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  place private.located := private.open_node(chunk_id);
  anchor public.chunks;
  result jsonb;
begin
  if place.kind <> 'passage' then
    perform private.invalid('That is not the id of a passage.');
  end if;
  select c.* into anchor from public.chunks c where c.id = place.chunk_id;
  around := least(greatest(coalesce(around, 1), 1), 10);
  select jsonb_agg(private.hit_json(c) order by c.ordinal) into result from public.chunks c
  where c.revision_id = anchor.revision_id and c.ordinal between anchor.ordinal - around and anchor.ordinal + around;
  perform private.audit('neighbours', private.matter_at(place), place.document_id,
    jsonb_build_object('chunk_id', place.chunk_id, 'chunks', private.chunk_ids(result)));
  return jsonb_build_object(
    'anchor', anchor.ordinal, 'chunks', result,
    'total', (select r.chunk_count from public.document_revisions r where r.id = anchor.revision_id),
    'section', (
      select private.section_json(s) || jsonb_build_object(
        'chunk_count', private.chunk_total(s.revision_id, int4range(s.start_char, s.end_char)))
      from public.sections s where s.id = anchor.section_id
    )
  );
end
$$;

-- Lists documents in reach of a search that lack vectors of a model, in the order of upload: words alone find them.
-- Returns [document id, …]. Not recorded: it tells nothing that list_documents does not tell.
create function public.documents_without_vectors(matter_id text, model text, within jsonb default null) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
begin
  return (
    select coalesce(jsonb_agg(d.id order by d.upload_order), '[]')
    from public.documents d join public.document_revisions r on r.id = d.current_revision_id
    where d.current_revision_id = any (array(select s.revision_id from private.scope(m, within) s))
      and r.chunk_count > 0
      and not exists (
        select from public.revision_vectors v
        where v.revision_id = r.id and v.model = documents_without_vectors.model
      )
  );
end
$$;

-- == As the worker (service_role) ==

-- Lists current revisions that lack a model, in the order of upload. matter_id: an id; null: every matter. after: an
-- upload_order.
-- Returns [{document_id, filename, upload_order, revision_id, chunk_count}, …].
create function public.revisions_to_embed(model text, matter_id text default null, after bigint default 0, row_count integer default 100)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(x) order by x.upload_order), '[]')
    from (
      select d.id as document_id, d.filename, d.upload_order, r.id as revision_id, r.chunk_count
      from public.documents d join public.document_revisions r on r.id = d.current_revision_id
      where d.deleted_at is null and r.chunk_count > 0 and d.upload_order > revisions_to_embed.after
        and (revisions_to_embed.matter_id is null or d.matter_id = private.as_uuid(revisions_to_embed.matter_id))
        and not exists (
          select from public.revision_vectors v where v.revision_id = r.id and v.model = revisions_to_embed.model
        )
      order by d.upload_order
      limit private.row_limit(row_count)
    ) x
  );
end
$$;

-- Lists passages of a revision without a vector of a model, in order. Returns [{id, text}, …].
create function public.chunks_to_embed(revision_id text, model text, row_count integer default 100) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', x.id, 'text', x.text) order by x.ordinal), '[]')
    from (
      select c.id, c.text, c.ordinal from public.chunks c
      where c.revision_id = private.as_uuid(chunks_to_embed.revision_id)
        and not exists (
          select from public.chunk_embeddings e where e.chunk_id = c.id and e.model = chunks_to_embed.model
        )
      order by c.ordinal
      limit private.row_limit(row_count)
    ) x
  );
end
$$;

-- Adds vectors of a model: rows of {chunk_id, part, embedding}, all parts of a chunk at once. Existing vectors stay; passages
-- that are missing are passed over. Returns the number added.
create function public.add_embeddings(revision_id text, model text, "rows" jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  added integer;
begin
  insert into public.chunk_embeddings (chunk_id, part, revision_id, matter_id, model, embedding)
  select c.id, (x ->> 'part')::integer, c.revision_id, c.matter_id, add_embeddings.model,
    (x ->> 'embedding')::extensions.vector
  from jsonb_array_elements("rows") x
  join public.chunks c on c.id = private.as_uuid(x ->> 'chunk_id') and c.revision_id = private.as_uuid(add_embeddings.revision_id)
  on conflict on constraint chunk_embeddings_pkey do nothing;
  get diagnostics added = row_count;
  return to_jsonb(added);
end
$$;

-- Notes that a revision has all its vectors of a model. Returns whether it is current and has them.
create function public.complete_embedding(revision_id text, model text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r uuid := private.as_uuid(complete_embedding.revision_id);
begin
  -- The lock keeps the document from getting another revision until the transaction ends.
  perform from public.documents d where d.current_revision_id = r and d.deleted_at is null for share;
  if not found or exists (
    select from public.chunks c
    where c.revision_id = r and not exists (
      select from public.chunk_embeddings e where e.chunk_id = c.id and e.model = complete_embedding.model
    )
  ) then
    return to_jsonb(false);
  end if;
  insert into public.revision_vectors (revision_id, model) values (r, complete_embedding.model) on conflict do nothing;
  return to_jsonb(true);
end
$$;

-- Deletes the vectors of other models, of at most row_count revisions that have all of this one. Returns {documents, vectors}.
-- Call it until documents is 0.
create function public.drop_other_vectors(model text, matter_id text default null, row_count integer default 100) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  revisions uuid[] := array(
    select kept.revision_id from public.revision_vectors kept
    join public.documents d on d.current_revision_id = kept.revision_id
    where kept.model = drop_other_vectors.model
      and (drop_other_vectors.matter_id is null or d.matter_id = private.as_uuid(drop_other_vectors.matter_id))
      and exists (
        select from public.revision_vectors other
        where other.revision_id = kept.revision_id and other.model <> kept.model
      )
    order by kept.revision_id
    limit private.row_limit(row_count)
  );
  dropped integer;
begin
  delete from public.chunk_embeddings e where e.revision_id = any (revisions) and e.model <> drop_other_vectors.model;
  get diagnostics dropped = row_count;
  delete from public.revision_vectors v where v.revision_id = any (revisions) and v.model <> drop_other_vectors.model;
  return jsonb_build_object('documents', cardinality(revisions), 'vectors', dropped);
end
$$;

-- == Privileges ==

revoke all on public.chunks, public.chunk_embeddings, public.revision_vectors from anon, authenticated, service_role;
grant all on public.chunks, public.chunk_embeddings, public.revision_vectors to service_role;
revoke all on function private.term, private.terms, private.note_vectors, private.note_vector_count, private.exact_limit,
  private.exact_components, private.scan_limit, private.candidate_limit, private.code_candidates, private.opening,
  private.unfiltered, private.scope, private.reach, private.in_reach, private.id_below, private.hit_json, private.hits_json, private.chunk_ids,
  private.given, private.chunk_total, private.nearest_of_all, private.nearest, private.near_by_code, private.embedding_hits,
  private.lexemes, private.idf, private.ranked_by_scan, private.ranked_by_index, private.keyword_hits, private.documents_named,
  private.passages, private.vectors_record from public, anon, authenticated;
-- Writing a passage computes its keys.
grant execute on function private.terms to service_role;
revoke all on function public.search_chunks, public.match_document_embeddings, public.passage_similarities,
  public.search_revision_text, public.read_chunks, public.neighbours, public.documents_without_vectors,
  public.revisions_to_embed, public.chunks_to_embed, public.add_embeddings, public.complete_embedding, public.drop_other_vectors
  from public, anon, authenticated, service_role;
grant execute on function public.search_chunks, public.match_document_embeddings, public.passage_similarities,
  public.search_revision_text, public.read_chunks, public.neighbours, public.documents_without_vectors to authenticated;
grant execute on function public.revisions_to_embed, public.chunks_to_embed, public.add_embeddings, public.complete_embedding,
  public.drop_other_vectors to service_role;

-- schemas/10_visuals.sql

-- Visuals: pictures of pages, what pages show (figures, drawings, tables, signatures, stamps), and copies at an outside service.

-- == Tables ==

-- Pictures of pages: drawn when they are asked for, then kept as files beside the document's own.
-- No reference to the document: the file has to be removed after it.
create table private.page_images (
  storage_key text primary key,
  document_id uuid not null,
  created_at timestamptz not null default now()
);
create index page_images_document on private.page_images (document_id);
alter table private.page_images enable row level security;

-- Which engines have looked at a revision.
create table private.visual_indexes (
  revision_id uuid not null references public.document_revisions (id) on delete cascade,
  engine text not null,
  status text not null check (status in ('ready', 'failed')),
  reason text not null default '',
  created_at timestamptz not null default now(),
  primary key (revision_id, engine)
);
alter table private.visual_indexes enable row level security;

-- What the embedded engine has found on pages. box: in points from the top left corner.
create table private.page_visuals (
  revision_id uuid not null references public.document_revisions (id) on delete cascade,
  ordinal integer not null,
  page integer not null,
  kind text not null check (kind in ('picture', 'drawing', 'table', 'signature', 'stamp')),
  box real[] not null check (cardinality(box) = 4),
  caption text not null,
  words text not null,
  tsv tsvector not null,
  primary key (revision_id, ordinal)
);
alter table private.page_visuals enable row level security;

-- Revisions that an outside service holds. No reference to the revision: the copy outlives it until the service has deleted it.
create table private.visual_copies (
  revision_id uuid primary key,
  document_id uuid not null,
  matter_id uuid not null,
  created_at timestamptz not null default now()
);
alter table private.visual_copies enable row level security;

-- == Private functions ==

-- Pictures that are past their retention rule; held: a legal hold keeps them.
create function private.expired_images() returns table (storage_key text, matter_id uuid, held boolean)
language sql stable security definer
set search_path = ''
as $$
  select i.storage_key, d.matter_id, private.on_hold(d)
  from private.page_images i join public.documents d on d.id = i.document_id join public.matters m on m.id = d.matter_id
  where private.expired(i.created_at, private.keep_days(m.tenant_id, m.id, 'page_images'))
$$;

-- == As the caller (role authenticated) ==

-- Lists the documents of a matter that have a revision, with what an engine has made of them, in the order of upload.
-- Returns [{document_id, document_name, revision_id, status: ready | failed | null, reason}, …]; null: not looked at.
create function public.visual_status(matter_id text, engine text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object(
    'document_id', d.id, 'document_name', d.filename, 'revision_id', d.current_revision_id, 'status', v.status,
    'reason', coalesce(v.reason, '')
  ) order by d.upload_order), '[]') into result
  from public.documents d
  left join private.visual_indexes v on v.revision_id = d.current_revision_id and v.engine = visual_status.engine
  where d.id = any (array(select private.readable_documents(m.id))) and d.current_revision_id is not null;
  perform private.audit('visual_status', m, null, jsonb_build_object('engine', engine));
  return result;
end
$$;

-- Searches what the pages of a matter show, by words. Returns [{document_id, document_name, revision_id, page, kinds: [kind, …],
-- box: [x0, y0, x1, y1], caption, words, rank}, …], one for each page, best first; box, caption, words: of the best on the page.
create function public.search_visuals(matter_id text, query text, match_count integer default 10) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  with readable as materialized (
    select v.*, d.id as document_id, d.filename, d.upload_order from public.documents d
    join private.page_visuals v on v.revision_id = d.current_revision_id
    where d.id = any (array(select private.readable_documents(m.id)))
  ), words as materialized (
    select l.needle, private.idf((select count(*) from readable), count(*)) as idf
    from private.lexemes(query) l join readable v on v.tsv @@ l.needle
    group by l.lexeme, l.needle
  ), ranked as (
    select v.revision_id, v.ordinal, sum(w.idf * ts_rank(v.tsv, w.needle)) as score
    from readable v join words w on v.tsv @@ w.needle
    group by v.revision_id, v.ordinal
  ), best as (
    select distinct on (v.revision_id, v.page) v.*, r.score
    from ranked r join readable v on v.revision_id = r.revision_id and v.ordinal = r.ordinal
    order by v.revision_id, v.page, r.score desc, v.ordinal
  ), top as (
    select b.* from best b order by b.score desc, b.upload_order, b.page limit private.row_limit(match_count)
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'document_id', t.document_id, 'document_name', t.filename, 'revision_id', t.revision_id, 'page', t.page,
    'kinds', (select jsonb_agg(distinct x.kind) from readable x where x.revision_id = t.revision_id and x.page = t.page),
    'box', to_jsonb(t.box), 'caption', t.caption, 'words', t.words, 'rank', t.score
  ) order by t.score desc, t.upload_order, t.page), '[]') into result
  from top t;
  perform private.audit('search_visuals', m, null,
    jsonb_build_object('query', query, 'pages', jsonb_array_length(result), 'given', private.given(result)));
  return result;
end
$$;

-- == As the worker (service_role) ==

-- Stores what an engine has found in a revision, in place of what it found before. Returns the number stored.
-- visuals: [{page, kind, box, caption, words, terms}, …]; terms: other words by which such a thing is asked for.
create function public.put_visuals(revision_id text, engine text, status text, reason text, visuals jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.document_revisions;
  kept integer := 0;
begin
  select x.* into r from public.document_revisions x where x.id = private.as_uuid(put_visuals.revision_id) for share;
  if not found then
    perform private.not_found('revision', put_visuals.revision_id);
  end if;
  insert into private.visual_indexes as v (revision_id, engine, status, reason)
  values (r.id, put_visuals.engine, put_visuals.status, coalesce(put_visuals.reason, ''))
  on conflict on constraint visual_indexes_pkey do update set status = excluded.status, reason = excluded.reason, created_at = now();
  if put_visuals.engine <> 'embedded' then
    insert into private.visual_copies (revision_id, document_id, matter_id)
    select r.id, d.id, d.matter_id from public.documents d where d.id = r.document_id on conflict do nothing;
    return to_jsonb(kept);
  end if;
  delete from private.page_visuals v where v.revision_id = r.id;
  insert into private.page_visuals (revision_id, ordinal, page, kind, box, caption, words, tsv)
  select r.id, e.n, (e.x ->> 'page')::integer, e.x ->> 'kind',
    array(select b::real from jsonb_array_elements_text(e.x -> 'box') as b), e.x ->> 'caption', e.x ->> 'words',
    setweight(to_tsvector('pg_catalog.english', e.x ->> 'caption'), 'A')
      || setweight(to_tsvector('pg_catalog.english', e.x ->> 'terms'), 'B')
      || setweight(to_tsvector('pg_catalog.english', e.x ->> 'words'), 'C')
  from jsonb_array_elements(visuals) with ordinality as e (x, n);
  get diagnostics kept = row_count;
  return to_jsonb(kept);
end
$$;

-- Lists pictures whose document is gone. Returns [storage_key, …]; remove the files, then call forget_page_images.
create function public.orphaned_page_images() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(i.storage_key order by i.storage_key), '[]') from private.page_images i
  where not exists (select from public.documents d where d.id = i.document_id)
$$;

-- Forgets pictures whose document is gone. Returns their number.
create function public.forget_page_images(keys jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  gone integer;
begin
  delete from private.page_images i
  where i.storage_key in (select jsonb_array_elements_text(keys))
    and not exists (select from public.documents d where d.id = i.document_id);
  get diagnostics gone = row_count;
  return to_jsonb(gone);
end
$$;

-- Lists pictures that are past their retention rule. Returns [storage_key, …]; remove the files, then call drop_page_images.
create function public.expired_page_images(row_count integer default 1000) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(x.storage_key), '[]')
  from (select i.storage_key from private.expired_images() i where not i.held limit private.row_limit(row_count)) x
$$;

-- Forgets pictures that are past their retention rule. Returns their number.
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

-- Lists copies at an outside service whose revision is not current. Returns [{document_id, matter_id, revision_id}, …].
create function public.orphaned_visual_copies() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'document_id', c.document_id, 'matter_id', c.matter_id, 'revision_id', c.revision_id) order by c.revision_id), '[]')
  from private.visual_copies c
  where not exists (
    select from public.documents d where d.current_revision_id = c.revision_id and d.deleted_at is null
  )
$$;

-- Forgets copies that the service has deleted. Returns their number.
create function public.forget_visual_copies(revisions jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  gone integer;
begin
  delete from private.visual_copies c
  where c.revision_id in (select private.as_uuid(x) from jsonb_array_elements_text(revisions) as x);
  get diagnostics gone = row_count;
  return to_jsonb(gone);
end
$$;

-- == Privileges ==

revoke all on private.page_images, private.visual_indexes, private.page_visuals, private.visual_copies
  from public, anon, authenticated, service_role;
revoke all on function private.expired_images from public, anon, authenticated;
revoke all on function public.visual_status, public.search_visuals, public.put_visuals, public.orphaned_page_images,
  public.forget_page_images, public.expired_page_images, public.drop_page_images, public.orphaned_visual_copies,
  public.forget_visual_copies from public, anon, authenticated, service_role;
grant execute on function public.visual_status, public.search_visuals to authenticated;
grant execute on function public.put_visuals, public.orphaned_page_images, public.forget_page_images,
  public.expired_page_images, public.drop_page_images, public.orphaned_visual_copies, public.forget_visual_copies
  to service_role;

-- schemas/11_citations.sql

-- Citations: quotations of a revision, stored by their offsets. They stay valid when the document gets a new version.

-- == Tables ==

-- The same span of a revision is the same citation.
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
alter table public.citations enable row level security;
create policy "citation in one of readable_documents" on public.citations
  for select to authenticated using (document_id = any (array(select private.readable_documents())));

-- == Private functions ==

-- citation = {id, document_id, document_name, matter_id, revision_id, current, start, end, quote, page, paged, section_id,
--   section_label, section_title, created_at}; current: the revision is the document's current one
create function private.citation_json(c public.citations) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', c.id, 'document_id', d.id, 'document_name', d.filename, 'matter_id', d.matter_id, 'revision_id', r.id,
    'current', r.id = d.current_revision_id, 'start', c.start_char, 'end', c.end_char, 'quote', c.quote,
    'page', c.page, 'paged', r.paged, 'section_id', s.id, 'section_label', s.label, 'section_title', s.title,
    'created_at', c.created_at
  )
  from public.document_revisions r
  join public.documents d on d.id = r.document_id
  left join public.sections s on s.id = c.section_id
  where r.id = c.revision_id
$$;

-- Raises OR400 for a span outside the text, or outside the page.
create function private.check_span(r public.document_revisions, span_start integer, span_end integer, page integer) returns void
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if span_start is null or span_end is null or span_start < 0 or span_end <= span_start or span_end > r.char_count then
    perform private.invalid('The quoted span lies outside the document''s text.');
  end if;
  if page is not null and not exists (
    select from public.document_pages p
    where p.revision_id = r.id and p.number = page and p.start_char < span_end and p.end_char > span_start
  ) then
    perform private.invalid(format('The quoted span is not on page %s.', page));
  end if;
end
$$;

-- Finds a citation in a readable document, and records the action that reads it. Raises OR404.
create function private.open_citation(ref text, action text) returns public.citations
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  c public.citations;
  d public.documents;
begin
  select x.* into c from public.citations x
  where x.id = private.as_uuid(ref) and x.document_id = any (array(select private.readable_documents()));
  if not found then
    perform private.not_found('citation', ref);
  end if;
  select x.* into d from public.documents x where x.id = c.document_id;
  perform private.audit(action, private.matter_of(d), d.id, jsonb_build_object('citation_id', c.id));
  return c;
end
$$;

-- == As the caller (role authenticated) ==

-- Stores a citation; page null: the page on which the span begins. Returns citation.
create function public.save_citation(
  document_id text, revision_id text, start integer, "end" integer, page integer default null
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.open_document(document_id);
  r public.document_revisions;
  c public.citations;
begin
  select x.* into r from public.document_revisions x
  where x.id = private.as_uuid(save_citation.revision_id) and x.document_id = d.id and x.published_at is not null;
  if not found then
    perform private.not_found('revision', save_citation.revision_id);
  end if;
  perform private.check_span(r, start, "end", page);
  insert into public.citations as x (document_id, revision_id, start_char, end_char, quote, page, section_id, created_by)
  values (
    d.id, r.id, start, "end", substr(r.text, start + 1, "end" - start),
    coalesce(save_citation.page, private.page_at(r.id, start)), private.section_at(r.id, start, "end"), auth.uid()
  )
  on conflict on constraint citations_revision_id_start_char_end_char_key do update set quote = x.quote
  returning x.* into c;
  perform private.audit('save_citation', private.matter_of(d), d.id,
    jsonb_build_object('citation_id', c.id, 'revision_id', r.id, 'start', c.start_char, 'end', c.end_char));
  return private.citation_json(c);
end
$$;

-- Reads a citation. Returns citation.
create function public.get_citation(citation_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  c public.citations := private.open_citation(citation_id, 'get_citation');
begin
  return private.citation_json(c);
end
$$;

-- Finds the lines that a citation touches, page by page.
-- Returns [{number, width, height, lines: [{start, end, box: [x0, y0, x1, y1]}, …]}, …]; points from the top left corner.
create function public.citation_lines(citation_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  c public.citations := private.open_citation(citation_id, 'citation_lines');
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'number', p.number, 'width', p.width, 'height', p.height,
      'lines', (
        select coalesce(jsonb_agg(jsonb_build_object(
          'start', line -> 0, 'end', line -> 1, 'box', jsonb_build_array(line -> 2, line -> 3, line -> 4, line -> 5)
        ) order by n), '[]')
        from jsonb_array_elements(p.lines) with ordinality as l (line, n)
        where (line ->> 0)::integer < c.end_char and (line ->> 1)::integer > c.start_char
      )
    ) order by p.number), '[]')
    from public.document_pages p
    where p.revision_id = c.revision_id and p.start_char < c.end_char and p.end_char > c.start_char
  );
end
$$;

-- == Privileges ==

revoke all on public.citations from anon, authenticated, service_role;
grant all on public.citations to service_role;
revoke all on function private.citation_json, private.check_span, private.open_citation from public, anon, authenticated;
revoke all on function public.save_citation, public.get_citation, public.citation_lines
  from public, anon, authenticated, service_role;
grant execute on function public.save_citation, public.get_citation, public.citation_lines to authenticated;

-- schemas/12_record.sql

-- The record: what was read, changed, refused and answered, by whom and in which run. A chain of hashes for each matter, and one
-- for each person for what concerns no matter. Functions that read append in their own transaction: what cannot be recorded is
-- not read. The heads of the chains are signed outside the database, so that its administrator cannot rewrite the record unseen.

-- == Tables ==

-- detail: what the action concerns. Entries of a run carry `run` and `thread`, from the claims. Searches carry `given`
-- (documents) and `chunks` (passages) that they gave.
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
create index audit_log_run on public.audit_log ((detail ->> 'run')) where detail ? 'run';
alter table public.audit_log enable row level security;

-- The last entry of each chain. Transactions that touch several chains lock their heads in the order of their ids.
create table private.audit_heads (
  chain uuid primary key,
  seq bigint not null,
  hash text not null,
  signed_seq bigint not null default 0
);
create index audit_heads_unsigned on private.audit_heads (chain) where seq > signed_seq;
alter table private.audit_heads enable row level security;

-- The entry up to which retention has removed each chain.
create table private.audit_trims (
  chain uuid primary key,
  seq bigint not null,
  hash text not null
);
alter table private.audit_trims enable row level security;

-- == Private functions: writing ==

-- SHA-256 over the previous hash and every recorded value, in jsonb's canonical order of keys and in UTC.
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

-- Appends an entry to a chain; its user is the caller where there is one, and otherwise nobody. It locks the head of the chain
-- until the transaction ends.
create function private.append_entry(to_chain uuid, tenant uuid, matter uuid, document uuid, action text, detail jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  head private.audit_heads;
  entry public.audit_log;
begin
  insert into private.audit_heads as h (chain, seq, hash) values (to_chain, 0, '')
  on conflict (chain) do update set seq = h.seq
  returning h.* into head;
  entry.chain := to_chain;
  entry.seq := head.seq + 1;
  entry.at := clock_timestamp();
  entry.tenant_id := tenant;
  entry.matter_id := matter;
  entry.document_id := document;
  entry.user_id := auth.uid();
  entry.action := append_entry.action;
  entry.detail := append_entry.detail;
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

-- Appends an entry to the matter's chain, or without a matter to the caller's. Call it last: it locks the head of the chain.
create function private.audit(
  action text, matter public.matters, document_id uuid default null, detail jsonb default '{}'
) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.append_entry(
    coalesce(matter.id, auth.uid()), coalesce(matter.tenant_id, private.my_tenant_id()), matter.id, document_id, action,
    detail || jsonb_strip_nulls(jsonb_build_object('run', private.my_run_id(), 'thread', private.my_thread_id()))
  );
end
$$;

-- Appends an entry about a person to the person's own chain: what the operator or the identity provider has done.
create function private.audit_person(person public.profiles, action text, detail jsonb default '{}') returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.append_entry(
    person.user_id, person.tenant_id, null, null, action, jsonb_build_object('person', person.user_id) || detail
  );
end
$$;

-- Removes the entries of a chain up to one, and records that in the chain. Returns {chain, entries, to}.
create function private.trim_chain(trimmed uuid, matter uuid, tenant uuid, to_seq bigint) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  last public.audit_log;
  gone integer;
begin
  perform from private.audit_heads h where h.chain = trimmed for update;
  select a.* into last from public.audit_log a where a.chain = trimmed and a.seq = to_seq;
  delete from public.audit_log a where a.chain = trimmed and a.seq <= to_seq;
  get diagnostics gone = row_count;
  insert into private.audit_trims as x (chain, seq, hash) values (trimmed, to_seq, last.hash)
  on conflict (chain) do update set seq = excluded.seq, hash = excluded.hash;
  perform private.append_entry(
    trimmed, tenant, matter, null, 'trim_audit', jsonb_build_object('to', to_seq, 'hash', last.hash, 'entries', gone)
  );
  return jsonb_build_object('chain', trimmed, 'entries', gone, 'to', to_seq);
end
$$;

-- The chains with entries past their retention rule, and the last such entry. A person's own chain follows the firm's rule.
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

-- == Private functions: what a reader of the record may see ==
-- A question, or the words of a search, can give away what a document says. Details are null for a reader who may not read every
-- document that the run (or, outside a run, the entry) came upon. When, by whom and in which run stays visible.

-- Whether one of some documents is, or was, in a matter; without a matter, in any.
create function private.any_hidden_in(matter uuid, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select matter is null
    or exists (select from public.documents d where d.id = any (documents) and d.matter_id = matter)
    or exists (select from public.receipts x where x.document_id = any (documents) and x.matter_id = matter)
$$;

-- Whether an entry looked for a file by the name or content of one of some documents.
create function private.looked_for(a public.audit_log, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from public.documents d where d.id = any (documents) and d.matter_id = a.matter_id and (
      lower(d.filename) = lower(a.detail ->> 'filename')
      or exists (select from public.document_files f where f.document_id = d.id and f.sha256 = a.detail ->> 'sha256')
    )
  ) or exists (
    select from public.receipts x where x.document_id = any (documents) and x.matter_id = a.matter_id
      and (lower(x.filename) = lower(a.detail ->> 'filename') or x.sha256 = a.detail ->> 'sha256')
  )
$$;

-- Whether an entry that does not name what it gave may have given one of some documents: passages of it, or, where passages are
-- gone or were not recorded, any document of its matter.
create function private.may_have_given(a public.audit_log, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from jsonb_path_query(a.detail, '$.chunks[*] ? (@.type() == "string")') hit (id)
    left join lateral (select c.id, c.document_id from public.chunks c where c.id = private.as_uuid(hit.id #>> '{}') offset 0) c on true
    where c.document_id = any (documents) or (c.id is null and private.any_hidden_in(a.matter_id, documents))
  ) or (
    (
      a.action in ('matter_texts', 'search_revision_text', 'search_visuals', 'named_documents', 'find_by_name')
      or (a.action = 'page_documents' and a.detail ->> 'name_like' is not null)
    )
    and coalesce(a.detail ->> 'documents', a.detail ->> 'hits', a.detail ->> 'pages', a.detail ->> 'total') <> '0'
    and private.any_hidden_in(a.matter_id, documents)
  )
$$;

-- Whether a search for names, which belongs to no matter, found a document in a matter that is not the caller's.
create function private.found_elsewhere(a public.audit_log) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from jsonb_array_elements_text(a.detail -> 'given') given (id)
    cross join lateral (
      select d.matter_id from public.documents d where d.id = given.id::uuid
      union all
      select x.matter_id from public.receipts x where x.document_id = given.id::uuid
    ) found
    where found.matter_id not in (select private.my_matters_and_workspaces())
  )
$$;

-- Whether an entry is about one of some documents, quotes one, looks for one, or gives one or passages of one; or found one
-- elsewhere. It is asked of every entry: what few entries need stands in functions of its own.
create function private.entry_touches(a public.audit_log, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select (cardinality(documents) > 0 and (
    coalesce(a.document_id = any (documents), false)
    or exists (
      select from jsonb_path_query(a.detail, '$.citations[*].document_id') c (id) where private.as_uuid(c.id #>> '{}') = any (documents)
    )
    or exists (
      select from jsonb_path_query(a.detail, '$.given[*]') given (id) where (given.id #>> '{}')::uuid = any (documents)
    )
    or (a.action = 'find_duplicates' and private.looked_for(a, documents))
    or (a.document_id is null and not a.detail ? 'given' and private.may_have_given(a, documents))
  ))
  or (a.action = 'find_by_name' and private.found_elsewhere(a))
$$;

-- entry = {seq, at, user_id, email, action, document_id, document_name | null, run, thread, detail | null, previous_hash, hash}
--   document_name: null where the document is not readable. detail: null where withheld; the reason of a wall is left out for
--   everybody but conflicts officers and the person who made the entry.
create function private.entry_json(a public.audit_log, readable uuid[], withheld boolean) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'seq', a.seq, 'at', a.at, 'user_id', a.user_id, 'email', (select u.email from auth.users u where u.id = a.user_id),
    'action', a.action, 'document_id', a.document_id, 'document_name', d.filename,
    'run', a.detail -> 'run', 'thread', a.detail -> 'thread',
    'detail', case when withheld then null when walled.yes then a.detail - 'reason' else a.detail end,
    'previous_hash', a.previous_hash, 'hash', a.hash
  )
  from (
    select a.detail ? 'screen_id' and a.user_id is distinct from auth.uid() and not exists (
      select from public.profiles p where p.user_id = auth.uid() and p.is_conflicts_officer
    ) as yes
  ) walled
  left join public.documents d on d.id = a.document_id and (
    d.id = any (readable)
    or (d.deleted_at is not null and (d.group_id is null or d.group_id = any (array(select private.my_group_ids()))))
  )
$$;

-- {document_id, revision_id, start, end, document_name, page, text}; the last three null where the place is purged or not
-- readable.
create function private.place_json(document uuid, revision uuid, span_start integer, span_end integer, readable uuid[]) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'document_id', document, 'revision_id', revision, 'start', span_start, 'end', span_end, 'document_name', d.filename,
    'page', case when r.id is not null then private.page_at(r.id, span_start) end,
    'text', substr(r.text, span_start + 1, span_end - span_start)
  )
  from (select) one
  left join public.documents d on d.id = document and d.id = any (readable)
  left join public.document_revisions r on r.id = revision and r.document_id = d.id
$$;

-- == As the caller (role authenticated) ==

-- Records a refusal, sent by the adapters, because the refused transaction was rolled back. refs: {argument: id}. Returns
-- {recorded}. The entry stands in the chain of a matter of the caller's firm that one of the ids leads to, readable or not, else
-- in the caller's.
create function public.record_denial(function_name text, refs jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  given jsonb;
  m public.matters;
  ref text;
begin
  if coalesce(function_name, '') !~ '^[a-z][a-z0-9_.]{0,99}$' or jsonb_typeof(refs) is distinct from 'object' then
    perform private.invalid('A refusal is recorded with the name of a function and the ids given to it.');
  end if;
  select coalesce(jsonb_object_agg(left(r.key, 60), left(r.value, 200)), '{}') into given
  from (select * from jsonb_each_text(refs) limit 10) r;
  for ref in select r.value from jsonb_each_text(given) r loop
    m := private.matter_named(me.tenant_id, ref);
    exit when m.id is not null;
  end loop;
  perform private.audit('denied', m, null, jsonb_build_object(
    'function', function_name, 'refs', given,
    'screened', exists (
      select from public.matter_screens s
      where s.matter_id = m.id and s.user_id = me.user_id and s.lifted_at is null
        and s.starts_at <= now() and (s.ends_at is null or s.ends_at > now())
    )
  ));
  return jsonb_build_object('recorded', true);
end
$$;

-- Whether the words of a citation stand at its place in a stored revision of the document.
create function private.citation_stands(document_id uuid, citation jsonb) returns boolean
language sql stable set search_path = ''
as $$
  select exists (
    select from public.document_revisions r
    where r.id = private.as_uuid(citation ->> 'revision_id') and r.document_id = citation_stands.document_id
      and 0 <= (citation ->> 'start')::integer and (citation ->> 'start')::integer < (citation ->> 'end')::integer
      and (citation ->> 'end')::integer <= r.char_count
      and (citation ->> 'text_sha256' is null or citation ->> 'text_sha256' = encode(sha256(convert_to(
        substr(r.text, (citation ->> 'start')::integer + 1, (citation ->> 'end')::integer - (citation ->> 'start')::integer), 'UTF8'
      )), 'hex'))
  )
$$;

-- Records an answer in the chain of every matter that it quotes; without a quotation, of the matters that its run has read; else
-- in the caller's. citations: [{document_id, revision_id, start, end, text_sha256?}, …]: places and no words, which a purge could
-- not remove. A place is recorded if it stands in the stored text; text_sha256 is the hash of the words that the answer showed.
-- Returns {recorded: number of entries, closed}; closed: the conversation has been closed meanwhile.
create function public.record_answer(question text, model text, answer_sha256 text, citations jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  run text := private.my_run_id();
  thread text := private.my_thread_id();
  quoted uuid[];
  matters uuid[];
  cited jsonb;
  m public.matters;
begin
  if coalesce(answer_sha256, '') !~ '^[0-9a-f]{64}$' or jsonb_typeof(citations) is distinct from 'array' then
    perform private.invalid('An answer is recorded by its SHA-256 and its citations.');
  end if;
  select array_agg(distinct private.as_uuid(c ->> 'document_id')) into quoted from jsonb_array_elements(citations) c;
  select array_agg(distinct d.matter_id) into matters from public.documents d
  where d.id = any (quoted) and d.matter_id = any (array(select private.my_matter_ids()));
  if matters is null and run is not null then
    select array_agg(distinct a.matter_id) into matters from public.audit_log a
    where a.detail ->> 'run' = run and a.detail ? 'run' and a.user_id = me.user_id and a.matter_id is not null and a.action <> 'denied';
  end if;
  for m in select x.* from public.matters x where x.id = any (matters) order by x.id loop
    select coalesce(jsonb_agg(jsonb_build_object(
      'document_id', c -> 'document_id', 'revision_id', c -> 'revision_id', 'start', c -> 'start', 'end', c -> 'end'
    )), '[]') into cited
    from jsonb_array_elements(citations) c
    join public.documents d on d.id = private.as_uuid(c ->> 'document_id') and d.matter_id = m.id
    where private.citation_stands(d.id, c);
    perform private.audit('answer', m, null, jsonb_build_object(
      'question', question, 'model', model, 'answer_sha256', answer_sha256, 'citations', cited));
  end loop;
  if matters is null then
    perform private.audit('answer', null, null, jsonb_build_object(
      'question', question, 'model', model, 'answer_sha256', answer_sha256, 'citations', '[]'::jsonb));
  end if;
  return jsonb_build_object(
    'recorded', greatest(cardinality(matters), 1),
    'closed', thread is not null and exists (select from private.closed_threads(thread))
  );
end
$$;

-- Reads a matter's chain, for owners; row_count up to 10000. Returns [entry, …] in order.
create function public.list_audit(matter_ref text, after_seq bigint default 0, row_count integer default 1000) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'owner');
  readable uuid[] := array(select private.readable_documents(m.id));
  mine uuid[] := array(select private.my_matter_ids());
  hidden uuid[] := array(select private.hidden_documents(mine));
  result jsonb;
begin
  with page as materialized (
    select x as entry from public.audit_log x where x.chain = m.id and x.seq > coalesce(after_seq, 0)
    order by x.seq limit least(greatest(coalesce(row_count, 1000), 1), 10000)
  ), runs as materialized (
    select distinct x.detail ->> 'run' as run from public.audit_log x
    where x.detail ? 'run' and x.detail ->> 'run' = any (array(select distinct (p.entry).detail ->> 'run' from page p))
      and x.action <> 'denied' and (x.matter_id <> all (mine) or private.entry_touches(x, hidden))
  )
  select coalesce(jsonb_agg(private.entry_json(
    p.entry, readable, private.entry_touches(p.entry, hidden) or coalesce((p.entry).detail ->> 'run' in (select r.run from runs r), false)
  ) order by (p.entry).seq), '[]') into result from page p;
  perform private.audit('list_audit', m, null, jsonb_build_object('after_seq', after_seq, 'count', jsonb_array_length(result)));
  return result;
end
$$;

-- Reads all that is recorded of a run, for the person who asked and for owners of its matters, while all of these are readable.
-- Returns {run, thread, user_id, email, at, question | null, model, answer_sha256, matters: [{id, number, title}, …],
-- citations: [place, …], passages: [place + {chunk_id}, …], entries: [entry + {matter_id}, …]}.
--   place: the shape beside private.place_json. question: null where it is withheld.
create function public.replay_run(run_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  mine uuid[] := array(select private.my_matter_ids());
  answer public.audit_log;
  touched uuid[];
  readable uuid[];
  hidden uuid[];
  withheld boolean;
  result jsonb;
begin
  select a.* into answer from public.audit_log a
  where a.detail ? 'run' and a.detail ->> 'run' = run_id and a.action = 'answer' order by a.id desc limit 1;
  select array_agg(distinct a.matter_id) into touched from public.audit_log a
  where a.detail ? 'run' and a.detail ->> 'run' = run_id and a.user_id = answer.user_id and a.matter_id is not null;
  if answer.id is null or not coalesce(touched, '{}') <@ mine or (
    answer.user_id <> me.user_id and (touched is null or exists (
      select from unnest(touched) t (id) where not exists (
        select from public.matter_members mm where mm.matter_id = t.id and mm.user_id = me.user_id and mm.role = 'owner'
      )
    ))
  ) then
    perform private.not_found('run', run_id);
  end if;
  readable := array(select d from unnest(touched) t (id), private.readable_documents(t.id) d);
  hidden := array(select private.hidden_documents(mine));
  withheld := exists (
    select from public.audit_log a
    where a.detail ? 'run' and a.detail ->> 'run' = run_id and a.user_id = answer.user_id and private.entry_touches(a, hidden)
  );
  with entries as (
    select a.* from public.audit_log a
    where a.detail ? 'run' and a.detail ->> 'run' = run_id and a.user_id = answer.user_id
  ), cited as (
    select distinct c ->> 'document_id' as document, c ->> 'revision_id' as revision, (c ->> 'start')::integer as s, (c ->> 'end')::integer as e
    from entries a, jsonb_array_elements(a.detail -> 'citations') c where a.action = 'answer'
  ), passages as (
    select chunk.id, min(a.id) as first
    from entries a, jsonb_array_elements_text(a.detail -> 'chunks') chunk (id)
    where jsonb_typeof(a.detail -> 'chunks') = 'array' group by chunk.id
  )
  select jsonb_build_object(
    'run', run_id, 'thread', answer.detail -> 'thread', 'user_id', answer.user_id,
    'email', (select u.email from auth.users u where u.id = answer.user_id), 'at', answer.at,
    'question', case when not withheld then answer.detail -> 'question' end, 'model', answer.detail -> 'model', 'answer_sha256', answer.detail -> 'answer_sha256',
    'matters', (
      select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'number', m.number, 'title', m.title) order by m.number), '[]')
      from public.matters m where m.id = any (touched)
    ),
    'citations', (
      select coalesce(jsonb_agg(private.place_json(private.as_uuid(c.document), private.as_uuid(c.revision), c.s, c.e, readable)), '[]') from cited c
    ),
    'passages', (
      select coalesce(jsonb_agg(
        private.place_json(c.document_id, c.revision_id, c.start_char, c.end_char, readable) || jsonb_build_object('chunk_id', p.id)
        order by p.first, p.id
      ), '[]')
      from passages p left join public.chunks c on c.id = private.as_uuid(p.id)
    ),
    'entries', (select jsonb_agg(private.entry_json(e, readable, withheld) || jsonb_build_object('matter_id', e.matter_id) order by e.id) from entries e)
  ) into result;
  perform private.audit('replay_run', m, null, jsonb_build_object('replayed', run_id))
  from public.matters m where m.id = any (touched);
  if touched is null then
    perform private.audit('replay_run', null, null, jsonb_build_object('replayed', run_id));
  end if;
  return result;
end
$$;

-- == As the operator and the witness (service_role) ==

-- Lists chains that have grown since they were signed. Returns [{chain, seq, hash}, …].
create function public.unsigned_heads(row_count integer default 1000) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('chain', h.chain, 'seq', h.seq, 'hash', h.hash) order by h.chain), '[]')
  from (select x.* from private.audit_heads x where x.seq > x.signed_seq order by x.chain limit row_count) h
$$;

-- Notes how far chains are signed. heads: [{chain, seq}, …]. Returns {signed}.
create function public.heads_signed(heads jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  signed bigint;
begin
  perform from private.audit_heads h
  where h.chain = any (array(select private.as_uuid(s ->> 'chain') from jsonb_array_elements(heads) s))
  order by h.chain for update;
  update private.audit_heads h set signed_seq = greatest(h.signed_seq, (s ->> 'seq')::bigint)
  from jsonb_array_elements(heads) s where h.chain = private.as_uuid(s ->> 'chain');
  get diagnostics signed = row_count;
  return jsonb_build_object('signed', signed);
end
$$;

-- Lists all chains. Returns [{chain, seq, kind: matter | person, name, signed_seq}, …].
create function public.audit_chains() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'chain', c.chain, 'seq', c.seq, 'kind', case when m.id is not null then 'matter' else 'person' end,
    'name', coalesce(m.number, u.email, c.chain::text), 'signed_seq', c.signed_seq
  ) order by m.number nulls last, u.email, c.chain), '[]')
  from (
    select coalesce(h.chain, a.chain) as chain, greatest(h.seq, a.seq) as seq, coalesce(h.signed_seq, 0) as signed_seq
    from private.audit_heads h full join (select x.chain, max(x.seq) as seq from public.audit_log x group by x.chain) a on a.chain = h.chain
  ) c
  left join public.matters m on m.id = c.chain
  left join auth.users u on u.id = c.chain
$$;

-- Reads hashes of a chain's entries. Returns {seq: hash}; missing entries are left out.
create function public.audit_hashes(chain text, seqs jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(a.seq::text, a.hash), '{}') from public.audit_log a
  where a.chain = private.as_uuid(audit_hashes.chain) and a.seq in (select s::bigint from jsonb_array_elements_text(seqs) s)
$$;

-- Checks a chain (a matter's or person's id). Returns {entries, intact, broken_at | null, trimmed_to, first_after | null}; entries
-- up to trimmed_to were removed by retention, which an entry of the chain itself must say; first_after: time of the first entry
-- after after_seq.
create function public.verify_audit(chain text, after_seq bigint default 0) returns jsonb
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
  -- An entry of the chain itself, hashed and signed like any other, must state what was trimmed.
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
  return jsonb_build_object('entries', counted, 'intact', broken is null, 'broken_at', broken, 'trimmed_to', coalesce(trim.seq, 0),
    'first_after', (select min(a.at) from public.audit_log a
      where a.chain = private.as_uuid(verify_audit.chain) and a.seq > coalesce(after_seq, 0)));
end
$$;

-- Removes entries past their retention rule. Returns [{chain, entries, to}, …].
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
    -- A chain is left alone where only the entry of its last trimming would be removed.
    where not x.held and exists (
      select from public.audit_log a where a.chain = x.chain and a.seq <= x.last_seq and a.action <> 'trim_audit'
    )
    order by x.chain
  loop
    done := done || private.trim_chain(e.chain, e.matter_id, e.tenant_id, e.last_seq);
  end loop;
  return done;
end
$$;

-- == Privileges ==

revoke all on public.audit_log from anon, authenticated, service_role;
-- Not even the worker may rewrite the record: its functions append.
grant select on public.audit_log to service_role;
revoke all on private.audit_heads, private.audit_trims from public, anon, authenticated, service_role;
revoke all on function private.audit_hash, private.append_entry, private.audit, private.audit_person, private.trim_chain, private.expired_entries, private.any_hidden_in,
  private.looked_for, private.may_have_given, private.found_elsewhere, private.entry_touches, private.entry_json,
  private.place_json, private.citation_stands from public, anon, authenticated;
revoke all on function public.record_denial, public.record_answer, public.list_audit, public.replay_run, public.unsigned_heads,
  public.heads_signed, public.audit_chains, public.audit_hashes, public.verify_audit, public.trim_audit
  from public, anon, authenticated, service_role;
grant execute on function public.record_denial, public.record_answer, public.list_audit, public.replay_run to authenticated;
grant execute on function public.unsigned_heads, public.heads_signed, public.audit_chains, public.audit_hashes,
  public.verify_audit, public.trim_audit to service_role;

-- schemas/13_conversations.sql

-- Conversations (threads): what they have read decides whether their user may open them; workspaces; stored responses; the
-- removal of purged words.

-- == Tables ==

create table public.threads (
  thread_id text primary key check (length(thread_id) between 1 and 200),
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  created_at timestamptz not null default now()
);
create index threads_user on public.threads (user_id);
alter table public.threads enable row level security;
create policy "thread of one's own" on public.threads for select to authenticated using (user_id = (select private.my_user_id()));

-- What conversations have read. No reference to matter or document: a conversation outlives them, and is closed then.
create table public.thread_reads (
  thread_id text not null,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  matter_id uuid not null,
  document_id uuid,
  unique nulls not distinct (user_id, thread_id, matter_id, document_id)
);
create index thread_reads_document on public.thread_reads (document_id) where document_id is not null;
alter table public.thread_reads enable row level security;
create policy "read of one's own" on public.thread_reads for select to authenticated using (user_id = (select private.my_user_id()));

-- Answers of the Responses API. body: the response object. document_ids: the documents that it quotes.
create table public.responses (
  id text primary key check (id ~ '^resp_[0-9a-f]{32}$'),
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  thread_id text not null,
  checkpoint_id text,
  body jsonb not null,
  document_ids uuid[] not null,
  created_at timestamptz not null default now()
);
create index responses_user on public.responses (user_id, created_at);
create index responses_documents on public.responses using gin (document_ids);
alter table public.responses enable row level security;

-- Deleted documents whose words were removed from the conversations.
create table private.redacted_documents (
  document_id uuid primary key references public.documents (id) on delete cascade,
  redacted_at timestamptz not null default now()
);
alter table private.redacted_documents enable row level security;

-- == Private functions ==

-- What the caller's conversations have read: one, looked up by its key, or (null) all.
create function private.my_reads(only_thread text) returns setof public.thread_reads
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if only_thread is null then
    return query select r.* from public.thread_reads r where r.user_id = (select auth.uid());
  else
    return query select r.* from public.thread_reads r where r.user_id = (select auth.uid()) and r.thread_id = only_thread;
  end if;
end
$$;

-- The caller's conversations, one or (null) all, that have read a matter or document that is not the caller's to read. A deleted
-- document closes a conversation only where it was kept for a group, until its words are removed. A workspace is readable in its
-- own conversation alone, so for workspaces membership counts.
create function private.closed_threads(only_thread text) returns setof text
language sql stable security definer
set search_path = ''
as $$
  with mine as materialized (
    select r.thread_id, r.matter_id, r.document_id from private.my_reads(only_thread) r
  ), matters as materialized (
    select private.my_matter_ids_among(null, true) as id
    union
    select m.id from public.matters m join public.matter_members mm on mm.matter_id = m.id
    where m.kind = 'workspace' and mm.user_id = (select private.my_user_id())
  )
  select mine.thread_id from mine where mine.matter_id not in (select matters.id from matters)
  union
  select mine.thread_id from mine join public.documents d on d.id = mine.document_id
  where d.group_id is not null and d.group_id not in (select private.my_group_ids())
    and not exists (select from private.redacted_documents x where x.document_id = d.id)
$$;

create policy "response of one's own" on public.responses for select to authenticated using (
  user_id = (select private.my_user_id()) and document_ids <@ array(select private.readable_documents())
  and thread_id <> all (array(select private.closed_threads(null)))
);

-- Documents that a response of a conversation may quote: the readable ones, and the files of that conversation.
create function private.quotable_documents(thread text) returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select private.readable_documents()
  union
  select d.id from public.matters m join public.documents d on d.matter_id = m.id
  where m.kind = 'workspace' and m.thread_id = thread and d.deleted_at is null
    and m.id in (select private.my_matters_and_workspaces())
$$;

-- Finds a stored response of the caller's. Raises OR404 too where a document that it quotes is not readable, and where its
-- conversation is closed: an answer without quotations may still tell what the conversation has read.
create function private.own_response(ref text) returns public.responses
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  found_response public.responses;
begin
  select r.* into found_response from public.responses r
  where r.id = ref and r.user_id = me.user_id and r.document_ids <@ array(select private.quotable_documents(r.thread_id))
    and not exists (select from private.closed_threads(r.thread_id));
  if not found then
    perform private.not_found('response', ref);
  end if;
  return found_response;
end
$$;

-- Deletes the files of conversations' workspaces, of one person or (null) of all, with receipts; the purge follows. Files under a
-- legal hold stay. Returns the number of deleted files.
create function private.delete_workspace_files(threads text[], person uuid) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents;
  gone integer := 0;
begin
  for d in
    select x.* from public.documents x join public.matters m on m.id = x.matter_id
    where m.kind = 'workspace' and m.thread_id = any (threads) and (person is null or m.created_by = person)
      and x.deleted_at is null and not private.on_hold(x)
    order by x.id for update of x
  loop
    update public.documents u set status = 'deleted', deleted_at = now() where u.id = d.id;
    perform private.receipt_for(d, private.matter_of(d));
    gone := gone + 1;
  end loop;
  return gone;
end
$$;

-- One row for each matter that a conversation has read or whose files it holds; one without a matter where there is none.
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

-- == Triggers ==

-- Notes what a recorded entry says that its conversation has read.
create function private.note_reads() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.thread_reads (thread_id, user_id, matter_id, document_id)
  values (new.detail ->> 'thread', new.user_id, new.matter_id, new.document_id)
  on conflict do nothing;
  if jsonb_typeof(new.detail -> 'chunks') = 'array' then
    insert into public.thread_reads (thread_id, user_id, matter_id, document_id)
    select distinct new.detail ->> 'thread', new.user_id, c.matter_id, c.document_id
    from jsonb_array_elements_text(new.detail -> 'chunks') as hit (id) join public.chunks c on c.id = private.as_uuid(hit.id)
    on conflict do nothing;
  end if;
  if new.detail ? 'review_id' and jsonb_typeof(new.detail -> 'given') = 'array' then
    insert into public.thread_reads (thread_id, user_id, matter_id, document_id)
    select new.detail ->> 'thread', new.user_id, new.matter_id, private.as_uuid(given.id)
    from jsonb_array_elements_text(new.detail -> 'given') as given (id)
    on conflict do nothing;
  end if;
  return null;
end
$$;
create trigger note_reads after insert on public.audit_log for each row
  when (new.detail ? 'thread' and new.matter_id is not null and new.user_id is not null and new.action <> 'denied')
  execute function private.note_reads();

-- Deletes the stored responses that quote a purged document: their bodies hold its words.
create function private.delete_responses() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from public.responses r where r.document_ids @> array[old.id];
  return null;
end
$$;
create trigger delete_responses after delete on public.documents for each row execute function private.delete_responses();

-- == As the caller (role authenticated) ==

-- Registers a new conversation. Returns {thread_id}.
create function public.register_thread(thread_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  if coalesce(length(register_thread.thread_id), 0) not between 1 and 200 then
    perform private.invalid('A conversation has an id of at most 200 characters.');
  end if;
  insert into public.threads (thread_id, user_id) values (register_thread.thread_id, me.user_id) on conflict do nothing;
  return jsonb_build_object('thread_id', register_thread.thread_id);
end
$$;

-- Checks that a conversation is open: OR404 as soon as it has read something that is not the caller's to read.
-- opened: records that it was opened. Returns {thread_id}.
create function public.check_thread(thread_id text, opened boolean default false) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  if exists (select from private.closed_threads(check_thread.thread_id)) then
    perform private.not_found('conversation', check_thread.thread_id);
  end if;
  if opened then
    perform private.audit('open_thread', null, null, jsonb_build_object('opened', check_thread.thread_id));
  end if;
  return jsonb_build_object('thread_id', check_thread.thread_id);
end
$$;

-- Deletes what a conversation of the caller's holds: its files, with receipts, and its stored responses. What it has read stays
-- noted, so that walls hold if the server keeps the conversation. Returns {thread_id, files}; OR409 where a file is under a legal hold.
create function public.delete_thread(thread_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  held text;
  gone integer;
begin
  select d.filename into held from public.documents d join public.matters m on m.id = d.matter_id
  where m.kind = 'workspace' and m.thread_id = delete_thread.thread_id and m.created_by = me.user_id
    and d.deleted_at is null and private.on_hold(d)
  order by d.upload_order limit 1;
  if held is not null then
    raise exception 'The file % of this conversation is under a legal hold, so the conversation cannot be deleted.', held
      using errcode = 'OR409';
  end if;
  delete from public.responses r where r.thread_id = delete_thread.thread_id and r.user_id = me.user_id;
  gone := private.delete_workspace_files(array[delete_thread.thread_id], me.user_id);
  perform private.audit('delete_thread', null, null, jsonb_build_object('deleted', delete_thread.thread_id, 'files', gone));
  return jsonb_build_object('thread_id', delete_thread.thread_id, 'files', gone);
end
$$;

-- Lists the caller's closed conversations. Returns {closed: [thread_id, …], open: [thread_id, …] | null}; open: null while none
-- is closed.
create function public.my_threads() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  closed text[] := array(select private.closed_threads(null));
begin
  return jsonb_build_object('closed', to_jsonb(closed), 'open', case when cardinality(closed) > 0 then (
    select coalesce(jsonb_agg(t.thread_id order by t.created_at desc, t.thread_id), '[]') from public.threads t
    where t.user_id = me.user_id and t.thread_id <> all (closed)
  ) end);
end
$$;

-- Finds the workspace of the conversation; make: creates a missing one. Returns matter | null. Outside a conversation null, or
-- OR400.
create function public.chat_workspace(make boolean default false) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  thread text := private.my_thread_id();
  m public.matters;
begin
  if thread is null and make then
    perform private.invalid('A workspace belongs to a conversation; this call is not part of one.');
  end if;
  select x.* into m from public.matters x
  where x.kind = 'workspace' and x.thread_id = thread and x.id = any (array(select private.my_matter_ids()));
  if not found and make then
    insert into public.matters (tenant_id, number, title, kind, thread_id, created_by)
    values (me.tenant_id, 'CHAT-' || left(encode(sha256(convert_to(thread, 'UTF8')), 'hex'), 16), 'Files of this conversation',
      'workspace', thread, me.user_id)
    on conflict do nothing -- the conversation, or the number made from it, has a workspace
    returning * into m;
    if m.id is not null then
      insert into public.matter_members (matter_id, user_id, role) values (m.id, me.user_id, 'owner');
      perform private.audit('chat_workspace', m, null, jsonb_build_object('thread_id', thread));
    else
      -- A concurrent call may have created the workspace: the caller's own is found. A workspace that another person created under the
      -- same conversation id is not found, because a conversation belongs to one person.
      select x.* into m from public.matters x
      where x.kind = 'workspace' and x.thread_id = thread and x.id = any (array(select private.my_matter_ids()));
      if not found then
        perform private.not_found('matter', 'of this conversation');
      end if;
    end if;
  end if;
  return case when m.id is not null then private.matter_json(m) end;
end
$$;

-- Reads what a run needs at its beginning, in one call.
-- Returns {matters, workspace, withheld}, as list_matters, chat_workspace and withheld_tools return them.
create function public.run_opening(client_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.caller();
  return jsonb_build_object(
    'matters', public.list_matters(),
    'workspace', case when private.my_thread_id() is not null then public.chat_workspace() end,
    'withheld', public.withheld_tools(run_opening.client_id)
  );
end
$$;

-- Stores a response. Returns {response_id}.
create function public.save_response(
  new_id text, thread_id text, checkpoint_id text, body jsonb, document_ids jsonb
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  quoted uuid[] := array(select private.as_uuid(q.ref) from jsonb_array_elements_text(document_ids) as q (ref));
begin
  if not quoted <@ array(select private.quotable_documents(save_response.thread_id)) then
    perform private.invalid('A response quotes only documents that its user may read.');
  end if;
  if coalesce(new_id, '') !~ '^resp_[0-9a-f]{32}$' then
    perform private.invalid('That is not an id of a response.');
  end if;
  insert into public.responses (id, user_id, thread_id, checkpoint_id, body, document_ids)
  values (new_id, me.user_id, save_response.thread_id, save_response.checkpoint_id, save_response.body, quoted);
  return jsonb_build_object('response_id', new_id);
end
$$;

-- Reads a stored response. Returns {response_id, thread_id, checkpoint_id, body}; OR404 as soon as a document that it quotes is not
-- readable or its conversation is closed.
create function public.get_response(response_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.responses := private.own_response(response_id);
begin
  perform private.audit('get_response', null, null, jsonb_build_object('response_id', r.id));
  return jsonb_build_object('response_id', r.id, 'thread_id', r.thread_id, 'checkpoint_id', r.checkpoint_id, 'body', r.body);
end
$$;

-- Deletes a stored response. Returns {response_id}.
create function public.delete_response(response_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.responses := private.own_response(response_id);
begin
  delete from public.responses x where x.id = r.id;
  perform private.audit('delete_response', null, null, jsonb_build_object('response_id', r.id));
  return jsonb_build_object('response_id', r.id);
end
$$;

-- == As the worker (service_role) ==

-- Finds a deleted document whose words have to be removed from conversations and stored responses; after: the document found before.
-- Returns {document_id, threads: [thread_id, …], texts: [text, …]} | null; threads: those that have read its matter; texts: of its
-- revisions.
create function public.next_redaction(after text default null) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'document_id', d.id,
    'threads', (select jsonb_agg(distinct r.thread_id) from public.thread_reads r where r.matter_id = d.matter_id),
    'texts', (select coalesce(jsonb_agg(v.text), '[]') from public.document_revisions v where v.document_id = d.id)
  )
  from public.documents d
  left join public.documents found on found.id = private.as_uuid(next_redaction.after)
  where d.deleted_at is not null and not private.on_hold(d)
    and not exists (select from private.redacted_documents x where x.document_id = d.id)
    and exists (select from public.thread_reads r where r.matter_id = d.matter_id)
    and (found.id is null or (d.deleted_at, d.id) > (found.deleted_at, found.id))
  order by d.deleted_at, d.id
  limit 1
$$;

-- Reads the stored responses of conversations, for the redaction. Returns [{response_id, body}, …].
create function public.responses_of(threads jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('response_id', r.id, 'body', r.body) order by r.created_at, r.id), '[]')
  from public.responses r
  where r.thread_id in (select t.id from jsonb_array_elements_text(threads) as t (id))
$$;

-- Replaces the body of a stored response by a redacted one. Returns {response_id}.
create function public.redact_response(response_id text, body jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.responses r set body = redact_response.body where r.id = redact_response.response_id;
  return jsonb_build_object('response_id', redact_response.response_id);
end
$$;

-- Notes that a document's words are removed. Returns {document_id}.
create function public.redaction_done(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.redacted_documents (document_id)
  select d.id from public.documents d where d.id = private.as_uuid(redaction_done.document_id)
  on conflict do nothing;
  return jsonb_build_object('document_id', redaction_done.document_id);
end
$$;

-- Reads the shortest retention rule for conversations. Returns days | null.
create function public.youngest_thread_rule() returns jsonb
language sql stable security definer
set search_path = ''
as $$ select to_jsonb(min(r.keep_days)) from private.retention_rules r where r.kind = 'threads' $$;

-- Decides which conversations are past their retention rule. threads: [{thread_id, user_id, changed_at}, …].
-- Returns {due: [thread_id, …], held: [thread_id, …]}. A conversation of several matters is due when the rule of each of them is
-- met; held: a legal hold in one of them keeps it.
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

-- Deletes the responses and files that conversations hold; what they have read stays noted. Returns the number of files.
create function public.empty_threads(thread_ids jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  ids text[] := array(select jsonb_array_elements_text(thread_ids));
begin
  delete from public.responses r where r.thread_id = any (ids);
  return to_jsonb(private.delete_workspace_files(ids, null));
end
$$;

-- Forgets conversations that the server no longer has, with what they hold. Returns their number.
create function public.forget_threads(thread_ids jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  ids text[] := array(select jsonb_array_elements_text(thread_ids));
  gone integer;
begin
  perform public.empty_threads(thread_ids);
  delete from public.thread_reads r where r.thread_id = any (ids);
  delete from public.threads t where t.thread_id = any (ids);
  get diagnostics gone = row_count;
  return to_jsonb(gone);
end
$$;

-- == Privileges ==

revoke all on public.threads, public.thread_reads, public.responses from anon, authenticated, service_role;
grant all on public.threads, public.thread_reads, public.responses to service_role;
revoke all on private.redacted_documents from public, anon, authenticated, service_role;
revoke all on function private.my_reads, private.closed_threads, private.quotable_documents, private.delete_workspace_files,
  private.own_response, private.thread_matters,
  private.note_reads, private.delete_responses from public, anon, authenticated;
revoke all on function public.register_thread, public.check_thread, public.delete_thread, public.my_threads, public.chat_workspace,
  public.run_opening, public.save_response, public.get_response, public.delete_response, public.next_redaction,
  public.responses_of, public.redact_response, public.redaction_done, public.youngest_thread_rule, public.threads_due,
  public.empty_threads, public.forget_threads
  from public, anon, authenticated, service_role;
grant execute on function private.closed_threads to authenticated;
grant execute on function public.register_thread, public.check_thread, public.delete_thread, public.my_threads, public.chat_workspace,
  public.run_opening, public.save_response, public.get_response, public.delete_response to authenticated;
grant execute on function public.next_redaction, public.responses_of, public.redact_response, public.redaction_done,
  public.youngest_thread_rule, public.threads_due, public.empty_threads, public.forget_threads to service_role;

-- schemas/14_policies.sql

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

-- schemas/15_reviews.sql

-- Reviews: a table of documents by columns. Each column is a question that is put to every document; each cell is its answer in
-- one document, with verified citations and a person's verdict.
--
-- A cell names the revision and the edition of the column that it answers. When either changes, it is stale and, in an active
-- review, answered again. Answers and verdicts are separate fields: a worker writes answers only, a person verdicts only.
-- A row (one review, one document) is the unit of work: a worker claims it as it claims a document (08_ingestion.sql), reads the
-- document once, and answers every column that waits. Jobs only wake workers; a lost job is made again from the cells.
-- Every lock is taken in this order: document, review, row of private.review_work, cells.

-- == Tables ==

-- state: draft, until it is run; active: what is new or stale is answered; cancelled: nothing is answered until it is run again.
-- chosen: only the documents of review_documents, else every document of the matter.
-- changed: the time of the last change of a cell, in microseconds; it grows with every change.
create table public.reviews (
  id uuid primary key default gen_random_uuid(),
  matter_id uuid not null references public.matters (id) on delete cascade,
  name text not null check (length(name) between 1 and 200),
  state text not null default 'draft' check (state in ('draft', 'active', 'cancelled')),
  chosen boolean not null default false,
  changed bigint not null default 0,
  created_by uuid references public.profiles (user_id) on delete set null,
  created_at timestamptz not null default now()
);
create unique index reviews_name on public.reviews (matter_id, lower(name));
alter table public.reviews enable row level security;
create policy "review in one of my_matter_ids" on public.reviews
  for select to authenticated using (matter_id = any (array(select private.my_matter_ids())));

create table public.review_documents (
  review_id uuid not null references public.reviews (id) on delete cascade,
  document_id uuid not null references public.documents (id) on delete cascade,
  primary key (review_id, document_id)
);
create index review_documents_document on public.review_documents (document_id);
alter table public.review_documents enable row level security;
create policy "chosen among readable_documents" on public.review_documents
  for select to authenticated using (document_id = any (array(select private.readable_documents())));

-- subject: what the column looks for, such as a type of clause; null: the question is put to the document. options: of a choice. edition: grows when the question changes.
create table public.review_columns (
  id uuid primary key default gen_random_uuid(),
  review_id uuid not null references public.reviews (id) on delete cascade,
  matter_id uuid not null references public.matters (id) on delete cascade,
  ordinal integer not null,
  title text not null check (length(title) between 1 and 200),
  question text not null check (length(question) between 1 and 1000),
  answer_type text not null check (
    answer_type in ('text', 'date', 'duration', 'money', 'number', 'yes_no', 'jurisdiction', 'parties', 'choice')
  ),
  options text[] not null default '{}' check (cardinality(options) <= 50),
  subject text check (length(subject) between 1 and 500),
  edition integer not null default 1,
  created_by uuid references public.profiles (user_id) on delete set null,
  created_at timestamptz not null default now(),
  check ((answer_type = 'choice') = (cardinality(options) >= 2))
);
create index review_columns_review on public.review_columns (review_id, ordinal);
create index review_columns_matter on public.review_columns (matter_id);
alter table public.review_columns enable row level security;
create policy "column of a review in one of my_matter_ids" on public.review_columns
  for select to authenticated using (matter_id = any (array(select private.my_matter_ids())));

-- The answer: state, value, citations, read (what was read), confidence, engine, model, note, of revision_id and column_edition.
-- The verdict: a person's, on the revision and column edition that it names; verdict_value is what they accepted or put in its place.
-- edition grows with every change of the cell; changed is the review's at that change.
create table public.review_cells (
  id uuid primary key default gen_random_uuid(),
  review_id uuid not null references public.reviews (id) on delete cascade,
  column_id uuid not null references public.review_columns (id) on delete cascade,
  document_id uuid not null references public.documents (id) on delete cascade,
  state text not null default 'queued' check (state in ('queued', 'found', 'candidate', 'not_found', 'failed', 'stale')),
  edition integer not null default 1,
  changed bigint not null,
  revision_id uuid,
  column_edition integer,
  value jsonb,
  citations uuid[] not null default '{}',
  read jsonb,
  confidence real,
  engine text,
  model text,
  note text not null default '',
  answered_at timestamptz,
  verdict text check (verdict in ('accepted', 'corrected', 'rejected')),
  verdict_value jsonb,
  verdict_note text,
  verdict_by uuid references public.profiles (user_id) on delete set null,
  verdict_at timestamptz,
  verdict_revision_id uuid,
  verdict_column_edition integer,
  unique (column_id, document_id),
  check (state <> 'found' or (value is not null and cardinality(citations) > 0))
);
create index review_cells_row on public.review_cells (review_id, document_id);
create index review_cells_changed on public.review_cells (review_id, changed);
create index review_cells_document on public.review_cells (document_id);
create index review_cells_waiting on public.review_cells (review_id, document_id) where state in ('queued', 'stale');
alter table public.review_cells enable row level security;
create policy "cell of one of readable_documents" on public.review_cells
  for select to authenticated using (document_id = any (array(select private.readable_documents())));

-- The claims on rows. claim grows with each taking and fences off earlier holders.
create table private.review_work (
  review_id uuid not null references public.reviews (id) on delete cascade,
  document_id uuid not null references public.documents (id) on delete cascade,
  claim bigint not null default 0,
  claimed_at timestamptz,
  attempts integer not null default 0,
  retry_at timestamptz,
  primary key (review_id, document_id)
);
create index review_work_document on private.review_work (document_id);
alter table private.review_work enable row level security;

-- == Private functions: finding ==

-- Finds a review that the caller may read, by its id, and locks it where the caller changes it. Raises OR404, OR403.
create function private.open_review(ref text, needed_role text default 'viewer') returns public.reviews
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  r public.reviews;
begin
  select x.* into r from public.reviews x
  where x.id = private.as_uuid(ref) and x.matter_id = any (array(select private.my_matter_ids()));
  if not found then
    perform private.not_found('review', ref);
  end if;
  if needed_role <> 'viewer' then
    perform private.open_matter(r.matter_id::text, needed_role);
    select x.* into r from public.reviews x where x.id = r.id for update;
    if not found then
      perform private.not_found('review', ref);
    end if;
  end if;
  return r;
end
$$;

-- Finds a column of a review that the caller may edit, and locks its review. Raises OR404, OR403.
create function private.open_column(ref text) returns public.review_columns
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  c public.review_columns;
begin
  select x.* into c from public.review_columns x
  where x.id = private.as_uuid(ref) and x.matter_id = any (array(select private.my_matter_ids()));
  if not found then
    perform private.not_found('column', ref);
  end if;
  perform private.open_review(c.review_id::text, 'editor');
  select x.* into c from public.review_columns x where x.id = c.id;
  if not found then
    perform private.not_found('column', ref);
  end if;
  return c;
end
$$;

create function private.matter_of_review(r public.reviews) returns public.matters
language sql stable security definer
set search_path = ''
as $$ select m.* from public.matters m where m.id = r.matter_id $$;

-- The documents that a review is about, readable or not, in the order of upload.
create function private.documents_of_review(r public.reviews) returns setof public.documents
language sql stable security definer
set search_path = ''
as $$
  select d.* from public.documents d
  where d.matter_id = r.matter_id and d.deleted_at is null
    and (not r.chosen or d.id in (select x.document_id from public.review_documents x where x.review_id = r.id))
  order by d.upload_order
$$;

-- == Private functions: shapes ==

-- column = {id, title, question, answer_type, options: [text, …], subject | null, edition, states: {state: number}, verdicts}
--   states and verdicts count the cells of readable documents.
create function private.column_json(c public.review_columns, readable uuid[]) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', c.id, 'title', c.title, 'question', c.question, 'answer_type', c.answer_type, 'options', to_jsonb(c.options),
    'subject', c.subject, 'edition', c.edition, 'states', coalesce(jsonb_object_agg(s.state, s.n) filter (where s.state is not null), '{}'),
    'verdicts', coalesce(sum(s.judged), 0)
  )
  from (select) one left join (
    select x.state, count(*) as n, count(x.verdict) as judged from public.review_cells x
    where x.column_id = c.id and x.document_id = any (readable) group by x.state
  ) s on true
$$;

-- review = {id, matter_id, matter_number, name, status, chosen, made_by: e-mail | null, created_at, documents, waiting, changed,
--   columns: [column, …]}
--   status: draft, running, done or cancelled. documents: readable ones. waiting: cells of readable documents to be answered.
--   changed: the last change of a cell of a readable document.
create function private.review_json(r public.reviews) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  readable uuid[] := array(select d.id from private.documents_of_review(r) d
    where d.id = any (array(select private.readable_documents(r.matter_id))));
  waiting integer;
  latest bigint;
begin
  select count(*) filter (where c.state in ('queued', 'stale')), coalesce(max(c.changed), 0) into waiting, latest
  from public.review_cells c where c.review_id = r.id and c.document_id = any (readable);
  return jsonb_build_object(
    'id', r.id, 'matter_id', r.matter_id, 'matter_number', (private.matter_of_review(r)).number, 'name', r.name,
    'status', case when r.state <> 'active' then r.state when waiting > 0 then 'running' else 'done' end,
    'chosen', r.chosen, 'made_by', (select u.email from auth.users u where u.id = r.created_by), 'created_at', r.created_at,
    'documents', cardinality(readable), 'waiting', waiting, 'changed', latest,
    'columns', (
      select coalesce(jsonb_agg(private.column_json(c, readable) order by c.ordinal), '[]')
      from public.review_columns c where c.review_id = r.id
    )
  );
end
$$;

-- cell = {id, column_id, document_id, state, edition, changed, revision_id | null, current, value | null,
--   citations: [{id, revision_id, start, end, quote, page, paged, section_label, section_title}, …], read | null,
--   confidence | null, engine | null, model | null, note, answered_at | null, verdict | null}
--   current: the answer is of the document's current revision and of the column's current question
--   verdict = {verdict, value | null, note, by: e-mail | null, at, current}
create function private.cells_json(ids uuid[]) returns table (id uuid, document_id uuid, ordinal integer, changed bigint, cell jsonb)
language sql stable security definer
set search_path = ''
as $$
  select c.id, c.document_id, k.ordinal, c.changed, jsonb_build_object(
    'id', c.id, 'column_id', c.column_id, 'document_id', c.document_id, 'state', c.state, 'edition', c.edition, 'changed', c.changed,
    'revision_id', c.revision_id,
    'current', coalesce(c.revision_id = d.current_revision_id and c.column_edition = k.edition, false), 'value', c.value,
    'citations', coalesce(cited.list, '[]'),
    'read', c.read, 'confidence', c.confidence, 'engine', c.engine, 'model', c.model, 'note', c.note, 'answered_at', c.answered_at,
    'verdict', case when c.verdict is not null then jsonb_build_object(
      'verdict', c.verdict, 'value', c.verdict_value, 'note', coalesce(c.verdict_note, ''),
      'by', u.email, 'at', c.verdict_at,
      'current', coalesce(c.verdict_revision_id = d.current_revision_id and c.verdict_column_edition = k.edition, false)
    ) end
  )
  from public.review_cells c
  join public.documents d on d.id = c.document_id
  join public.review_columns k on k.id = c.column_id
  left join auth.users u on u.id = c.verdict_by
  left join lateral (
    select jsonb_agg(jsonb_build_object(
      'id', x.id, 'revision_id', x.revision_id, 'start', x.start_char, 'end', x.end_char, 'quote', x.quote, 'page', x.page,
      'paged', v.paged, 'section_label', s.label, 'section_title', s.title
    ) order by n) as list
    from unnest(c.citations) with ordinality as cited (id, n)
    join public.citations x on x.id = cited.id
    join public.document_revisions v on v.id = x.revision_id
    left join public.sections s on s.id = x.section_id
  ) cited on true
  where c.id = any (ids)
$$;

-- == Private functions: changes ==

-- Notes a change of a review that is locked, and wakes its watchers. Returns the time for the changed cells.
create function private.review_changed(review uuid) returns bigint
language plpgsql security definer
set search_path = ''
as $$
declare
  at bigint;
begin
  update public.reviews r
  set changed = greatest(r.changed + 1, (extract(epoch from clock_timestamp()) * 1000000)::bigint)
  where r.id = review
  returning r.changed into at;
  perform pg_notify('orderly_documents', 'review:' || review);
  return at;
end
$$;

-- Raises OR400 where the cells of a matter's reviews, as the caller sees them, would be more than the limit.
create function private.check_cells(r public.reviews, further_columns integer, cell_limit integer) returns void
language plpgsql stable security definer
set search_path = ''
as $$
declare
  readable uuid[] := array(select private.readable_documents(r.matter_id));
  held bigint;
  further bigint;
begin
  select count(*) into held from public.review_cells c where c.document_id = any (readable) and c.review_id <> r.id;
  select count(*) * ((select count(*) from public.review_columns k where k.review_id = r.id) + further_columns) into further
  from private.documents_of_review(r) d where d.id = any (readable);
  if held + further > cell_limit then
    perform private.invalid(format('The reviews of a matter hold at most %s cells. The others hold %s and this one needs %s '
      '(documents times columns). Delete a review, or ask fewer columns or documents.', cell_limit, held, further));
  end if;
end
$$;

-- Raises OR400 where a title or an option of the columns, which grids and exports show, is not one line of visible text.
create function private.check_column_names(columns jsonb) returns void
language plpgsql
set search_path = ''
as $$
begin
  if exists (
    select from jsonb_path_query(columns, 'lax $[*].title') title where not private.is_plain(title #>> '{}')
    union all
    select from jsonb_path_query(columns, 'lax $[*].options[*]') option where not private.is_plain(option #>> '{}')
  ) then
    perform private.invalid('Titles and options of columns are each one line of visible text.');
  end if;
end
$$;

-- Counts the rows of reviews by a person that wait for a worker, without those of one review.
create function private.waiting_rows(maker uuid, other_than uuid default null) returns integer
language sql stable security definer
set search_path = ''
as $$
  select count(*)::integer
  from queue.procrastinate_jobs j join public.reviews r on r.id = private.as_uuid(j.args ->> 'review_id')
  where j.task_name = 'answer_review' and j.status = 'todo' and r.created_by is not distinct from maker
    and r.id is distinct from other_than
$$;

-- Wakes a worker for a row. People take turns: the nth waiting row of a person comes after everybody's n - 1 rows before.
create function private.enqueue_row(r public.reviews, document uuid, at timestamptz default null, place integer default null)
returns void
language sql security definer
set search_path = ''
as $$
  select private.enqueue('answer_review', 'review:' || r.id || ':' || document,
    jsonb_build_object('review_id', r.id, 'document_id', document), at, -coalesce(place, 1 + private.waiting_rows(r.created_by)))
$$;

-- Adds the cells that a locked review lacks, for one document or (null) all that are readable by the worker.
create function private.add_cells(r public.reviews, document uuid, at bigint) returns void
language sql security definer
set search_path = ''
as $$
  insert into public.review_cells (review_id, column_id, document_id, changed)
  select r.id, k.id, d.id, at
  from private.documents_of_review(r) d cross join public.review_columns k
  where k.review_id = r.id and d.current_revision_id is not null and (document is null or d.id = document)
  on conflict do nothing
$$;

-- Wakes workers for the rows of an active review that wait.
create function private.enqueue_rows(r public.reviews) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  before integer := private.waiting_rows(r.created_by, r.id);
begin
  if r.state = 'active' then
    perform private.enqueue_row(r, w.document_id, null, before + w.place)
    from (
      select d.id as document_id, row_number() over (order by d.upload_order)::integer as place
      from public.documents d
      where d.id in (select c.document_id from public.review_cells c where c.review_id = r.id and c.state in ('queued', 'stale'))
    ) w
    order by w.place;
  end if;
end
$$;

-- Raises OR409 (detail: claim).
create function private.row_taken_over() returns void
language plpgsql
set search_path = ''
as $$
begin
  raise exception 'This row of the review was cancelled, or another worker has taken it over.' using errcode = 'OR409', detail = 'claim';
end
$$;

-- Locks a review and a row of it whose claim the worker holds. Raises OR409 (detail: claim).
create function private.claimed_review_row(review text, document text, wanted_claim bigint) returns public.reviews
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews;
begin
  select x.* into r from public.reviews x where x.id = private.as_uuid(review) and x.state = 'active' for update;
  if not found then
    perform private.row_taken_over();
  end if;
  perform from public.documents d where d.id = private.as_uuid(document) and d.deleted_at is null;
  if not found then
    perform private.row_taken_over();
  end if;
  perform from private.review_work w
  where w.review_id = r.id and w.document_id = private.as_uuid(document) and w.claim = wanted_claim and w.claimed_at is not null
  for update;
  if not found then
    perform private.row_taken_over();
  end if;
  return r;
end
$$;

-- Stores the citations of a cell: spans [[start, end], …] of a revision. Returns their ids in the order given.
create function private.cell_citations(d public.documents, r public.document_revisions, spans jsonb) returns uuid[]
language plpgsql security definer
set search_path = ''
as $$
declare
  span jsonb;
  first integer;
  last integer;
  found uuid;
  ids uuid[] := '{}';
begin
  for span in select x.value from jsonb_array_elements(spans) x loop
    first := (span ->> 0)::integer;
    last := (span ->> 1)::integer;
    perform private.check_span(r, first, last, null);
    insert into public.citations as x (document_id, revision_id, start_char, end_char, quote, page, section_id)
    values (d.id, r.id, first, last, substr(r.text, first + 1, last - first), private.page_at(r.id, first),
      private.section_at(r.id, first, last))
    on conflict on constraint citations_revision_id_start_char_end_char_key do update set quote = x.quote
    returning x.id into found;
    ids := ids || found;
  end loop;
  return ids;
end
$$;

-- == Triggers ==

-- When a document gets a new revision, its cells are stale; active reviews answer them again, or for the first time.
create function private.review_new_revision() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews;
  at bigint;
begin
  for r in
    select x.* from public.reviews x
    where x.matter_id = new.matter_id
      and (not x.chosen or exists (select from public.review_documents c where c.review_id = x.id and c.document_id = new.id))
    order by x.id for update
  loop
    at := private.review_changed(r.id);
    update public.review_cells c set state = 'stale', edition = c.edition + 1, changed = at
    where c.review_id = r.id and c.document_id = new.id and c.state not in ('queued', 'stale');
    if r.state = 'active' then
      perform private.add_cells(r, new.id, at);
      if exists (select from public.review_columns k where k.review_id = r.id) then
        perform private.enqueue_row(r, new.id);
      end if;
    end if;
  end loop;
  return null;
end
$$;
create trigger review_new_revision after update of current_revision_id on public.documents
  for each row when (new.current_revision_id is not null and new.current_revision_id is distinct from old.current_revision_id)
  execute function private.review_new_revision();

-- == As the caller (role authenticated) ==

-- Creates a review, for editors. document_ids: [id, …]; null: every document of the matter, also later ones. Returns review.
create function public.create_review(matter_ref text, name text, document_ids jsonb default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'editor');
  wanted uuid[];
  ref text;
  r public.reviews;
begin
  if document_ids is not null and jsonb_typeof(document_ids) <> 'null' then
    if jsonb_typeof(document_ids) <> 'array' or jsonb_array_length(document_ids) > 10000 then
      perform private.invalid('The documents of a review are a list of at most 10,000 ids.');
    end if;
    wanted := '{}';
    for ref in select jsonb_array_elements_text(document_ids) loop
      if not exists (
        select from private.readable_documents(m.id) d (id) where d.id = coalesce(private.as_uuid(ref), private.named_document(ref))
      ) then
        perform private.not_found('document', ref);
      end if;
      wanted := wanted || coalesce(private.as_uuid(ref), private.named_document(ref));
    end loop;
  end if;
  if length(btrim(coalesce(create_review.name, ''))) not between 1 and 200 or not private.is_plain(create_review.name) then
    perform private.invalid('A review''s name is one line of visible text, of at most 200 characters.');
  end if;
  insert into public.reviews (matter_id, name, chosen, created_by)
  values (m.id, btrim(create_review.name), wanted is not null, auth.uid())
  on conflict do nothing
  returning * into r;
  if r.id is null then
    raise exception 'There is a review % in this matter already.', btrim(create_review.name) using errcode = 'OR409';
  end if;
  insert into public.review_documents (review_id, document_id) select r.id, x from unnest(wanted) x on conflict do nothing;
  perform private.audit('create_review', m, null, jsonb_build_object('review_id', r.id, 'name', r.name)
    || case when wanted is null then '{}' else jsonb_build_object('given', to_jsonb(wanted)) end);
  return private.review_json(r);
end
$$;

-- Lists the reviews of a matter, the newest first. Returns [review, …].
create function public.list_reviews(matter_ref text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(private.review_json(r) order by r.created_at desc, r.id), '[]') into result
  from public.reviews r where r.matter_id = m.id;
  perform private.audit('list_reviews', m, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

-- Describes a review. Returns review.
create function public.get_review(review_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews := private.open_review(review_id);
begin
  perform private.audit('get_review', private.matter_of_review(r), null, jsonb_build_object('review_id', r.id));
  return private.review_json(r);
end
$$;

-- Deletes a review with its cells and verdicts, for editors. Returns {id, name}.
create function public.delete_review(review_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews := private.open_review(review_id, 'editor');
begin
  delete from public.reviews x where x.id = r.id;
  perform private.audit('delete_review', private.matter_of_review(r), null, jsonb_build_object('review_id', r.id, 'name', r.name));
  return jsonb_build_object('id', r.id, 'name', r.name);
end
$$;

-- Adds columns: [{title, question, answer_type, options?, subject?}, …], for editors. In an active review they are answered
-- at once. cell_limit: of the matter. Returns review.
create function public.add_review_columns(review_id text, columns jsonb, cell_limit integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews := private.open_review(review_id, 'editor');
  next_ordinal integer;
  ids jsonb;
begin
  if jsonb_typeof(columns) is distinct from 'array' or jsonb_array_length(columns) not between 1 and 100 then
    perform private.invalid('Columns are a list of 1 to 100.');
  end if;
  perform private.check_column_names(columns);
  perform private.check_cells(r, jsonb_array_length(columns), cell_limit);
  select coalesce(max(k.ordinal), 0) into next_ordinal from public.review_columns k where k.review_id = r.id;
  with added as (
    insert into public.review_columns (review_id, matter_id, ordinal, title, question, answer_type, options, subject, created_by)
    select r.id, r.matter_id, next_ordinal + x.n, btrim(x.c ->> 'title'), btrim(x.c ->> 'question'), x.c ->> 'answer_type',
      array(select jsonb_array_elements_text(coalesce(nullif(x.c -> 'options', 'null'), '[]'))), x.c ->> 'subject', auth.uid()
    from jsonb_array_elements(columns) with ordinality as x (c, n)
    returning id
  )
  select jsonb_agg(a.id) into ids from added a;
  if r.state = 'active' then
    perform private.add_cells(r, null, private.review_changed(r.id));
    perform private.enqueue_rows(r);
  end if;
  perform private.audit('add_review_columns', private.matter_of_review(r), null,
    jsonb_build_object('review_id', r.id, 'columns', ids));
  return private.review_json(r);
end
$$;

-- Changes a column, for editors: {title, question, answer_type, options, subject}, some of them. Its cells become stale, and
-- no other's, unless only the title changes. Returns review.
create function public.edit_review_column(column_id text, changes jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  c public.review_columns := private.open_column(column_id);
  r public.reviews;
  at bigint;
begin
  perform private.check_changes(changes, array['title', 'question', 'answer_type', 'options', 'subject']);
  perform private.check_column_names(jsonb_build_array(changes));
  select x.* into r from public.reviews x where x.id = c.review_id;
  update public.review_columns k set
    title = coalesce(btrim(changes ->> 'title'), k.title), question = coalesce(btrim(changes ->> 'question'), k.question),
    answer_type = coalesce(changes ->> 'answer_type', k.answer_type),
    options = case when changes ? 'options' then array(select jsonb_array_elements_text(changes -> 'options')) else k.options end,
    subject = case when changes ? 'subject' then changes ->> 'subject' else k.subject end,
    edition = k.edition + case when changes - 'title' = '{}' then 0 else 1 end
  where k.id = c.id;
  if changes - 'title' <> '{}' then
    at := private.review_changed(r.id);
    update public.review_cells x set state = 'stale', edition = x.edition + 1, changed = at
    where x.column_id = c.id and x.state not in ('queued', 'stale');
    perform private.enqueue_rows(r);
  end if;
  perform private.audit('edit_review_column', private.matter_of_review(r), null,
    jsonb_build_object('review_id', r.id, 'column_id', c.id, 'changes', changes));
  return private.review_json(r);
end
$$;

-- Deletes a column with its cells and verdicts, for editors. Returns review.
create function public.delete_review_column(column_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  c public.review_columns := private.open_column(column_id);
  r public.reviews;
begin
  select x.* into r from public.reviews x where x.id = c.review_id;
  delete from public.review_columns k where k.id = c.id;
  perform private.review_changed(r.id);
  perform private.audit('delete_review_column', private.matter_of_review(r), null,
    jsonb_build_object('review_id', r.id, 'column_id', c.id, 'title', c.title));
  return private.review_json(r);
end
$$;

-- Runs a review, for editors: cells that are missing, stale or failed are answered, and from then on what is new. again: every
-- cell without a standing verdict too. cell_limit: of the matter. Returns review.
create function public.run_review(review_id text, cell_limit integer, again boolean default false) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews := private.open_review(review_id, 'editor');
  at bigint;
begin
  if not exists (select from public.review_columns k where k.review_id = r.id) then
    perform private.invalid('The review has no columns yet. Add one first.');
  end if;
  perform private.check_cells(r, 0, cell_limit);
  update public.reviews x set state = 'active' where x.id = r.id returning x.* into r;
  at := private.review_changed(r.id);
  perform private.add_cells(r, null, at);
  update public.review_cells c set state = case when c.state = 'failed' then 'queued' else 'stale' end,
    edition = c.edition + 1, changed = at, note = ''
  where c.review_id = r.id
    and (c.state = 'failed' or (coalesce(again, false) and c.verdict is null and c.state not in ('queued', 'stale')));
  update private.review_work w set attempts = 0, retry_at = null where w.review_id = r.id;
  perform private.enqueue_rows(r);
  perform private.audit('run_review', private.matter_of_review(r), null,
    jsonb_build_object('review_id', r.id, 'again', coalesce(again, false)));
  return private.review_json(r);
end
$$;

-- Stops the work on a review, for editors. What is answered stays. Returns review.
create function public.cancel_review(review_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews := private.open_review(review_id, 'editor');
begin
  update public.reviews x set state = 'cancelled' where x.id = r.id and x.state = 'active';
  delete from queue.procrastinate_jobs j where j.status = 'todo' and starts_with(j.queueing_lock, 'review:' || r.id || ':');
  perform private.review_changed(r.id);
  select x.* into r from public.reviews x where x.id = r.id;
  perform private.audit('cancel_review', private.matter_of_review(r), null, jsonb_build_object('review_id', r.id));
  return private.review_json(r);
end
$$;

-- Reads rows of a review in the order of upload. Returns {total, rows: [{document: {id, filename, status, status_reason, current_revision_id
-- | null}, cells: [cell, …]}, …]}. total: readable documents. document_ids: only these; ids that are not readable are left out.
create function public.review_rows(
  review_id text, document_ids jsonb default null, match_count integer default 100, skip integer default 0
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews := private.open_review(review_id);
  wanted uuid[] := case when jsonb_typeof(document_ids) = 'array'
    then array(select private.as_uuid(x) from jsonb_array_elements_text(document_ids) x) end;
  result jsonb;
begin
  with listed as (
    select d, row_number() over (order by d.upload_order) as n from private.documents_of_review(r) d
    where d.id = any (array(select private.readable_documents(r.matter_id))) and (wanted is null or d.id = any (wanted))
  ), paged as (
    select l.* from listed l
    where l.n > greatest(coalesce(skip, 0), 0)
      and l.n <= greatest(coalesce(skip, 0), 0)::bigint + private.row_limit(match_count)
  ), filled as (
    select x.document_id, jsonb_agg(x.cell order by x.ordinal) as cells
    from private.cells_json(array(
      select c.id from public.review_cells c where c.review_id = r.id and c.document_id in (select (l.d).id from paged l)
    )) x
    group by x.document_id
  )
  select jsonb_build_object('total', (select count(*) from listed), 'rows', coalesce(jsonb_agg(jsonb_build_object(
    'document', jsonb_build_object('id', (l.d).id, 'filename', (l.d).filename, 'status', (l.d).status,
      'status_reason', (l.d).status_reason, 'current_revision_id', (l.d).current_revision_id),
    'cells', coalesce(f.cells, '[]')
  ) order by l.n), '[]')) into result
  from paged l left join filled f on f.document_id = (l.d).id;
  perform private.audit('review_rows', private.matter_of_review(r), null,
    jsonb_build_object('review_id', r.id, 'given', jsonb_path_query_array(result, '$.rows[*].document.id')));
  return result;
end
$$;

-- Lists the cells that changed after a time, in order. Returns {review, more, cells: [cell, …]}. after 0: every cell.
create function public.review_changes(review_id text, after bigint, match_count integer default 500) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews := private.open_review(review_id);
  wanted integer := private.row_limit(match_count);
  found_cells jsonb;
  last bigint;
begin
  -- Cells that changed together are given together, so that the time of the last one is a place to go on from.
  select x.changed into last from (
    select c.changed from public.review_cells c
    where c.review_id = r.id and c.changed > after and c.document_id = any (array(select private.readable_documents(r.matter_id)))
    order by c.changed offset wanted - 1 limit 1
  ) x;
  select coalesce(jsonb_agg(x.cell order by x.changed, x.id), '[]') into found_cells
  from private.cells_json(array(
    select c.id from public.review_cells c
    where c.review_id = r.id and c.changed > after and (last is null or c.changed <= last)
      and c.document_id = any (array(select private.readable_documents(r.matter_id)))
  )) x;
  if found_cells <> '[]' then
    perform private.audit('review_changes', private.matter_of_review(r), null, jsonb_build_object('review_id', r.id,
      'given', (select jsonb_agg(distinct x.id) from jsonb_path_query(found_cells, '$[*].document_id') x (id))));
  end if;
  return jsonb_build_object('review', private.review_json(r), 'more', last is not null, 'cells', found_cells);
end
$$;

-- Gives a verdict on a cell, for editors: accepted, corrected (with value), rejected, or none to withdraw it. seen: the edition of
-- the cell that the person looked at; OR409 (detail: changed) where it has changed since. Returns cell.
create function public.judge_cell(cell_id text, verdict text, seen integer, value jsonb default null, note text default null)
returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  c public.review_cells;
  d public.documents;
  k public.review_columns;
  given jsonb := nullif(judge_cell.value, 'null');
begin
  select x.* into c from public.review_cells x
  where x.id = private.as_uuid(cell_id) and x.document_id = any (array(select private.readable_documents()));
  if not found then
    perform private.not_found('cell', cell_id);
  end if;
  d := private.open_document(c.document_id::text, 'editor');
  perform from public.reviews r where r.id = c.review_id for update;
  select x.* into c from public.review_cells x where x.id = c.id for update;
  select x.* into k from public.review_columns x where x.id = c.column_id;
  if not found then
    perform private.not_found('cell', cell_id);
  end if;
  if coalesce(judge_cell.verdict, '') not in ('accepted', 'corrected', 'rejected', 'none') then
    perform private.invalid('A verdict is accepted, corrected, rejected or none.');
  end if;
  if c.edition is distinct from seen then
    raise exception 'Somebody has changed this cell since you looked%. Look again, then decide.', coalesce((
      select format(': it was %s by %s', c.verdict, u.email) from auth.users u where u.id = c.verdict_by and c.verdict is not null
    ), '') using errcode = 'OR409', detail = 'changed';
  end if;
  if judge_cell.verdict in ('accepted', 'rejected') and c.state in ('queued', 'failed') then
    perform private.invalid('There is no answer in this cell yet. It can be corrected by hand.');
  end if;
  if (judge_cell.verdict = 'corrected') <> (given is not null) or (given is not null and (
    jsonb_typeof(given) <> 'object' or given ->> 'type' is distinct from k.answer_type or length(given::text) > 20000
  )) then
    perform private.invalid(format('A correction comes with a value of the type %s; another verdict with none.', k.answer_type));
  end if;
  if length(coalesce(judge_cell.note, '')) > 2000 then
    perform private.invalid('A note has at most 2,000 characters.');
  end if;
  update public.review_cells x set
    edition = x.edition + 1, changed = private.review_changed(c.review_id),
    verdict = nullif(judge_cell.verdict, 'none'),
    verdict_value = case judge_cell.verdict when 'accepted' then x.value when 'corrected' then given end,
    verdict_note = case when judge_cell.verdict <> 'none' then coalesce(judge_cell.note, '') end,
    verdict_by = case when judge_cell.verdict <> 'none' then me.user_id end,
    verdict_at = case when judge_cell.verdict <> 'none' then now() end,
    verdict_revision_id = case judge_cell.verdict when 'none' then null when 'corrected' then d.current_revision_id else x.revision_id end,
    verdict_column_edition = case judge_cell.verdict when 'none' then null when 'corrected' then k.edition else x.column_edition end
  where x.id = c.id returning x.* into c;
  perform private.audit('judge_cell', private.matter_of(d), d.id, jsonb_build_object('review_id', c.review_id,
    'column_id', c.column_id, 'cell_id', c.id, 'verdict', judge_cell.verdict, 'revision_id', c.verdict_revision_id));
  return (select x.cell from private.cells_json(array[c.id]) x);
end
$$;

-- == As the worker (service_role) ==

-- Takes a row. Returns {claim, attempts, revision: as get_revision, columns: [{id, title, question, answer_type, options,
-- subject | null, edition}, …]} | null where there is nothing to do or another worker has it. A row that was taken
-- max_attempts times in vain fails.
create function public.claim_review_row(review_id text, document_id text, lease_seconds integer, max_attempts integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews;
  d public.documents;
  w private.review_work;
begin
  select x.* into d from public.documents x
  where x.id = private.as_uuid(claim_review_row.document_id) and x.deleted_at is null and x.current_revision_id is not null;
  if not found then
    return null;
  end if;
  select x.* into r from public.reviews x where x.id = private.as_uuid(claim_review_row.review_id) and x.state = 'active' for update;
  if not found or not exists (
    select from public.review_cells c where c.review_id = r.id and c.document_id = d.id and c.state in ('queued', 'stale')
  ) then
    return null;
  end if;
  insert into private.review_work (review_id, document_id) values (r.id, d.id) on conflict do nothing;
  select x.* into w from private.review_work x where x.review_id = r.id and x.document_id = d.id for update;
  if w.claimed_at > clock_timestamp() - make_interval(secs => lease_seconds) or w.retry_at > clock_timestamp() then
    return null;
  end if;
  if w.attempts >= max_attempts then
    update public.review_cells c set state = 'failed', edition = c.edition + 1, changed = private.review_changed(r.id),
      note = private.given_up(w.attempts)
    where c.review_id = r.id and c.document_id = d.id and c.state in ('queued', 'stale');
    update private.review_work x set claim = w.claim + 1, claimed_at = null, attempts = 0
    where x.review_id = r.id and x.document_id = d.id;
    perform private.audit('give_up', private.matter_of(d), d.id, jsonb_build_object('review_id', r.id, 'attempts', w.attempts));
    return null;
  end if;
  update private.review_work x set claim = w.claim + 1, claimed_at = clock_timestamp(), attempts = w.attempts + 1, retry_at = null
  where x.review_id = r.id and x.document_id = d.id returning x.* into w;
  return jsonb_build_object(
    'claim', w.claim, 'attempts', w.attempts,
    'revision', (
      select jsonb_build_object('document', private.full_document_json(d), 'text', v.text, 'pages', private.pages_json(v.id),
        'sections', private.sections_json(v.id))
      from public.document_revisions v where v.id = d.current_revision_id
    ),
    'columns', (
      select jsonb_agg(jsonb_build_object('id', k.id, 'title', k.title, 'question', k.question, 'answer_type', k.answer_type,
        'options', to_jsonb(k.options), 'subject', k.subject, 'edition', k.edition) order by k.ordinal)
      from public.review_columns k join public.review_cells c on c.column_id = k.id
      where k.review_id = r.id and c.document_id = d.id and c.state in ('queued', 'stale')
    )
  );
end
$$;

-- Renews a claim on a row. Returns null. OR409: the claim is lost, or the review was cancelled.
create function public.renew_review_claim(review_id text, document_id text, claim bigint) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews := private.claimed_review_row(review_id, document_id, claim);
begin
  update private.review_work w set claimed_at = clock_timestamp()
  where w.review_id = r.id and w.document_id = private.as_uuid(renew_review_claim.document_id);
  return null;
end
$$;

-- Writes answers of a claimed row. Returns {saved, waiting}: numbers of cells; the claim ends when none waits. A cell is saved once:
-- one that is answered, or whose column or document has changed meanwhile, is left as it is. Verdicts are not touched.
--   cells: [{column_id, column_edition, state, value, citations: [[start, end], …], read, confidence, engine, model, note}, …]
create function public.save_review_cells(review_id text, document_id text, claim bigint, revision_id text, cells jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews := private.claimed_review_row(review_id, document_id, claim);
  d public.documents;
  v public.document_revisions;
  given jsonb;
  at bigint;
  saved integer := 0;
  waiting integer;
  states jsonb := '{}';
begin
  select x.* into d from public.documents x where x.id = private.as_uuid(save_review_cells.document_id);
  select x.* into v from public.document_revisions x where x.id = private.as_uuid(save_review_cells.revision_id)
    and x.id = d.current_revision_id;
  if v.id is not null then
    at := private.review_changed(r.id);
    for given in select x.value from jsonb_array_elements(cells) x loop
      update public.review_cells c set
        state = given ->> 'state', edition = c.edition + 1, changed = at, revision_id = v.id, column_edition = k.edition,
        value = nullif(given -> 'value', 'null'), citations = private.cell_citations(d, v, given -> 'citations'),
        read = nullif(given -> 'read', 'null'), confidence = (given ->> 'confidence')::real, engine = given ->> 'engine',
        model = given ->> 'model', note = coalesce(given ->> 'note', ''), answered_at = now()
      from public.review_columns k
      where k.id = c.column_id and c.review_id = r.id and c.document_id = d.id and k.id = private.as_uuid(given ->> 'column_id')
        and k.edition = (given ->> 'column_edition')::integer and c.state in ('queued', 'stale');
      if found then
        saved := saved + 1;
        states := states || jsonb_build_object(given ->> 'state', coalesce((states ->> (given ->> 'state'))::integer, 0) + 1);
      end if;
    end loop;
  end if;
  select count(*) into waiting from public.review_cells c
  where c.review_id = r.id and c.document_id = d.id and c.state in ('queued', 'stale');
  update private.review_work w
  set claimed_at = case when waiting > 0 then clock_timestamp() end, attempts = case when saved > 0 then 1 else w.attempts end
  where w.review_id = r.id and w.document_id = d.id;
  if waiting = 0 then
    update private.review_work w set attempts = 0 where w.review_id = r.id and w.document_id = d.id;
  end if;
  if saved > 0 then
    perform private.audit('answer_review', private.matter_of(d), d.id,
      jsonb_build_object('review_id', r.id, 'revision_id', v.id, 'states', states));
  end if;
  return jsonb_build_object('saved', saved, 'waiting', waiting);
end
$$;

-- Ends a claim and wakes a worker for the row after a delay. counted: as an attempt. Returns null.
create function public.release_review_row(
  review_id text, document_id text, claim bigint, delay_seconds double precision, counted boolean default true
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews := private.claimed_review_row(review_id, document_id, claim);
  document uuid := private.as_uuid(document_id);
  due timestamptz := clock_timestamp() + make_interval(secs => greatest(coalesce(delay_seconds, 0), 0));
begin
  update private.review_work w
  set claimed_at = null, retry_at = due, attempts = w.attempts - case when counted then 0 else 1 end
  where w.review_id = r.id and w.document_id = document;
  perform private.enqueue_row(r, document, due);
  return null;
end
$$;

-- Lists rows that can be claimed at once, of one review or (null) all; the people who made the reviews take turns. Returns [{review_id, document_id}, …].
create function public.due_review_rows(lease_seconds integer, review_id text default null, match_count integer default 10) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('review_id', x.review_id, 'document_id', x.document_id)), '[]')
  from (
    select c.review_id, c.document_id
    from public.review_cells c
    join public.reviews r on r.id = c.review_id
    join public.documents d on d.id = c.document_id
    left join private.review_work w on w.review_id = c.review_id and w.document_id = c.document_id
    where c.state in ('queued', 'stale') and r.state = 'active' and d.deleted_at is null and d.current_revision_id is not null
      and (due_review_rows.review_id is null or r.id = private.as_uuid(due_review_rows.review_id))
      and coalesce(w.claimed_at <= clock_timestamp() - make_interval(secs => lease_seconds), true)
      and coalesce(w.retry_at <= clock_timestamp(), true)
    group by c.review_id, c.document_id, d.upload_order, r.created_by
    order by row_number() over (partition by r.created_by order by c.review_id, d.upload_order), c.review_id
    limit private.row_limit(match_count)
  ) x
$$;

-- Wakes workers for rows that wait and have no job. Returns their number.
create function public.rescue_reviews(lease_seconds integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  lease interval := make_interval(secs => lease_seconds);
  lost record;
  found_again integer := 0;
begin
  for lost in
    select distinct c.review_id, c.document_id
    from public.review_cells c
    join public.reviews r on r.id = c.review_id
    join public.documents d on d.id = c.document_id
    left join private.review_work w on w.review_id = c.review_id and w.document_id = c.document_id
    where c.state in ('queued', 'stale') and r.state = 'active' and d.deleted_at is null and d.current_revision_id is not null
      and (w.claimed_at is null or w.claimed_at < now() - lease) and coalesce(w.retry_at <= now(), true)
      and not private.job_stands('review:' || c.review_id || ':' || c.document_id, lease)
  loop
    perform private.enqueue_row(r, lost.document_id) from public.reviews r where r.id = lost.review_id;
    found_again := found_again + 1;
  end loop;
  return to_jsonb(found_again);
end
$$;

-- == Privileges ==

revoke all on public.reviews, public.review_documents, public.review_columns, public.review_cells from anon, authenticated, service_role;
grant all on public.reviews, public.review_documents, public.review_columns, public.review_cells to service_role;
revoke all on private.review_work from public, anon, authenticated, service_role;
revoke all on function private.open_review, private.open_column, private.matter_of_review, private.documents_of_review,
  private.column_json, private.review_json, private.cells_json, private.review_changed, private.check_cells,
  private.check_column_names, private.enqueue_row, private.add_cells, private.waiting_rows, private.enqueue_rows, private.row_taken_over, private.claimed_review_row, private.cell_citations,
  private.review_new_revision from public, anon, authenticated;
revoke all on function public.create_review, public.list_reviews, public.get_review, public.delete_review,
  public.add_review_columns, public.edit_review_column, public.delete_review_column, public.run_review, public.cancel_review,
  public.review_rows, public.review_changes, public.judge_cell, public.claim_review_row, public.renew_review_claim,
  public.save_review_cells, public.release_review_row, public.due_review_rows, public.rescue_reviews
  from public, anon, authenticated, service_role;
grant execute on function public.create_review, public.list_reviews, public.get_review, public.delete_review,
  public.add_review_columns, public.edit_review_column, public.delete_review_column, public.run_review, public.cancel_review,
  public.review_rows, public.review_changes, public.judge_cell to authenticated;
grant execute on function public.claim_review_row, public.renew_review_claim, public.save_review_cells,
  public.release_review_row, public.due_review_rows, public.rescue_reviews to service_role;

-- schemas/16_storage.sql

-- Files in Supabase Storage, where there is one: row level security of its objects. The bucket itself is data and stands in a
-- migration. Paths are {tenant}/{matter}/{document}/{name}.
--
-- A file is readable by everybody who may read its document. Callers add the files that they have registered; the worker's key
-- alone may do more.

-- The document of a path; null where the path names none.
create function private.document_of_path(path text) returns uuid
language sql immutable
set search_path = ''
as $$ select private.as_uuid(split_part(path, '/', 3)) $$;

-- Whether the caller may add a file: one that they have registered and that has not arrived, in a matter that they may add to; or
-- the picture of a page of a readable document.
create function private.may_store(path text) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from public.document_files f
    join public.documents d on d.id = f.document_id
    join public.matter_members mm on mm.matter_id = d.matter_id and mm.user_id = (select auth.uid()) and mm.role in ('owner', 'editor')
    where f.storage_key = path and f.registered_by = (select auth.uid()) and f.stored_at is null
      and d.id in (select private.readable_documents(d.matter_id))
  ) or exists (
    select from private.page_images i
    where i.storage_key = path and i.document_id in (select private.readable_documents(null))
  )
$$;

-- == Privileges ==

revoke all on function private.document_of_path, private.may_store from public, anon, authenticated;
-- Policies call these as the caller.
grant execute on function private.document_of_path to authenticated;

do $$
begin
  if to_regclass('storage.objects') is null then
    return;
  end if;
  grant execute on function private.may_store to authenticated;
  create policy "file of one of readable_documents" on storage.objects
    for select to authenticated using (
      bucket_id = 'documents'
      and private.document_of_path(name) = any (array(select private.readable_documents()))
    );
  create policy "file that the caller has registered, or a page's picture" on storage.objects
    for insert to authenticated with check (bucket_id = 'documents' and private.may_store(name));
  -- The remains of an interrupted upload of the same file.
  create policy "file of the caller's that has not arrived" on storage.objects
    for delete to authenticated using (
      bucket_id = 'documents' and owner_id = (select auth.uid())::text and private.may_store(name)
    );
end
$$;

-- Set in 01_foundation.sql.
reset check_function_bodies;
