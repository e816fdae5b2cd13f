"""Finds other words for what a query asks: plain words and legal terms of one meaning (legal_terms.toml)."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

from orderly.services.engines.local.sentences import stems

Stems = tuple[str, ...]


@cache
def _lines() -> tuple[tuple[tuple[str, Stems], ...], ...]:
    """Expressions of one meaning, each with its stems."""
    raw = tomllib.loads(resources.files(__package__).joinpath("legal_terms.toml").read_text(encoding="utf-8"))
    lines = (line.split(" | ") for section in raw["section"] for line in section["terms"])
    return tuple(tuple((text, tuple(stems(text))) for text in line if stems(text)) for line in lines)


@cache
def _by_first_stem() -> Mapping[str, Sequence[tuple[Stems, int]]]:
    """First stem -> (expression, line)."""
    found: dict[str, list[tuple[Stems, int]]] = defaultdict(list)
    for number, line in enumerate(_lines()):
        for _, expression in line:
            found[expression[0]].append((expression, number))
    return found


@cache
def _lines_of_words() -> Mapping[str, frozenset[int]]:
    """Stem that is an expression by itself -> its lines."""
    found: dict[str, set[int]] = defaultdict(set)
    for number, line in enumerate(_lines()):
        for _, expression in line:
            if len(expression) == 1:
                found[expression[0]].add(number)
    return {stem: frozenset(numbers) for stem, numbers in found.items()}


def have_one_meaning(one: str, other: str) -> bool:
    """Whether two stems stand in one line, each by itself."""
    lines = _lines_of_words()
    return not lines.get(one, frozenset()).isdisjoint(lines.get(other, frozenset()))


def other_terms(query: str) -> dict[str, float]:
    """Stems that may stand for words of the query, without its own. A stem of a longer expression weighs less."""
    own = stems(query)
    found: dict[str, float] = {}
    for number in _lines_of(own):
        for _, expression in _lines()[number]:
            for stem in set(expression).difference(own):
                found[stem] = max(found.get(stem, 0.0), 1 / len(expression))
    return found


def said_otherwise(query: str, words: frozenset[str]) -> frozenset[str]:
    """Stems of the query's expressions for which words (stems) hold all of another expression of the same meaning."""
    own = stems(query)
    return frozenset(
        stem
        for number in _lines_of(own)
        for _, asked in _lines()[number]
        if any(tuple(own[at : at + len(asked)]) == asked for at in range(len(own)))
        if any(words.issuperset(other) for _, other in _lines()[number] if other != asked)
        for stem in asked
    )


def other_wording(query: str) -> str:
    """The expressions of one meaning with expressions of the query, as plain words; empty if there are none."""
    return " ".join(dict.fromkeys(text for number in _lines_of(stems(query)) for text, _ in _lines()[number]))


def _lines_of(own: Sequence[str]) -> list[int]:
    """Lines of which the query contains an expression."""
    index = _by_first_stem()
    return sorted(
        {
            number
            for at, stem in enumerate(own)
            for expression, number in index.get(stem, ())
            if tuple(own[at : at + len(expression)]) == expression
        }
    )
