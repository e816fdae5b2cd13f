"""A standard OpenID Connect provider on loopback: code flow, PKCE (S256), nonce, RS256, discovery, JWKS.

https://openid.net/specs/openid-connect-core-1_0.html, sections 3.1.2 and 3.1.3; RFC 7636, section 4.6.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import jwt
import uvicorn
from cryptography.hazmat.primitives.asymmetric import rsa
from fastapi import FastAPI, Form, HTTPException, Request
from fastapi.responses import JSONResponse, RedirectResponse

CLIENT_ID, CLIENT_SECRET = "orderly", "peer-secret"


@dataclass
class Peer:
    issuer: str = ""
    person: dict[str, Any] = field(default_factory=dict)
    """Claims of the next person who signs in."""
    tampering: dict[str, Any] = field(default_factory=dict)
    """Claims to overwrite; "key" signs with an unpublished key, "alg" with another algorithm."""
    redirect_uri: str = ""
    """The registered redirect URI."""
    _key: Any = field(default_factory=lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048))
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def app(self) -> FastAPI:
        app = FastAPI()
        app.get("/.well-known/openid-configuration")(self.discovery)
        app.get("/authorize")(self.authorize)
        app.post("/token")(self.token)
        app.get("/jwks")(self.jwks)
        return app

    async def discovery(self) -> dict[str, Any]:
        at = self.issuer
        return {
            "issuer": at, "authorization_endpoint": f"{at}/authorize", "token_endpoint": f"{at}/token", "jwks_uri": f"{at}/jwks",
            "response_types_supported": ["code"], "id_token_signing_alg_values_supported": ["RS256"],
            "subject_types_supported": ["public"], "code_challenge_methods_supported": ["S256"],
        }  # fmt: skip

    async def authorize(self, request: Request) -> RedirectResponse:
        asked = dict(request.query_params)
        right = {
            "response_type": "code",
            "client_id": CLIENT_ID,
            "redirect_uri": self.redirect_uri,
            "code_challenge_method": "S256",
        }
        if any(asked.get(name) != value for name, value in right.items()) or "openid" not in asked["scope"].split():
            raise HTTPException(400, "invalid_request")
        code = secrets.token_urlsafe()
        self._codes[code] = asked
        return RedirectResponse(f"{self.redirect_uri}?code={code}&state={asked['state']}", 302)

    async def token(
        self, grant_type: str = Form(), code: str = Form(), redirect_uri: str = Form(), client_id: str = Form(),
        client_secret: str = Form(""), code_verifier: str = Form(""),
    ) -> JSONResponse:  # fmt: skip
        asked = self._codes.pop(code, None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(code_verifier.encode()).digest()).rstrip(b"=").decode()
        if (
            asked is None
            or grant_type != "authorization_code"
            or asked["code_challenge"] != challenge
            or asked["redirect_uri"] != redirect_uri
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        if (client_id, client_secret) != (CLIENT_ID, CLIENT_SECRET):
            return JSONResponse({"error": "invalid_client"}, 401)
        return JSONResponse({"access_token": "a", "token_type": "Bearer", "id_token": self._id_token(asked["nonce"])})

    def _id_token(self, nonce: str) -> str:
        now, changed = int(time.time()), dict(self.tampering)
        other_key, algorithm = changed.pop("key", None), changed.pop("alg", "RS256")
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": nonce, **self.person, **changed}
        key = "x" * 64 if algorithm == "HS256" else other_key or self._key
        return jwt.encode({k: v for k, v in claims.items() if v is not None}, key, algorithm, headers={"kid": "1"})

    async def jwks(self) -> dict[str, Any]:
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        return {"keys": [{**public, "kid": "1", "use": "sig", "alg": "RS256"}]}


@contextmanager
def peer() -> Iterator[Peer]:
    made = Peer()
    server = uvicorn.Server(uvicorn.Config(made.app(), host="127.0.0.1", port=0, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    made.issuer = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    try:
        yield made
    finally:
        server.should_exit = True
        thread.join(timeout=10)
