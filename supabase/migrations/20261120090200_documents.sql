-- Documents, their revisions and what search reads. Offsets are zero-based, half-open, in Unicode code points of the
-- revision's text: substr(text, start_char + 1, end_char - start_char) is the quotation.

create table public.documents (
  id uuid primary key default gen_random_uuid(),
  upload_order bigint generated always as identity,
  matter_id uuid not null references public.matters (id) on delete cascade,
  folder_id uuid references public.folders (id) on delete set null,
  group_id uuid references public.groups (id),
  filename text not null check (btrim(filename) <> ''),
  content_type text not null,
  size_bytes bigint not null check (size_bytes >= 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  storage_key text not null unique,
  -- The file of a new version between its registration and its arrival: {storage_key, filename, content_type, size_bytes, sha256}.
  pending_file jsonb,
  status text not null default 'uploading' check (status in (
    'uploading', 'queued', 'extracting', 'ocr', 'chunking', 'embedding', 'ready', 'partial', 'failed', 'unsupported', 'deleted'
  )),
  status_reason text not null default '',
  stage text,
  stage_done integer,
  stage_total integer,
  claimed_at timestamptz,
  current_revision_id uuid,
  legal_hold boolean not null default false,
  uploaded_by uuid references public.profiles (user_id) on delete set null,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index documents_matter on public.documents (matter_id, upload_order);
create index documents_queue on public.documents (upload_order) where status = 'queued' and deleted_at is null;

create table public.document_revisions (
  id uuid primary key,
  document_id uuid not null references public.documents (id) on delete cascade,
  ordinal integer not null,
  text text not null,
  char_count integer not null,
  page_count integer not null,
  chunk_count integer not null,
  paged boolean not null,
  reader text not null,
  health jsonb not null default '{}',
  embedding_model text,
  storage_key text not null,
  sha256 text not null,
  created_at timestamptz not null default now(),
  published_at timestamptz,
  unique (document_id, ordinal)
);
-- Not compressed: writing a text is then several times faster, and the vectors take more room anyway.
alter table public.document_revisions alter column text set storage external;
alter table public.documents add foreign key (current_revision_id) references public.document_revisions (id)
  deferrable initially deferred;

create table public.document_pages (
  revision_id uuid not null references public.document_revisions (id) on delete cascade,
  number integer not null,
  start_char integer not null,
  end_char integer not null,
  label text,
  source text not null check (source in ('native', 'ocr', 'none')),
  confidence real,
  ocr_engine text,
  flags jsonb not null default '[]',
  width real,
  height real,
  -- [[start, end, x0, y0, x1, y1], …], points from the top left corner.
  lines jsonb not null default '[]',
  primary key (revision_id, number)
);

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

-- One foreign key, through which all else follows: each further one costs publishing some 5 %. document_id, matter_id and
-- section_id are copies for reading, written once by the worker.
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
create index chunks_tsv on public.chunks using gin (tsv);

-- Narrow, and its vectors never toasted: an exact scan of a matter reads only this table. A long chunk has several parts.
-- Vectors of several models live side by side and are never compared.
create table public.chunk_embeddings (
  chunk_id uuid not null references public.chunks (id) on delete cascade,
  part integer not null,
  revision_id uuid not null,
  matter_id uuid not null,
  model text not null,
  embedding extensions.vector not null,
  primary key (chunk_id, model, part)
);
alter table public.chunk_embeddings alter column embedding set storage plain;
create index chunk_embeddings_revision on public.chunk_embeddings (revision_id, model);

alter table public.documents enable row level security;
alter table public.document_revisions enable row level security;
alter table public.document_pages enable row level security;
alter table public.sections enable row level security;
alter table public.chunks enable row level security;
alter table public.chunk_embeddings enable row level security;

revoke all on public.documents, public.document_revisions, public.document_pages, public.sections, public.chunks,
  public.chunk_embeddings from anon, authenticated;
grant select on public.documents, public.document_revisions, public.document_pages, public.sections, public.chunks,
  public.chunk_embeddings to authenticated;
grant all on public.documents, public.document_revisions, public.document_pages, public.sections, public.chunks,
  public.chunk_embeddings to service_role;

-- THE rule. Documents the caller may read, in one matter or (null) in all: a matter of theirs, not deleted, and inside
-- the document's group where it has one. Policies and functions use it and nothing else.
create function private.readable_documents(matter uuid default null) returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select d.id
  from public.documents d
  where d.matter_id = any (array(select private.my_matter_ids()))
    and (matter is null or d.matter_id = matter)
    and d.deleted_at is null
    and (d.group_id is null or d.group_id = any (array(select private.my_group_ids())))
$$;

-- Published revisions of readable documents, old ones included: their citations still resolve.
create function private.readable_revisions() returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select r.id from public.document_revisions r
  where r.published_at is not null and r.document_id = any (array(select private.readable_documents()))
$$;

create function private.open_document(ref text, needed_role text default 'viewer') returns public.documents
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  found_document public.documents;
begin
  select d.* into found_document from public.documents d
  where d.id = private.as_uuid(ref) and d.id = any (array(select private.readable_documents()));
  if not found then
    perform private.not_found('document', ref);
  end if;
  if needed_role <> 'viewer' then
    perform private.open_matter(found_document.matter_id::text, needed_role);
  end if;
  return found_document;
end
$$;

create policy "document is one of readable_documents" on public.documents
  for select to authenticated using (id = any (array(select private.readable_documents())));
create policy "revision is one of readable_revisions" on public.document_revisions
  for select to authenticated using (id = any (array(select private.readable_revisions())));
create policy "page of one of readable_revisions" on public.document_pages
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));
create policy "section of one of readable_revisions" on public.sections
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));
create policy "chunk of one of readable_revisions" on public.chunks
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));
create policy "vector of one of readable_revisions" on public.chunk_embeddings
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));

revoke all on function private.readable_documents, private.readable_revisions, private.open_document
  from public, anon, authenticated;
grant execute on function private.readable_documents, private.readable_revisions to authenticated;
