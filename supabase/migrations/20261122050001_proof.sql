-- What a store can prove about itself: the facts against which every revision's text, chunks, vectors and file are checked; and
-- the lock under which a backup keeps files from being removed while it copies them.
--
-- As service_role:
--   stored_revisions(after = null, row_count = 100)   [id, …] of published revisions, by id above `after`
--   revision_record(revision_id)   {id, document_id, filename, current, text, text_sha256, char_count, page_count, chunk_count,
--       embedding_model, storage_key, sha256, file_known, pages: [[number, start, end], …], sections: [[start, end], …],
--       chunks: [[ordinal, start, end, sha256 of its text], …], vectors: [[model, vectors when complete, vectors found,
--       chunks without one], …], citations: [[id, start, end, sha256 of the quote], …]}; null when it is gone
--   stored_files(after = null, row_count = 1000)   [{storage_key, document_id, filename, size_bytes, sha256}, …] of files that
--       have arrived, by key above `after`; size_bytes: null where it was not kept
--   unproven_documents()           [{document_id, filename, reason}, …]: what is said to be readable and has no published revision
--   purge_deleted(keep_days = 0)   as before; nothing while a backup copies files, which it then asks for again

alter table public.document_revisions add column text_sha256 text;
alter table public.revision_vectors add column vector_count integer;

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

update public.document_revisions r set text_sha256 = encode(sha256(convert_to(r.text, 'UTF8')), 'hex');
update public.revision_vectors v set vector_count = (
  select count(*) from public.chunk_embeddings e where e.revision_id = v.revision_id and e.model = v.model
);
alter table public.document_revisions alter column text_sha256 set not null;
alter table public.revision_vectors alter column vector_count set not null;

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

-- Key of the advisory lock that a backup holds exclusively, and whoever is about to remove files shares.
create function private.backup_lock() returns bigint
language sql immutable
set search_path = ''
as $$ select 7234118206::bigint $$;

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
    select d.id from public.documents d
    where not private.on_hold(d) and (
      d.deleted_at <= now() - make_interval(days => keep_days)
      or (d.status = 'uploading' and d.created_at < now() - interval '1 day')
    )
    for update skip locked
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

revoke all on function private.note_text_sha256, private.note_vector_count, private.vectors_record, private.backup_lock
  from public, anon, authenticated;
revoke all on function public.stored_revisions, public.revision_record, public.stored_files, public.unproven_documents
  from public, anon, authenticated, service_role;
grant execute on function public.stored_revisions, public.revision_record, public.stored_files, public.unproven_documents
  to service_role;
