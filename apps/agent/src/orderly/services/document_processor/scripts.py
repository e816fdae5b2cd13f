"""Scripts of letters, by their Unicode names."""

from __future__ import annotations

import unicodedata
from collections import Counter

_SAMPLE = 600
_MIN_SHARE = 0.03
_MAX_SCRIPTS = 4
"""Japanese with Latin words has four."""


def mixes_scripts(text: str) -> bool:
    """Whether the letters belong to more scripts than those of any language, as in wrongly decoded text."""
    letters = [sign for sign in text[:_SAMPLE] if sign.isalpha()]
    scripts = Counter(unicodedata.name(sign, "").partition(" ")[0] for sign in letters)
    return sum(count >= _MIN_SHARE * len(letters) for count in scripts.values()) > _MAX_SCRIPTS
