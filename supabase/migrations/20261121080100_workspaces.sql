-- As the caller (role authenticated): the conversation's own workspace, a private matter that no other conversation can see.
--
--   chat_workspace(make = false)    matter | null; made on first use when `make`. Outside a conversation null, OR400 when `make`

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
    -- A conversation is one person's: what another one made under this name is not found, and not shared.
    insert into public.matters (tenant_id, number, title, kind, thread_id, created_by)
    values (me.tenant_id, 'CHAT-' || left(encode(sha256(convert_to(thread, 'UTF8')), 'hex'), 16), 'Files of this conversation',
      'workspace', thread, me.user_id)
    on conflict (tenant_id, thread_id) where thread_id is not null do nothing
    returning * into m;
    if m.id is null then
      perform private.not_found('matter', 'of this conversation');
    end if;
    insert into public.matter_members (matter_id, user_id, role) values (m.id, me.user_id, 'owner');
    perform private.audit('chat_workspace', m, null, jsonb_build_object('thread_id', thread));
  end if;
  return case when m.id is not null then private.matter_json(m) end;
end
$$;

revoke all on function public.chat_workspace from public, anon, authenticated, service_role;
grant execute on function public.chat_workspace to authenticated;
