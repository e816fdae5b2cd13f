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
