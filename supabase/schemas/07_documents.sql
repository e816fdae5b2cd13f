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
