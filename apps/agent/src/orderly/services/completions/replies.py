"""Reads a reply that was not streamed, whatever its form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MALFORMED = (ValueError, TypeError, KeyError, AttributeError, IndexError)
"""Raised by clients and readers for a reply that does not have the protocol's form, such as a page."""


def answer_of(reply: Any) -> str:
    """The text after the model's thoughts; empty without one. Raises one of `MALFORMED`."""
    content = reply.choices[0].message.content if reply.choices else None
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part.get("type") in ("text", None))
    return (content or "").rpartition("</think>")[2].strip()


def tokens_of(reply: Any) -> tuple[int, int]:
    """Tokens of the request and of the reply, as the endpoint counts them; 0 for what it does not count."""
    usage = getattr(reply, "usage", None)
    counts = usage if isinstance(usage, Mapping) else getattr(usage, "__dict__", {})
    sent, written = (counts.get(key) for key in ("prompt_tokens", "completion_tokens"))
    return (sent if isinstance(sent, int) else 0, written if isinstance(written, int) else 0)
