"""Signs requests to Amazon Web Services (Signature Version 4).

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html. Used instead of
botocore, which adds 15 MB of service descriptions.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote

import httpx

_ALGORITHM = "AWS4-HMAC-SHA256"


@dataclass(frozen=True, slots=True)
class Credentials:
    access_key: str
    secret_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)


class SigV4(httpx.Auth):
    """Signs method, path, query, body, and the headers host, content-type, "x-amz-*" and "my-*"."""

    requires_request_body = True

    def __init__(
        self,
        credentials: Credentials,
        region: str,
        service: str,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._credentials = credentials
        self._region = region
        self._service = service
        self._now = now

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        self.sign(request)
        yield request

    def sign(self, request: httpx.Request) -> None:
        moment = self._now().strftime("%Y%m%dT%H%M%SZ")
        request.headers["x-amz-date"] = moment
        if self._credentials.session_token is not None:
            request.headers["x-amz-security-token"] = self._credentials.session_token
        signed = {name: " ".join(value.split()) for name, value in sorted(request.headers.items()) if _is_signed(name)}
        names = ";".join(signed)
        canonical = "\n".join((
            request.method,
            _canonical_path(request.url),
            _canonical_query(request.url),
            "".join(f"{name}:{value}\n" for name, value in signed.items()),
            names,
            hashlib.sha256(request.content).hexdigest(),
        ))  # fmt: skip
        scope = f"{moment[:8]}/{self._region}/{self._service}/aws4_request"
        to_sign = "\n".join((_ALGORITHM, moment, scope, hashlib.sha256(canonical.encode()).hexdigest()))
        signature = hmac.new(self._signing_key(moment[:8]), to_sign.encode(), hashlib.sha256).hexdigest()
        request.headers["authorization"] = (
            f"{_ALGORITHM} Credential={self._credentials.access_key}/{scope}, SignedHeaders={names}, Signature={signature}"
        )

    def _signing_key(self, day: str) -> bytes:
        key = f"AWS4{self._credentials.secret_key}".encode()
        for part in (day, self._region, self._service, "aws4_request"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return key


def _is_signed(name: str) -> bool:
    """Whether the header is signed. Proxies may change other headers."""
    return name in ("host", "content-type") or name.startswith(("x-amz-", "my-"))


def _canonical_path(url: httpx.URL) -> str:
    """The path, encoded twice: all services except S3 require this."""
    return quote(url.raw_path.partition(b"?")[0].decode("ascii") or "/", safe="/-_.~")


def _canonical_query(url: httpx.URL) -> str:
    pairs = sorted((quote(name, safe="-_.~"), quote(value, safe="-_.~")) for name, value in url.params.multi_items())
    return "&".join(f"{name}={value}" for name, value in pairs)
