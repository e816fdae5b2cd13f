-- Files inside files: what is attached to an e-mail or embedded in a PDF is a document of its own, in the matter, folder and group
-- of the one that carries it.
--
-- As service_role, for the worker that reads the carrying document:
--   register_attachment(document_id, claim, filename, content_type, size_bytes, sha256, family_limit, depth_limit)
--                                {outcome, document_id, own, filename, status, storage_key, deleted_at}
--     outcome: 'new', 'known' (the matter holds this content already: linked, not doubled; own: as an attachment of this very
--              document), 'deleted' (a person deleted it: it is not taken in again), 'too many', 'too deep'
--     storage_key: where to put the file, where it has not arrived; then call attachment_stored
--   attachment_stored(document_id, storage_key)   worker document, now queued unless it was stored already
--   withdraw_attachment(document_id, storage_key) {withdrawn}; for a file that could not be stored
--   attached_documents(document_id)               [{id, name, own, filename, status, status_reason, page_count, paged, chunk_count}, …]
-- family_limit: documents attached to one file, at any depth. depth_limit: how deep they may lie in each other.

alter table public.documents add column parent_document_id uuid references public.documents (id) on delete set null;
comment on column public.documents.parent_document_id is 'The document in which this one was found: an e-mail, a PDF.';
create index documents_parent on public.documents (parent_document_id) where parent_document_id is not null;

-- Who carries what, also where the same content is carried by several and is one document.
create table public.attachment_links (
  parent_document_id uuid not null references public.documents (id) on delete cascade,
  document_id uuid not null references public.documents (id) on delete cascade,
  name text not null,
  primary key (parent_document_id, document_id, name)
);
create index attachment_links_document on public.attachment_links (document_id);

alter table public.attachment_links enable row level security;
revoke all on public.attachment_links from anon, authenticated;
grant select on public.attachment_links to authenticated;
grant all on public.attachment_links to service_role;
create policy "attachment of one of readable_documents" on public.attachment_links
  for select to authenticated using (
    parent_document_id = any (array(select private.readable_documents()))
    and document_id = any (array(select private.readable_documents()))
  );

-- A receipt is for those who could see the document, and remembers what carried it.
alter table public.receipts
  add column group_id uuid references public.groups (id),
  add column attached_to uuid[] not null default '{}';
drop policy "receipt of one of my_matter_ids" on public.receipts;
create policy "receipt of one of my_matter_ids" on public.receipts
  for select to authenticated using (
    matter_id = any (array(select private.my_matter_ids()))
    and (group_id is null or group_id = any (array(select private.my_group_ids())))
  );

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

-- The documents that lie in this one, at any depth.
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

-- A document of the same content that everybody may see who may see the carrier.
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

-- Null where there is room.
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

create function public.withdraw_attachment(document_id text, storage_key text) returns jsonb
language sql security definer
set search_path = ''
as $$ select jsonb_build_object('withdrawn', private.withdraw(private.as_uuid(document_id), storage_key)) $$;

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

revoke all on function private.ancestors, private.descendants, private.attachment_twin, private.new_attachment, private.no_room
  from public, anon, authenticated;
revoke all on function public.register_attachment, public.attachment_stored, public.withdraw_attachment,
  public.attached_documents
  from public, anon, authenticated, service_role;
grant execute on function public.register_attachment, public.attachment_stored, public.withdraw_attachment,
  public.attached_documents to service_role;
