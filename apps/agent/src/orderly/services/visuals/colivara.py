"""Client of ColiVara, an HTTP API for visual page search (ColPali). Whole documents are uploaded to it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from orderly.errors import SightFailed

_STATUS_REASONS = {
    401: "the key was rejected",
    402: "the account has no credits left",
    403: "the key was rejected",
    413: "the file is too large for it",
    429: "it gets too many requests just now",
}


@dataclass(frozen=True, slots=True)
class PageMatch:
    metadata: Mapping[str, Any]
    """As sent with the document."""
    page: int
    score: float
    """0 to 1: the ranking similarity divided by the length of the query."""


class ColiVara:
    """Raises SightFailed for errors of the service or network. Does not retry, as uploads are charged per page."""

    name = "colivara"

    def __init__(self, api_key: str, base_url: str, http: httpx.AsyncClient, *, upload_seconds: float = 600.0) -> None:
        self._base = base_url.rstrip("/").removesuffix("/v1") + "/v1"
        self._headers = {"Authorization": f"Bearer {api_key}"}
        self._http = http
        self._upload_seconds = upload_seconds

    async def upsert(self, collection: str, name: str, data: bytes, metadata: Mapping[str, str]) -> int:
        """Uploads a file and waits until it is embedded. Returns the number of pages embedded."""
        body = {
            "name": name,
            "collection_name": collection,
            "metadata": dict(metadata),
            "base64": base64.b64encode(data).decode("ascii"),
            "wait": True,
        }
        reply = await self._call("POST", "/documents/upsert-document/", body, seconds=self._upload_seconds)
        pages = reply.get("num_pages")
        if not isinstance(pages, int):
            raise SightFailed("ColiVara's answer is not in the documented form.")
        return pages

    async def search(self, collection: str, query: str, top_k: int) -> list[PageMatch]:
        body = {"query": query, "collection_name": collection, "top_k": top_k}
        reply = await self._call("POST", "/search/", body, seconds=30.0)
        try:
            return [
                PageMatch(row["document_metadata"] or {}, int(row["page_number"]), float(row["normalized_score"]))
                for row in reply["results"]
            ]
        except (KeyError, TypeError, ValueError) as exc:
            raise SightFailed("ColiVara's answer is not in the documented form.") from exc

    async def delete(self, collection: str, name: str) -> None:
        """Deletes a document; idempotent."""
        await self._call(
            "DELETE",
            f"/documents/delete-document/{name}/",
            None,
            seconds=30.0,
            params={"collection_name": collection},
            missing_ok=True,
        )

    async def _call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        *,
        seconds: float,
        params: Mapping[str, str] | None = None,
        missing_ok: bool = False,
    ) -> Any:
        try:
            reply = await self._http.request(
                method, self._base + path, json=body, params=params, headers=self._headers, timeout=seconds
            )
        except httpx.TimeoutException as exc:
            raise SightFailed("ColiVara did not answer in time.") from exc
        except httpx.HTTPError as exc:
            raise SightFailed("ColiVara could not be reached.") from exc
        if missing_ok and reply.status_code == 404:
            return {}
        if reply.status_code not in (200, 201, 204):
            why = _STATUS_REASONS.get(reply.status_code, f"status {reply.status_code}")
            raise SightFailed(f"ColiVara gave no answer: {why}.")
        if reply.status_code == 204:
            return {}
        try:
            return reply.json()
        except ValueError as exc:
            raise SightFailed("ColiVara's answer is not in the documented form.") from exc
