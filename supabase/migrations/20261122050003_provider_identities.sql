-- Sign-in through the firm's own identity provider (OpenID Connect): who a subject of theirs is here.
--
-- As service_role:
--   sign_in_by_provider(issuer, subject, email, email_verified, display_name, tenant, roles, token_sha256, expires_at)
--     {user_id, email} or null. roles: of admin, conflicts_officer, member, as the provider's groups give them; with none nobody
--     signs in (null), and tokens that an earlier sign-in gave are revoked. Somebody who is here already under that e-mail is linked
--     only when the provider says that it has verified it (else OR403)

create table private.provider_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references public.profiles (user_id) on delete cascade,
  linked_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index provider_identities_user on private.provider_identities (user_id);
alter table private.provider_identities enable row level security;
revoke all on private.provider_identities from public, anon, authenticated, service_role;

create function private.provider_user(
  wanted_issuer text, wanted_subject text, clean_email text, verified boolean, display_name text, tenant text
) returns uuid
language plpgsql security definer
set search_path = ''
as $$
declare
  known uuid;
begin
  perform pg_advisory_xact_lock(hashtextextended(wanted_issuer || ' ' || wanted_subject, 0));
  select i.user_id into known from private.provider_identities i where i.issuer = wanted_issuer and i.subject = wanted_subject;
  if known is not null then
    return known;
  end if;
  select p.user_id into known
  from auth.users u join public.profiles p on p.user_id = u.id join public.tenants t on t.id = p.tenant_id
  where lower(u.email) = clean_email and t.name = provider_user.tenant;
  if known is null then
    known := (public.create_user(clean_email, display_name, provider_user.tenant) ->> 'user_id')::uuid;
  elsif not verified then
    raise exception 'The identity provider has not verified this e-mail address, which belongs to somebody here.' using errcode = 'OR403';
  end if;
  insert into private.provider_identities (issuer, subject, user_id) values (wanted_issuer, wanted_subject, known);
  return known;
end
$$;

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
    update private.access_tokens t set revoked_at = now()
    from private.provider_identities i
    where i.issuer = sign_in_by_provider.issuer and i.subject = sign_in_by_provider.subject and t.user_id = i.user_id
      and t.label = 'identity provider' and t.revoked_at is null;
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

revoke all on function private.provider_user from public, anon, authenticated;
revoke all on function public.sign_in_by_provider from public, anon, authenticated, service_role;
grant execute on function public.sign_in_by_provider to service_role;
