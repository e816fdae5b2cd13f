"""What may be asked."""

from __future__ import annotations

import unicodedata

from orderly.errors import Invalid

MAX_QUERY = 10_000
"""Characters. Longer questions are documents, and are refused rather than cut."""


def question(text: str, name: str, longest: int = MAX_QUERY) -> str:
    """`text` without the white space around it. Raises Invalid, calling it `name`, for what is none."""
    if any(unicodedata.category(char) in ("Cc", "Cs") and not char.isspace() for char in text):
        raise Invalid(f"The {name} contains characters that are not text.")
    if not text.strip():
        raise Invalid(f"The {name} is empty.")
    if len(text) > longest:
        raise Invalid(f"The {name} is longer than {longest:,} characters.")
    return text.strip()
