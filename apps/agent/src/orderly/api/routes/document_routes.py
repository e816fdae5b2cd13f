"""The routes about documents beyond listing and sending them, as one router."""

from __future__ import annotations

from fastapi import APIRouter

from orderly.api.routes import chat_documents, citations, document_pages, files, folders, resumable_uploads

router = APIRouter()
for part in (folders, document_pages, citations, files, resumable_uploads, chat_documents):
    router.include_router(part.router)
