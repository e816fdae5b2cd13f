-- A worker knows whether a document is a chat's: such a file has a lower limit on its text.
--
-- worker documents gain: in_chat

create or replace function private.worker_json(d public.documents) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('id', d.id, 'tenant_id', m.tenant_id, 'matter_id', d.matter_id, 'filename', d.filename,
    'content_type', d.content_type, 'size_bytes', d.size_bytes, 'sha256', d.sha256, 'storage_key', d.storage_key,
    'status', d.status, 'deleted', d.deleted_at is not null, 'legal_hold', d.legal_hold,
    'in_chat', m.kind = 'workspace')
  from public.matters m where m.id = d.matter_id
$$;
