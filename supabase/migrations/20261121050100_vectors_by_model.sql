-- Which models a revision is embedded under in full, and how another model's vectors come in beside those that serve.
--
-- As the caller (role authenticated):
--   documents_without_vectors(matter_id, model, within = null)   [document id, …]: in reach of the search, and found by words only
-- As service_role:
--   revisions_to_embed(model, matter_id = null, after = 0, row_count = 100)   [{document_id, filename, upload_order, revision_id,
--     chunk_count}, …] current ones that lack the model, by upload_order above `after`; matter_id: an id; null: every matter
--   chunks_to_embed(revision_id, model, row_count = 100)         [{id, text}, …] in order, those that have no vector of the model yet
--   add_embeddings(revision_id, model, "rows")                   number added; row = {chunk_id, part, embedding}; all parts of a chunk
--     at once. What is there stays; a chunk that is gone is passed over
--   complete_embedding(revision_id, model)                       whether the revision is still current, and now has the model in full
--   drop_other_vectors(model, matter_id = null, row_count = 100) {documents, vectors}; of at most row_count revisions that have the
--     model in full, the vectors of every other model. Call it until documents is 0

create table public.revision_vectors (
  revision_id uuid not null references public.document_revisions (id) on delete cascade,
  model text not null,
  completed_at timestamptz not null default now(),
  primary key (revision_id, model)
);
alter table public.revision_vectors enable row level security;
revoke all on public.revision_vectors from anon, authenticated;
grant select on public.revision_vectors to authenticated;
grant all on public.revision_vectors to service_role;
create policy "vectors of one of readable_revisions" on public.revision_vectors
  for select to authenticated using (revision_id = any (array(select private.readable_revisions())));

insert into public.revision_vectors (revision_id, model)
select distinct e.revision_id, e.model
from public.chunk_embeddings e join public.document_revisions r on r.id = e.revision_id
where r.published_at is not null;

-- A revision is published whole, with its vectors.
create function private.note_vectors() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  insert into public.revision_vectors (revision_id, model) values (new.id, new.embedding_model) on conflict do nothing;
  return null;
end
$$;
create trigger note_vectors after update of published_at on public.document_revisions
  for each row when (old.published_at is null and new.published_at is not null and new.embedding_model is not null)
  execute function private.note_vectors();

-- No entry in the record: it tells nothing that list_documents has not told.
create function public.documents_without_vectors(matter_id text, model text, within jsonb default null) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  m public.matters := private.open_matter(matter_id);
begin
  return (
    select coalesce(jsonb_agg(d.id order by d.upload_order), '[]')
    from public.documents d join public.document_revisions r on r.id = d.current_revision_id
    where d.current_revision_id = any (array(select s.revision_id from private.scope(m, within) s))
      and r.chunk_count > 0
      and not exists (
        select from public.revision_vectors v
        where v.revision_id = r.id and v.model = documents_without_vectors.model
      )
  );
end
$$;

create function public.revisions_to_embed(model text, matter_id text default null, after bigint default 0, row_count integer default 100)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(to_jsonb(x) order by x.upload_order), '[]')
    from (
      select d.id as document_id, d.filename, d.upload_order, r.id as revision_id, r.chunk_count
      from public.documents d join public.document_revisions r on r.id = d.current_revision_id
      where d.deleted_at is null and r.chunk_count > 0 and d.upload_order > revisions_to_embed.after
        and (revisions_to_embed.matter_id is null or d.matter_id = private.as_uuid(revisions_to_embed.matter_id))
        and not exists (
          select from public.revision_vectors v where v.revision_id = r.id and v.model = revisions_to_embed.model
        )
      order by d.upload_order
      limit private.row_limit(row_count)
    ) x
  );
end
$$;

create function public.chunks_to_embed(revision_id text, model text, row_count integer default 100) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', x.id, 'text', x.text) order by x.ordinal), '[]')
    from (
      select c.id, c.text, c.ordinal from public.chunks c
      where c.revision_id = private.as_uuid(chunks_to_embed.revision_id)
        and not exists (
          select from public.chunk_embeddings e where e.chunk_id = c.id and e.model = chunks_to_embed.model
        )
      order by c.ordinal
      limit private.row_limit(row_count)
    ) x
  );
end
$$;

create function public.add_embeddings(revision_id text, model text, "rows" jsonb) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  added integer;
begin
  insert into public.chunk_embeddings (chunk_id, part, revision_id, matter_id, model, embedding)
  select c.id, (x ->> 'part')::integer, c.revision_id, c.matter_id, add_embeddings.model,
    (x ->> 'embedding')::extensions.vector
  from jsonb_array_elements("rows") x
  join public.chunks c on c.id = private.as_uuid(x ->> 'chunk_id') and c.revision_id = private.as_uuid(add_embeddings.revision_id)
  on conflict on constraint chunk_embeddings_pkey do nothing;
  get diagnostics added = row_count;
  return to_jsonb(added);
end
$$;

create function public.complete_embedding(revision_id text, model text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  r uuid := private.as_uuid(complete_embedding.revision_id);
begin
  -- Keeps the document from getting another revision in between.
  perform from public.documents d where d.current_revision_id = r and d.deleted_at is null for share;
  if not found or exists (
    select from public.chunks c
    where c.revision_id = r and not exists (
      select from public.chunk_embeddings e where e.chunk_id = c.id and e.model = complete_embedding.model
    )
  ) then
    return to_jsonb(false);
  end if;
  insert into public.revision_vectors (revision_id, model) values (r, complete_embedding.model) on conflict do nothing;
  return to_jsonb(true);
end
$$;

create function public.drop_other_vectors(model text, matter_id text default null, row_count integer default 100) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  revisions uuid[] := array(
    select kept.revision_id from public.revision_vectors kept
    join public.documents d on d.current_revision_id = kept.revision_id
    where kept.model = drop_other_vectors.model
      and (drop_other_vectors.matter_id is null or d.matter_id = private.as_uuid(drop_other_vectors.matter_id))
      and exists (
        select from public.revision_vectors other
        where other.revision_id = kept.revision_id and other.model <> kept.model
      )
    order by kept.revision_id
    limit private.row_limit(row_count)
  );
  dropped integer;
begin
  delete from public.chunk_embeddings e where e.revision_id = any (revisions) and e.model <> drop_other_vectors.model;
  get diagnostics dropped = row_count;
  delete from public.revision_vectors v where v.revision_id = any (revisions) and v.model <> drop_other_vectors.model;
  return jsonb_build_object('documents', cardinality(revisions), 'vectors', dropped);
end
$$;

revoke all on function private.note_vectors from public, anon, authenticated;
revoke all on function public.documents_without_vectors, public.revisions_to_embed, public.chunks_to_embed,
  public.add_embeddings, public.complete_embedding, public.drop_other_vectors from public, anon, authenticated, service_role;
grant execute on function public.documents_without_vectors to authenticated;
grant execute on function public.revisions_to_embed, public.chunks_to_embed, public.add_embeddings,
  public.complete_embedding, public.drop_other_vectors to service_role;
