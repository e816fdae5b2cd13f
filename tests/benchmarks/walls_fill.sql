-- Creates a firm with %(passages)s passages in %(matters)s matters, 50 per document, with groups, screens and members of all roles.
-- Triggers are disabled, so that no worker processes the documents.
set local session_replication_role = replica;
set local synchronous_commit = off;

insert into tenants (id, name) values (md5('firm')::uuid, 'Firm'), (md5('elsewhere')::uuid, 'Elsewhere');
insert into auth.users (id, email) select md5('user ' || n)::uuid, 'user' || n || '@firm.example' from generate_series(0, 199) n;
insert into profiles (user_id, tenant_id, display_name) select md5('user ' || n)::uuid, md5('firm')::uuid, 'User ' || n from generate_series(0, 199) n;

-- One matter has a fifth of all passages, one in ten of the others a twentieth, and the others share the rest.
create temporary table shape on commit drop as
select n, md5('matter ' || n)::uuid as matter, case
    when n = 0 then %(passages)s / 5
    when n <= 8 then %(passages)s / 20
    else greatest(50, %(passages)s * 2 / 5 / (%(matters)s - 9)) end as passages
from generate_series(0, %(matters)s - 1) n;
insert into matters (id, tenant_id, number, title) select matter, md5('firm')::uuid, 'B-' || n, 'Matter ' || n from shape;
insert into matter_members (matter_id, user_id, role)
select matter, md5('user ' || u)::uuid, case when u = 0 then 'owner' else 'viewer' end from shape, generate_series(0, 199) u
where u = 0 or (u + n) %% 10 = 0;
-- Screens against other users in every matter, and against the caller in one of five matters that are not queried.
insert into matter_screens (matter_id, user_id, reason)
select matter, md5('user ' || (1 + (n * 7 + s) %% 199))::uuid, 'Conflict' from shape, generate_series(0, 4) s;
insert into matter_screens (matter_id, user_id, reason) select matter, md5('user 0')::uuid, 'Conflict' from shape where n > 20 and n %% 5 = 0;
insert into groups (id, tenant_id, name) select md5('group ' || g)::uuid, md5('firm')::uuid, 'Group ' || g from generate_series(0, 19) g;
insert into group_members (group_id, user_id)
select md5('group ' || g)::uuid, md5('user ' || u)::uuid from generate_series(0, 19) g, generate_series(0, 199) u where (g + u) %% 2 = 0 or u = 0;

create temporary table papers on commit drop as
select n, matter, d, md5('document ' || n || ' ' || d)::uuid as document, md5('revision ' || n || ' ' || d)::uuid as revision
from shape, generate_series(0, passages / 50 - 1) d;
-- One document in five belongs to a group. The caller is in all groups, so that both variants search the same passages.
insert into documents (id, upload_order, matter_id, filename, content_type, size_bytes, sha256, storage_key, status, current_revision_id, group_id)
overriding system value
select document, row_number() over (order by n, d), matter, 'agreement ' || n || ' ' || d || '.txt', 'text/plain', 1, md5(d::text) || md5(n::text),
  document || '/a', 'ready', revision, case when d %% 5 = 0 then md5('group ' || (d / 5) %% 20)::uuid end
from papers;
insert into document_revisions (id, document_id, ordinal, text, char_count, page_count, chunk_count, paged, reader, storage_key, sha256, text_sha256, published_at)
select revision, document, 1, 'left out', 8, 10, 50, true, 'bench', document || '/a', repeat('0', 64), repeat('0', 64), now() from papers;

-- Word frequencies follow Zipf's law.
create function pg_temp.words(seed integer, count integer) returns text language sql volatile as $$
  select string_agg('word' || floor(power(4000, random()))::int, ' ') from generate_series(1, count + seed * 0)
$$;
create function pg_temp.near(seed integer) returns extensions.vector language sql volatile as $$
  select array_agg(random() - 0.5)::extensions.vector from generate_series(1, 384 + seed * 0)
$$;
insert into chunks (id, revision_id, document_id, matter_id, ordinal, start_char, end_char, page_first, page_last, text)
select md5('chunk ' || document || c)::uuid, revision, document, matter, c, c * 800, c * 800 + 800, c / 5 + 1, c / 5 + 1, pg_temp.words(c, 120)
from papers, generate_series(0, 49) c;
insert into chunk_embeddings (chunk_id, part, revision_id, matter_id, model, embedding)
select id, 0, revision_id, matter_id, 'bench', pg_temp.near(ordinal) from chunks;
