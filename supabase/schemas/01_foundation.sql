-- Foundation: schemas, the extension for vectors, and what the functions of every subject use.
--
-- These files describe the database as it is, one file per subject. supabase/config.toml names their order.
-- Databases come from supabase/migrations: tests/store/test_schemas.py compares both.
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
