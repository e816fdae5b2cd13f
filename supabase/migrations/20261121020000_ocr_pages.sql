-- Pages that were recognised in a scan that is still being read, so that it goes on where it was interrupted.
--
-- As service_role:
--   keep_ocr_page(document_id, claim, page, engine, settings, content)   null; refused (OR409) when taken over. A page more is
--                                                   progress: the tries that came before it were not in vain
--   kept_ocr_page(document_id, page, engine, settings)                   content | null, for the file as it is now
--
-- `settings` says how the page was drawn and in which language it was read; `content` is the worker's own. What is kept goes
-- when the document becomes readable, is found unreadable, or is deleted. After a failure it stays for the next try.

create table public.ocr_pages (
  document_id uuid not null references public.documents (id) on delete cascade,
  sha256 text not null,
  page integer not null check (page > 0),
  engine text not null,
  settings text not null,
  content jsonb not null,
  primary key (document_id, sha256, page, engine, settings)
);
alter table public.ocr_pages enable row level security;
revoke all on public.ocr_pages from anon, authenticated;
grant all on public.ocr_pages to service_role;

-- The document's row is held while its page is written: publishing waits for that, and then takes the page away.
create function public.keep_ocr_page(document_id text, claim bigint, page integer, engine text, settings text, content jsonb)
returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents := private.claimed_row(document_id, claim);
begin
  insert into public.ocr_pages (document_id, sha256, page, engine, settings, content)
  values (d.id, d.sha256, keep_ocr_page.page, keep_ocr_page.engine, keep_ocr_page.settings, keep_ocr_page.content)
  on conflict do nothing;
  if found and d.attempts > 1 then
    update public.documents u set attempts = 1 where u.id = d.id;
  end if;
  return null;
end
$$;

create function public.kept_ocr_page(document_id text, page integer, engine text, settings text) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select p.content from public.ocr_pages p, public.documents d
  where d.id = private.as_uuid(kept_ocr_page.document_id) and p.document_id = d.id and p.sha256 = d.sha256
    and p.page = kept_ocr_page.page and p.engine = kept_ocr_page.engine and p.settings = kept_ocr_page.settings
$$;

create function private.drop_ocr_pages() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from public.ocr_pages p where p.document_id = new.id;
  return null;
end
$$;
create trigger drop_ocr_pages after update of status on public.documents
  for each row when (new.status in ('ready', 'partial', 'unsupported', 'deleted'))
  execute function private.drop_ocr_pages();

revoke all on function private.drop_ocr_pages from public, anon, authenticated;
revoke all on function public.keep_ocr_page, public.kept_ocr_page from public, anon, authenticated, service_role;
grant execute on function public.keep_ocr_page, public.kept_ocr_page to service_role;
