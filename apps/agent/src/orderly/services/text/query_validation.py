"""Checks of search queries and questions."""

from __future__ import annotations

import unicodedata

from orderly.errors import Invalid

MAX_QUERY = 10_000
"""Characters. Longer queries are rejected, not truncated."""


def validate_query(text: str, name: str, longest: int = MAX_QUERY) -> str:
    """Strips white space. Raises Invalid, with `name` in the message, for text that is empty, too long or unprintable."""
    if any(unicodedata.category(char) in ("Cc", "Cs") and not char.isspace() for char in text):
        raise Invalid(f"The {name} contains characters that are not text.")
    if not text.strip():
        raise Invalid(f"The {name} is empty.")
    if len(text) > longest:
        raise Invalid(f"The {name} is longer than {longest:,} characters.")
    return text.strip()
