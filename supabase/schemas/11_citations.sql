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
