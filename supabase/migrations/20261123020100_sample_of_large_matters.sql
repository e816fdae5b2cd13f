-- Full text in a large matter: the sample in which common words are counted is four times as large. What that costs is saved where
-- passages' words are copied: only compressed ones need it (20261123020000). The rest is 20261121040000.

-- By the index of words. Up to private.exact_limit() passages every word is counted; past it a word that a sample shows to be
-- common is counted in the sample, and its candidates are the first by id, which is a sample as well. "is true" keeps the
-- planner from joining the index of revisions to that of words.
create or replace function private.ranked_by_index(m public.matters, r private.reach, query text, wanted_count integer)
returns private.ranking
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_custom_plan
set enable_seqscan = off
set work_mem = '64MB'
as $$
declare
  ranking private.ranking;
  matter uuid := m.id;
  most constant integer := private.candidate_limit();
  sampled boolean := r.passages > private.exact_limit();
  sample_end uuid := private.id_below(4096.0 / greatest(r.passages, 1));
begin
  with sample as materialized (
    select case when pg_column_compression(c.tsv) is null then c.tsv else c.tsv || '' end as tsv from public.chunks c
    where sampled and c.matter_id = matter and c.id < sample_end and (c.revision_id = any (r.revisions)) is true
      and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
  ), words as materialized (
    select l.lexeme, l.needle, private.term(matter, l.lexeme) as term,
      (select count(*) filter (where sample.tsv @@ l.needle)::double precision / greatest(count(*), 1) from sample) as share
    from private.lexemes(query) l
  ), frequency as materialized (
    select w.lexeme, w.needle, w.term, case
      when w.share * r.passages > 2 * most then (w.share * r.passages)::bigint
      else (
        select count(*) from public.chunks c
        where private.terms(c.matter_id, c.tsv) @> array[w.term] and (c.revision_id = any (r.revisions)) is true
          and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
      ) end as df
    from words w
  ), weighted as materialized (
    select f.lexeme, f.needle, f.term, private.idf(r.passages, f.df) as idf, f.df::double precision / r.passages as share,
      coalesce(sum(f.df) over (
        order by f.df, f.lexeme collate "C" rows between unbounded preceding and 1 preceding
      ), 0) < most as chooses
    from frequency f
    where f.df > 0
  ), candidates as materialized (
    select distinct on (hit.id) hit.id,
      case when pg_column_compression(hit.tsv) is null then hit.tsv else hit.tsv || '' end as tsv
    from weighted w,
      lateral (
        (
          select c.id, c.tsv from public.chunks c
          where not (sampled and w.share > 0.25)
            and private.terms(c.matter_id, c.tsv) @> array[w.term] and (c.revision_id = any (r.revisions)) is true
            and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
          order by c.id limit most
        )
        union all
        (
          select c.id, c.tsv from public.chunks c
          where sampled and w.share > 0.25 and c.matter_id = matter and c.tsv @@ w.needle and (c.revision_id = any (r.revisions)) is true
            and (r.span_revisions is null or private.in_reach(r, c.revision_id, c.start_char, c.end_char))
          order by c.id limit most
        )
      ) hit
    where w.chooses
    order by hit.id
  ), ranked as (
    select c.id, sum(w.idf * ts_rank(c.tsv, w.needle)) as score
    from candidates c join weighted w on c.tsv @@ w.needle
    group by c.id
    order by score desc, c.id
    limit wanted_count
  )
  select array_agg(k.id order by k.score desc, k.id), array_agg(k.score order by k.score desc, k.id)
  into ranking.ids, ranking.scores
  from ranked k;
  return ranking;
end
$$;
