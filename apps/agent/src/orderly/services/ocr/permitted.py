"""An outside recogniser, asked only where the policy permits it. Else the next one reads, and the reason is told."""

from __future__ import annotations

from orderly.errors import OcrFailed
from orderly.services.ocr.protocol import Ocr, OcrPage
from orderly.services.policy import permitted, refusal


class PermittedOcr:
    """Satisfies `Ocr`."""

    def __init__(self, outside: Ocr) -> None:
        self._outside = outside

    @property
    def name(self) -> str:
        return self._outside.name

    async def recognise(self, png: bytes, *, language: str = "en") -> OcrPage:
        if not permitted("vision"):
            raise OcrFailed(refusal("vision"))
        return await self._outside.recognise(png, language=language)
