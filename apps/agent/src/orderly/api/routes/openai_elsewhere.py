"""Answers paths of OpenAI's API that Orderly does not offer, with what to use instead."""

from __future__ import annotations

from fastapi import APIRouter

from orderly.errors import NotFound

router = APIRouter(prefix="/v1", include_in_schema=False)

OFFERED = "/v1/responses, /v1/chat/completions, /v1/files, /v1/vector_stores, /v1/conversations and /v1/models"


@router.api_route("/{path:path}", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
async def not_offered(path: str) -> None:
    raise NotFound(f"Orderly does not offer /v1/{path[:100]}. It offers {OFFERED}; everything else is at /api/openapi.json.")
