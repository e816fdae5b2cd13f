"""What a question asks about, and whether a passage speaks of it: a grant of rights says nothing about trademarks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

from orderly.models import Span
from orderly.services.engines.local import content_words, is_alike, other_terms, sentences, stem, stems

SENTENCE = 40
"""Characters from which a text is more than a heading."""
SHORTEST = 4
"""Letters of a word that names what is asked about."""
SAME = 0.85
"""Cosine from which two words are forms of one."""
CACHED_DOCUMENTS = 64

_CIRCUMSTANCE = re.compile(
    r"\b(?:without|unless|if|once|after|before|until|because|even|while|besides|despite|(?<=\w )when)\b.*", re.IGNORECASE
)
"""From here on, a question says under which circumstances, not what it asks about."""
_GENERAL_LIST = (
    "agreement agreements contract contracts licence license licences licenses document documents deed lease act "
    "policy party parties clause clauses provision provisions section sections term terms say says said state states "
    "mention mentions cover covers contain contains include includes provide provides describe deal deals long much many often "
    "soon quickly fast far early late happen happens tell give gives allow allowed allows require required requires need needs "
    "want get gets make made take taken put know exist exists apply applies under anyone anything anybody someone "
    "something somebody everyone other others right rights obligation obligations rule rules amount kind sort type "
    "way reason purpose case year years month months week weeks days time date dates period person people company "
    "side matter first last about off out ever away what when does isn aren list lists ones impose maintain leave "
    "some prohibit forbid permission given subject recover wasn won don didn doesn trying become becomes done "
    "everything nothing else most least since given both until over whom"
)
_GENERAL = frozenset(map(stem, _GENERAL_LIST.split()))
"""Stems that most questions about documents may have."""
_LABEL = re.compile(r"\b([A-Za-z]{3,12}) (\d{1,3})\b")


@dataclass(frozen=True, slots=True)
class DocumentWords:
    """The sentences of a document."""

    spans: tuple[Span, ...]
    own: tuple[frozenset[str], ...]
    """Stems of each sentence."""
    stems: tuple[frozenset[str], ...]
    """Stems of each sentence and of its heading."""

    def rarity(self, object: str) -> float:
        """The weight of a word: the fewer sentences have it, the more it tells."""
        having = sum(object in words for words in self.stems)
        return log(1 + len(self.spans) / max(having, 0.5))

    def saying(self, objects: Sequence[str]) -> list[Span]:
        """Sentences that say every object: those that do without the heading come first, short ones before long ones."""
        having = [n for n, words in enumerate(self.stems) if all(says(o, words) for o in objects)]
        having = [n for n in having if self.spans[n][1] - self.spans[n][0] >= SENTENCE] or having
        unsaid = {n: sum(not says(o, self.own[n]) for o in objects) for n in having}
        having.sort(key=lambda n: (unsaid[n], self.spans[n][1] - self.spans[n][0]))
        return [self.spans[n] for n in having]


@lru_cache(maxsize=CACHED_DOCUMENTS)
def words_of(text: str) -> DocumentWords:
    """Reads a document. Later questions about the same text use the result again."""
    found = sentences(text)
    return DocumentWords(
        tuple((s.start, s.end) for s in found),
        tuple(frozenset(stems(text[s.start : s.end])) for s in found),
        tuple(frozenset(stems(f"{text[s.start : s.end]} {s.heading}")) for s in found),
    )


def objects_of(question: str) -> tuple[str, ...]:
    """Stems of what a question asks about, without circumstances and without words that say nothing about the subject."""
    asked = _CIRCUMSTANCE.sub("", question)
    words = content_words(asked if content_words(asked) else question)
    return tuple(dict.fromkeys(s for word in words if len(word) >= SHORTEST and (s := stem(word)) not in _GENERAL))


def labels_of(question: str) -> tuple[re.Pattern[str], ...]:
    """Patterns of the numbers that a question asks for: "year 3", "stage 2"."""
    return tuple(re.compile(rf"\b{word}\s+{number}\b", re.IGNORECASE) for word, number in _LABEL.findall(question))


def speaks(object: str, words: frozenset[str]) -> bool:
    """Whether words hold what is asked about, another word for it, or one that stands in the same places."""
    return names(object, words) or is_alike(object, words)


def names(object: str, words: frozenset[str]) -> bool:
    """Whether words hold what is asked about, or another word for it."""
    return says(object, words) or not words.isdisjoint(_other_words(object))


def says(object: str, words: frozenset[str]) -> bool:
    """Whether words hold what is asked about itself, in any form: "law", "laws"."""
    return object in words or is_alike(object, words, least=SAME)


@lru_cache(maxsize=2_000)
def _other_words(object: str) -> frozenset[str]:
    return frozenset(stem for stem, weight in other_terms(object).items() if weight == 1.0 and stem not in _GENERAL)
