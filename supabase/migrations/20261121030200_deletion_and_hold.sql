-- Deletion: hidden at once with what is attached, purged when no hold stands in the way, files until their removal is confirmed.
--
-- A hold on a document holds what is attached to it as well; a document that carries something held cannot be deleted either, since
-- the carrier's file contains it. What another document carries too is not deleted with this one: it stays, attached to the other.
--
-- As the caller (role authenticated):
--   delete_document(document_id)      owner. {receipt_id, document_id, filename, deleted_at, attachments: [the same of each], kept: [{document_id, filename,
--                                     attached_to}]}; OR409 under a hold
--   hold_document(document_id, held)  owner. document
--   list_receipts(matter_ref)         [{receipt_id, document_id, filename, sha256, size_bytes, deleted_by (e-mail), deleted_at, purged_at,
--                                     attached_to: [document_id, …]}, …] newest first
-- As service_role:
--   purge_deleted(keep_days = 0)      [storage key, …] of every file that is to go, from this purge or an earlier one: delete them, then
--   confirm_blobs_deleted(storage_keys)   number of files whose removal is still to be confirmed. A file that might still arrive is
--                                     asked for again for a day

create table private.blob_deletions (
  storage_key text primary key,
  asked_at timestamptz not null default now(),
  again_until timestamptz not null
);
alter table private.blob_deletions enable row level security;
revoke all on private.blob_deletions from public, anon, authenticated, service_role;

-- For any table whose rows name stored files: a row that goes, for whatever reason, leaves its file to be removed.
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

create function private.on_hold(d public.documents) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select d.legal_hold or (d.parent_document_id is not null and exists (
    select from public.documents x where x.id = any (private.ancestors(d.id)) and x.legal_hold
  ))
$$;

-- The document and what lies in it alone.
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
    raise exception 'What this document is attached to is under a legal hold, so it cannot be deleted.' using errcode = 'OR409';
  end if;
  select x.filename into held from public.documents x where x.id = any (doomed) and x.legal_hold order by x.upload_order limit 1;
  if held is not null then
    raise exception 'The attached % is under a legal hold, so the document that carries it cannot be deleted.', held
      using errcode = 'OR409';
  end if;
end
$$;

-- What stays of the family, because another document carries it too, belongs to the other from now on.
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

create or replace function public.delete_document(document_id text) returns jsonb
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

-- A hold set after the deletion still blocks the purge. Uploads that never arrived go after a day.
create or replace function public.purge_deleted(keep_days integer default 0) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  doomed uuid[] := array(
    select d.id from public.documents d
    where not private.on_hold(d) and (
      d.deleted_at <= now() - make_interval(days => keep_days)
      or (d.status = 'uploading' and d.created_at < now() - interval '1 day')
    )
    for update skip locked
  );
begin
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

revoke all on function private.delete_blob, private.on_hold, private.deleted_with, private.check_no_hold, private.hand_over,
  private.receipt_for from public, anon, authenticated;
revoke all on function public.hold_document, public.list_receipts, public.confirm_blobs_deleted
  from public, anon, authenticated, service_role;
grant execute on function public.hold_document, public.list_receipts to authenticated;
grant execute on function public.confirm_blobs_deleted to service_role;
