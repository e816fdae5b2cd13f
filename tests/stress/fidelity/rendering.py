"""Draws Office files with LibreOffice, and takes the words off the pages that it makes."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pymupdf

from orderly.services.document_processor.page_content import TEXT_FLAGS

INSTALL = "apt-get install --no-install-recommends libreoffice-core libreoffice-writer libreoffice-calc libreoffice-impress"
_SECONDS = 120
_LEAST = 3
"""Letters of a running line. Fewer are the number of a clause that stands at the edge of a page by chance."""
_LETTERS = re.compile(r"[^\W\d_]+")
_MARGINS = re.compile(r"^\[(?:Headers|Footers)\]$.*", re.MULTILINE | re.DOTALL)
_EDGE = 0.12
"""Share of a page's height at top and bottom in which running heads and feet stand."""


def check_libreoffice() -> None:
    if shutil.which("soffice") is None:
        raise SystemExit(f"LibreOffice is not installed. On Debian: {INSTALL}")


def render(files: Sequence[Path], folder: Path) -> dict[Path, Path]:
    """The PDF that LibreOffice makes of each file; files that it cannot open are left out."""
    made: dict[Path, Path] = {}
    for number, path in enumerate(files):
        copy = folder / "in" / f"{number:05d}{path.suffix.lower()}"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(_as_browsers_take_it(path))
        made[path] = folder / "out" / f"{copy.stem}.pdf"
    sources = sorted((folder / "in").iterdir()) if files else []
    for start in range(0, len(sources), 50):
        _convert(sources[start : start + 50], folder)
    return {path: target for path, target in made.items() if target.exists()}


def _as_browsers_take_it(path: Path) -> bytes:
    """The file. Of a page that states no encoding and is no UTF-8, what browsers take it for: Windows-1252."""
    data = path.read_bytes()
    if not path.suffix.lower().startswith(".htm") or b"charset" in data[:1024].lower():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace").encode("utf-8-sig")
    return data


def _convert(sources: Sequence[Path], folder: Path) -> None:
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    pages = [source for source in sources if source.suffix.startswith(".htm")]
    for files, how in (
        ([source for source in sources if source not in pages], ["--convert-to", "pdf"]),
        # LibreOffice's own form for web pages loses the first lines.
        (pages, ["--infilter=HTML (StarWriter)", "--convert-to", "pdf:writer_pdf_Export"]),
    ):
        if not files:
            continue  # without a file, LibreOffice waits
        command = ["soffice", profile, "--headless", *how, "--outdir", str(folder / "out"), *map(str, files)]
        try:
            subprocess.run(command, check=False, capture_output=True, timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            for source in files if len(files) > 1 else ():
                _convert([source], folder)


def seen_text(path: Path, running: Collection[str] = ()) -> str:
    """The text of all pages. Lines of `running`, the stored heads and feet, are given once; page numbers are left out."""
    written: list[str] = []
    known, once = {_key(line) for line in running if line.strip()}, set[str]()
    with pymupdf.open(path) as document:
        for page in document:
            for text, at_edge in _lines(page):
                key = _key(text) if at_edge else ""
                if at_edge and (key in once or text.strip(" -–—") == str(page.number + 1)):
                    continue
                if at_edge and len(key) >= _LEAST and any(key in one for one in known):  # a tab divides a line on the page
                    once.add(key)
                written.append(text)
    return "\n".join(written)


def running_lines(stored: str) -> list[str]:
    """The lines of headers and footers in the stored text of a Word or RTF file."""
    found = _MARGINS.search(stored)
    return found[0].splitlines() if found else []


def _key(line: str) -> str:
    """The letters of a running line, whose numbers differ from page to page."""
    return "".join(_LETTERS.findall(line))


def _lines(page: pymupdf.Page) -> list[tuple[str, bool]]:
    """The lines of a page, and whether each stands at its upper or lower edge."""
    height = page.rect.height
    found = []
    for block in page.get_text("dict", flags=TEXT_FLAGS)["blocks"]:
        for line in block.get("lines", ()):
            text = "".join(_shown(span) for span in line["spans"]).strip()
            top, foot = line["bbox"][1], line["bbox"][3]
            if text:
                found.append((text, foot < _EDGE * height or top > (1 - _EDGE) * height))
    return found


def _shown(span: dict[str, Any]) -> str:
    """A raised number is no part of the number before it."""
    raised = span["flags"] & pymupdf.TEXT_FONT_SUPERSCRIPT and span["text"].strip().isdigit()
    return f" {span['text']} " if raised else str(span["text"])
