"""The offline OCR engine, Tesseract. English only, as no other model is shipped."""

from __future__ import annotations

from pydantic import TypeAdapter

from orderly.errors import OcrFailed, Unreadable
from orderly.services.isolation import ProcessPool
from orderly.services.ocr.protocol import PAGE_SECONDS, OcrPage

_PAGE = TypeAdapter(OcrPage)


class TesseractOcr:
    """Implements `Ocr`. Runs in the isolated reader processes, since a picture can be hostile."""

    def __init__(self, processes: ProcessPool, page_seconds: float = PAGE_SECONDS) -> None:
        self._processes, self._page_seconds = processes, page_seconds

    @property
    def name(self) -> str:
        import tesserocr  # noqa: PLC0415  # takes 70 ms to import, needed only for scans

        return f"tesseract {tesserocr.tesseract_version().split()[1]}"

    async def recognise(self, png: bytes, *, language: str = "en") -> OcrPage:
        if language.partition("-")[0] != "en":
            raise OcrFailed(f"The offline OCR reads English only, not {language!r}.")
        try:
            return await self._processes.call("recognise", png, _PAGE.validate_python, seconds=self._page_seconds)
        except Unreadable as exc:  # the process was stopped or crashed
            raise OcrFailed(exc.message) from exc
