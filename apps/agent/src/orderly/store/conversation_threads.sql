-- In the production server's database: each conversation's metadata name its owner and its own id, on whichever way it came to be and
-- whatever the client sent. What @auth.on handlers write there the server drops on some ways, and makes ids of its own.
create or replace function public.orderly_names_thread() returns trigger language plpgsql set search_path = ''
as $$
begin
  new.metadata_json := coalesce(new.metadata_json, '{}') || jsonb_build_object('orderly_thread', new.thread_id, 'owner', new.user_id);
  return new;
end
$$;

create or replace trigger orderly_names_thread before insert or update on public.thread
  for each row execute function public.orderly_names_thread();

update public.thread set metadata_json = metadata_json
where not metadata_json @> jsonb_build_object('orderly_thread', thread_id, 'owner', user_id);
