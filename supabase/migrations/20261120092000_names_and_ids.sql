-- As the caller (role authenticated): the document that an id belongs to, so that every id a tool prints can be asked about.
--
--   owning_document(document_id)   {document_id}; the id given may be of a document, or of a chunk or section of its current revision

create function public.owning_document(document_id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  wanted uuid := private.as_uuid(owning_document.document_id);
  found_id uuid;
begin
  perform private.caller();
  select o.document_id into found_id from (
    select d.id as document_id from public.documents d where d.id = wanted
    union all
    select c.document_id from public.chunks c where c.id = wanted
    union all
    select r.document_id from public.sections s join public.document_revisions r on r.id = s.revision_id
    where s.id = wanted
  ) o
  where o.document_id = any (array(select private.readable_documents()));
  if found_id is null then
    perform private.not_found('document', owning_document.document_id);
  end if;
  return jsonb_build_object('document_id', found_id);
end
$$;

revoke all on function public.owning_document from public, anon, authenticated, service_role;
grant execute on function public.owning_document to authenticated;

-- A name is one line of visible text: line breaks, control characters and marks that turn the direction of writing would let
-- it pass for something else in a list.
create or replace function private.check_new_file(
  filename text, content_type text, size_bytes bigint, sha256 text, on_duplicate text
) returns void
language plpgsql
set search_path = ''
as $$
begin
  if coalesce(btrim(filename), '') = '' or coalesce(btrim(content_type), '') = '' then
    perform private.invalid('A document needs a file name and a content type.');
  end if;
  if filename ~ '[\u0001-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]' or length(filename) > 255 then
    perform private.invalid('A file name is one line of visible text, of at most 255 characters.');
  end if;
  if size_bytes is null or size_bytes < 0 then
    perform private.invalid('A document needs its size in bytes.');
  end if;
  if coalesce(sha256, '') !~ '^[0-9a-f]{64}$' then
    perform private.invalid('A document needs its SHA-256 as 64 hexadecimal digits.');
  end if;
  if coalesce(on_duplicate, '') not in ('skip', 'keep', 'version') then
    perform private.invalid('on_duplicate is skip, keep or version.');
  end if;
end
$$;
