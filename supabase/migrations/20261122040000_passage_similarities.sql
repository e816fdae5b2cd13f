-- As the caller (role authenticated): how near passages are to a question that were found by other means than their vectors.
--
--   passage_similarities(matter_id, query_embedding, model, chunk_ids)   [{chunk_id, similarity}, …] best first
--     similarity: cosine of the nearest part of the passage. Passages outside the matter, or without vectors of the model, are
--     left out. At most 100 are looked up.

create function public.passage_similarities(matter_id text, query_embedding text, model text, chunk_ids jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
  r private.reach := private.reach(m, null);
  wanted uuid[] := array(select private.as_uuid(c.ref) from jsonb_array_elements_text(chunk_ids) as c (ref));
  nearest private.ranking;
begin
  nearest := private.nearest(r.revisions, wanted, query_embedding::extensions.vector, model, 100);
  perform private.audit('passage_similarities', m, null, jsonb_build_object('model', model, 'chunks', to_jsonb(nearest.ids)));
  return (
    select coalesce(jsonb_agg(jsonb_build_object('chunk_id', s.id, 'similarity', s.score) order by s.place), '[]')
    from unnest(nearest.ids, nearest.scores) with ordinality as s (id, score, place)
  );
end
$$;

revoke all on function public.passage_similarities from public, anon, authenticated, service_role;
grant execute on function public.passage_similarities to authenticated;
