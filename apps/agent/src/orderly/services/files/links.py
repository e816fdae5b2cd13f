"""Signed, expiring download links, each for one user and one stored file.

The user's permissions are checked at each request, so a link fails once the user loses access or the document is deleted.
Links are signed (HMAC-SHA256) with the installation's secret, which is stored in no database.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from orderly.errors import NotFound
from orderly.models import Caller

PREFIX = "/files/"
INVALID_LINK = "This link is not valid, or has expired."
MAX_TOKEN_CHARS = 2_000
"""Characters; the rest of a token is ignored."""


@dataclass(frozen=True, slots=True)
class Link:
    url: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class OpenedLink:
    caller: Caller
    document_id: str
    name: str
    """The last part of the stored file's key."""


@dataclass(frozen=True, slots=True)
class FileLinks:
    secret: bytes = field(repr=False)
    seconds: int
    address: str = ""
    """Base URL of the server without a trailing slash; empty for links relative to its root."""

    def __call__(self, caller: Caller, document_id: str, storage_key: str) -> str:
        return self.make(caller, document_id, storage_key).url

    def make(self, caller: Caller, document_id: str, storage_key: str) -> Link:
        expires = int(time.time()) + self.seconds
        claims: dict[str, Any] = {"d": document_id, "n": storage_key.rpartition("/")[2], "u": caller.user_id, "e": expires}
        if caller.thread_id is not None:
            claims["t"] = caller.thread_id
        payload = json.dumps(claims, separators=(",", ":")).encode()
        token = f"{_encode(payload)}.{_encode(self._mac(payload))}"
        return Link(f"{self.address}{PREFIX}{token}", datetime.fromtimestamp(expires, UTC))

    def open(self, token: str) -> OpenedLink:
        """Verifies a token. Raises NotFound if it is forged or expired. The store checks access to the file."""
        payload, mac = (_decode(part) for part in token[:MAX_TOKEN_CHARS].partition(".")[::2])
        if not payload or not hmac.compare_digest(self._mac(payload), mac):
            raise NotFound(INVALID_LINK)
        claims = json.loads(payload)
        if claims["e"] < time.time():
            raise NotFound(INVALID_LINK)
        return OpenedLink(Caller(claims["u"], claims.get("t")), claims["d"], claims["n"])

    def _mac(self, payload: bytes) -> bytes:
        """Uses a derived key, so that no other signature of the installation is valid as a link."""
        key = hmac.digest(self.secret, b"orderly file links", hashlib.sha256)
        return hmac.digest(key, payload, hashlib.sha256)


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return b""
