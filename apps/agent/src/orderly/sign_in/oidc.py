"""OpenID Connect client for the firm's identity provider: discovery, authorization code flow with PKCE.

https://openid.net/specs/openid-connect-core-1_0.html, RFC 7636 (PKCE), RFC 9700 (current practice).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import jwt
from pydantic import SecretStr

from orderly.errors import Denied, Misconfigured, StoreUnavailable
from orderly.settings import Settings, is_loopback
from orderly.sign_in.tokens import ASYMMETRIC, CLOCK_SKEW_SECONDS, SigningKeys

STATE_SECONDS = 600
"""Time limit from the redirect to the provider until the callback."""

DISCOVERY_SECONDS = 3600
ROLES = ("admin", "conflicts_officer", "member")
REFUSED = "The sign-in at the identity provider could not be completed. Start again."


@dataclass(frozen=True, slots=True)
class Identity:
    issuer: str
    subject: str
    email: str
    email_verified: bool
    name: str
    roles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """Parameters of one sign-in. Nonce and verifier are derived from the state with the installation's secret."""

    state: str
    nonce: str
    verifier: str

    @property
    def challenge(self) -> str:
        return _base64url(hashlib.sha256(self.verifier.encode()).digest())


def new_authorization_request(secret: bytes) -> AuthorizationRequest:
    return _derive(f"{secrets.token_urlsafe(24)}.{int(time.time()) + STATE_SECONDS}", secret)


def resume_authorization_request(returned: str, kept: str, secret: bytes) -> AuthorizationRequest:
    """Restores the request in the callback. Raises Denied if the states differ or the state has expired.

    Args:
        returned: the state that the provider returned.
        kept: the state in the browser's cookie.
        secret: the installation's secret.
    """
    expires = returned.rpartition(".")[2]
    if not kept or not hmac.compare_digest(returned.encode(), kept.encode()) or not expires.isdecimal():
        raise Denied(REFUSED)
    if int(expires) < time.time():
        raise Denied("The sign-in took too long. Start again.")
    return _derive(returned, secret)


def _derive(state: str, secret: bytes) -> AuthorizationRequest:
    nonce, verifier = (
        _base64url(hmac.digest(secret, f"oidc {part} {state}".encode(), "sha256")) for part in ("nonce", "verifier")
    )
    return AuthorizationRequest(state, nonce, verifier)


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def roles_by_group(setting: str) -> dict[str, str]:
    """Parses `Partners=admin; Lawyers=member`. Raises Misconfigured."""
    found = {}
    for part in filter(None, (p.strip() for p in setting.split(";"))):
        group, _, role = (side.strip() for side in part.rpartition("="))
        if not group or role not in ROLES:
            raise Misconfigured(f"ORDERLY_OIDC_ROLES is GROUP=ROLE; …, each role one of {', '.join(ROLES)}.")
        found[group] = role
    return found


class OpenIdProvider:
    """One identity provider, configured by its discovery document."""

    def __init__(
        self, issuer: str, client_id: str, client_secret: SecretStr | None, roles: Mapping[str, str], group_claim: str,
        http: httpx.AsyncClient, *, trust_email: bool = False,
    ) -> None:  # fmt: skip
        """`trust_email`: an address of which the provider does not say whether it is verified counts as verified."""
        self._trust_email = trust_email
        self._issuer, self._client_id, self._client_secret = issuer, client_id, client_secret
        self._roles, self._group_claim, self._http = roles, group_claim, http
        self._found: dict[str, Any] = {}
        self._found_at = float("-inf")
        self._keys: SigningKeys | None = None

    async def address(self, authorization: AuthorizationRequest, redirect_uri: str) -> str:
        """URL at the provider to which the browser is redirected."""
        endpoint = (await self._discovered())["authorization_endpoint"]
        query = {
            "response_type": "code", "client_id": self._client_id, "redirect_uri": redirect_uri,
            "scope": "openid email profile",
            "state": authorization.state, "nonce": authorization.nonce,
            "code_challenge": authorization.challenge, "code_challenge_method": "S256",
        }  # fmt: skip
        return f"{endpoint}{'&' if urlsplit(endpoint).query else '?'}{urlencode(query)}"

    async def identity(self, code: str, authorization: AuthorizationRequest, redirect_uri: str) -> Identity:
        """Exchanges the code and verifies the ID token.

        Raises Denied for an invalid code or token, StoreUnavailable if the provider does not answer.
        """
        claims = await self._verified(await self._exchanged(code, authorization, redirect_uri))
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), authorization.nonce.encode()):
            raise Denied(REFUSED)
        audience = claims["aud"]
        if isinstance(audience, list) and len(audience) > 1 and claims.get("azp") != self._client_id:
            raise Denied(REFUSED)
        email = str(claims.get("email") or "")
        if not email:
            raise Denied("The identity provider does not tell your e-mail address.")
        groups = claims.get(self._group_claim) or []
        roles = {self._roles[g] for g in ([groups] if isinstance(groups, str) else groups) if g in self._roles}
        return Identity(
            issuer=self._issuer,
            subject=str(claims["sub"]),
            email=email,
            email_verified=_verified(claims, trusted=self._trust_email),
            name=str(claims.get("name") or email),
            roles=tuple(sorted(roles)),
        )

    async def _exchanged(self, code: str, authorization: AuthorizationRequest, redirect_uri: str) -> str:
        form = {
            "grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri, "client_id": self._client_id,
            "code_verifier": authorization.verifier,
        }  # fmt: skip
        if self._client_secret is not None:
            form["client_secret"] = self._client_secret.get_secret_value()
        found = await self._discovered()
        try:
            reply = await self._http.post(found["token_endpoint"], data=form, timeout=15)
        except httpx.HTTPError as error:
            raise StoreUnavailable("The identity provider cannot be reached just now.") from error
        if reply.is_client_error:
            raise Denied(REFUSED)
        try:
            reply.raise_for_status()
            return str(reply.json()["id_token"])
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise StoreUnavailable("The identity provider's answer is not in the documented form.") from error

    async def _verified(self, token: str) -> dict[str, Any]:
        found = await self._discovered()
        if self._keys is None:
            self._keys = SigningKeys(found["jwks_uri"], self._http)
        try:
            header = jwt.get_unverified_header(token)
            if header.get("alg") not in ASYMMETRIC:
                raise Denied(REFUSED)
            key = await self._keys.key(str(header.get("kid")))
            claims: dict[str, Any] = jwt.decode(
                token, key, algorithms=[header["alg"]], audience=self._client_id, issuer=self._issuer,
                leeway=CLOCK_SKEW_SECONDS, options={"require": ["exp", "iat", "sub", "aud", "iss"]},
            )  # fmt: skip
        except jwt.PyJWTError as error:
            raise Denied(REFUSED) from error
        return claims

    async def _discovered(self) -> dict[str, Any]:
        """The discovery document, cached for DISCOVERY_SECONDS; the old one while the provider does not answer."""
        if time.monotonic() - self._found_at < DISCOVERY_SECONDS:
            return self._found
        try:
            reply = await self._http.get(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration", timeout=15)
            reply.raise_for_status()
            found = dict(reply.json())
            self._check(found)
        except (httpx.HTTPError, ValueError, TypeError, KeyError) as error:
            if self._found:
                return self._found
            raise StoreUnavailable("The identity provider's discovery document cannot be read just now.") from error
        self._found, self._found_at = found, time.monotonic()
        return found

    def _check(self, found: Mapping[str, Any]) -> None:
        if found["issuer"] != self._issuer:
            raise Misconfigured("The discovery document is another issuer's than ORDERLY_OIDC_ISSUER.")
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            require_tls(str(found[name]))


def _verified(claims: Mapping[str, Any], *, trusted: bool) -> bool:
    """Some providers send the claim as a string. What a provider calls unverified is never trusted."""
    said = claims.get("email_verified")
    return trusted if said is None else said is True or said == "true"


def require_tls(address: str) -> None:
    """Raises Misconfigured for a URL without TLS, except on a loopback address."""
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        raise Misconfigured("The identity provider must be asked over https.")


def openid_provider(settings: Settings, http: httpx.AsyncClient) -> OpenIdProvider | None:
    """The configured provider, or None. Raises Misconfigured for an incomplete configuration."""
    if not settings.oidc_issuer:
        return None
    if settings.store_kind == "supabase":
        raise Misconfigured(
            "Beside Supabase, sign-on is Supabase Auth's: configure the provider there, not ORDERLY_OIDC_ISSUER."
        )
    roles = roles_by_group(settings.oidc_roles)
    if not settings.oidc_client_id or not roles:
        raise Misconfigured("ORDERLY_OIDC_ISSUER needs ORDERLY_OIDC_CLIENT_ID and ORDERLY_OIDC_ROLES beside it.")
    require_tls(settings.oidc_issuer)
    return OpenIdProvider(
        settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret, roles, settings.oidc_group_claim, http,
        trust_email=settings.oidc_trust_email,
    )  # fmt: skip
