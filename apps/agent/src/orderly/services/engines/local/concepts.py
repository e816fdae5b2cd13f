"""The lexicon of legal concepts: how they are asked for, and a passage's evidence of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from orderly.services.engines.local.sentences import stems

STRONG = 0.7
SUPPORTING = 0.25
"""Phrase weights. A passage's evidence is 1 - product(1 - weight) over the phrases it contains."""


@dataclass(frozen=True, slots=True)
class Phrase:
    pattern: re.Pattern[str]
    weight: float
    first: str
    """What every match begins with."""
    word: str
    """Its longest word: a text without it has no match, and looking for a word is far quicker."""

    def find_in(self, lower: str) -> Iterator[re.Match[str]]:
        """Every match in a lower-case text."""
        at = lower.find(self.first) if self.word in lower else -1
        while at >= 0:
            match = self.pattern.match(lower, at)
            if match:
                yield match
            at = lower.find(self.first, match.end() if match else at + 1)


@dataclass(frozen=True, slots=True)
class Concept:
    name: str
    queries: tuple[str, ...]
    """The name and other ways to ask for the concept."""
    phrases: tuple[Phrase, ...]
    opening: bool
    """Whether the clause is expected on the first page."""
    wording: str
    """Queries and strong phrases as plain words, for query expansion."""
    vocabulary: frozenset[str]
    """Stems of the name, the queries and the strong phrases."""

    def matches(self, lower: str) -> Iterator[tuple[int, int, float]]:
        """(offset, phrase index, weight) of every phrase match in a lower-case text."""
        for number, phrase in enumerate(self.phrases):
            for match in phrase.find_in(lower):
                yield match.start(), number, phrase.weight


def load() -> tuple[Concept, ...]:
    raw = tomllib.loads(resources.files(__package__).joinpath("concepts.toml").read_text(encoding="utf-8"))
    return tuple(
        Concept(
            name=item["name"],
            queries=(item["name"], *item["queries"]),
            phrases=compile_phrases(item["strong"], item["supporting"]),
            opening=item.get("opening", False),
            wording=_plain([*item["queries"][:2], *item["strong"]]),
            vocabulary=frozenset(stems(_plain([item["name"], *item["queries"], *item["strong"]]))),
        )
        for item in raw["concept"]
    )


def _plain(phrases: Sequence[str]) -> str:
    return re.sub(r"[*.]+", " ", " ".join(phrases))


def wording(concepts: Sequence[tuple[Concept, float]]) -> str:
    """Typical wording of the concepts with a weight of at least 1/3."""
    return " ".join(concept.wording for concept, weight in concepts if weight >= 1 / 3)


def compile_phrases(strong: Sequence[str], supporting: Sequence[str]) -> tuple[Phrase, ...]:
    """Compiles phrases to weighted patterns for lower-case text."""
    weighted = [(phrase, STRONG) for phrase in strong] + [(phrase, SUPPORTING) for phrase in supporting]
    return tuple(
        Phrase(_pattern(phrase), weight, phrase.split()[0].removesuffix("*"), max(_plain([phrase]).split(), key=len))
        for phrase, weight in weighted
    )


def evidence(phrases: Sequence[Phrase], lower: str) -> float:
    """0..1: combined weight of the phrases found in a lower-case passage."""
    absent = 1.0
    for phrase in phrases:
        if any(phrase.find_in(lower)):
            absent *= 1 - phrase.weight
    return 1 - absent


def _pattern(phrase: str) -> re.Pattern[str]:
    # The two character classes are disjoint, which prevents catastrophic backtracking.
    gap = r"(?:[^\w.;]+\w+){0,8}?[^\w.;]+"
    parts = []
    for part in phrase.split(" .. "):
        words = [re.escape(word[:-1]) + r"\w*" if word.endswith("*") else re.escape(word) for word in part.split()]
        parts.append(r"\s+".join(words))
    body = gap.join(parts)
    return re.compile(rf"(?<!\w){body}" + ("" if phrase.endswith("*") else r"(?!\w)"))
