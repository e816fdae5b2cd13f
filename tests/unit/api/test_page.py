"""The built page as the server sends it."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from orderly.api.errors import register_error_handlers
from orderly.api.routes import page

WEB = Path(__file__).parents[3] / "apps" / "web"
MAX_SCRIPT_BYTES = 260_000
"""Upper limit in bytes of the compressed script."""


@pytest.fixture
async def browser() -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    app.include_router(page.router)
    register_error_handlers(app)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:
        yield client


def assets(html: str) -> list[str]:
    found = re.findall(r'(?:src|href)="(/app/[^"]+)"', html)
    assert found
    return found


async def test_the_page_loads_nothing_from_other_hosts(browser: httpx.AsyncClient) -> None:
    index = await browser.get("/app")
    policy = index.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "connect-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=", index.text)
    for path in assets(index.text):
        answer = await browser.get(path)
        assert answer.is_success
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_the_script_is_small_compressed_and_cached_for_ever(browser: httpx.AsyncClient) -> None:
    script = 0
    for path in assets((await browser.get("/app")).text):
        answer = await browser.get(path)
        assert answer.headers["content-encoding"] == "gzip"
        assert ("immutable" in answer.headers["cache-control"]) == path.startswith("/app/assets/")
        bare = await browser.get(path, headers={"accept-encoding": "identity"})
        assert "content-encoding" not in bare.headers
        assert bare.content == answer.content
        script += len(gzip.compress(answer.content, 9)) if path.endswith(".js") else 0
    assert 0 < script <= MAX_SCRIPT_BYTES


async def test_routes_of_the_page_serve_the_page_and_missing_files_are_not_found(browser: httpx.AsyncClient) -> None:
    index = (await browser.get("/app")).text
    assert (await browser.get("/app/chat/4f9d0c6e")).text == index
    assert (await browser.get("/app/matters")).text == index
    assert (await browser.get("/app/assets/gone.js")).status_code == 404
    for outside in ("/app/assets/../../page.py", "/app/assets/..%2f..%2fapp.py"):
        answer = await browser.get(outside)
        assert answer.status_code == 404 or answer.text == index
        assert "import" not in answer.text.replace(index, "")


async def test_a_missing_build_is_explained_with_the_command_that_builds_it(
    browser: httpx.AsyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "build_folder", lambda: tmp_path / "page")
    page.built_files.cache_clear()
    try:
        answer = await browser.get("/app")
    finally:
        page.built_files.cache_clear()
    assert answer.status_code == 503
    assert "make web" in answer.json()["detail"]


def test_the_build_was_made_from_these_sources() -> None:
    """Fails when a source was changed and `make web` not run."""
    sources = sorted(
        [
            *(str(path.relative_to(WEB)) for path in (WEB / "src").rglob("*") if path.is_file()),
            *("index.html", "package-lock.json", "public/mark.svg", "vite.config.ts"),
        ]
    )
    digest = hashlib.sha256()
    for name in sources:
        digest.update(f"{name}\0".encode() + (WEB / name).read_bytes() + b"\0")
    built_from = Path(page.__file__).parents[1] / "page" / "built-from.txt"
    assert built_from.read_text().strip() == digest.hexdigest()


def test_the_npm_lock_names_no_registry() -> None:
    assert "resolved" not in (WEB / "package-lock.json").read_text()
