"""Anchors with the time stamp of an authority (RFC 3161): proof for outsiders that the heads existed at that time.

The tokens are kept in a file; its loss shows, because signed heads must be anchored within hours. Store it on another volume.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from cryptography import x509
from rfc3161_client import TimestampRequestBuilder, VerificationError, VerifierBuilder, decode_timestamp_response

from orderly.errors import Misconfigured, StorageFailed

FILE = "timestamps.jsonl"
SECONDS = 30.0
GRANTED = (0, 1)
"""Statuses of a response with a token."""


class TimestampAnchors:
    """
    Args:
        url: Address of the time-stamping authority.
        roots: PEM file with the root certificates that its certificate leads to.
        folder: Folder of the file of tokens.
    """

    def __init__(self, url: str, roots: Path, folder: Path) -> None:
        self._url, self._roots, self._file = url, roots, folder / FILE
        self.place = f"the time-stamping authority {urlsplit(url).netloc}"

    async def put(self, name: str) -> None:
        request = TimestampRequestBuilder().data(name.encode()).build()
        try:
            async with httpx.AsyncClient(timeout=SECONDS) as client:
                headers = {"Content-Type": "application/timestamp-query"}
                answer = await client.post(self._url, content=request.as_bytes(), headers=headers)
                answer.raise_for_status()
        except httpx.HTTPError as error:
            raise StorageFailed("The time-stamping authority cannot be reached.") from error
        await asyncio.to_thread(self._keep, name, answer.content)

    async def names(self) -> list[str]:
        return await asyncio.to_thread(lambda: list(self._verified()))

    def _keep(self, name: str, token: bytes) -> None:
        if not self._stands(name, token):
            raise StorageFailed("The time-stamping authority's answer is not a valid time stamp.")
        line = json.dumps({"anchor": name, "token": base64.b64encode(token).decode()}) + "\n"
        try:
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._file.open("a", encoding="ascii") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StorageFailed("The file of time stamps cannot be written to.") from error

    def _verified(self) -> Iterator[str]:
        if not self._file.exists():
            return
        for number, line in enumerate(self._file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            try:
                kept = json.loads(line)
                name, token = str(kept["anchor"]), base64.b64decode(kept["token"], validate=True)
            except (ValueError, KeyError, TypeError) as error:
                raise StorageFailed(f"Line {number} of {FILE} was changed.") from error
            if not self._stands(name, token):
                raise StorageFailed(f"Line {number} of {FILE} is no time stamp of a known authority.")
            yield name

    def _stands(self, name: str, token: bytes) -> bool:
        try:
            roots = x509.load_pem_x509_certificates(self._roots.read_bytes())
        except (OSError, ValueError) as error:
            raise Misconfigured("ORDERLY_AUDIT_TIMESTAMP_ROOTS must be a PEM file with root certificates.") from error
        builder = VerifierBuilder()
        for root in roots:
            builder = builder.add_root_certificate(root)
        try:
            response = decode_timestamp_response(token)
            return response.status in GRANTED and builder.build().verify_message(response, name.encode())
        except (ValueError, VerificationError):
            return False
