"""Patterns of contract wording that are indifferent to line breaks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

_SHARED = re.compile(r"@(\w+)")


class Wording(Mapping[str, re.Pattern[str]]):
    """Patterns of one subject by name, from wording.toml. A pattern is compiled when it is first used."""

    def __init__(self, subject: str) -> None:
        self._subject = subject
        self._compiled: dict[str, re.Pattern[str]] = {}

    def __getitem__(self, name: str) -> re.Pattern[str]:
        if name not in self._compiled:
            tables = _tables()
            alternatives = "|".join(tables[self._subject][name])
            self._compiled[name] = phrase(_SHARED.sub(lambda word: tables["shared"][word[1]], alternatives))
        return self._compiled[name]

    def __contains__(self, name: object) -> bool:
        return name in _tables()[self._subject]

    def __iter__(self) -> Iterator[str]:
        return iter(_tables()[self._subject])

    def __len__(self) -> int:
        return len(_tables()[self._subject])


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("wording.toml").read_text(encoding="utf-8"))


def phrase(pattern: str) -> re.Pattern[str]:
    """Compiles a pattern without regard to case: a space is any white space, " .. " up to 120 characters of one sentence.

    "[^.;]" stays in one sentence: the point of a decimal ends none.
    """
    flexible = pattern.replace(" .. ", r"\b[^.;]{0,120}?\b").replace(" ", r"\s++")
    flexible = flexible.replace("[^.;]", r"(?:[^.;]|(?<=\d)\.(?=\d))")
    return re.compile(flexible, re.I)
