-- What a run asks at its beginning, before each call of a model and at its end, in one call each: every call is a message to the
-- database, and on Supabase a request.
--
-- As the caller (role authenticated):
--   run_opening(client_id)          {matters, workspace, withheld}, as list_matters, chat_workspace and withheld_tools give them
--   allowed_processors(…)           as in 20261122010005; of a conversation that is closed, "not found", as check_thread says it
--   hidden_text(document_ids)       {document_id: places}: where hidden text was kept out of the text of readable documents; others
--                                   are left out, and so are documents without any
--   record_answer(…)                as in 20261122010002, and `closed`: whether the conversation is closed meanwhile

create function public.run_opening(client_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.caller();
  return jsonb_build_object(
    'matters', public.list_matters(),
    'workspace', case when private.my_thread_id() is not null then public.chat_workspace() end,
    'withheld', public.withheld_tools(run_opening.client_id)
  );
end
$$;

create or replace function public.allowed_processors(
  matter_ref text default null, document_id text default null, thread_id text default null
) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  matters uuid[];
begin
  if matter_ref is not null then
    matters := array[(private.open_matter(matter_ref)).id];
  elsif document_id is not null then
    matters := array[(private.open_document(document_id)).matter_id];
  elsif thread_id is not null then
    if exists (select from private.closed_threads(allowed_processors.thread_id)) then
      perform private.not_found('conversation', allowed_processors.thread_id);
    end if;
    matters := array(
      select distinct r.matter_id from public.thread_reads r
      where r.user_id = me.user_id and r.thread_id = allowed_processors.thread_id
    );
  else
    matters := array(select private.my_matter_ids());
  end if;
  return private.allowed_in(me.tenant_id, matters);
end
$$;

create function public.hidden_text(document_ids jsonb) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  asked uuid[];
begin
  perform private.caller();
  if jsonb_typeof(document_ids) is distinct from 'array' then
    perform private.invalid('Documents are named by an array of their ids.');
  end if;
  asked := array(select private.as_uuid(x) from jsonb_array_elements_text(document_ids) x);
  return (
    select coalesce(jsonb_object_agg(d.id, jsonb_array_length(r.health #> '{details,hidden_text}')), '{}')
    from public.documents d join public.document_revisions r on r.id = d.current_revision_id
    where d.id = any (asked) and d.id = any (array(
      select private.readable_documents(m.id) from (select distinct x.matter_id as id from public.documents x where x.id = any (asked)) m
    ))
    and jsonb_typeof(r.health #> '{details,hidden_text}') = 'array' and r.health #> '{details,hidden_text}' <> '[]'
  );
end
$$;

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
  for m in select x.* from public.matters x where x.id = any (matters) order by x.id loop
    select coalesce(jsonb_agg(jsonb_build_object(
      'document_id', c -> 'document_id', 'revision_id', c -> 'revision_id', 'start', c -> 'start', 'end', c -> 'end'
    )), '[]') into cited
    from jsonb_array_elements(citations) c join public.documents d on d.id = private.as_uuid(c ->> 'document_id') and d.matter_id = m.id;
    perform private.audit('answer', m, null, jsonb_build_object(
      'question', question, 'model', model, 'answer_sha256', answer_sha256, 'citations', cited));
  end loop;
  if matters is null then
    perform private.audit('answer', null, null, jsonb_build_object(
      'question', question, 'model', model, 'answer_sha256', answer_sha256, 'citations', '[]'::jsonb));
  end if;
  return jsonb_build_object(
    'recorded', greatest(cardinality(matters), 1),
    'closed', thread is not null and exists (select from private.closed_threads(thread))
  );
end
$$;

revoke all on function public.run_opening, public.hidden_text from public, anon, authenticated, service_role;
grant execute on function public.run_opening, public.hidden_text to authenticated;
