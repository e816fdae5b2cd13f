-- What is to be read now, for workers that cannot wait for the queue's notifications.
--
-- As service_role:
--   due_documents(lease_seconds, match_count = 10)   [document id, …]: queued and due, or left by a silent worker; the oldest first

create function public.due_documents(lease_seconds integer, match_count integer default 10) returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select coalesce(jsonb_agg(x.id order by x.upload_order), '[]')
  from (
    select d.id, d.upload_order from public.documents d
    where d.deleted_at is null and case
      when d.status = 'queued' then d.retry_at is null or d.retry_at <= clock_timestamp()
      when d.status = any (private.in_work()) then
        coalesce(d.claimed_at <= clock_timestamp() - make_interval(secs => lease_seconds), true)
      else false
    end
    order by d.upload_order
    limit least(greatest(coalesce(match_count, 10), 1), 100)
  ) x
$$;

revoke all on function public.due_documents from public, anon, authenticated, service_role;
grant execute on function public.due_documents to service_role;
