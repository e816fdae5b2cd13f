"""A peer for the Supabase Storage API with one bucket."""

from __future__ import annotations

import json

import httpx
import jwt


class StoragePeer:
    """Answers as Supabase Storage does; an error is a 400 with the true status in its body."""

    def __init__(self, key: str, *, anon_key: str = "", jwt_secret: str = "") -> None:
        """`key`: the service role's key. With `anon_key` and `jwt_secret`, tokens of signed-in users are accepted and recorded."""
        self.key, self._anon_key, self._jwt_secret = key, anon_key, jwt_secret
        self.callers: list[tuple[str, str]] = []
        """Method and user of every request made with a user's token."""
        self.files: dict[str, bytes] = {}

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        if not self._is_authorised(request):
            return self._error(403, "Unauthorized")
        key = request.url.path.removeprefix("/storage/v1/object/documents").lstrip("/")
        match request.method:
            case "POST" if key in self.files:
                return self._error(409, "Duplicate")
            case "POST":
                assert request.headers["x-upsert"] == "false"
                self.files[key] = await request.aread()
                assert len(self.files[key]) == int(request.headers["content-length"])
                return httpx.Response(200, json={"Key": f"documents/{key}"})
            case "GET":
                found = self.files.get(key)
                return self._error(404, "not_found") if found is None else self._part(found, request.headers.get("range"))
            case _:
                gone = [k for k in json.loads(await request.aread())["prefixes"] if self.files.pop(k, None) is not None]
                return httpx.Response(200, json=[{"name": k} for k in gone])

    def _is_authorised(self, request: httpx.Request) -> bool:
        apikey, bearer = request.headers.get("apikey"), request.headers.get("authorization", "").removeprefix("Bearer ")
        if apikey == self.key and bearer == self.key:
            return True
        if not self._jwt_secret or apikey != self._anon_key:
            return False
        claims = jwt.decode(bearer, self._jwt_secret, algorithms=["HS256"], audience="authenticated")
        self.callers.append((request.method, claims["sub"]))
        return bool(claims["role"] == "authenticated")

    def _part(self, content: bytes, wanted: str | None) -> httpx.Response:
        if wanted is None:
            return httpx.Response(200, content=content)
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        if int(first) >= len(content):
            return httpx.Response(416, headers={"content-range": f"bytes */{len(content)}"})
        part = content[int(first) : int(last) + 1 if last else None]
        range_headers = {"content-range": f"bytes {first}-{int(first) + len(part) - 1}/{len(content)}"}
        return httpx.Response(206, content=part, headers=range_headers)

    def _error(self, status: int, error: str) -> httpx.Response:
        return httpx.Response(400, json={"statusCode": str(status), "error": error, "message": "at /srv/secret"})
