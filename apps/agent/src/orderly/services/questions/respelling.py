"""Misspelt ordinary words of a question: read as the word of the lexicon, or of the document, that is meant."""

from __future__ import annotations

import re

from orderly.services.engines.local import is_known_word, lexicon_words
from orderly.services.questions.spelling import closest

_WORD = re.compile(r"(?<![\w'’.-])(?:[a-z]{5,}|(?<=\A)[A-Z][a-z]{4,})(?![\w'’-])")
"""A word that is no name: in lower case, or the first one."""


def respelt(question: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The question in the words of the lexicon, and (word as written, word meant)."""
    fixed: dict[str, str] = {}
    for word in _misspelt(question):
        if meant := closest(word.lower(), lexicon_words()):
            fixed[word] = meant
    return _WORD.sub(lambda m: fixed.get(m[0], m[0]), question), tuple(fixed.items())


def respelt_for(question: str, text: str) -> str:
    """The question in the words of a document, where neither it nor the lexicon has a word."""
    wrong = _misspelt(question)
    if not wrong:
        return question
    words = set(re.findall(r"[a-z]{4,}", text.lower()))
    fixed = {word: closest(word.lower(), words) or word for word in wrong if word.lower() not in words}
    return _WORD.sub(lambda m: fixed.get(m[0], m[0]), question)


def _misspelt(question: str) -> list[str]:
    return [word for word in dict.fromkeys(_WORD.findall(question)) if not is_known_word(word)]
