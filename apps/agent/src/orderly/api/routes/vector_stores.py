"""OpenAI's vector stores: the caller's matters, with the same rights as everywhere."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from orderly.api.callers import CurrentServices, SignedIn
from orderly.api.errors import openai_error_responses
from orderly.api.responses.filters import Filter
from orderly.api.responses.lists import PageQuery, listed
from orderly.api.responses.stores import search_results, store_file, vector_store
from orderly.api.routes.uploads import require_editor
from orderly.errors import DocumentNotFound
from orderly.models import Caller
from orderly.services.files import open_spool
from orderly.services.ingestion import Choice
from orderly.store.functions.deletion import delete_document
from orderly.store.functions.documents import Document, get_document, list_documents
from orderly.store.functions.files import find_duplicates, open_file
from orderly.store.functions.matters import Matter, create_matter, edit_matter
from orderly.wiring.services import Services

router = APIRouter(prefix="/v1/vector_stores", tags=["vector stores"], responses=openai_error_responses(403, 404, 409))

MOST_FILES = 100


NOT_KEPT = {
    "metadata": "A matter keeps no metadata.",
    "expires_after": "A matter does not expire: archive it with PATCH /api/matters/{id}.",
    "attributes": "Documents keep no attributes of their own.",
}
"""Fields of OpenAI's requests that would be lost, and what to do without them."""


class StoreRequest(BaseModel):
    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _nothing_is_lost(cls, body: Any) -> Any:
        for name, said in NOT_KEPT.items() if isinstance(body, dict) else ():
            if body.get(name):
                raise ValueError(f"{said} Leave out {name}.")
        return body


class NewStore(StoreRequest):
    name: str = Field(min_length=1, max_length=300, description="Title of the matter.")
    file_ids: list[Annotated[str, Field(max_length=200)]] = Field(default_factory=list, max_length=MOST_FILES)


class StoreChange(StoreRequest):
    name: str = Field(min_length=1, max_length=300)


class AddedFile(StoreRequest):
    file_id: str = Field(max_length=200)


class StoreSearch(BaseModel):
    model_config = ConfigDict(extra="ignore")

    query: Annotated[str, Field(min_length=1, max_length=10_000)]
    max_num_results: int = Field(default=10, ge=1, le=50)
    filters: Filter | None = Field(default=None, description="Keeps the search to the documents that match.")

    @field_validator("filters", mode="before")
    @classmethod
    def _none(cls, filters: Any) -> Any:
        return filters or None


@router.get("")
async def list_stores(caller: SignedIn, services: CurrentServices, page: Annotated[PageQuery, Query()]) -> dict[str, Any]:
    """List the caller's matters."""
    matters = sorted(await services.library.matters(caller), key=lambda matter: matter["created_at"])
    shown = listed([{"id": matter["id"], "matter": matter} for matter in matters], page)
    return {**shown, "data": [await _store(services, caller, item["matter"]) for item in shown["data"]]}


@router.post("")
async def create_store(body: NewStore, caller: SignedIn, services: CurrentServices) -> dict[str, Any]:
    """Create a matter, and add the documents of `file_ids` to it."""
    for file_id in body.file_ids:
        await get_document(services.store, caller, file_id)
    matter = await create_matter(services.store, caller, body.name)
    for file_id in body.file_ids:
        await _add(services, caller, matter, file_id)
    return await _store(services, caller, matter)


@router.get("/{matter}")
async def get_store(matter: str, caller: SignedIn, services: CurrentServices) -> dict[str, Any]:
    return await _store(services, caller, await services.library.matter(caller, matter))


@router.post("/{matter}")
async def edit_store(matter: str, body: StoreChange, caller: SignedIn, services: CurrentServices) -> dict[str, Any]:
    """Rename a matter."""
    return await _store(services, caller, await edit_matter(services.store, caller, matter, {"title": body.name}))


@router.post("/{matter}/search")
async def search_store(matter: str, body: StoreSearch, caller: SignedIn, services: CurrentServices) -> dict[str, Any]:
    """Search the documents of a matter."""
    within = None
    if body.filters:
        documents = (await list_documents(services.store, caller, matter))["documents"]
        within = [document["id"] for document in documents if body.filters.matches(document)]
        if not within:
            return search_results(body.query, [])
    result = await services.library.search(caller, matter, body.query, body.max_num_results, within)
    return search_results(body.query, result.passages)


@router.get("/{matter}/files")
async def list_store_files(
    matter: str, caller: SignedIn, services: CurrentServices, page: Annotated[PageQuery, Query()]
) -> dict[str, Any]:
    found = await list_documents(services.store, caller, matter)
    return listed([store_file(document, found["matter"]["id"]) for document in found["documents"]], page)


@router.post("/{matter}/files")
async def add_store_file(matter: str, body: AddedFile, caller: SignedIn, services: CurrentServices) -> dict[str, Any]:
    """Add a document of another matter: its file is stored and read here as a document of its own."""
    target = await services.library.matter(caller, matter)
    return store_file(await _add(services, caller, target, body.file_id), target["id"], body.file_id)


@router.get("/{matter}/files/{file_id}")
async def get_store_file(matter: str, file_id: str, caller: SignedIn, services: CurrentServices) -> dict[str, Any]:
    """Get a document of the matter, by its id or by the id of a document with the same content."""
    target = await services.library.matter(caller, matter)
    return store_file(await _in_store(services, caller, target, file_id), target["id"], file_id)


@router.delete("/{matter}/files/{file_id}")
async def remove_store_file(matter: str, file_id: str, caller: SignedIn, services: CurrentServices) -> dict[str, Any]:
    """Delete a document of the matter. A legal hold prevents it."""
    target = await services.library.matter(caller, matter)
    await delete_document(services.store, caller, (await _in_store(services, caller, target, file_id))["id"])
    return {"id": file_id, "object": "vector_store.file.deleted", "deleted": True}


async def _store(services: Services, caller: Caller, matter: Matter) -> dict[str, Any]:
    return vector_store(matter, (await list_documents(services.store, caller, matter["id"]))["documents"])


async def _add(services: Services, caller: Caller, target: Matter, file_id: str) -> Document:
    """Registers the file of a readable document in another matter, where the same content is one document."""
    require_editor(target)
    source = await get_document(services.store, caller, file_id)
    if source["matter_id"] == target["id"]:
        return source
    file = await open_file(services.store, caller, source["id"])
    blobs = services.blobs.of(caller)
    size = await blobs.size(file["storage_key"])
    async with open_spool(source["filename"], services.settings.max_file_mb) as spool:
        async for block in blobs.stream(file["storage_key"], 0, size):
            await asyncio.to_thread(spool.write, block)
        await asyncio.to_thread(spool.finish)
        return (await services.registrar.register(caller, target["id"], spool, Choice("skip"))).document


async def _in_store(services: Services, caller: Caller, target: Matter, file_id: str) -> Document:
    """The document of a matter that has the id, or the content of the document with the id. Raises DocumentNotFound."""
    found = await get_document(services.store, caller, file_id)
    if found["matter_id"] == target["id"]:
        return found
    twins = await find_duplicates(services.store, caller, target["id"], filename=found["filename"], sha256=found["sha256"])
    if twins["same_content"] is None:
        raise DocumentNotFound(file_id)
    return twins["same_content"]
