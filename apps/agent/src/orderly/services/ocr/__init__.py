"""Optical character recognition: the engine protocol, Tesseract, and a policy check for external engines."""

from orderly.services.ocr.permission import PermittedOcr
from orderly.services.ocr.protocol import DOUBTFUL_CONFIDENCE, PAGE_SECONDS, Ocr, OcrPage, OcrWord
from orderly.services.ocr.tesseract import TesseractOcr, recognise

__all__ = ["DOUBTFUL_CONFIDENCE", "PAGE_SECONDS", "Ocr", "OcrPage", "OcrWord", "PermittedOcr", "TesseractOcr", "recognise"]
