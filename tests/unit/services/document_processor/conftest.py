from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from orderly.services.document_processor import DocumentProcessor
from orderly.services.ocr import TesseractOcr

FILES = Path(__file__).parents[3] / "fixtures" / "files"


@pytest.fixture
def fixture_file() -> Callable[[str], Path]:
    return lambda name: FILES / name


@pytest.fixture
def processor() -> DocumentProcessor:
    """Without OCR."""
    return DocumentProcessor(None)


@pytest.fixture(scope="session")
def tesseract() -> Iterator[TesseractOcr]:
    engine = TesseractOcr(threads=1)
    yield engine
    engine.close()
