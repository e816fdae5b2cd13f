-- Two borders of 20261121040000, as measured with a million passages.

-- New keys wait in a list that every look-up reads. At a megabyte (some 1,000 passages) the list costs a search less than 10 ms, and
-- the index costs publishing 0.1 ms a passage; at a quarter of it, 0.2 ms.
alter index public.chunks_terms set (gin_pending_list_limit = 1024);

-- How many passages the codes choose: 3 % of all, and 40 for each that is wanted. With MiniLM's vectors of 100,000 passages, one in
-- 500 of the nearest twenty is not among them.
create function private.code_candidates(passages bigint, wanted_count integer) returns bigint
language sql immutable
set search_path = ''
as $$ select greatest(passages * 3 / 100, 40 * wanted_count) $$;

create or replace function private.near_by_code(
  m public.matters, r private.reach, query_embedding extensions.vector, wanted_model text, wanted_count integer
) returns uuid[]
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  matter uuid := m.id;
  revisions uuid[] := r.revisions;
  wanted_code bit varying := extensions.binary_quantize(query_embedding);
begin
  return array(
    select e.chunk_id from public.chunk_embeddings e
    where e.matter_id = matter and e.model = wanted_model and (e.revision_id = any (revisions)) is true
    order by e.code operator(extensions.<~>) wanted_code, e.chunk_id, e.part
    limit private.code_candidates(r.passages, wanted_count)
  );
end
$$;

revoke all on function private.code_candidates from public, anon, authenticated;
