-- The record: what was read, changed, refused and answered, by whom and in which run. A chain of hashes for each matter, and one
-- for each person for what concerns no matter. Functions that read append in their own transaction: what cannot be recorded is
-- not read. The heads of the chains are signed outside the database, so that its administrator cannot rewrite the record unseen.

-- == Tables ==

-- detail: what the action concerns. Entries of a run carry `run` and `thread`, from the claims. Searches carry `given`
-- (documents) and `chunks` (passages) that they gave.
create table public.audit_log (
  id bigint generated always as identity primary key,
  chain uuid not null,
  seq bigint not null,
  at timestamptz not null,
  tenant_id uuid,
  matter_id uuid,
  document_id uuid,
  user_id uuid,
  action text not null,
  detail jsonb not null,
  previous_hash text not null,
  hash text not null,
  unique (chain, seq)
);
create index audit_log_matter on public.audit_log (matter_id, seq);
create index audit_log_run on public.audit_log ((detail ->> 'run')) where detail ? 'run';
alter table public.audit_log enable row level security;

-- The last entry of each chain. Transactions that touch several chains lock their heads in the order of their ids.
create table private.audit_heads (
  chain uuid primary key,
  seq bigint not null,
  hash text not null,
  signed_seq bigint not null default 0
);
create index audit_heads_unsigned on private.audit_heads (chain) where seq > signed_seq;
alter table private.audit_heads enable row level security;

-- The entry up to which retention has removed each chain.
create table private.audit_trims (
  chain uuid primary key,
  seq bigint not null,
  hash text not null
);
alter table private.audit_trims enable row level security;

-- == Private functions: writing ==

-- SHA-256 over the previous hash and every recorded value, in jsonb's canonical order of keys and in UTC.
create function private.audit_hash(entry public.audit_log) returns text
language sql stable
set search_path = ''
as $$
  select encode(sha256(convert_to(entry.previous_hash || jsonb_build_object(
    'chain', entry.chain, 'seq', entry.seq,
    'at', to_char(entry.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
    'tenant_id', entry.tenant_id, 'matter_id', entry.matter_id, 'document_id', entry.document_id,
    'user_id', entry.user_id, 'action', entry.action, 'detail', entry.detail
  )::text, 'UTF8')), 'hex')
$$;

-- Appends an entry to a chain; its user is the caller where there is one, and otherwise nobody. It locks the head of the chain
-- until the transaction ends.
create function private.append_entry(to_chain uuid, tenant uuid, matter uuid, document uuid, action text, detail jsonb) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  head private.audit_heads;
  entry public.audit_log;
begin
  insert into private.audit_heads as h (chain, seq, hash) values (to_chain, 0, '')
  on conflict (chain) do update set seq = h.seq
  returning h.* into head;
  entry.chain := to_chain;
  entry.seq := head.seq + 1;
  entry.at := clock_timestamp();
  entry.tenant_id := tenant;
  entry.matter_id := matter;
  entry.document_id := document;
  entry.user_id := auth.uid();
  entry.action := append_entry.action;
  entry.detail := append_entry.detail;
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

-- Appends an entry to the matter's chain, or without a matter to the caller's. Call it last: it locks the head of the chain.
create function private.audit(
  action text, matter public.matters, document_id uuid default null, detail jsonb default '{}'
) returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.append_entry(
    coalesce(matter.id, auth.uid()), coalesce(matter.tenant_id, private.my_tenant_id()), matter.id, document_id, action,
    detail || jsonb_strip_nulls(jsonb_build_object('run', private.my_run_id(), 'thread', private.my_thread_id()))
  );
end
$$;

-- Appends an entry about a person to the person's own chain: what the operator or the identity provider has done.
create function private.audit_person(person public.profiles, action text, detail jsonb default '{}') returns void
language plpgsql security definer
set search_path = ''
as $$
begin
  perform private.append_entry(
    person.user_id, person.tenant_id, null, null, action, jsonb_build_object('person', person.user_id) || detail
  );
end
$$;

-- Removes the entries of a chain up to one, and records that in the chain. Returns {chain, entries, to}.
create function private.trim_chain(trimmed uuid, matter uuid, tenant uuid, to_seq bigint) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  last public.audit_log;
  gone integer;
begin
  perform from private.audit_heads h where h.chain = trimmed for update;
  select a.* into last from public.audit_log a where a.chain = trimmed and a.seq = to_seq;
  delete from public.audit_log a where a.chain = trimmed and a.seq <= to_seq;
  get diagnostics gone = row_count;
  insert into private.audit_trims as x (chain, seq, hash) values (trimmed, to_seq, last.hash)
  on conflict (chain) do update set seq = excluded.seq, hash = excluded.hash;
  perform private.append_entry(
    trimmed, tenant, matter, null, 'trim_audit', jsonb_build_object('to', to_seq, 'hash', last.hash, 'entries', gone)
  );
  return jsonb_build_object('chain', trimmed, 'entries', gone, 'to', to_seq);
end
$$;

-- The chains with entries past their retention rule, and the last such entry. A person's own chain follows the firm's rule.
create function private.expired_entries() returns table (chain uuid, tenant_id uuid, matter_id uuid, entries bigint, last_seq bigint, held boolean)
language sql stable security definer
set search_path = ''
as $$
  select a.chain, owner.tenant_id, owner.matter_id, count(*), max(a.seq), coalesce(private.matter_held(owner.matter_id), false)
  from (
    select m.id as chain, m.tenant_id, m.id as matter_id from public.matters m
    union all
    select p.user_id, p.tenant_id, null from public.profiles p
  ) owner
  join public.audit_log a on a.chain = owner.chain
  where private.expired(a.at, private.keep_days(owner.tenant_id, owner.matter_id, 'audit'))
  group by a.chain, owner.tenant_id, owner.matter_id
$$;

-- == Private functions: what a reader of the record may see ==
-- A question, or the words of a search, can give away what a document says. Details are null for a reader who may not read every
-- document that the run (or, outside a run, the entry) came upon. When, by whom and in which run stays visible.

-- Whether one of some documents is, or was, in a matter; without a matter, in any.
create function private.any_hidden_in(matter uuid, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select matter is null
    or exists (select from public.documents d where d.id = any (documents) and d.matter_id = matter)
    or exists (select from public.receipts x where x.document_id = any (documents) and x.matter_id = matter)
$$;

-- Whether an entry looked for a file by the name or content of one of some documents.
create function private.looked_for(a public.audit_log, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from public.documents d where d.id = any (documents) and d.matter_id = a.matter_id and (
      lower(d.filename) = lower(a.detail ->> 'filename')
      or exists (select from public.document_files f where f.document_id = d.id and f.sha256 = a.detail ->> 'sha256')
    )
  ) or exists (
    select from public.receipts x where x.document_id = any (documents) and x.matter_id = a.matter_id
      and (lower(x.filename) = lower(a.detail ->> 'filename') or x.sha256 = a.detail ->> 'sha256')
  )
$$;

-- Whether an entry that does not name what it gave may have given one of some documents: passages of it, or, where passages are
-- gone or were not recorded, any document of its matter.
create function private.may_have_given(a public.audit_log, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from jsonb_path_query(a.detail, '$.chunks[*] ? (@.type() == "string")') hit (id)
    left join lateral (select c.id, c.document_id from public.chunks c where c.id = private.as_uuid(hit.id #>> '{}') offset 0) c on true
    where c.document_id = any (documents) or (c.id is null and private.any_hidden_in(a.matter_id, documents))
  ) or (
    (
      a.action in ('matter_texts', 'search_revision_text', 'search_visuals', 'named_documents', 'find_by_name')
      or (a.action = 'page_documents' and a.detail ->> 'name_like' is not null)
    )
    and coalesce(a.detail ->> 'documents', a.detail ->> 'hits', a.detail ->> 'pages', a.detail ->> 'total') <> '0'
    and private.any_hidden_in(a.matter_id, documents)
  )
$$;

-- Whether a search for names, which belongs to no matter, found a document in a matter that is not the caller's.
create function private.found_elsewhere(a public.audit_log) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from jsonb_array_elements_text(a.detail -> 'given') given (id)
    cross join lateral (
      select d.matter_id from public.documents d where d.id = given.id::uuid
      union all
      select x.matter_id from public.receipts x where x.document_id = given.id::uuid
    ) found
    where found.matter_id not in (select private.my_matters_and_workspaces())
  )
$$;

-- Whether an entry is about one of some documents, quotes one, looks for one, or gives one or passages of one; or found one
-- elsewhere. It is asked of every entry: what few entries need stands in functions of its own.
create function private.entry_touches(a public.audit_log, documents uuid[]) returns boolean
language sql stable security definer
set search_path = ''
as $$
  select (cardinality(documents) > 0 and (
    coalesce(a.document_id = any (documents), false)
    or exists (
      select from jsonb_path_query(a.detail, '$.citations[*].document_id') c (id) where private.as_uuid(c.id #>> '{}') = any (documents)
    )
    or exists (
      select from jsonb_path_query(a.detail, '$.given[*]') given (id) where (given.id #>> '{}')::uuid = any (documents)
    )
    or (a.action = 'find_duplicates' and private.looked_for(a, documents))
    or (a.document_id is null and not a.detail ? 'given' and private.may_have_given(a, documents))
  ))
  or (a.action = 'find_by_name' and private.found_elsewhere(a))
$$;

-- entry = {seq, at, user_id, email, action, document_id, document_name | null, run, thread, detail | null, previous_hash, hash}
--   document_name: null where the document is not readable. detail: null where withheld; the reason of a wall is left out for
--   everybody but conflicts officers and the person who made the entry.
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
  left join public.documents d on d.id = a.document_id and (
    d.id = any (readable)
    or (d.deleted_at is not null and (d.group_id is null or d.group_id = any (array(select private.my_group_ids()))))
  )
$$;

-- {document_id, revision_id, start, end, document_name, page, text}; the last three null where the place is purged or not
-- readable.
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

-- == As the caller (role authenticated) ==

-- Records a refusal, sent by the adapters, because the refused transaction was rolled back. refs: {argument: id}. Returns
-- {recorded}. The entry stands in the chain of a matter of the caller's firm that one of the ids leads to, readable or not, else
-- in the caller's.
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

-- Whether the words of a citation stand at its place in a stored revision of the document.
create function private.citation_stands(document_id uuid, citation jsonb) returns boolean
language sql stable set search_path = ''
as $$
  select exists (
    select from public.document_revisions r
    where r.id = private.as_uuid(citation ->> 'revision_id') and r.document_id = citation_stands.document_id
      and 0 <= (citation ->> 'start')::integer and (citation ->> 'start')::integer < (citation ->> 'end')::integer
      and (citation ->> 'end')::integer <= r.char_count
      and (citation ->> 'text_sha256' is null or citation ->> 'text_sha256' = encode(sha256(convert_to(
        substr(r.text, (citation ->> 'start')::integer + 1, (citation ->> 'end')::integer - (citation ->> 'start')::integer), 'UTF8'
      )), 'hex'))
  )
$$;

-- Records an answer in the chain of every matter that it quotes; without a quotation, of the matters that its run has read; else
-- in the caller's. citations: [{document_id, revision_id, start, end, text_sha256?}, …]: places and no words, which a purge could
-- not remove. A place is recorded if it stands in the stored text; text_sha256 is the hash of the words that the answer showed.
-- A run that is continued after a restart, and records its answer again, adds nothing.
-- Returns {recorded: number of entries, closed}; closed: the conversation has been closed meanwhile.
create function public.record_answer(question text, model text, answer_sha256 text, citations jsonb) returns jsonb
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

-- Reads a matter's chain, for owners; row_count up to 10000. Returns [entry, …] in order.
create function public.list_audit(matter_ref text, after_seq bigint default 0, row_count integer default 1000) returns jsonb
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

-- Reads all that is recorded of a run, for the person who asked and for owners of its matters, while all of these are readable.
-- Returns {run, thread, user_id, email, at, question | null, model, answer_sha256, matters: [{id, number, title}, …],
-- citations: [place, …], passages: [place + {chunk_id}, …], entries: [entry + {matter_id}, …]}.
--   place: the shape beside private.place_json. question: null where it is withheld.
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
  hidden := array(select private.hidden_documents(mine));
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

-- == As the operator and the witness (service_role) ==

-- Lists chains that have grown since they were signed. Returns [{chain, seq, hash}, …].
create function public.unsigned_heads(row_count integer default 1000) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object('chain', h.chain, 'seq', h.seq, 'hash', h.hash) order by h.chain), '[]')
  from (select x.* from private.audit_heads x where x.seq > x.signed_seq order by x.chain limit row_count) h
$$;

-- Notes how far chains are signed. heads: [{chain, seq}, …]. Returns {signed}.
create function public.heads_signed(heads jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  signed bigint;
begin
  perform from private.audit_heads h
  where h.chain = any (array(select private.as_uuid(s ->> 'chain') from jsonb_array_elements(heads) s))
  order by h.chain for update;
  update private.audit_heads h set signed_seq = greatest(h.signed_seq, (s ->> 'seq')::bigint)
  from jsonb_array_elements(heads) s where h.chain = private.as_uuid(s ->> 'chain');
  get diagnostics signed = row_count;
  return jsonb_build_object('signed', signed);
end
$$;

-- Lists all chains. Returns [{chain, seq, kind: matter | person, name, signed_seq}, …].
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

-- Reads hashes of a chain's entries. Returns {seq: hash}; missing entries are left out.
create function public.audit_hashes(chain text, seqs jsonb) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(a.seq::text, a.hash), '{}') from public.audit_log a
  where a.chain = private.as_uuid(audit_hashes.chain) and a.seq in (select s::bigint from jsonb_array_elements_text(seqs) s)
$$;

-- Checks a chain (a matter's or person's id). Returns {entries, intact, broken_at | null, trimmed_to, first_after | null}; entries
-- up to trimmed_to were removed by retention, which an entry of the chain itself must say; first_after: time of the first entry
-- after after_seq.
create function public.verify_audit(chain text, after_seq bigint default 0) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  broken bigint;
  counted bigint;
  head private.audit_heads;
  trim private.audit_trims;
begin
  select h.* into head from private.audit_heads h where h.chain = private.as_uuid(verify_audit.chain);
  select t.* into trim from private.audit_trims t where t.chain = private.as_uuid(verify_audit.chain);
  select count(*), min(x.seq) filter (
    where x.hash <> x.recomputed or x.previous_hash <> x.hash_before or x.seq <> x.expected_seq
  ) into counted, broken
  from (
    select a.seq, a.hash, a.previous_hash, private.audit_hash(a) as recomputed,
      coalesce(lag(a.hash) over (order by a.seq), trim.hash, '') as hash_before,
      coalesce(trim.seq, 0) + row_number() over (order by a.seq) as expected_seq
    from public.audit_log a where a.chain = private.as_uuid(verify_audit.chain)
  ) x;
  -- An entry of the chain itself, hashed and signed like any other, must state what was trimmed.
  if broken is null and trim.chain is not null and not exists (
    select from public.audit_log a
    where a.chain = trim.chain and a.action = 'trim_audit' and (a.detail ->> 'to')::bigint = trim.seq and a.detail ->> 'hash' = trim.hash
  ) then
    broken := trim.seq;
  end if;
  if broken is null and coalesce(head.seq, 0) <> coalesce(trim.seq, 0) + counted then
    broken := coalesce(trim.seq, 0) + counted + 1;
  end if;
  if broken is null and counted > 0 and head.hash is distinct from (
    select a.hash from public.audit_log a where a.chain = private.as_uuid(verify_audit.chain) order by a.seq desc limit 1
  ) then
    broken := coalesce(trim.seq, 0) + counted;
  end if;
  return jsonb_build_object('entries', counted, 'intact', broken is null, 'broken_at', broken, 'trimmed_to', coalesce(trim.seq, 0),
    'first_after', (select min(a.at) from public.audit_log a
      where a.chain = private.as_uuid(verify_audit.chain) and a.seq > coalesce(after_seq, 0)));
end
$$;

-- Removes entries past their retention rule. Returns [{chain, entries, to}, …].
create function public.trim_audit() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  e record;
  done jsonb := '[]';
begin
  for e in
    select x.* from private.expired_entries() x join private.audit_heads h on h.chain = x.chain
    -- A chain is left alone where only the entry of its last trimming would be removed.
    where not x.held and exists (
      select from public.audit_log a where a.chain = x.chain and a.seq <= x.last_seq and a.action <> 'trim_audit'
    )
    order by x.chain
  loop
    done := done || private.trim_chain(e.chain, e.matter_id, e.tenant_id, e.last_seq);
  end loop;
  return done;
end
$$;

-- == Privileges ==

revoke all on public.audit_log from anon, authenticated, service_role;
-- Not even the worker may rewrite the record: its functions append.
grant select on public.audit_log to service_role;
revoke all on private.audit_heads, private.audit_trims from public, anon, authenticated, service_role;
revoke all on function private.audit_hash, private.append_entry, private.audit, private.audit_person, private.trim_chain, private.expired_entries, private.any_hidden_in,
  private.looked_for, private.may_have_given, private.found_elsewhere, private.entry_touches, private.entry_json,
  private.place_json, private.citation_stands from public, anon, authenticated;
revoke all on function public.record_denial, public.record_answer, public.list_audit, public.replay_run, public.unsigned_heads,
  public.heads_signed, public.audit_chains, public.audit_hashes, public.verify_audit, public.trim_audit
  from public, anon, authenticated, service_role;
grant execute on function public.record_denial, public.record_answer, public.list_audit, public.replay_run to authenticated;
grant execute on function public.unsigned_heads, public.heads_signed, public.audit_chains, public.audit_hashes,
  public.verify_audit, public.trim_audit to service_role;
