"""Finds names of jurisdictions."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Jurisdiction:
    """`text[start:end]`."""

    start: int
    end: int
    name: str
    """Usual name; a state of Australia or a province of Canada with its country ("Victoria, Australia")."""


@lru_cache(maxsize=1)
def _names() -> tuple[re.Pattern[str], dict[str, str]]:
    raw = tomllib.loads(resources.files(__package__).joinpath("jurisdictions.toml").read_text(encoding="utf-8"))
    names: dict[str, str] = {}
    for group in raw["group"]:
        for entry in group["names"].split(";"):
            name, _, aliases = (part.strip() for part in entry.partition("="))
            shown = f"{name}, {group['as']}" if group["as"] else name
            names |= {_key(form): shown for form in (name, *aliases.split(",")) if form.strip()}
    names = {f"{form}n": shown for form, shown in names.items() if form.endswith("ia")} | names  # "Victorian"
    longest_first = sorted(names, key=len, reverse=True)
    forms = "|".join(re.escape(form).replace(r"\ ", r"\s+") for form in longest_first)
    return re.compile(rf"(?<![\w.])(?-i:(?=[^\W\d_a-z]))(?:{forms})(?!\w)", re.I), names


def find_jurisdictions(text: str) -> list[Jurisdiction]:
    """Jurisdictions in text order. A name in lower case is no name."""
    pattern, names = _names()
    found: list[Jurisdiction] = []
    for match in pattern.finditer(text):
        if not match[0][0].isupper() or (match[0].lower() in _ALSO_WORDS and not match[0].isupper()):
            continue
        name = names[_key(match[0])]
        before = found[-1] if found else None
        # "Victoria, Australia" and "New York, USA" name one place.
        if before and re.fullmatch(r",\s*(?:the\s+)?", text[before.end : match.start()]) and name in _COUNTRIES:
            found[-1] = Jurisdiction(before.start, match.end(), before.name)
        else:
            found.append(Jurisdiction(*match.span(), name))
    return found


_ALSO_WORDS = frozenset({"act", "us"})
"""Acronyms that are words too: "the Contracts Act"."""
_COUNTRIES = frozenset({"United States", "Australia", "Canada", "United Kingdom"})


def _key(form: str) -> str:
    return " ".join(form.split()).lower()
