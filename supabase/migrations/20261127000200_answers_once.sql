-- The answer of a run stands in the record once, also where the run is continued after a restart.

-- Records an answer in the chain of every matter that it quotes; without a quotation, of the matters that its run has read; else
-- in the caller's. citations: [{document_id, revision_id, start, end, text_sha256?}, …]: places and no words, which a purge could
-- not remove. A place is recorded if it stands in the stored text; text_sha256 is the hash of the words that the answer showed.
-- A run that is continued after a restart, and records its answer again, adds nothing.
-- Returns {recorded: number of entries, closed}; closed: the conversation has been closed meanwhile.
create or replace function public.record_answer(question text, model text, answer_sha256 text, citations jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  run text := private.my_run_id();
  thread text := private.my_thread_id();
  quoted uuid[];
  matters uuid[];
  cited jsonb;
  m public.matters;
begin
  if coalesce(answer_sha256, '') !~ '^[0-9a-f]{64}$' or jsonb_typeof(citations) is distinct from 'array' then
    perform private.invalid('An answer is recorded by its SHA-256 and its citations.');
  end if;
  select array_agg(distinct private.as_uuid(c ->> 'document_id')) into quoted from jsonb_array_elements(citations) c;
  select array_agg(distinct d.matter_id) into matters from public.documents d
  where d.id = any (quoted) and d.matter_id = any (array(select private.my_matter_ids()));
  if matters is null and run is not null then
    select array_agg(distinct a.matter_id) into matters from public.audit_log a
    where a.detail ->> 'run' = run and a.detail ? 'run' and a.user_id = me.user_id and a.matter_id is not null and a.action <> 'denied';
  end if;
  if run is null or not exists (
    select from public.audit_log a
    where a.detail ->> 'run' = run and a.detail ? 'run' and a.user_id = me.user_id and a.action = 'answer'
      and a.detail ->> 'answer_sha256' = record_answer.answer_sha256
  ) then
    for m in select x.* from public.matters x where x.id = any (matters) order by x.id loop
      select coalesce(jsonb_agg(jsonb_build_object(
        'document_id', c -> 'document_id', 'revision_id', c -> 'revision_id', 'start', c -> 'start', 'end', c -> 'end'
      )), '[]') into cited
      from jsonb_array_elements(citations) c
      join public.documents d on d.id = private.as_uuid(c ->> 'document_id') and d.matter_id = m.id
      where private.citation_stands(d.id, c);
      perform private.audit('answer', m, null, jsonb_build_object(
        'question', question, 'model', model, 'answer_sha256', answer_sha256, 'citations', cited));
    end loop;
    if matters is null then
      perform private.audit('answer', null, null, jsonb_build_object(
        'question', question, 'model', model, 'answer_sha256', answer_sha256, 'citations', '[]'::jsonb));
    end if;
  end if;
  return jsonb_build_object(
    'recorded', greatest(cardinality(matters), 1),
    'closed', thread is not null and exists (select from private.closed_threads(thread))
  );
end
$$;
