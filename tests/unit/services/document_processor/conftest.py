from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from orderly.services.document_processor import READER, DocumentProcessor
from orderly.services.isolation.pool import shared_pool
from orderly.services.isolation.process_limits import ProcessLimits
from orderly.services.ocr.tesseract import TesseractOcr

FILES = Path(__file__).parents[3] / "fixtures" / "files"


@pytest.fixture
def fixture_file() -> Callable[[str], Path]:
    return lambda name: FILES / name


@pytest.fixture
def processor() -> DocumentProcessor:
    """A processor without OCR."""
    return DocumentProcessor(None)


@pytest.fixture
def tesseract() -> TesseractOcr:
    return TesseractOcr(shared_pool(READER, ProcessLimits()))
