"""Stored files in a Supabase Storage bucket, over HTTP. (supabase-py would load whole files into memory.)"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

import httpx
from pydantic import SecretStr

from orderly.errors import Conflict, Denied, OrderlyError, StorageFailed
from orderly.models import Caller
from orderly.store.blob_keys import validate_key
from orderly.store.supabase import TokenSource

_BLOCK = 1 << 20
_PARTIAL = 206
_UNSATISFIABLE = 416


def translate(response: httpx.Response) -> OrderlyError:
    """Converts an error response. Storage sends many errors with status 400 and the actual status in `statusCode`."""
    try:
        body = response.json()
    except ValueError:
        body = None
    status = str(body.get("statusCode", "")) if isinstance(body, dict) else ""
    match status or str(response.status_code):
        case "409":
            return Conflict("A file is stored under this key already.")
        case "404":
            return StorageFailed("The stored file is missing.")
        case "401" | "403":
            return Denied("The file storage refused the key.")
        case "413":
            return StorageFailed("The file is larger than the storage accepts.")
        case _:
            return StorageFailed("The file storage could not be read or written.")


@contextmanager
def _translated_errors() -> Iterator[None]:
    try:
        yield
    except httpx.HTTPError as exc:
        raise StorageFailed("The file storage cannot be reached just now.") from exc
    except OSError as exc:
        raise StorageFailed("A local file could not be read or written.") from exc


Token = Callable[[], Awaitable[str]]
"""Creates a short-lived token for a caller; called for each request."""


class SupabaseCallersBlobs:
    """Implements `store.base.CallersBlobs`. Storage policies (row level security) check access."""

    def __init__(
        self,
        url: str,
        anon_key: SecretStr,
        tokens: TokenSource,
        *,
        bucket: str = "documents",
        http: httpx.AsyncClient | None = None,
        timeout: float = 300.0,
    ) -> None:
        self._url, self._key, self._tokens, self._bucket = url, anon_key, tokens, bucket
        self._http = http or httpx.AsyncClient(timeout=timeout)

    def of(self, caller: Caller) -> SupabaseBlobs:
        token = partial(self._tokens.token_for, caller)
        return SupabaseBlobs(self._url, self._key, token=token, bucket=self._bucket, http=self._http)

    async def close(self) -> None:
        await self._http.aclose()


class SupabaseBlobs:
    """Implements `store.base.Blobs` in the private bucket `bucket`.

    Uses the service key for workers, or the public key and `token` for one caller.
    """

    def __init__(
        self,
        url: str,
        key: SecretStr,
        *,
        token: Token | None = None,
        bucket: str = "documents",
        http: httpx.AsyncClient | None = None,
        timeout: float = 300.0,
    ) -> None:
        self._objects = f"{url.rstrip('/')}/storage/v1/object/{bucket}"
        self._key = key
        self._token = token
        self._http = http or httpx.AsyncClient(timeout=timeout)

    async def put(self, key: str, source: Path) -> None:
        with _translated_errors():
            size = await asyncio.to_thread(lambda: source.stat().st_size)
            response = await self._http.post(
                self._address(key),
                content=_blocks(source),
                headers=await self._headers(
                    {"x-upsert": "false", "content-type": "application/octet-stream", "content-length": str(size)}
                ),
            )
        if not response.is_success:
            raise translate(response)

    async def get(self, key: str, target: Path) -> None:
        with _translated_errors():
            file = await asyncio.to_thread(target.open, "wb")
            try:
                async with self._download(key) as response:
                    async for block in response.aiter_bytes(_BLOCK):
                        await asyncio.to_thread(file.write, block)
            finally:
                await asyncio.to_thread(file.close)

    async def size(self, key: str) -> int:
        """Requests one byte, since every storage server then reports the total size."""
        with _translated_errors():
            async with self._download(key, {"range": "bytes=0-0"}) as response:
                whole = response.headers.get("content-range", "").rpartition("/")[2]
                return int(whole) if whole.isdecimal() else int(response.headers["content-length"])

    async def stream(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        wanted = {} if (start, end) == (0, None) else {"range": f"bytes={start}-{'' if end is None else end - 1}"}
        if end is not None and end <= start:
            return
        with _translated_errors():
            async with self._download(key, wanted) as response:
                if wanted and response.status_code != _PARTIAL:
                    raise StorageFailed("The file storage does not give parts of files.")
                async for block in response.aiter_bytes(_BLOCK):
                    yield block

    async def delete(self, key: str) -> None:
        with _translated_errors():
            response = await self._http.request(
                "DELETE", self._objects, json={"prefixes": [validate_key(key)]}, headers=await self._headers({})
            )
        if not response.is_success:
            raise translate(response)

    async def close(self) -> None:
        await self._http.aclose()

    @asynccontextmanager
    async def _download(self, key: str, extra: dict[str, str] | None = None) -> AsyncIterator[httpx.Response]:
        async with self._http.stream("GET", self._address(key), headers=await self._headers(extra or {})) as response:
            if response.status_code == _UNSATISFIABLE:  # the file is empty
                yield response
                return
            if not response.is_success:
                await response.aread()
                raise translate(response)
            yield response

    def _address(self, key: str) -> str:
        return f"{self._objects}/{validate_key(key)}"

    async def _headers(self, extra: Mapping[str, str]) -> dict[str, str]:
        key = self._key.get_secret_value()
        bearer = await self._token() if self._token else key
        return {"authorization": f"Bearer {bearer}", "apikey": key, **extra}


async def _blocks(source: Path) -> AsyncIterator[bytes]:
    file = await asyncio.to_thread(source.open, "rb")
    try:
        while block := await asyncio.to_thread(file.read, _BLOCK):
            yield block
    finally:
        file.close()
