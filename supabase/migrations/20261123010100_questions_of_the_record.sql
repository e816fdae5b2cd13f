-- What was asked about a document stays with those who may read it. A question, or the words of a search, can give away what
-- the document says: in the record they are null for whoever may not read all that the run (or the search, outside of one) came upon.
-- When, by whom and in which run stays for the owners to see. Who asked and has left the group since is one of those who may not.
--
-- As the caller, as in 20261122010002 and 20261122020000, but for:
--   list_audit   an entry's detail is null also where its run, or the entry itself, came upon a document that is not the caller's to read,
--                in this matter or in another
--   replay_run   the same for its entries; question: null where that is so of the run

-- Documents of some matters that are there and kept for groups that the caller is not in.
create function private.hidden_documents(matters uuid[]) returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select d.id from public.documents d
  where d.matter_id = any (matters) and d.deleted_at is null and d.group_id is not null
    and d.group_id <> all (array(select private.my_group_ids()))
$$;

-- Whether an entry is about one of some documents, quotes one, or gives passages of one.
create function private.entry_touches(a public.audit_log, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select cardinality(documents) > 0 and (
    coalesce(a.document_id = any (documents), false)
    or exists (
      select from jsonb_path_query(a.detail, '$.citations[*].document_id') c (id) where private.as_uuid(c.id #>> '{}') = any (documents)
    )
    or exists (
      select from jsonb_path_query(a.detail, '$.chunks[*]') hit (id) join public.chunks c on c.id = private.as_uuid(hit.id #>> '{}')
      where c.document_id = any (documents)
    )
  )
$$;

drop function private.entry_json(public.audit_log, uuid[]);
create function private.entry_json(a public.audit_log, readable uuid[], withheld boolean) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'seq', a.seq, 'at', a.at, 'user_id', a.user_id, 'email', (select u.email from auth.users u where u.id = a.user_id),
    'action', a.action, 'document_id', a.document_id, 'document_name', d.filename,
    'run', a.detail -> 'run', 'thread', a.detail -> 'thread',
    'detail', case when withheld then null when walled.yes then a.detail - 'reason' else a.detail end,
    'previous_hash', a.previous_hash, 'hash', a.hash
  )
  from (
    select a.detail ? 'screen_id' and a.user_id is distinct from auth.uid() and not exists (
      select from public.profiles p where p.user_id = auth.uid() and p.is_conflicts_officer
    ) as yes
  ) walled
  left join public.documents d on d.id = a.document_id and (d.deleted_at is not null or d.id = any (readable))
$$;

create or replace function public.list_audit(matter_ref text, after_seq bigint default 0, row_count integer default 1000) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'owner');
  readable uuid[] := array(select private.readable_documents(m.id));
  mine uuid[] := array(select private.my_matter_ids());
  hidden uuid[] := array(select private.hidden_documents(mine));
  result jsonb;
begin
  with page as materialized (
    select x as entry from public.audit_log x where x.chain = m.id and x.seq > coalesce(after_seq, 0)
    order by x.seq limit least(greatest(coalesce(row_count, 1000), 1), 10000)
  ), runs as materialized (
    select distinct x.detail ->> 'run' as run from public.audit_log x
    where x.detail ? 'run' and x.detail ->> 'run' = any (array(select distinct (p.entry).detail ->> 'run' from page p))
      and x.action <> 'denied' and (x.matter_id <> all (mine) or private.entry_touches(x, hidden))
  )
  select coalesce(jsonb_agg(private.entry_json(
    p.entry, readable, private.entry_touches(p.entry, hidden) or coalesce((p.entry).detail ->> 'run' in (select r.run from runs r), false)
  ) order by (p.entry).seq), '[]') into result from page p;
  perform private.audit('list_audit', m, null, jsonb_build_object('after_seq', after_seq, 'count', jsonb_array_length(result)));
  return result;
end
$$;

create or replace function public.replay_run(run_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  mine uuid[] := array(select private.my_matter_ids());
  answer public.audit_log;
  touched uuid[];
  readable uuid[];
  hidden uuid[];
  withheld boolean;
  result jsonb;
begin
  select a.* into answer from public.audit_log a
  where a.detail ? 'run' and a.detail ->> 'run' = run_id and a.action = 'answer' order by a.id desc limit 1;
  select array_agg(distinct a.matter_id) into touched from public.audit_log a
  where a.detail ? 'run' and a.detail ->> 'run' = run_id and a.user_id = answer.user_id and a.matter_id is not null;
  if answer.id is null or not coalesce(touched, '{}') <@ mine or (
    answer.user_id <> me.user_id and (touched is null or exists (
      select from unnest(touched) t (id) where not exists (
        select from public.matter_members mm where mm.matter_id = t.id and mm.user_id = me.user_id and mm.role = 'owner'
      )
    ))
  ) then
    perform private.not_found('run', run_id);
  end if;
  readable := array(select d from unnest(touched) t (id), private.readable_documents(t.id) d);
  hidden := array(select private.hidden_documents(touched));
  withheld := exists (
    select from public.audit_log a
    where a.detail ? 'run' and a.detail ->> 'run' = run_id and a.user_id = answer.user_id and private.entry_touches(a, hidden)
  );
  with entries as (
    select a.* from public.audit_log a
    where a.detail ? 'run' and a.detail ->> 'run' = run_id and a.user_id = answer.user_id
  ), cited as (
    select distinct c ->> 'document_id' as document, c ->> 'revision_id' as revision, (c ->> 'start')::integer as s, (c ->> 'end')::integer as e
    from entries a, jsonb_array_elements(a.detail -> 'citations') c where a.action = 'answer'
  ), passages as (
    select chunk.id, min(a.id) as first
    from entries a, jsonb_array_elements_text(a.detail -> 'chunks') chunk (id)
    where jsonb_typeof(a.detail -> 'chunks') = 'array' group by chunk.id
  )
  select jsonb_build_object(
    'run', run_id, 'thread', answer.detail -> 'thread', 'user_id', answer.user_id,
    'email', (select u.email from auth.users u where u.id = answer.user_id), 'at', answer.at,
    'question', case when not withheld then answer.detail -> 'question' end, 'model', answer.detail -> 'model', 'answer_sha256', answer.detail -> 'answer_sha256',
    'matters', (
      select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'number', m.number, 'title', m.title) order by m.number), '[]')
      from public.matters m where m.id = any (touched)
    ),
    'citations', (
      select coalesce(jsonb_agg(private.place_json(private.as_uuid(c.document), private.as_uuid(c.revision), c.s, c.e, readable)), '[]') from cited c
    ),
    'passages', (
      select coalesce(jsonb_agg(
        private.place_json(c.document_id, c.revision_id, c.start_char, c.end_char, readable) || jsonb_build_object('chunk_id', p.id)
        order by p.first, p.id
      ), '[]')
      from passages p left join public.chunks c on c.id = private.as_uuid(p.id)
    ),
    'entries', (select jsonb_agg(private.entry_json(e, readable, withheld) || jsonb_build_object('matter_id', e.matter_id) order by e.id) from entries e)
  ) into result;
  perform private.audit('replay_run', m, null, jsonb_build_object('replayed', run_id))
  from public.matters m where m.id = any (touched);
  if touched is null then
    perform private.audit('replay_run', null, null, jsonb_build_object('replayed', run_id));
  end if;
  return result;
end
$$;

revoke all on function private.hidden_documents, private.entry_touches, private.entry_json from public, anon, authenticated;
