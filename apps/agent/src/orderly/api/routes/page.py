"""Serves the web page for lawyers at /app, from the files that `make web` built into this package."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from orderly.errors import Misconfigured

router = APIRouter(prefix="/app", include_in_schema=False)
front = APIRouter(include_in_schema=False)

INDEX = "index.html"
ABSENT = "The page is not built. Run `make web` (it needs Node.js 20 or newer) and start the server again."

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; font-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Content security policy: no inline scripts, no other hosts, no framing."""

SECURITY_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

_CACHE_FOREVER = "public, max-age=31536000, immutable"
"""Cache-Control for files whose name contains a hash of their content."""


@dataclass(frozen=True, slots=True)
class BuiltFile:
    body: bytes
    compressed: bytes
    content_type: str


def build_folder() -> Traversable:
    return files("orderly") / "api" / "page"


@cache
def built_files() -> dict[str, BuiltFile]:
    """All files by path, read once (some hundred kilobytes)."""
    return dict(_read(build_folder(), ""))


def _read(folder: Traversable, prefix: str) -> list[tuple[str, BuiltFile]]:
    found: list[tuple[str, BuiltFile]] = []
    for entry in folder.iterdir() if folder.is_dir() else ():
        if entry.is_dir():
            found += _read(entry, f"{prefix}{entry.name}/")
        else:
            body = entry.read_bytes()
            kind = mimetypes.guess_type(entry.name)[0] or "application/octet-stream"
            found.append((prefix + entry.name, BuiltFile(body, gzip.compress(body, 9, mtime=0), kind)))
    return found


@front.get("/")
async def lead_to_page() -> RedirectResponse:
    return RedirectResponse("/app", 307)


@router.get("")
@router.get("/{path:path}")
async def page(request: Request, path: str = "") -> Response:
    """Serves a built file; any other path below /app is a route of the page and gets index.html."""
    pages = built_files()
    if INDEX not in pages:
        raise Misconfigured(ABSENT)
    if path.startswith("assets/") and path not in pages:
        return Response("No such file.", 404, media_type="text/plain")
    name = path if path in pages else INDEX
    file = pages[name]
    gzipped = "gzip" in request.headers.get("accept-encoding", "")
    headers = {
        **SECURITY_HEADERS,
        "Cache-Control": _CACHE_FOREVER if name.startswith("assets/") else "no-cache",
        "Vary": "Accept-Encoding",
        **({"Content-Encoding": "gzip"} if gzipped else {}),
    }
    return Response(file.compressed if gzipped else file.body, headers=headers, media_type=file.content_type)
