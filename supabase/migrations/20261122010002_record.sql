-- The record, complete: what was refused, what was answered, in which run; read by owners, replayed by whoever may see it all; its
-- heads signed outside the database, so that whoever rules the database still cannot rewrite it unseen.
--
-- Entries made inside a run carry `run` and `thread` in their detail, from the caller's claims of those names.
--
-- As the caller (role authenticated):
--   record_denial(function_name, refs)    {recorded}; refs: {argument: id}. Sent by the adapters after a refusal, whose own transaction
--                                 is gone: into the matter's record where one of the ids leads to a matter of the caller's firm
--                                 (also one that the caller may not see), else into the caller's own
--   record_answer(question, model, answer_sha256, citations)   {recorded: number of entries}; into the record of every matter that it
--                                 quotes; of those that its run read, where it quotes none; of the caller, where it read nothing.
--                                 citations: [{document_id, revision_id, start, end}, …]: places, never words, which a purge
--                                 could not take out of the record again
--   list_audit(matter_ref, after_seq = 0, row_count = 1000)    owner. [entry, …] in order; row_count to 10000
--     entry = {seq, at, user_id, email, action, document_id, document_name, run, thread, detail, previous_hash, hash};
--             of a document that is not the caller's to read: no name, and detail is null
--   replay_run(run_id)            {run, thread, user_id, email, at, question, model, answer_sha256, matters: [{id, number, title}],
--                                 citations: [{document_id, document_name, revision_id, start, end, page, text}], passages: [the same + {chunk_id}],
--                                 entries: [entry, …]}; text: null where it was purged since
--                                 for the one who asked and for owners of its matters, and only while all of them are theirs to read
-- As service_role:
--   unsigned_heads(row_count = 1000)      [{chain, seq, hash}, …]: chains that grew since they were signed
--   heads_signed(heads)                   {signed}; heads: [{chain, seq}, …]
--   audit_chains()                        [{chain, seq, signed_seq, kind: matter | person, name}, …]
--   audit_hashes(chain, seqs)             {"seq": hash, …} of those that there are
--   verify_audit(chain)                   as before

alter table private.audit_heads add column signed_seq bigint not null default 0;
create index audit_heads_unsigned on private.audit_heads (chain) where seq > signed_seq;
create index audit_log_run on public.audit_log ((detail ->> 'run')) where detail ? 'run';

-- The run of the caller, where the call is part of one.
create function private.my_run_id() returns text
language sql stable
set search_path = ''
as $$ select nullif(auth.jwt() ->> 'run_id', '') $$;

-- As in 20261120090300, with the run.
create or replace function private.audit(
  action text, matter public.matters, document_id uuid default null, detail jsonb default '{}'
) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  entry public.audit_log;
  head private.audit_heads;
begin
  entry.user_id := auth.uid();
  entry.chain := coalesce(matter.id, entry.user_id);
  entry.detail := audit.detail || jsonb_strip_nulls(jsonb_build_object('run', private.my_run_id(), 'thread', private.my_thread_id()));
  insert into private.audit_heads as h (chain, seq, hash) values (entry.chain, 0, '')
  on conflict (chain) do update set seq = h.seq
  returning h.* into head;
  entry.seq := head.seq + 1;
  entry.at := clock_timestamp();
  entry.tenant_id := coalesce(matter.tenant_id, private.my_tenant_id());
  entry.matter_id := matter.id;
  entry.document_id := audit.document_id;
  entry.action := audit.action;
  entry.previous_hash := head.hash;
  entry.hash := private.audit_hash(entry);
  insert into public.audit_log
    (chain, seq, at, tenant_id, matter_id, document_id, user_id, action, detail, previous_hash, hash)
  values
    (entry.chain, entry.seq, entry.at, entry.tenant_id, entry.matter_id, entry.document_id, entry.user_id,
     entry.action, entry.detail, entry.previous_hash, entry.hash);
  update private.audit_heads h set seq = entry.seq, hash = entry.hash where h.chain = entry.chain;
end
$$;

-- The matter of the caller's firm behind an id of any kind or a number, whether or not it is theirs to see: for the record alone.
create function private.matter_named(tenant uuid, ref text) returns public.matters
language sql stable security definer
set search_path = ''
as $$
  select m.* from (
    select x.id from public.matters x
    where x.tenant_id = tenant and (x.id = private.as_uuid(ref) or lower(x.number) = lower(btrim(ref)))
    union all select d.matter_id from public.documents d where d.id = private.as_uuid(ref)
    union all select c.matter_id from public.chunks c where c.id = private.as_uuid(ref)
    union all select f.matter_id from public.folders f where f.id = private.as_uuid(ref)
    union all select d.matter_id from public.citations c join public.documents d on d.id = c.document_id where c.id = private.as_uuid(ref)
    union all
    select d.matter_id from public.sections s join public.document_revisions r on r.id = s.revision_id
    join public.documents d on d.id = r.document_id where s.id = private.as_uuid(ref)
  ) named join public.matters m on m.id = named.id and m.tenant_id = tenant
  limit 1
$$;

create function public.record_denial(function_name text, refs jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  given jsonb;
  m public.matters;
  ref text;
begin
  if coalesce(function_name, '') !~ '^[a-z][a-z0-9_.]{0,99}$' or jsonb_typeof(refs) is distinct from 'object' then
    perform private.invalid('A refusal is recorded with the name of a function and the ids given to it.');
  end if;
  select coalesce(jsonb_object_agg(left(r.key, 60), left(r.value, 200)), '{}') into given
  from (select * from jsonb_each_text(refs) limit 10) r;
  for ref in select r.value from jsonb_each_text(given) r loop
    m := private.matter_named(me.tenant_id, ref);
    exit when m.id is not null;
  end loop;
  perform private.audit('denied', m, null, jsonb_build_object(
    'function', function_name, 'refs', given,
    'screened', exists (
      select from public.matter_screens s
      where s.matter_id = m.id and s.user_id = me.user_id and s.lifted_at is null
        and s.starts_at <= now() and (s.ends_at is null or s.ends_at > now())
    )
  ));
  return jsonb_build_object('recorded', true);
end
$$;

create function public.record_answer(question text, model text, answer_sha256 text, citations jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  run text := private.my_run_id();
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
  return jsonb_build_object('recorded', greatest(cardinality(matters), 1));
end
$$;

create function private.entry_json(a public.audit_log, readable uuid[]) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'seq', a.seq, 'at', a.at, 'user_id', a.user_id, 'email', (select u.email from auth.users u where u.id = a.user_id),
    'action', a.action, 'document_id', a.document_id, 'document_name', d.filename,
    'run', a.detail -> 'run', 'thread', a.detail -> 'thread',
    'detail', case when restricted.yes then null else a.detail end, 'previous_hash', a.previous_hash, 'hash', a.hash
  )
  from (
    select a.document_id is not null and exists (
      select from public.documents x where x.id = a.document_id and x.deleted_at is null and x.id <> all (readable)
    ) as yes
  ) restricted
  left join public.documents d on d.id = a.document_id and not restricted.yes
$$;

create function public.list_audit(matter_ref text, after_seq bigint default 0, row_count integer default 1000) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref, 'owner');
  readable uuid[] := array(select private.readable_documents(m.id));
  result jsonb;
begin
  select coalesce(jsonb_agg(private.entry_json(a, readable) order by a.seq), '[]') into result
  from (
    select x.* from public.audit_log x where x.chain = m.id and x.seq > coalesce(after_seq, 0)
    order by x.seq limit least(greatest(coalesce(row_count, 1000), 1), 10000)
  ) a;
  perform private.audit('list_audit', m, null, jsonb_build_object('after_seq', after_seq, 'count', jsonb_array_length(result)));
  return result;
end
$$;

create function private.place_json(document uuid, revision uuid, span_start integer, span_end integer, readable uuid[]) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object(
    'document_id', document, 'revision_id', revision, 'start', span_start, 'end', span_end, 'document_name', d.filename,
    'page', case when r.id is not null then private.page_at(r.id, span_start) end,
    'text', substr(r.text, span_start + 1, span_end - span_start)
  )
  from (select) one
  left join public.documents d on d.id = document and d.id = any (readable)
  left join public.document_revisions r on r.id = revision and r.document_id = d.id
$$;

create function public.replay_run(run_id text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
  mine uuid[] := array(select private.my_matter_ids());
  answer public.audit_log;
  touched uuid[];
  readable uuid[];
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
    'question', answer.detail -> 'question', 'model', answer.detail -> 'model', 'answer_sha256', answer.detail -> 'answer_sha256',
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
    'entries', (select jsonb_agg(private.entry_json(e, readable) || jsonb_build_object('matter_id', e.matter_id) order by e.id) from entries e)
  ) into result;
  perform private.audit('replay_run', m, null, jsonb_build_object('replayed', run_id))
  from public.matters m where m.id = any (touched);
  if touched is null then
    perform private.audit('replay_run', null, null, jsonb_build_object('replayed', run_id));
  end if;
  return result;
end
$$;

create function public.unsigned_heads(row_count integer default 1000) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('chain', h.chain, 'seq', h.seq, 'hash', h.hash) order by h.chain), '[]')
  from (select x.* from private.audit_heads x where x.seq > x.signed_seq order by x.chain limit row_count) h
$$;

create function public.heads_signed(heads jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  signed bigint;
begin
  update private.audit_heads h set signed_seq = greatest(h.signed_seq, (s ->> 'seq')::bigint)
  from jsonb_array_elements(heads) s where h.chain = private.as_uuid(s ->> 'chain');
  get diagnostics signed = row_count;
  return jsonb_build_object('signed', signed);
end
$$;

create function public.audit_chains() returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'chain', c.chain, 'seq', c.seq, 'kind', case when m.id is not null then 'matter' else 'person' end,
    'name', coalesce(m.number, u.email, c.chain::text), 'signed_seq', c.signed_seq
  ) order by m.number nulls last, u.email, c.chain), '[]')
  from (
    select coalesce(h.chain, a.chain) as chain, greatest(h.seq, a.seq) as seq, coalesce(h.signed_seq, 0) as signed_seq
    from private.audit_heads h full join (select x.chain, max(x.seq) as seq from public.audit_log x group by x.chain) a on a.chain = h.chain
  ) c
  left join public.matters m on m.id = c.chain
  left join auth.users u on u.id = c.chain
$$;

create function public.audit_hashes(chain text, seqs jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(a.seq::text, a.hash), '{}') from public.audit_log a
  where a.chain = private.as_uuid(audit_hashes.chain) and a.seq in (select s::bigint from jsonb_array_elements_text(seqs) s)
$$;

revoke all on function private.my_run_id, private.matter_named, private.entry_json, private.place_json from public, anon, authenticated;
revoke all on function public.record_denial, public.record_answer, public.list_audit, public.replay_run, public.unsigned_heads,
  public.heads_signed, public.audit_chains, public.audit_hashes from public, anon, authenticated, service_role;
grant execute on function public.record_denial, public.record_answer, public.list_audit, public.replay_run to authenticated;
grant execute on function public.unsigned_heads, public.heads_signed, public.audit_chains, public.audit_hashes to service_role;
