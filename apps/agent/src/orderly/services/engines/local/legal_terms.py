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


def other_terms(query: str) -> dict[str, float]:
    """Stems that may stand for words of the query, without its own. A stem of a longer expression weighs less."""
    own = stems(query)
    found: dict[str, float] = {}
    for number in _lines_of(own):
        for _, expression in _lines()[number]:
            for stem in set(expression).difference(own):
                found[stem] = max(found.get(stem, 0.0), 1 / len(expression))
    return found


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
