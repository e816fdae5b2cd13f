-- What has changed in a matter, so that whoever watches it can be told, also about what happened while they were away.
--
-- Every change that can be seen of a document takes the next number of its matter. The number is taken when the transaction
-- commits, under a lock on the matter's counter: whoever has seen n has seen everything below n. Per document only the last
-- change is kept, so a watcher who comes back gets the present state and no history. The log names no file and outlives
-- the documents: their deletion is the last thing that is told of them.
--
-- As the caller (role authenticated):
--   document_changes(matter_ref, after = null, match_count = 200)
--                  {matter_id, latest, more, changes: [{number, document_id, document | null}, …]} in the order of the changes, those
--                  after the number given; null: every document that is there now, and latest. document: as list_documents has
--                  it, null when it is gone or not the caller's to see any more. more: there are further ones. Whoever watches is
--                  recorded once in ten minutes.
-- Each change is announced on the channel orderly_documents, with the matter's id.

create table private.matter_changes (
  matter_id uuid primary key references public.matters (id) on delete cascade,
  number bigint not null
);

create table private.document_changes (
  document_id uuid primary key,
  matter_id uuid not null references public.matters (id) on delete cascade,
  number bigint not null,
  group_id uuid,
  -- Whether it was ever outside a group: only then do others than the group's members hear that it has gone.
  was_open boolean not null,
  unique (matter_id, number)
);

create table private.watchers (
  matter_id uuid not null references public.matters (id) on delete cascade,
  user_id uuid not null,
  recorded_at timestamptz not null,
  primary key (matter_id, user_id)
);

alter table private.matter_changes enable row level security;
alter table private.document_changes enable row level security;
alter table private.watchers enable row level security;
revoke all on private.matter_changes, private.document_changes, private.watchers from public, anon, authenticated, service_role;

insert into private.document_changes (document_id, matter_id, number, group_id, was_open)
select d.id, d.matter_id, row_number() over (partition by d.matter_id order by d.upload_order), d.group_id, d.group_id is null
from public.documents d where d.deleted_at is null;
insert into private.matter_changes (matter_id, number)
select c.matter_id, max(c.number) from private.document_changes c group by c.matter_id;

create function private.note_change(document uuid, matter uuid, in_group uuid) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  next_number bigint;
begin
  -- A matter that goes as a whole has nobody left to tell.
  perform from public.matters m where m.id = matter;
  if not found then
    return;
  end if;
  insert into private.matter_changes as c (matter_id, number) values (matter, 1)
  on conflict (matter_id) do update set number = c.number + 1
  returning c.number into next_number;
  insert into private.document_changes as c (document_id, matter_id, number, group_id, was_open)
  values (document, matter, next_number, in_group, in_group is null)
  on conflict (document_id) do update set matter_id = excluded.matter_id, number = excluded.number, group_id = excluded.group_id,
    was_open = c.was_open or excluded.was_open;
  perform pg_notify('orderly_documents', matter::text);
end
$$;

create function private.document_changed() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    perform private.note_change(old.id, old.matter_id, old.group_id);
  else
    perform private.note_change(new.id, new.matter_id, new.group_id);
  end if;
  return null;
end
$$;

-- Deferred, so that the counter is the last thing a transaction locks: no two wait for each other.
create constraint trigger document_added after insert on public.documents
  deferrable initially deferred for each row execute function private.document_changed();
create constraint trigger document_changed after update on public.documents
  deferrable initially deferred for each row
  when ((old.status, old.status_reason, old.stage, old.stage_done, old.stage_total, old.filename, old.folder_id, old.legal_hold,
      old.group_id, old.current_revision_id, old.parent_document_id, old.deleted_at, old.matter_id, old.storage_key)
    is distinct from (new.status, new.status_reason, new.stage, new.stage_done, new.stage_total, new.filename, new.folder_id,
      new.legal_hold, new.group_id, new.current_revision_id, new.parent_document_id, new.deleted_at, new.matter_id,
      new.storage_key))
  execute function private.document_changed();
-- What was deleted was told then; an upload that never came is told now.
create constraint trigger document_removed after delete on public.documents
  deferrable initially deferred for each row
  when (old.deleted_at is null)
  execute function private.document_changed();

create function private.record_watcher(m public.matters) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  due boolean;
begin
  insert into private.watchers as w (matter_id, user_id, recorded_at) values (m.id, auth.uid(), now())
  on conflict (matter_id, user_id) do update set recorded_at = now() where w.recorded_at < now() - interval '10 minutes'
  returning true into due;
  if due then
    perform private.audit('document_changes', m);
  end if;
end
$$;

create function public.document_changes(matter_ref text, after bigint default null, match_count integer default 200)
returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_ref);
  wanted integer := least(greatest(coalesce(match_count, 200), 1), 1000);
  found_changes jsonb;
  newest bigint;
  reached bigint;
begin
  select coalesce(max(c.number), 0) into newest from private.matter_changes c where c.matter_id = m.id;
  select coalesce(jsonb_agg(x.entry order by x.number), '[]'), max(x.number) into found_changes, reached
  from (
    select c.number, jsonb_build_object('number', c.number, 'document_id', c.document_id,
      'document', case when d.id is not null then private.document_json(d) end) as entry
    from private.document_changes c
    left join public.documents d on d.id = c.document_id and d.id in (select private.readable_documents(m.id))
    where c.matter_id = m.id and c.number > coalesce(after, 0)
      -- Of what is gone only those hear who were there before.
      and (d.id is not null or (after is not null
        and (c.was_open or c.group_id = any (array(select private.my_group_ids())))))
    order by c.number
    limit wanted
  ) x;
  perform private.record_watcher(m);
  return jsonb_build_object(
    'matter_id', m.id,
    'more', jsonb_array_length(found_changes) >= wanted,
    'latest', case when jsonb_array_length(found_changes) >= wanted then reached else greatest(newest, coalesce(reached, 0)) end,
    'changes', found_changes
  );
end
$$;

revoke all on function private.note_change, private.document_changed, private.record_watcher from public, anon, authenticated;
revoke all on function public.document_changes from public, anon, authenticated, service_role;
grant execute on function public.document_changes to authenticated;
