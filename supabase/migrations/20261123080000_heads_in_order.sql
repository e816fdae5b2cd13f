-- Whoever touches several chains of the record locks their heads in the order of their ids, so that nobody waits for somebody who
-- waits for them: an answer that quotes several matters already did. As in 20261122010002 and 20261122050002, but for the order.

create or replace function public.heads_signed(heads jsonb) returns jsonb
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

create or replace function public.trim_audit() returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  e record;
  done jsonb := '[]';
begin
  for e in
    select x.* from private.expired_entries() x join private.audit_heads h on h.chain = x.chain
    -- A chain of which nothing but the last trimming would be trimmed is left alone.
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
