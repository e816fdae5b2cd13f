-- A matter is also named by its slug, wherever it is named by its id or number: "smith-v-jones-m-2026-001". The number in it makes it
-- unique in the firm without telling anybody that another matter has the same title.
--
--   matter (as in 20261120090400) has a slug beside its number.

create function private.slug(name text) returns text
language sql immutable
set search_path = ''
as $$ select btrim(left(btrim(regexp_replace(lower(name), '[^a-z0-9]+', '-', 'g'), '-'), 60), '-') $$;

alter table public.matters add column slug text not null
  generated always as (btrim(private.slug(title) || '-' || private.slug(number), '-')) stored;
create index matters_slug on public.matters (tenant_id, slug);

create or replace function private.matter_json(m public.matters) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'id', m.id, 'number', m.number, 'slug', m.slug, 'title', m.title, 'kind', m.kind,
    'role', (select mm.role from public.matter_members mm where mm.matter_id = m.id and mm.user_id = (select auth.uid())),
    'document_count', (select count(*) from private.readable_documents(m.id)),
    'created_at', m.created_at, 'archived_at', m.archived_at
  )
$$;

-- Every function that finds a matter by what somebody called it, those that record a refusal among them, finds it by its slug as well.
-- The comparison is one expression, the same in all of them; where it is not found at all, this migration must not pass unnoticed.
do $$
declare
  finder record;
  found_finders integer := 0;
begin
  for finder in
    select p.oid, pg_catalog.pg_get_functiondef(p.oid) as definition
    from pg_catalog.pg_proc p
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace) and p.prokind = 'f'
      and p.prosrc ~ 'lower\(\w+\.number\) = lower\(btrim\(ref\)\)'
  loop
    execute regexp_replace(finder.definition, 'lower\((\w+)\.number\) = lower\(btrim\(ref\)\)',
      'lower(\1.number) = lower(btrim(ref)) or \1.slug = lower(btrim(ref))', 'g');
    found_finders := found_finders + 1;
  end loop;
  if found_finders < 2 then
    raise exception 'matters are found in % functions; at least two were expected', found_finders;
  end if;
end
$$;

revoke all on function private.slug from public, anon, authenticated;
