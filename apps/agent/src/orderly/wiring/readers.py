"""Constructs what reads files and looks at pages: document processor, ColiVara, vision model."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import httpx

from orderly.services.document_processor import READER, DocumentProcessor, Limits
from orderly.services.isolation import ProcessLimits, shared_pool
from orderly.services.ocr import PermittedOcr, TesseractOcr
from orderly.services.visuals import ColiVara
from orderly.settings import Settings

if TYPE_CHECKING:
    from orderly.services.visuals import VisionModel


def document_processor(
    settings: Settings, stack: AsyncExitStack | None = None, *, purpose: str = "ingestion"
) -> DocumentProcessor:
    """Creates the document processor. `stack` closes the connection to the vision endpoint.

    `purpose`: processors of another purpose have processes of their own: what people look at and what is ingested do not wait
    for each other, nor does reading wait for text recognition.
    """
    vision = None
    if settings.deepseek_api_key is not None:
        # The openai package takes 0.5 s to import, so it is loaded only if it is used.
        from orderly.services.deepseek_ocr import DeepSeekOCR  # noqa: PLC0415

        vision = DeepSeekOCR(
            settings.deepseek_api_key.get_secret_value(), base_url=settings.ocr_base_url, model=settings.ocr_model
        )
        if stack is not None:
            stack.push_async_callback(vision.close)
    limits = Limits(pages=settings.max_pages, characters=settings.max_characters)
    each = ProcessLimits(
        processes=settings.reading_processes, seconds=settings.reading_seconds, memory_mb=settings.reading_memory_mb
    )
    pictures = shared_pool(READER, replace(each, purpose="text recognition"))
    return DocumentProcessor(
        TesseractOcr(pictures, settings.ocr_page_seconds),
        PermittedOcr(vision) if vision else None,
        limits=limits,
        processes=shared_pool(READER, replace(each, purpose=purpose)),
        pictures=pictures,
        page_seconds=settings.ocr_page_seconds,
    )


def colivara(settings: Settings, http: httpx.AsyncClient) -> ColiVara | None:
    if settings.colivara_api_key is None:
        return None
    return ColiVara(settings.colivara_api_key.get_secret_value(), settings.colivara_base_url, http)


def vision_model(settings: Settings, stack: AsyncExitStack) -> VisionModel | None:
    """Creates the model that describes pages, at the endpoint of the OCR model."""
    if settings.deepseek_api_key is None:
        return None
    key, model = settings.deepseek_api_key.get_secret_value(), settings.vision_model or settings.ocr_model
    from orderly.services.visuals.descriptions import VisionModel  # noqa: PLC0415  # imports openai

    vision = VisionModel(key, base_url=settings.ocr_base_url, model=model)
    stack.push_async_callback(vision.close)
    return vision
