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

-- Raises OR400 where a review's name is not one line of visible text.
create function private.check_review_name(name text) returns void
language plpgsql
set search_path = ''
as $$
begin
  if length(btrim(coalesce(name, ''))) not between 1 and 200 or not private.is_plain(name) then
    perform private.invalid('A review''s name is one line of visible text, of at most 200 characters.');
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
  perform private.check_review_name(create_review.name);
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

-- Changes a review, for editors: {name, columns}, one or both. columns: [id, …], each column once, in its new order. Returns review.
create function public.edit_review(review_id text, changes jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews := private.open_review(review_id, 'editor');
  wanted uuid[];
begin
  perform private.check_changes(changes, array['name', 'columns']);
  if changes ? 'name' then
    perform private.check_review_name(changes ->> 'name');
    if exists (
      select from public.reviews x where x.matter_id = r.matter_id and x.id <> r.id and lower(x.name) = lower(btrim(changes ->> 'name'))
    ) then
      raise exception 'There is a review % in this matter already.', btrim(changes ->> 'name') using errcode = 'OR409';
    end if;
    update public.reviews x set name = btrim(changes ->> 'name') where x.id = r.id returning x.* into r;
  end if;
  if changes ? 'columns' then
    wanted := case when jsonb_typeof(changes -> 'columns') = 'array'
      then array(select private.as_uuid(x) from jsonb_array_elements_text(changes -> 'columns') x) end;
    if wanted is null or array(select x from unnest(wanted) x order by x)
      is distinct from array(select k.id from public.review_columns k where k.review_id = r.id order by k.id)
    then
      perform private.invalid('The order of the columns names each column of the review once.');
    end if;
    update public.review_columns k set ordinal = x.n
    from unnest(wanted) with ordinality as x (id, n) where k.id = x.id;
  end if;
  perform private.review_changed(r.id);
  perform private.audit('edit_review', private.matter_of_review(r), null, jsonb_build_object('review_id', r.id, 'changes', changes));
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

-- Adds columns: [{title, question, answer_type, options?, subject?, document_ids?}, …], for editors. In an active review they are
-- answered at once. document_ids: the column is put to these documents at once, also in a draft, and to the others when the
-- review is run. cell_limit: of the matter. Returns review.
create function public.add_review_columns(review_id text, columns jsonb, cell_limit integer) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.reviews := private.open_review(review_id, 'editor');
  readable uuid[] := array(select private.readable_documents(r.matter_id));
  next_ordinal integer;
  ref text;
  ids jsonb;
  at bigint;
begin
  if jsonb_typeof(columns) is distinct from 'array' or jsonb_array_length(columns) not between 1 and 100 then
    perform private.invalid('Columns are a list of 1 to 100.');
  end if;
  perform private.check_column_names(columns);
  perform private.check_cells(r, jsonb_array_length(columns), cell_limit);
  for ref in select x #>> '{}' from jsonb_path_query(columns, 'lax $[*].document_ids[*]') x loop
    if not exists (
      select from private.documents_of_review(r) d where d.id = private.as_uuid(ref) and d.id = any (readable)
    ) then
      perform private.not_found('document', ref);
    end if;
  end loop;
  select coalesce(max(k.ordinal), 0) into next_ordinal from public.review_columns k where k.review_id = r.id;
  with added as (
    insert into public.review_columns (review_id, matter_id, ordinal, title, question, answer_type, options, subject, created_by)
    select r.id, r.matter_id, next_ordinal + x.n, btrim(x.c ->> 'title'), btrim(x.c ->> 'question'), x.c ->> 'answer_type',
      array(select jsonb_array_elements_text(coalesce(nullif(x.c -> 'options', 'null'), '[]'))), x.c ->> 'subject', auth.uid()
    from jsonb_array_elements(columns) with ordinality as x (c, n)
    returning id
  )
  select jsonb_agg(a.id) into ids from added a;
  if jsonb_path_exists(columns, 'lax $[*].document_ids[*]') then
    update public.reviews x set state = 'active' where x.id = r.id returning x.* into r;
  end if;
  if r.state = 'active' then
    at := private.review_changed(r.id);
    insert into public.review_cells (review_id, column_id, document_id, changed)
    select r.id, k.id, d.id, at
    from jsonb_array_elements(columns) with ordinality as x (c, n)
    join public.review_columns k on k.review_id = r.id and k.ordinal = next_ordinal + x.n
    cross join private.documents_of_review(r) d
    where d.current_revision_id is not null
      and (jsonb_typeof(x.c -> 'document_ids') is distinct from 'array' or x.c -> 'document_ids' ? d.id::text)
    on conflict do nothing;
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
    'column_id', c.column_id, 'column', k.title, 'cell_id', c.id, 'verdict', judge_cell.verdict, 'revision_id', c.verdict_revision_id));
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
  private.check_column_names, private.check_review_name, private.enqueue_row, private.add_cells, private.waiting_rows, private.enqueue_rows, private.row_taken_over, private.claimed_review_row, private.cell_citations,
  private.review_new_revision from public, anon, authenticated;
revoke all on function public.create_review, public.list_reviews, public.get_review, public.edit_review, public.delete_review,
  public.add_review_columns, public.edit_review_column, public.delete_review_column, public.run_review, public.cancel_review,
  public.review_rows, public.review_changes, public.judge_cell, public.claim_review_row, public.renew_review_claim,
  public.save_review_cells, public.release_review_row, public.due_review_rows, public.rescue_reviews
  from public, anon, authenticated, service_role;
grant execute on function public.create_review, public.list_reviews, public.get_review, public.edit_review, public.delete_review,
  public.add_review_columns, public.edit_review_column, public.delete_review_column, public.run_review, public.cancel_review,
  public.review_rows, public.review_changes, public.judge_cell to authenticated;
grant execute on function public.claim_review_row, public.renew_review_claim, public.save_review_cells,
  public.release_review_row, public.due_review_rows, public.rescue_reviews to service_role;
