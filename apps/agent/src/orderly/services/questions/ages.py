"""Recognises questions that order documents by nothing but their age: "which judgment is the most recent?"."""

from __future__ import annotations

import re

from orderly.services.questions.kinds import kind_of

_AGE = re.compile(
    r"\b(?:(?:most|least) recent(?:ly)?|newest|oldest|latest|earliest|(?:in )?(?:chronological|date) order|chronologically"
    r"|by (?:age|date|their dates?)|from (?:oldest|earliest) to (?:newest|latest))\b",
    re.IGNORECASE,
)
_OTHER_LIST = (
    "a all am and are by dated documents document each every files file in is it list made matter me my of one ones order our "
    "please put rank show signed sort the them these this those was were what which with agreement agreements contract "
    "contracts deed deeds papers i have do we"
)
_OTHER = frozenset(_OTHER_LIST.split())
"""Words beside which nothing but the age is asked for."""


def asks_age(question: str) -> bool:
    """Whether a question orders documents, of any kind or of one, by when they were made or decided."""
    if not _AGE.search(question):
        return False
    words = re.findall(r"[^\W\d_]+", _AGE.sub(" ", question).lower())
    return all(word in _OTHER or kind_of(_singular(word)) for word in words)


def _singular(noun: str) -> str:
    return f"{noun[:-3]}y" if noun.endswith("ies") else noun.removesuffix("s")
