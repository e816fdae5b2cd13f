-- As the caller (role authenticated): which documents of a matter a question names.
--
--   named_documents(matter_id, words, match_count = 5)   [{document_id, document_name, score}, …] best first
--     words: the words that may be names. Each counts by its rarity among the documents of the matter, where it stands in a
--     document's file name or beginning. score: 1 is as telling as one word that no other document has anywhere

-- Characters at the beginning where title and parties stand.
create function private.opening() returns integer language sql immutable set search_path = '' as $$ select 2000 $$;

create function public.named_documents(matter_id text, words text, match_count integer default 5) returns jsonb
language plpgsql security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  m public.matters := private.open_matter(matter_id);
  result jsonb;
begin
  with documents as materialized (
    select d.id, d.filename, d.current_revision_id as revision_id,
      to_tsvector('pg_catalog.english', regexp_replace(d.filename, '[^[:alnum:]]+|(?<=[[:lower:]])(?=[[:upper:]])', ' ', 'g')) as name
    from public.documents d
    where d.id = any (array(select private.readable_documents(m.id))) and d.current_revision_id is not null
  ), passages as materialized (
    select c.revision_id, c.start_char, c.tsv from public.chunks c
    where c.revision_id = any (array(select documents.revision_id from documents))
  ), standing as materialized (
    select l.lexeme, d.id, d.filename,
      coalesce(bool_or(p.start_char < private.opening()), false) or d.name @@ l.needle as opens
    from private.lexemes(words) l
    cross join documents d
    left join passages p on p.revision_id = d.revision_id and p.tsv @@ l.needle
    group by l.lexeme, d.id, d.filename, d.name, l.needle
    having count(p.revision_id) > 0 or d.name @@ l.needle
  ), rarity as (
    select s.lexeme, private.idf(t.n, count(*)) / private.idf(t.n, 1) as weight
    from standing s, (select count(*) as n from documents) t
    group by s.lexeme, t.n
  ), ranked as (
    select s.id, s.filename, sum(r.weight) as score
    from standing s join rarity r using (lexeme)
    where s.opens
    group by s.id, s.filename
    order by score desc, s.id
    limit private.row_limit(match_count)
  )
  select coalesce(jsonb_agg(jsonb_build_object('document_id', k.id, 'document_name', k.filename, 'score', k.score)
    order by k.score desc, k.id), '[]') into result
  from ranked k;
  perform private.audit('named_documents', m, null, jsonb_build_object('words', words, 'documents', jsonb_array_length(result)));
  return result;
end
$$;

revoke all on function private.opening from public, anon, authenticated;
revoke all on function public.named_documents from public, anon, authenticated, service_role;
grant execute on function public.named_documents to authenticated;
