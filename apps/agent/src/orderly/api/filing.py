"""The routes about documents beyond listing and sending them, as one router."""

from __future__ import annotations

from fastapi import APIRouter

from orderly.api.routes import citations, files, folders, reading

router = APIRouter()
for part in (folders, reading, citations, files):
    router.include_router(part.router)
