"""The clause types whose presence in a document is decided, and the wording that shows them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Protocol

_GAP = re.compile(r" ?\.\. ")


@dataclass(frozen=True, slots=True)
class PresenceType:
    name: str
    subject: str
    """Concept of the lexicon."""
    strong: re.Pattern[str]
    weak: re.Pattern[str] | None
    against: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Presence:
    """`text[start:end]` is the sentence that shows the type best, whether or not the type is present."""

    subject: str
    probability: float
    present: bool
    start: int
    end: int
    further: tuple[tuple[int, int], ...] = ()
    """Places of other sentences that show the type, best first."""
    likely: bool = False
    """Whether the type is present or nearly counts as present: about one in four of the latter is."""


class PresenceReading(Protocol):
    """One document, read once for all types."""

    def find(self, subject: str) -> Presence:
        """`subject`: a key of `presence_types()`."""
        ...


@lru_cache(maxsize=1)
def presence_types() -> Mapping[str, PresenceType]:
    """Types by subject."""
    raw = tomllib.loads(resources.files(__package__).joinpath("presence.toml").read_text(encoding="utf-8"))
    types = (
        PresenceType(
            item["name"], item["concept"], _compile(item["strong"]), _optional(item["weak"]), _optional(item["against"])
        )
        for item in raw["type"]
    )
    return {found.subject: found for found in types}


def _compile(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(_GAP.sub(r"\\b[^.;]{0,120}?\\b", pattern) for pattern in patterns))


def _optional(patterns: Sequence[str]) -> re.Pattern[str] | None:
    return _compile(patterns) if patterns else None
