-- The operator renames a firm.

-- Renames a firm. Returns {id, name}.
create function public.rename_tenant(tenant text, new_name text) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  t public.tenants;
begin
  if coalesce(btrim(new_name), '') = '' or not private.is_plain(new_name) then
    perform private.invalid('A tenant needs a name.');
  end if;
  begin
    update public.tenants x set name = btrim(new_name) where x.name = rename_tenant.tenant returning x.* into t;
  exception when unique_violation then
    raise exception 'Tenant % exists already.', btrim(new_name) using errcode = 'OR409';
  end;
  if t.id is null then
    perform private.not_found('tenant', tenant);
  end if;
  return jsonb_build_object('id', t.id, 'name', t.name);
end
$$;

revoke all on function public.rename_tenant from public, anon, authenticated, service_role;
grant execute on function public.rename_tenant to service_role;
