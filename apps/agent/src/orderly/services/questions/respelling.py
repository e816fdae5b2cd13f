"""Misspelt ordinary words of a question: read as the word of the lexicon, or of the document, that is meant."""

from __future__ import annotations

import re

from orderly.services.document_processor import is_word
from orderly.services.engines.local import is_known_word, lexicon_words
from orderly.services.questions.spelling import SHORT, closest

_WORD = re.compile(r"(?<![\w'’.-])(?:[a-z]{4,}|(?<=\A)[A-Z][a-z]{3,})(?![\w'’-])")
"""A word that is no name: in lower case, or the first one."""
_NUMBER_LIST = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_NUMBERS = tuple(_NUMBER_LIST.split())
_NUMBERED = re.compile(
    rf"(?<![\w.,-])(?P<number>{'|'.join(_NUMBERS)}|\d{{1,2}})(?P<unit>\s+(?:business\s+)?(?:day|week|month|year|hour)s?)\b",
    re.IGNORECASE,
)


def respelt(question: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The question in the words of the lexicon, and (word as written, word meant)."""
    fixed: dict[str, str] = {}
    for word in _misspelt(question):
        if meant := closest(word.lower(), lexicon_words()):
            fixed[word] = meant
    return _WORD.sub(lambda m: fixed.get(m[0], m[0]), question), tuple(fixed.items())


def respelt_for(question: str, text: str) -> str:
    """The question in the words of a document, where neither it nor the lexicon has one; numbers as in the document."""
    question = _NUMBERED.sub(lambda m: _as_written(m, text), question)
    wrong = _misspelt(question)
    if not wrong:
        return question
    words = set(re.findall(r"[a-z]{4,}", text.lower()))
    fixed = {word: closest(word.lower(), words) or word for word in wrong if word.lower() not in words}
    return _WORD.sub(lambda m: fixed.get(m[0], m[0]), question)


def _misspelt(question: str) -> list[str]:
    """Words of no dictionary. Stems of contracts make others known, but a short misspelt word may be one of theirs: "trem"."""
    words = [word for word in dict.fromkeys(_WORD.findall(question)) if not is_word(word.lower())]
    return [word for word in words if len(word) <= SHORT or not is_known_word(word)]


def _as_written(number: re.Match[str], text: str) -> str:
    """A number with its unit, in figures or in words: as it is, unless the document only has it the other way."""
    written = number["number"].lower()
    at = int(written) - 1 if written.isdigit() else _NUMBERS.index(written)
    if not 0 <= at < len(_NUMBERS):
        return number[0]
    other = _NUMBERS[at] if written.isdigit() else str(at + 1)
    unit = r"\s+".join(number["unit"].split()).removesuffix("s")
    own, others = (re.search(rf"(?<!\w){n}\s+{unit}", text, re.IGNORECASE) for n in (written, other))
    return f"{other}{number['unit']}" if others and not own else number[0]
