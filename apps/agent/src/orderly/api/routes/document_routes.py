"""One router for reading, citing, filing and serving documents, and for resumable and chat uploads."""

from __future__ import annotations

from fastapi import APIRouter

from orderly.api.routes import chat_documents, citations, document_pages, files, folders, resumable_uploads

router = APIRouter()
for module in (folders, document_pages, citations, files, resumable_uploads, chat_documents):
    router.include_router(module.router)
