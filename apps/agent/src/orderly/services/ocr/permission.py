"""Applies the egress policy to an external OCR engine."""

from __future__ import annotations

from orderly.errors import OcrFailed
from orderly.services.ocr.protocol import Ocr, OcrPage
from orderly.services.policy import permitted, refusal


class PermittedOcr:
    """Implements `Ocr`. Raises OcrFailed where the policy forbids the external engine, so that the next engine is used."""

    def __init__(self, external: Ocr) -> None:
        self._external = external

    @property
    def name(self) -> str:
        return self._external.name

    async def recognise(self, png: bytes, *, language: str = "en") -> OcrPage:
        if not permitted("vision"):
            raise OcrFailed(refusal("vision"))
        return await self._external.recognise(png, language=language)
