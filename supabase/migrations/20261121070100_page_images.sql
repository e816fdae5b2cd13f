-- Pictures of pages: drawn when they are asked for, then kept as files beside the document's own.
--
-- As the caller (role authenticated):
--   open_page(path_part_id, page_number = null, highlight = null, dpi = 110)
--     path_part_id: a document, section, passage or citation; highlight: a citation, passage or section of the same document,
--     default the passage or citation itself; page_number: default where the highlight, section or passage begins
--     {document_id, document_name, content_type, matter_id, revision_id, current, file_key, image_key, paged, page_count, page, text,
--      span | null, span_page_first, span_page_last, quote, section_label, section_title}
--     page = {number, label, source, start, end, width, height, lines: [[start, end, x0, y0, x1, y1], …]}
--     text: {start, text}: of the page; of a document without pages the section, or the part of it around the span
--     image_key: where the picture is kept, the same for the same picture
-- As service_role:
--   orphaned_page_images()            [key, …] of pictures whose document is gone: delete those files, then
--   forget_page_images(keys)          number of keys forgotten

create table private.page_images (
  storage_key text primary key,
  document_id uuid not null,
  created_at timestamptz not null default now()
);
create index page_images_document on private.page_images (document_id);
alter table private.page_images enable row level security;

-- `home`, the section, whole up to 4,000 characters; of a longer one what stands around `near`.
create function private.excerpt_span(home int4range, near int4range) returns int4range
language sql immutable
set search_path = ''
as $$
  select case when upper(home) - lower(home) <= 4000 then home else int4range(
    greatest(lower(home), least(lower(near) - 2000, upper(home) - 4000)),
    least(upper(home), greatest(upper(near) + 2000, lower(home) + 4000))
  ) end
$$;

create function private.page_image_key(d public.documents, revision uuid, page integer, dpi integer, marked text) returns text
language sql stable security definer
set search_path = ''
as $$
  select concat_ws('/', m.tenant_id, d.matter_id, d.id, concat('page-', revision, '-', page, '-', dpi, '-',
    left(encode(sha256(convert_to(coalesce(marked, ''), 'UTF8')), 'hex'), 16), '.png'))
  from public.matters m where m.id = d.matter_id
$$;

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

create function public.orphaned_page_images() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(i.storage_key order by i.storage_key), '[]') from private.page_images i
  where not exists (select from public.documents d where d.id = i.document_id)
$$;

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

revoke all on private.page_images from public, anon, authenticated;
revoke all on function private.excerpt_span, private.page_image_key from public, anon, authenticated;
revoke all on function public.open_page, public.orphaned_page_images, public.forget_page_images
  from public, anon, authenticated, service_role;
grant execute on function public.open_page to authenticated;
grant execute on function public.orphaned_page_images, public.forget_page_images to service_role;
