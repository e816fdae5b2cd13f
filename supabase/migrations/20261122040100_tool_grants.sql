-- Which tools the programs of a firm have. Every tool is granted until an administrator of the firm takes it away.
--
-- As the caller (role authenticated):
--   withheld_tools(client_id)                              [function_name, …] sorted
--   grant_tool(client_id, function_name, granted = true)   {client_id, function_name, granted}; administrators of the firm alone
--     client_id: "orderly" for the agents, through whichever door they are asked; "mcp" for clients of the Model Context Protocol

create table public.withheld_tools (
  tenant_id uuid not null references public.tenants (id) on delete cascade,
  client_id text not null check (client_id in ('orderly', 'mcp')),
  function_name text not null check (function_name ~ '^[a-z][a-z0-9_]{0,63}$'),
  withheld_by uuid references public.profiles (user_id) on delete set null,
  withheld_at timestamptz not null default now(),
  primary key (tenant_id, client_id, function_name)
);

alter table public.withheld_tools enable row level security;
revoke all on public.withheld_tools from anon, authenticated;
grant select on public.withheld_tools to authenticated;
grant all on public.withheld_tools to service_role;
create policy "of one's own firm" on public.withheld_tools for select to authenticated
  using (tenant_id = (select p.tenant_id from public.profiles p where p.user_id = (select auth.uid())));

create function public.withheld_tools(client_id text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  return (
    select coalesce(jsonb_agg(w.function_name order by w.function_name collate "C"), '[]')
    from public.withheld_tools w
    where w.tenant_id = me.tenant_id and w.client_id = withheld_tools.client_id
  );
end
$$;

create function public.grant_tool(client_id text, function_name text, granted boolean default true) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  me public.profiles := private.caller();
begin
  if not me.is_admin then
    raise exception 'Only an administrator of the firm can do that.' using errcode = 'OR403';
  end if;
  if coalesce(grant_tool.client_id, '') not in ('orderly', 'mcp') then
    perform private.not_found('client', grant_tool.client_id);
  end if;
  if coalesce(grant_tool.function_name, '') !~ '^[a-z][a-z0-9_]{0,63}$' then
    perform private.not_found('function', grant_tool.function_name);
  end if;
  if coalesce(grant_tool.granted, true) then
    delete from public.withheld_tools w
    where w.tenant_id = me.tenant_id and w.client_id = grant_tool.client_id and w.function_name = grant_tool.function_name;
  else
    insert into public.withheld_tools (tenant_id, client_id, function_name, withheld_by)
    values (me.tenant_id, grant_tool.client_id, grant_tool.function_name, me.user_id)
    on conflict do nothing;
  end if;
  perform private.audit('grant_tool', null, null, jsonb_build_object('client_id', grant_tool.client_id,
    'function_name', grant_tool.function_name, 'granted', coalesce(grant_tool.granted, true)));
  return jsonb_build_object('client_id', grant_tool.client_id, 'function_name', grant_tool.function_name,
    'granted', coalesce(grant_tool.granted, true));
end
$$;

revoke all on function public.withheld_tools, public.grant_tool from public, anon, authenticated, service_role;
grant execute on function public.withheld_tools, public.grant_tool to authenticated;
