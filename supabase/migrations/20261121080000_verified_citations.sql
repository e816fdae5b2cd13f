-- As the caller (role authenticated): where a stored citation stands on its pages, also after a new version of the document; and
-- how completely the documents of a matter were read, which is what "not found" rests on.
--
--   citation_lines(citation_id)     [{number, width, height, lines: [{start, end, box: [x0, y0, x1, y1]}]}, …]: the lines that
--                                   the citation touches, page by page; points from the top left corner, offsets of its revision
--   reading_coverage(matter_ref, within = null)
--                                   [{document_id, filename, status, status_reason, page_count, paged, char_count, ocr_pages,
--                                     ocr_confidence, unread: [{number, flags}, …]}, …] in upload order
--     within: ids of documents to keep to; ocr_confidence: mean of the pages read by OCR, 0 to 100, null without any;
--     unread: pages of which some or all text is missing, with the reasons. Counts are null without a revision.

create function public.citation_lines(citation_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  c public.citations;
  d public.documents;
begin
  select x.* into c from public.citations x
  where x.id = private.as_uuid(citation_lines.citation_id)
    and x.document_id = any (array(select private.readable_documents()));
  if not found then
    perform private.not_found('citation', citation_id);
  end if;
  d := private.open_document(c.document_id::text);
  perform private.audit('citation_lines', private.matter_of(d), d.id, jsonb_build_object('citation_id', c.id));
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

create function public.reading_coverage(matter_ref text, within jsonb default null) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  result jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object(
    'document_id', d.id, 'filename', d.filename, 'status', d.status, 'status_reason', d.status_reason,
    'page_count', r.page_count, 'paged', r.paged, 'char_count', r.char_count,
    'ocr_pages', o.pages, 'ocr_confidence', o.confidence, 'unread', coalesce(u.pages, '[]')
  ) order by d.upload_order), '[]') into result
  from public.documents d
  left join public.document_revisions r on r.id = d.current_revision_id
  left join lateral (
    select count(*) as pages, round(avg(p.confidence)::numeric, 1) as confidence
    from public.document_pages p where p.revision_id = r.id and p.source = 'ocr'
  ) o on true
  left join lateral (
    select jsonb_agg(jsonb_build_object('number', p.number, 'flags', p.flags) order by p.number) as pages
    from public.document_pages p
    where p.revision_id = r.id
      and p.flags ?| array['no_text', 'unreadable_glyphs', 'low_confidence', 'ocr_failed', 'damaged', 'truncated']
  ) u on true
  where d.id = any (array(select private.readable_documents(m.id)))
    and (within is null or jsonb_typeof(within) = 'null' or within ? d.id::text);
  perform private.audit('reading_coverage', m, null, jsonb_build_object('count', jsonb_array_length(result)));
  return result;
end
$$;

revoke all on function public.citation_lines, public.reading_coverage from public, anon, authenticated, service_role;
grant execute on function public.citation_lines, public.reading_coverage to authenticated;
