"""Addresses under which one person can fetch one stored file for a short time.

A link says who it was made for, and the file is given to that person's rights at each request: whoever loses access, or the
document, loses the link. It is signed under the installation's secret, which is in no database.
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
INVALID = "This link is not valid, or has expired."
LONGEST = 2_000
"""Characters of a link's token that are looked at."""


@dataclass(frozen=True, slots=True)
class Link:
    url: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Opened:
    caller: Caller
    document_id: str
    name: str
    """The last part of the stored file's key."""


@dataclass(frozen=True, slots=True)
class FileLinks:
    secret: bytes = field(repr=False)
    seconds: int
    address: str = ""
    """Of the server, without a slash at its end; empty: links begin at its root."""

    def __call__(self, caller: Caller, document_id: str, storage_key: str) -> str:
        return self.make(caller, document_id, storage_key).url

    def make(self, caller: Caller, document_id: str, storage_key: str) -> Link:
        expires = int(time.time()) + self.seconds
        told: dict[str, Any] = {"d": document_id, "n": storage_key.rpartition("/")[2], "u": caller.user_id, "e": expires}
        if caller.thread_id is not None:
            told["t"] = caller.thread_id
        payload = json.dumps(told, separators=(",", ":")).encode()
        token = f"{_text(payload)}.{_text(self._mac(payload))}"
        return Link(f"{self.address}{PREFIX}{token}", datetime.fromtimestamp(expires, UTC))

    def open(self, token: str) -> Opened:
        """Raises NotFound for a token that was not made here or is too old. Whether the file may be seen is for the store."""
        payload, mac = (_bytes(part) for part in token[:LONGEST].partition(".")[::2])
        if not payload or not hmac.compare_digest(self._mac(payload), mac):
            raise NotFound(INVALID)
        told = json.loads(payload)
        if told["e"] < time.time():
            raise NotFound(INVALID)
        return Opened(Caller(told["u"], told.get("t")), told["d"], told["n"])

    def _mac(self, payload: bytes) -> bytes:
        """Under a key of its own, so that no other seal of the installation is ever a link."""
        key = hmac.digest(self.secret, b"orderly file links", hashlib.sha256)
        return hmac.digest(key, payload, hashlib.sha256)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        return b""
