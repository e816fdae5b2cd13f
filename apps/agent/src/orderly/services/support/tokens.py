"""A sentence as words with their stems."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from orderly.services.engines.local import stem

_TOKEN = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*|[.;:,!?()—]")
_STOP = frozenset(
    """
    a an the this that these those it its he him his she her they them their we us our you your i my me there here who
    whom whose which what
    is are was were be been being am do does did done doing has have had having shall will would should may might must
    can could cannot need
    and or nor but so then than thus hence also too both either neither each of to in on at by for from with into onto
    upon as per via within
    under over through during between among against about off out up down not no never none nothing nobody any all
    some every other others such
    same own if when where while unless until once because since although though whether how why even only just still
    yet already hereby herein
    hereof hereto hereunder thereof thereto therein said made make makes making agree agrees agreed agreeing agreement
    agreements contract
    contracts document documents clause clauses section sections article provision provisions paragraph subsection
    schedule party parties term
    terms sentence words text wording notice applies apply say says state states provide provides given give gives
    take takes taken get gets
    become becomes mean means meaning case cases event circumstances regard respect way least most more less many much
    well very rather quite
    without before after except prior following
    """.split()
)


_IRREGULAR = dict(
    pair.split("/")
    for pair in """
    paid/pay sent/send given/give giving/give
    held/hold kept/keep lost/lose bound/bind sold/sell left/leave told/tell begun/begin
    began/begin chosen/choose chose/choose written/writing withheld/withhold brought/bring bought/buy owes/owe dies/die
    used/use uses/use using/use ended/end ending/end lasts/endure lasted/endure lasting/endure
    """.split()
)


def word_stem(folded: str) -> str:
    folded = _IRREGULAR.get(folded, folded)
    found = stem(folded)
    return (
        found[:-1] if found == folded and len(found) in (4, 5) and found.endswith("s") and not found.endswith("ss") else found
    )


class Word(NamedTuple):
    text: str
    """As written."""
    folded: str
    stem: str

    @property
    def is_mark(self) -> bool:
        return not self.text[0].isalnum()

    @property
    def has_content(self) -> bool:
        return not self.is_mark and len(self.folded) > 2 and self.folded not in _STOP and not self.folded[0].isdigit()


@lru_cache(maxsize=1_024)
def read_words(text: str) -> tuple[Word, ...]:
    found = []
    for match in _TOKEN.finditer(text):
        folded = match[0].casefold().replace("’", "'").removesuffix("'s")
        found.append(Word(match[0], folded, word_stem(folded)))
    return tuple(found)


@lru_cache(maxsize=1_024)
def content(text: str) -> tuple[Word, ...]:
    """The words that carry meaning, each once."""
    return tuple({word.stem: word for word in read_words(text) if word.has_content}.values())
