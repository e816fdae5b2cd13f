"""Patterns of contract wording that are indifferent to line breaks."""

from __future__ import annotations

import re
import tomllib
from importlib import resources

_SHARED = re.compile(r"@(\w+)")


def load(subject: str) -> dict[str, re.Pattern[str]]:
    """Patterns of one subject by name, from wording.toml."""
    raw = tomllib.loads(resources.files(__package__).joinpath("wording.toml").read_text(encoding="utf-8"))
    shared = raw["shared"]
    return {
        name: phrase(_SHARED.sub(lambda word: shared[word[1]], "|".join(alternatives)))
        for name, alternatives in raw[subject].items()
    }


def phrase(pattern: str) -> re.Pattern[str]:
    """Compiles a pattern without regard to case: a space is any white space, " .. " up to 120 characters of one sentence.

    "[^.;]" stays in one sentence: the point of a decimal ends none.
    """
    flexible = pattern.replace(" .. ", r"\b[^.;]{0,120}?\b").replace(" ", r"\s++")
    flexible = flexible.replace("[^.;]", r"(?:[^.;]|(?<=\d)\.(?=\d))")
    return re.compile(flexible, re.I)
