"""Optical character recognition: the protocol of an engine, Tesseract, and the check of permission."""

from orderly.services.ocr.permission import PermittedOcr
from orderly.services.ocr.protocol import DOUBTFUL_CONFIDENCE, Ocr, OcrPage, OcrWord
from orderly.services.ocr.tesseract_engine import TesseractOcr

__all__ = ["DOUBTFUL_CONFIDENCE", "Ocr", "OcrPage", "OcrWord", "PermittedOcr", "TesseractOcr"]
