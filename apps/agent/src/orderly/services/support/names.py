"""Names in a sentence that no dictionary has, and so must come from somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

from orderly.services.document_processor import is_word
from orderly.services.support.words import names_in

_LAW = re.compile(
    r"\b(?:[A-Z][\w’'-]+\s+(?:(?:of|and|for|the)\s+)*)*(?:Act|Regulations?|Rules|Code|Convention|Directive|Court|Tribunal)\b|\b[A-Z][\w’'.-]*(?:\s+[\w’'.&-]+){0,6}\s+v\s+[A-Z][\w’'-]*(?:\s+[A-Z][\w’'-]*)*"
)
"""Statutes, courts and cases by their form."""
_PEOPLE = re.compile(r"(?:[ie]ans?|ish|ese|ench|Dutch|Swiss)\Z")
_SHORTEST = 4


def unknown_names(sentence: str) -> Iterator[str]:
    """Proper names of a sentence; not statutes, courts, cases, peoples, nor words that any dictionary has."""
    laws = [match.span() for match in _LAW.finditer(sentence)]
    for start, end, name in names_in(sentence):
        bare = re.sub(r"['’]s?\Z", "", name)
        if any(a <= start < b for a, b in laws) or len(bare) < _SHORTEST or bare.isupper() or _PEOPLE.search(bare):
            continue
        if not any(char.isdigit() for char in bare) and not all(
            is_word(part.casefold()) or is_word(part.casefold().removesuffix("s")) for part in re.split(r"[-’'.]", bare) if part
        ):
            yield sentence[start : start + len(bare)] if end > start else bare
