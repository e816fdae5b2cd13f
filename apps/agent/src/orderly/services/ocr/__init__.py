"""Optical character recognition: the protocol of an engine, Tesseract, and the check of permission."""

from orderly.services.ocr.offline import TesseractOcr
from orderly.services.ocr.permitted import PermittedOcr
from orderly.services.ocr.protocol import DOUBTFUL, PAGE_SECONDS, Ocr, OcrPage, OcrWord

__all__ = ["DOUBTFUL", "PAGE_SECONDS", "Ocr", "OcrPage", "OcrWord", "PermittedOcr", "TesseractOcr"]
