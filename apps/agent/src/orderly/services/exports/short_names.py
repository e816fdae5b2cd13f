"""Names of documents for people, as the page shows them (apps/web/src/names.ts)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_FILED = re.compile(r"\b\d{1,2} \d{1,2} \d{4}\b|\b(?:19|20)\d{6}\b")
_EXHIBIT = re.compile(r"\bEX-?\d[\d.]*\b", re.IGNORECASE)
_BEFORE_EXHIBIT = re.compile(r"\s*-\s*(?=EX\b)", re.IGNORECASE)
_AFTER_EXHIBIT = re.compile(r"(\bEX-?\d[\d.]*)\s*-\s*", re.IGNORECASE)
_SMALL = frozenset({"and", "of", "the", "for", "to", "in", "on", "by", "or", "with", "between", "a", "an"})
_PART = "\x00"


def short_names(filenames: Iterable[str]) -> Mapping[str, str]:
    """The short name of each file; a name that two files would share stays whole."""
    short = {filename: short_name(filename) for filename in filenames}
    uses = Counter(short.values())
    return {filename: name if uses[name] == 1 else filename for filename, name in short.items()}


def short_name(filename: str) -> str:
    """Without extension, underscores, dates of filing and marks of exhibits; capitals only at the beginning of words."""
    base = _EXTENSION.sub("", filename)
    plain = _FILED.sub(" ", base.replace("_", " "))
    parts = _AFTER_EXHIBIT.sub(rf"\1{_PART}", _BEFORE_EXHIBIT.sub(_PART, plain)).split(_PART)
    words = (" ".join(_EXHIBIT.sub(" ", part).split()).lstrip(" -–,.").rstrip(" -–,") for part in parts)
    return " – ".join(_without_shouting(part) for part in words if part) or base


def _without_shouting(text: str) -> str:
    letters = re.sub(r"[^A-Za-z]", "", text)
    if len(letters) < 5 or sum(letter.isupper() for letter in letters) < 0.7 * len(letters):
        return text

    def lowered(found: re.Match[str]) -> str:
        word = found[0]
        if word != word.upper():
            return word
        return word.lower() if found.start() and word.lower() in _SMALL else word[0] + word[1:].lower()

    return re.sub(r"[A-Za-z]+", lowered, text)
