-- A conversation's first files often come together, and each of them makes the workspace. Whoever is second found that it was there and
-- not that it was their own, and a file was refused. As in 20261121080100, but for the second look.

create or replace function public.chat_workspace(make boolean default false) returns jsonb
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
    on conflict do nothing -- its conversation is taken, or the number made from it
    returning * into m;
    if m.id is not null then
      insert into public.matter_members (matter_id, user_id, role) values (m.id, me.user_id, 'owner');
      perform private.audit('chat_workspace', m, null, jsonb_build_object('thread_id', thread));
    else
      -- Made at this moment: their own is found now. A conversation is one person's, so what another one made under this name is not.
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
