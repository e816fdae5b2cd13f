"""Checks requests against Isaacus' limits before sending."""

from __future__ import annotations

import httpx

from orderly.errors import EngineRefused, Misconfigured

MAX_TEXTS = 128
"""Texts per embedding request."""
MAX_QUERY = 10_000_000
"""Characters per query."""
WINDOW_BYTES = 16_000
"""UTF-8 bytes that always fit Kanon's window of 16,384 tokens, since every token has at least one byte."""


def check_key(key: str) -> str:
    """Returns the stripped key. Raises Misconfigured if the key is not valid in an HTTP header."""
    key = key.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise Misconfigured("ISAACUS_API_KEY is empty or holds characters that no key has.")
    return key


def check_base_url(url: str) -> str:
    """Returns the URL without `/v1` and trailing slashes. Raises Misconfigured if the URL is invalid."""
    url = url.strip().rstrip("/").removesuffix("/v1").rstrip("/")
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as exc:
        raise Misconfigured("ISAACUS_BASE_URL is not a valid address.") from exc
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise Misconfigured("ISAACUS_BASE_URL must begin with https:// and name a host.")
    return url


def check_query(query: str) -> None:
    if not query.strip():
        raise EngineRefused("The question is empty.")
    if len(query) > MAX_QUERY:
        raise EngineRefused("The question is too long for the engine.")


def windows(text: str) -> list[tuple[int, int]]:
    """Spans that fit the embedding window for any content; split after white space where possible."""
    spans: list[tuple[int, int]] = []
    start = 0
    while start < len(text):
        end = _fitting_end(text, start)
        if text[start:end].strip():
            spans.append((start, end))
        start = end
    return spans


def _fitting_end(text: str, start: int) -> int:
    part = text[start : start + WINDOW_BYTES]
    # Decoding with "ignore" drops a partial character at the end.
    fitting = len(part.encode("utf-8", "replace")[:WINDOW_BYTES].decode("utf-8", "ignore"))
    if start + fitting >= len(text):
        return len(text)
    space = max(text.rfind(blank, start, start + fitting) for blank in (" ", "\n"))
    return space + 1 if space > start else start + fitting
