-- Reviews are renamed and their columns put into another order; a column is tried on some documents first; the record names the column of a verdict.

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

-- Creates a review, for editors. document_ids: [id, …]; null: every document of the matter, also later ones. Returns review.
create or replace function public.create_review(matter_ref text, name text, document_ids jsonb default null) returns jsonb
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

-- Adds columns: [{title, question, answer_type, options?, subject?, document_ids?}, …], for editors. In an active review they are
-- answered at once. document_ids: the column is put to these documents at once, also in a draft, and to the others when the
-- review is run. cell_limit: of the matter. Returns review.
create or replace function public.add_review_columns(review_id text, columns jsonb, cell_limit integer) returns jsonb
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

-- Gives a verdict on a cell, for editors: accepted, corrected (with value), rejected, or none to withdraw it. seen: the edition of
-- the cell that the person looked at; OR409 (detail: changed) where it has changed since. Returns cell.
create or replace function public.judge_cell(cell_id text, verdict text, seen integer, value jsonb default null, note text default null)
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

revoke all on function private.check_review_name from public, anon, authenticated;
revoke all on function public.edit_review from public, anon, authenticated, service_role;
grant execute on function public.edit_review to authenticated;
