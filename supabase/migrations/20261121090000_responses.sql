-- Answers of the Responses API, kept so that they can be fetched, continued and deleted by the one who asked.
--
-- As the caller (role authenticated):
--   save_response(new_id, thread_id, checkpoint_id, body, document_ids)   {response_id}
--     body: the response object; document_ids: the documents it quotes
--   get_response(response_id)      {response_id, thread_id, checkpoint_id, body}; not found as soon as one of its documents is not
--                                  the caller's to read any more
--   delete_response(response_id)   {response_id}

create table public.responses (
  id text primary key check (id ~ '^resp_[0-9a-f]{32}$'),
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  thread_id text not null,
  checkpoint_id text,
  body jsonb not null,
  document_ids uuid[] not null,
  created_at timestamptz not null default now()
);
create index responses_user on public.responses (user_id, created_at);

alter table public.responses enable row level security;
revoke all on public.responses from anon, authenticated;
grant select on public.responses to authenticated;
grant all on public.responses to service_role;
create policy "response of one's own" on public.responses for select to authenticated
  using (user_id = (select auth.uid()) and document_ids <@ array(select private.readable_documents()));

create function private.own_response(ref text) returns public.responses
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  found_response public.responses;
begin
  select r.* into found_response from public.responses r
  where r.id = ref and r.user_id = me.user_id and r.document_ids <@ array(select private.readable_documents());
  if not found then
    perform private.not_found('response', ref);
  end if;
  return found_response;
end
$$;

create function public.save_response(
  new_id text, thread_id text, checkpoint_id text, body jsonb, document_ids jsonb
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  quoted uuid[] := array(select private.as_uuid(q.ref) from jsonb_array_elements_text(document_ids) as q (ref));
begin
  if not quoted <@ array(select private.readable_documents()) then
    perform private.invalid('A response quotes only documents that its user may read.');
  end if;
  if coalesce(new_id, '') !~ '^resp_[0-9a-f]{32}$' then
    perform private.invalid('That is not an id of a response.');
  end if;
  insert into public.responses (id, user_id, thread_id, checkpoint_id, body, document_ids)
  values (new_id, me.user_id, save_response.thread_id, save_response.checkpoint_id, save_response.body, quoted);
  return jsonb_build_object('response_id', new_id);
end
$$;

create function public.get_response(response_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.responses := private.own_response(response_id);
begin
  perform private.audit('get_response', null, null, jsonb_build_object('response_id', r.id));
  return jsonb_build_object('response_id', r.id, 'thread_id', r.thread_id, 'checkpoint_id', r.checkpoint_id, 'body', r.body);
end
$$;

create function public.delete_response(response_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r public.responses := private.own_response(response_id);
begin
  delete from public.responses x where x.id = r.id;
  perform private.audit('delete_response', null, null, jsonb_build_object('response_id', r.id));
  return jsonb_build_object('response_id', r.id);
end
$$;

revoke all on function private.own_response from public, anon, authenticated;
revoke all on function public.save_response, public.get_response, public.delete_response
  from public, anon, authenticated, service_role;
grant execute on function public.save_response, public.get_response, public.delete_response to authenticated;
