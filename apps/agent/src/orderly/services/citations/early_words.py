"""Words of a sentence that may be shown before it ends, because nothing that follows can change them.

Only a sentence about the work or the conversation is shown so. Any other may turn out to say something of a document.
"""

from __future__ import annotations

import re

from orderly.services.support import is_about_work

_PLAIN = re.compile(r"(?:[A-Za-zÀ-ɏ](?:['’](?=[A-Za-zÀ-ɏ]))?|[0-9 ,.;:!?()%$€£–—/-])*")
"""Text without marks of quotations, citations, links, code or source numbers, within one line."""
_SOURCES = re.compile(r"\s*Sources?\b", re.IGNORECASE)
"""Beginning of a list of sources, which the gate removes."""


def early_words(sentence: str) -> str:
    """The whole words at the beginning of an unfinished sentence; empty if the gate may still change them."""
    plain = _PLAIN.match(sentence)
    if plain is None or plain.end() < len(sentence) or _SOURCES.match(sentence) or not is_about_work(sentence):
        return ""
    return sentence[: sentence.rstrip().rfind(" ") + 1].rstrip()
