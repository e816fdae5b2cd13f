"""Words of the language that several rooms read: months, numbers, negations and the roles of parties (`words.toml`)."""

import tomllib
from importlib.resources import files
from typing import Any

_DATA: dict[str, Any] = tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))

MONTHS: tuple[str, ...] = tuple(_DATA["months"])
"""January to December, capitalised."""
ANY_MONTH = "|".join(MONTHS)
"""Pattern of a month's name, without a group around it."""
NEGATIONS: frozenset[str] = frozenset(_DATA["negations"])
ROLE_NAMES: frozenset[str] = frozenset(_DATA["roles"])
"""Capitalised, in the singular."""
NUMBERS: dict[str, Any] = _DATA["numbers"]
"""In words: units (0 to 19) and tens in order; spellings, scales, ordinals, parts, eras and groups with their values."""

__all__ = ["ANY_MONTH", "MONTHS", "NEGATIONS", "NUMBERS", "ROLE_NAMES"]
