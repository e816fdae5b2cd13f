"""Anchors as objects of an S3 bucket with object lock, which cannot be removed or replaced until their retention ends."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import httpx
from lxml import etree

from orderly.errors import StorageFailed
from orderly.services.engines.isaacus import Credentials, SigV4

PREFIX = "orderly-anchors/"
SECONDS = 30.0


class AnchorBucket:
    """
    Args:
        url: Address of the bucket, such as https://firm-record.s3.ap-southeast-2.amazonaws.com.
        credentials: May put and list objects; need not delete or read.
        region: Region of the bucket.
        retention_days: Days for which an object is locked in compliance mode; 0: the bucket's own default holds.
    """

    def __init__(self, url: str, credentials: Credentials, region: str, retention_days: int) -> None:
        self._url = url.rstrip("/")
        self._auth = SigV4(credentials, region, "s3")
        self._retention = timedelta(days=retention_days)
        self.place = f"the bucket at {urlsplit(url).netloc}"

    async def put(self, name: str) -> None:
        body = name.encode()
        digest = hashlib.sha256(body)
        headers = {
            "x-amz-checksum-sha256": base64.b64encode(digest.digest()).decode(),
            "x-amz-content-sha256": digest.hexdigest(),
        }
        if self._retention:
            until = datetime.now(UTC) + self._retention
            headers["x-amz-object-lock-mode"] = "COMPLIANCE"
            headers["x-amz-object-lock-retain-until-date"] = until.strftime("%Y-%m-%dT%H:%M:%SZ")
        await self._send(httpx.Request("PUT", f"{self._url}/{PREFIX}{name}", content=body, headers=headers))

    async def names(self) -> list[str]:
        found: list[str] = []
        page = {"list-type": "2", "prefix": PREFIX}
        while True:
            headers = {"x-amz-content-sha256": hashlib.sha256(b"").hexdigest()}
            answer = await self._send(httpx.Request("GET", f"{self._url}/", params=page, headers=headers))
            listing = etree.fromstring(answer.content, etree.XMLParser(resolve_entities=False, no_network=True))
            found += [(key.text or "").removeprefix(PREFIX) for key in listing.iterfind("{*}Contents/{*}Key")]
            following = listing.findtext("{*}NextContinuationToken")
            if not following:
                return found
            page = {**page, "continuation-token": following}

    async def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            async with httpx.AsyncClient(auth=self._auth, timeout=SECONDS) as client:
                answer = await client.send(request)
                answer.raise_for_status()
                return answer
        except httpx.HTTPStatusError as error:
            raise StorageFailed(f"The bucket of anchors answered {error.response.status_code}.") from error
        except httpx.HTTPError as error:
            raise StorageFailed("The bucket of anchors cannot be reached.") from error
