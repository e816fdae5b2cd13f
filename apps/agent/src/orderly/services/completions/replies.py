"""Reads a reply that was not streamed, whatever its form."""

from __future__ import annotations

from typing import Any

MALFORMED = (ValueError, TypeError, KeyError, AttributeError, IndexError)
"""Raised by clients and readers for a reply that does not have the protocol's form, such as a page."""


def answer_of(reply: Any) -> str:
    """The text after the model's thoughts; empty without one. Raises one of `MALFORMED`."""
    content = reply.choices[0].message.content if reply.choices else None
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part.get("type") in ("text", None))
    return (content or "").rpartition("</think>")[2].strip()
