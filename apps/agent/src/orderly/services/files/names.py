"""File names: safe display, and glob patterns."""

from __future__ import annotations

import unicodedata

MAX_NAME = 255

_LIKE = str.maketrans({"\\": r"\\", "%": r"\%", "_": r"\_", "*": "%", "?": "_"})

_INVISIBLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode categories: control, format (direction marks, zero width), lone surrogates, line and paragraph separators."""


def visible_name(name: str, otherwise: str = "unnamed") -> str:
    """Normalises a file name to one line of visible text. Invisible characters, which could disguise it, become "_"."""
    composed = unicodedata.normalize("NFC", name)
    visible = "".join("_" if unicodedata.category(c) in _INVISIBLE else c for c in composed).strip()
    if not visible.strip("._ "):
        return otherwise
    if len(visible) <= MAX_NAME:
        return visible
    stem, dot, suffix = visible.rpartition(".")
    return f"{stem[: MAX_NAME - len(suffix) - 1]}{dot}{suffix}" if stem and len(suffix) < 20 else visible[:MAX_NAME]


def like_pattern(glob: str) -> str:
    """Converts a glob of * and ? to a SQL LIKE pattern."""
    return glob.translate(_LIKE)
