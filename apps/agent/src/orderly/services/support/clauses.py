"""Divides a sentence at the borders of its clauses, so that what exempts its beginning exempts no more than that."""

from __future__ import annotations

import re
from collections.abc import Iterator

VERB = (
    r"\b(?:is|are|was|were|has|have|had|shall|must|may|will|can|cannot|do|does|did|says?|provides?|requires?|allows?|permits?|prohibits?|obliges?|"
    r"pays?|owes?|ends?|begins?|starts?|expires?|terminates?|applies|governs?|includes?|excludes?|limits?|grants?|gives?|agrees?|runs?|lasts?|renews?|covers?|contains?|sets?)\b"
)
"""Finite verbs of statements about documents."""
NAME = re.compile(r"\b[A-Z][\w&'’]+\s+(?:(?:of|and)\s+)?[A-Z][\w&'’]+")
"""A name of several words."""
_VERB = re.compile(VERB, re.IGNORECASE)
_JOINT = r"(?:that|and|but|so|or|because|since|as|yet|though|although|while|whereas)"
_ASKING = r"(?:what|whether|if|how|when|where|which|who|whom|whose|why|until|unless)"
_BORDER = re.compile(
    rf"(?:[,;:]|\s[–—-])\s+(?:{_JOINT}\s+)*|\s+(?:(?:that|and|but|because|since|so)\s+)+"
    r"|\s+(?=(?:the|each|either|neither|every|no|all|any|both|its|their|your|our|this|these)\s)",
    re.IGNORECASE,
)
"""Marks and words behind which a clause may begin, and the beginning of its subject."""
_ASKED = re.compile(rf"\b{_ASKING}\s*\Z", re.IGNORECASE)
_ASKS = re.compile(rf"\W*{_ASKING}\b", re.IGNORECASE)
_DEPENDS = re.compile(rf"\b(?:{_ASKING}|that|to)\b", re.IGNORECASE)
_SUBJECT = re.compile(
    rf"\W*(?:(?P<pronoun>it|they|he|she)\s+(?!(?:is|are|was|were|has|have|had|do|does|did)\b)|(?!(?:it|they|he|she|just|please)\b)(?:(?!(?:that|which|who|whose|to|if|whether)\b)[\w'’()./-]+\s+){{1,8}}?)(?={VERB})",
    re.IGNORECASE,
)
"""A subject of a few words before its finite verb."""
_WORD = re.compile(r"\w+(?:['’-]\w+)*")
QUOTES = tuple("“”\"‘«„'")
_MIN_WORDS = 3
_MOST_BORDERS = 40


def has_verb(sentence: str) -> bool:
    """Whether a sentence has a finite verb of statements about documents."""
    return _VERB.search(sentence) is not None


def is_instruction(sentence: str) -> bool:
    """Whether a text has no finite verb outside a question or dependent clause: "Summarise what the lease says on rent"."""
    verb = _VERB.search(sentence)
    return verb is None or _DEPENDS.search(sentence, 0, verb.start()) is not None


def later_clauses(sentence: str) -> Iterator[str]:
    """What follows each border of a sentence, if it begins with a subject and its verb and is no question within it."""
    for count, border in enumerate(_BORDER.finditer(sentence)):
        if count == _MOST_BORDERS:
            return
        rest = sentence[border.end() :]
        if _ASKED.search(sentence[: border.start()]) or _ASKS.match(rest) or rest[:1] in QUOTES:
            continue
        subject = _SUBJECT.match(rest)
        if subject is not None and (subject["pronoun"] or len(_WORD.findall(rest)) >= _MIN_WORDS):
            yield rest
