"""Screenshots for docs/page, and accessibility checks."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import axe_playwright_python
import pymupdf
from PIL import Image
from playwright.sync_api import Page

PICTURES = Path(__file__).parents[3] / "docs" / "page"
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}


def save_screenshot(page: Page, name: str) -> None:
    """Saves a screenshot with 256 colours, a quarter of the bytes."""
    page.wait_for_timeout(400)
    PICTURES.mkdir(parents=True, exist_ok=True)
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    if image.width == PHONE["viewport"]["width"] * 2:
        image = image.resize((585, round(image.height * 585 / image.width)), Image.Resampling.LANCZOS)
    image.quantize(256, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)


def save_pdf_page(content: bytes, number: int, name: str) -> None:
    """Saves a page of a printout as a picture."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with pymupdf.open(stream=content) as document:
        drawn = document[number - 1].get_pixmap(dpi=80)
    image = Image.frombytes("RGB", (drawn.width, drawn.height), drawn.samples)
    image.quantize(256, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)


def assert_accessible(page: Page) -> None:
    """Asserts that axe finds no serious or critical violation of WCAG 2.2 AA."""
    page.evaluate(AXE)
    found = page.evaluate(
        "() => axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})"
    )
    grave = [
        (violation["id"], [node["html"][:200] for node in violation["nodes"]])
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
    assert not grave, grave
