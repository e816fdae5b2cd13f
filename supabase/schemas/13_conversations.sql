-- Conversations (threads): what they have read decides whether their user may open them; workspaces; stored responses; the
-- removal of purged words.

-- == Tables ==

create table public.threads (
  thread_id text primary key check (length(thread_id) between 1 and 200),
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  created_at timestamptz not null default now()
);
create index threads_user on public.threads (user_id);
alter table public.threads enable row level security;
create policy "thread of one's own" on public.threads for select to authenticated using (user_id = (select private.my_user_id()));

-- What conversations have read. No reference to matter or document: a conversation outlives them, and is closed then.
create table public.thread_reads (
  thread_id text not null,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  matter_id uuid not null,
  document_id uuid,
  unique nulls not distinct (user_id, thread_id, matter_id, document_id)
);
create index thread_reads_document on public.thread_reads (document_id) where document_id is not null;
alter table public.thread_reads enable row level security;
create policy "read of one's own" on public.thread_reads for select to authenticated using (user_id = (select private.my_user_id()));

-- Answers of the Responses API. body: the response object. document_ids: the documents that it quotes.
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
create index responses_documents on public.responses using gin (document_ids);
alter table public.responses enable row level security;

-- Deleted documents whose words were removed from the conversations.
create table private.redacted_documents (
  document_id uuid primary key references public.documents (id) on delete cascade,
  redacted_at timestamptz not null default now()
);
alter table private.redacted_documents enable row level security;

-- == Private functions ==

-- What the caller's conversations have read: one, looked up by its key, or (null) all.
create function private.my_reads(only_thread text) returns setof public.thread_reads
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if only_thread is null then
    return query select r.* from public.thread_reads r where r.user_id = (select auth.uid());
  else
    return query select r.* from public.thread_reads r where r.user_id = (select auth.uid()) and r.thread_id = only_thread;
  end if;
end
$$;

-- The caller's conversations, one or (null) all, that have read a matter or document that is not the caller's to read. A deleted
-- document closes a conversation only where it was kept for a group, until its words are removed. A workspace is readable in its
-- own conversation alone, so for workspaces membership counts.
create function private.closed_threads(only_thread text) returns setof text
language sql stable security definer
set search_path = ''
as $$
  with mine as materialized (
    select r.thread_id, r.matter_id, r.document_id from private.my_reads(only_thread) r
  ), matters as materialized (
    select private.my_matter_ids_among(null, true) as id
    union
    select m.id from public.matters m join public.matter_members mm on mm.matter_id = m.id
    where m.kind = 'workspace' and mm.user_id = (select private.my_user_id())
  )
  select mine.thread_id from mine where mine.matter_id not in (select matters.id from matters)
  union
  select mine.thread_id from mine join public.documents d on d.id = mine.document_id
  where d.group_id is not null and d.group_id not in (select private.my_group_ids())
    and not exists (select from private.redacted_documents x where x.document_id = d.id)
$$;

create policy "response of one's own" on public.responses for select to authenticated using (
  user_id = (select private.my_user_id()) and document_ids <@ array(select private.readable_documents())
  and thread_id <> all (array(select private.closed_threads(null)))
);

-- Documents that a response of a conversation may quote: the readable ones, and the files of that conversation.
create function private.quotable_documents(thread text) returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select private.readable_documents()
  union
  select d.id from public.matters m join public.documents d on d.matter_id = m.id
  where m.kind = 'workspace' and m.thread_id = thread and d.deleted_at is null
    and m.id in (select private.my_matters_and_workspaces())
$$;

-- Finds a stored response of the caller's. Raises OR404 too where a document that it quotes is not readable, and where its
-- conversation is closed: an answer without quotations may still tell what the conversation has read.
create function private.own_response(ref text) returns public.responses
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  found_response public.responses;
begin
  select r.* into found_response from public.responses r
  where r.id = ref and r.user_id = me.user_id and r.document_ids <@ array(select private.quotable_documents(r.thread_id))
    and not exists (select from private.closed_threads(r.thread_id));
  if not found then
    perform private.not_found('response', ref);
  end if;
  return found_response;
end
$$;

-- Deletes the files of conversations' workspaces, of one person or (null) of all, with receipts; the purge follows. Files under a
-- legal hold stay. Returns the number of deleted files.
create function private.delete_workspace_files(threads text[], person uuid) returns integer
language plpgsql security definer
set search_path = ''
as $$
declare
  d public.documents;
  gone integer := 0;
begin
  for d in
    select x.* from public.documents x join public.matters m on m.id = x.matter_id
    where m.kind = 'workspace' and m.thread_id = any (threads) and (person is null or m.created_by = person)
      and x.deleted_at is null and not private.on_hold(x)
    order by x.id for update of x
  loop
    update public.documents u set status = 'deleted', deleted_at = now() where u.id = d.id;
    perform private.receipt_for(d, private.matter_of(d));
    gone := gone + 1;
  end loop;
  return gone;
end
$$;

-- One row for each matter that a conversation has read or whose files it holds; one without a matter where there is none.
create function private.thread_matters(thread text, person uuid) returns table (matter_id uuid, tenant_id uuid)
language sql stable security definer
set search_path = ''
as $$
  with read as (
    select r.matter_id from public.thread_reads r where r.thread_id = thread and r.user_id = person
    union
    select m.id from public.matters m where m.kind = 'workspace' and m.thread_id = thread and m.created_by = person
  )
  select read.matter_id, p.tenant_id from public.profiles p left join read on true where p.user_id = person
$$;

-- == Triggers ==

-- Notes what a recorded entry says that its conversation has read.
create function private.note_reads() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.thread_reads (thread_id, user_id, matter_id, document_id)
  values (new.detail ->> 'thread', new.user_id, new.matter_id, new.document_id)
  on conflict do nothing;
  if jsonb_typeof(new.detail -> 'chunks') = 'array' then
    insert into public.thread_reads (thread_id, user_id, matter_id, document_id)
    select distinct new.detail ->> 'thread', new.user_id, c.matter_id, c.document_id
    from jsonb_array_elements_text(new.detail -> 'chunks') as hit (id) join public.chunks c on c.id = private.as_uuid(hit.id)
    on conflict do nothing;
  end if;
  if new.detail ? 'review_id' and jsonb_typeof(new.detail -> 'given') = 'array' then
    insert into public.thread_reads (thread_id, user_id, matter_id, document_id)
    select new.detail ->> 'thread', new.user_id, new.matter_id, private.as_uuid(given.id)
    from jsonb_array_elements_text(new.detail -> 'given') as given (id)
    on conflict do nothing;
  end if;
  return null;
end
$$;
create trigger note_reads after insert on public.audit_log for each row
  when (new.detail ? 'thread' and new.matter_id is not null and new.user_id is not null and new.action <> 'denied')
  execute function private.note_reads();

-- Deletes the stored responses that quote a purged document: their bodies hold its words.
create function private.delete_responses() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  delete from public.responses r where r.document_ids @> array[old.id];
  return null;
end
$$;
create trigger delete_responses after delete on public.documents for each row execute function private.delete_responses();

-- == As the caller (role authenticated) ==

-- Registers a new conversation. Returns {thread_id}.
create function public.register_thread(thread_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  if coalesce(length(register_thread.thread_id), 0) not between 1 and 200 then
    perform private.invalid('A conversation has an id of at most 200 characters.');
  end if;
  insert into public.threads (thread_id, user_id) values (register_thread.thread_id, me.user_id) on conflict do nothing;
  return jsonb_build_object('thread_id', register_thread.thread_id);
end
$$;

-- Checks that a conversation is open: OR404 as soon as it has read something that is not the caller's to read.
-- opened: records that it was opened. Returns {thread_id}.
create function public.check_thread(thread_id text, opened boolean default false) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  if exists (select from private.closed_threads(check_thread.thread_id)) then
    perform private.not_found('conversation', check_thread.thread_id);
  end if;
  if opened then
    perform private.audit('open_thread', null, null, jsonb_build_object('opened', check_thread.thread_id));
  end if;
  return jsonb_build_object('thread_id', check_thread.thread_id);
end
$$;

-- Deletes what a conversation of the caller's holds: its files, with receipts, and its stored responses. What it has read stays
-- noted, so that walls hold if the server keeps the conversation. Returns {thread_id, files}; OR409 where a file is under a legal hold.
create function public.delete_thread(thread_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  held text;
  gone integer;
begin
  select d.filename into held from public.documents d join public.matters m on m.id = d.matter_id
  where m.kind = 'workspace' and m.thread_id = delete_thread.thread_id and m.created_by = me.user_id
    and d.deleted_at is null and private.on_hold(d)
  order by d.upload_order limit 1;
  if held is not null then
    raise exception 'The file % of this conversation is under a legal hold, so the conversation cannot be deleted.', held
      using errcode = 'OR409';
  end if;
  delete from public.responses r where r.thread_id = delete_thread.thread_id and r.user_id = me.user_id;
  gone := private.delete_workspace_files(array[delete_thread.thread_id], me.user_id);
  perform private.audit('delete_thread', null, null, jsonb_build_object('deleted', delete_thread.thread_id, 'files', gone));
  return jsonb_build_object('thread_id', delete_thread.thread_id, 'files', gone);
end
$$;

-- Lists the caller's closed conversations. Returns {closed: [thread_id, …], open: [thread_id, …] | null}; open: null while none
-- is closed.
create function public.my_threads() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  closed text[] := array(select private.closed_threads(null));
begin
  return jsonb_build_object('closed', to_jsonb(closed), 'open', case when cardinality(closed) > 0 then (
    select coalesce(jsonb_agg(t.thread_id order by t.created_at desc, t.thread_id), '[]') from public.threads t
    where t.user_id = me.user_id and t.thread_id <> all (closed)
  ) end);
end
$$;

-- Finds the workspace of the conversation; make: creates a missing one. Returns matter | null. Outside a conversation null, or
-- OR400.
create function public.chat_workspace(make boolean default false) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  thread text := private.my_thread_id();
  m public.matters;
begin
  if thread is null and make then
    perform private.invalid('A workspace belongs to a conversation; this call is not part of one.');
  end if;
  select x.* into m from public.matters x
  where x.kind = 'workspace' and x.thread_id = thread and x.id = any (array(select private.my_matter_ids()));
  if not found and make then
    insert into public.matters (tenant_id, number, title, kind, thread_id, created_by)
    values (me.tenant_id, 'CHAT-' || left(encode(sha256(convert_to(thread, 'UTF8')), 'hex'), 16), 'Files of this conversation',
      'workspace', thread, me.user_id)
    on conflict do nothing -- the conversation, or the number made from it, has a workspace
    returning * into m;
    if m.id is not null then
      insert into public.matter_members (matter_id, user_id, role) values (m.id, me.user_id, 'owner');
      perform private.audit('chat_workspace', m, null, jsonb_build_object('thread_id', thread));
    else
      -- A concurrent call may have created the workspace: the caller's own is found. A workspace that another person created under the
      -- same conversation id is not found, because a conversation belongs to one person.
      select x.* into m from public.matters x
      where x.kind = 'workspace' and x.thread_id = thread and x.id = any (array(select private.my_matter_ids()));
      if not found then
        perform private.not_found('matter', 'of this conversation');
      end if;
    end if;
  end if;
  return case when m.id is not null then private.matter_json(m) end;
end
$$;

-- Reads what a run needs at its beginning, in one call.
-- Returns {matters, workspace, withheld}, as list_matters, chat_workspace and withheld_tools return them.
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

-- Stores a response. Returns {response_id}.
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
  if not quoted <@ array(select private.quotable_documents(save_response.thread_id)) then
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

-- Reads a stored response. Returns {response_id, thread_id, checkpoint_id, body}; OR404 as soon as a document that it quotes is not
-- readable or its conversation is closed.
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

-- Deletes a stored response. Returns {response_id}.
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

-- == As the worker (service_role) ==

-- Finds a deleted document whose words have to be removed from conversations and stored responses; after: the document found before.
-- Returns {document_id, threads: [thread_id, …], texts: [text, …]} | null; threads: those that have read its matter; texts: of its
-- revisions.
create function public.next_redaction(after text default null) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'document_id', d.id,
    'threads', (select jsonb_agg(distinct r.thread_id) from public.thread_reads r where r.matter_id = d.matter_id),
    'texts', (select coalesce(jsonb_agg(v.text), '[]') from public.document_revisions v where v.document_id = d.id)
  )
  from public.documents d
  left join public.documents found on found.id = private.as_uuid(next_redaction.after)
  where d.deleted_at is not null and not private.on_hold(d)
    and not exists (select from private.redacted_documents x where x.document_id = d.id)
    and exists (select from public.thread_reads r where r.matter_id = d.matter_id)
    and (found.id is null or (d.deleted_at, d.id) > (found.deleted_at, found.id))
  order by d.deleted_at, d.id
  limit 1
$$;

-- Reads the stored responses of conversations, for the redaction. Returns [{response_id, body}, …].
create function public.responses_of(threads jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('response_id', r.id, 'body', r.body) order by r.created_at, r.id), '[]')
  from public.responses r
  where r.thread_id in (select t.id from jsonb_array_elements_text(threads) as t (id))
$$;

-- Replaces the body of a stored response by a redacted one. Returns {response_id}.
create function public.redact_response(response_id text, body jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  update public.responses r set body = redact_response.body where r.id = redact_response.response_id;
  return jsonb_build_object('response_id', redact_response.response_id);
end
$$;

-- Notes that a document's words are removed. Returns {document_id}.
create function public.redaction_done(document_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into private.redacted_documents (document_id)
  select d.id from public.documents d where d.id = private.as_uuid(redaction_done.document_id)
  on conflict do nothing;
  return jsonb_build_object('document_id', redaction_done.document_id);
end
$$;

-- Reads the shortest retention rule for conversations. Returns days | null.
create function public.youngest_thread_rule() returns jsonb
language sql stable security definer
set search_path = ''
as $$ select to_jsonb(min(r.keep_days)) from private.retention_rules r where r.kind = 'threads' $$;

-- Decides which conversations are past their retention rule. threads: [{thread_id, user_id, changed_at}, …].
-- Returns {due: [thread_id, …], held: [thread_id, …]}. A conversation of several matters is due when the rule of each of them is
-- met; held: a legal hold in one of them keeps it.
create function public.threads_due(threads jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with asked as (
    select x ->> 'thread_id' as id, private.as_uuid(x ->> 'user_id') as person, (x ->> 'changed_at')::timestamptz as changed
    from jsonb_array_elements(threads) x
  ), judged as (
    select a.id, bool_and(private.expired(a.changed, private.keep_days(r.tenant_id, r.matter_id, 'threads'))) as due,
      bool_or(coalesce(private.matter_held(r.matter_id), false)) as held
    from asked a cross join lateral private.thread_matters(a.id, a.person) r
    group by a.id
  )
  select jsonb_build_object(
    'due', coalesce(jsonb_agg(j.id order by j.id) filter (where j.due and not j.held), '[]'),
    'held', coalesce(jsonb_agg(j.id order by j.id) filter (where j.due and j.held), '[]')
  )
  from judged j
$$;

-- Deletes the responses and files that conversations hold; what they have read stays noted. Returns the number of files.
create function public.empty_threads(thread_ids jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  ids text[] := array(select jsonb_array_elements_text(thread_ids));
begin
  delete from public.responses r where r.thread_id = any (ids);
  return to_jsonb(private.delete_workspace_files(ids, null));
end
$$;

-- Forgets conversations that the server no longer has, with what they hold. Returns their number.
create function public.forget_threads(thread_ids jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  ids text[] := array(select jsonb_array_elements_text(thread_ids));
  gone integer;
begin
  perform public.empty_threads(thread_ids);
  delete from public.thread_reads r where r.thread_id = any (ids);
  delete from public.threads t where t.thread_id = any (ids);
  get diagnostics gone = row_count;
  return to_jsonb(gone);
end
$$;

-- == Privileges ==

revoke all on public.threads, public.thread_reads, public.responses from anon, authenticated, service_role;
grant all on public.threads, public.thread_reads, public.responses to service_role;
revoke all on private.redacted_documents from public, anon, authenticated, service_role;
revoke all on function private.my_reads, private.closed_threads, private.quotable_documents, private.delete_workspace_files,
  private.own_response, private.thread_matters,
  private.note_reads, private.delete_responses from public, anon, authenticated;
revoke all on function public.register_thread, public.check_thread, public.delete_thread, public.my_threads, public.chat_workspace,
  public.run_opening, public.save_response, public.get_response, public.delete_response, public.next_redaction,
  public.responses_of, public.redact_response, public.redaction_done, public.youngest_thread_rule, public.threads_due,
  public.empty_threads, public.forget_threads
  from public, anon, authenticated, service_role;
grant execute on function private.closed_threads to authenticated;
grant execute on function public.register_thread, public.check_thread, public.delete_thread, public.my_threads, public.chat_workspace,
  public.run_opening, public.save_response, public.get_response, public.delete_response to authenticated;
grant execute on function public.next_redaction, public.responses_of, public.redact_response, public.redaction_done,
  public.youngest_thread_rule, public.threads_due, public.empty_threads, public.forget_threads to service_role;
