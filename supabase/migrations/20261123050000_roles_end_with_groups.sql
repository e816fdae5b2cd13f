-- Whoever has left the identity provider's groups holds no office either, also under a token that was issued by hand.
--
--   sign_in_by_provider(issuer, subject, email, email_verified, display_name, tenant, roles, token_sha256, expires_at)
--     as before; with no roles nobody signs in (null), tokens that an earlier sign-in gave are revoked, and what made the person an
--     administrator or conflicts officer is taken away

drop function public.sign_in_by_provider(text, text, text, boolean, text, text, jsonb, text, timestamptz);

create function public.sign_in_by_provider(
  issuer text, subject text, email text, email_verified boolean, display_name text, tenant text, roles jsonb, token_sha256 text,
  expires_at timestamptz
) returns jsonb
language plpgsql security definer
set search_path = ''
as $$
declare
  clean_email text := lower(btrim(email));
  person uuid;
begin
  if coalesce(issuer, '') = '' or coalesce(subject, '') = '' then
    perform private.invalid('A subject and its issuer are needed.');
  end if;
  if not roles ?| array['admin', 'conflicts_officer', 'member'] then
    select i.user_id into person from private.provider_identities i
    where i.issuer = sign_in_by_provider.issuer and i.subject = sign_in_by_provider.subject;
    update private.access_tokens t set revoked_at = now()
    where t.user_id = person and t.label = 'identity provider' and t.revoked_at is null;
    update public.profiles p set is_admin = false, is_conflicts_officer = false where p.user_id = person;
    return null;
  end if;
  person := private.provider_user(issuer, subject, clean_email, coalesce(email_verified, false), display_name, tenant);
  update public.profiles p set is_admin = roles ? 'admin', is_conflicts_officer = roles ? 'conflicts_officer'
  where p.user_id = person;
  insert into private.access_tokens (token_sha256, user_id, expires_at, label)
  values (lower(sign_in_by_provider.token_sha256), person, sign_in_by_provider.expires_at, 'identity provider');
  return (
    select jsonb_build_object('user_id', u.id, 'email', u.email) from auth.users u where u.id = person
  );
end
$$;

revoke all on function public.sign_in_by_provider from public, anon, authenticated, service_role;
grant execute on function public.sign_in_by_provider to service_role;
