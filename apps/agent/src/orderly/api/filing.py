"""The routes about documents beyond listing and sending them, as one router."""

from __future__ import annotations

from fastapi import APIRouter

from orderly.api.routes import chat_documents, citations, files, folders, reading, resumable

router = APIRouter()
for part in (folders, reading, citations, files, resumable, chat_documents):
    router.include_router(part.router)
