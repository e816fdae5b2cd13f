"""Finds the parties to an agreement and the names that the agreement gives them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from orderly.services.values.party_names import party_names

OPENING = 12_000
"""Characters. The parties stand at the start of an agreement."""
_BETWEEN = re.compile(r"\b(?:between|among(?:st)?)\b", re.I)
_DEFINED = re.compile(r"[(\[][^()\[\]]{0,120}?[“\"‘'](?P<name>[A-Z][\w&.'’ /-]{0,60}?)[”\"’']")
_AFTER_NAME = re.compile(r",?\s+(?:ACN|ABN|ARBN|A\.C\.N\.|A\.B\.N\.)|,\s+of\b")
_NO_NAME = re.compile(r"(?:Agreement|Contract|Deed|Lease|Party|Parties|Effective Date|Act)$")


@dataclass(frozen=True, slots=True)
class Party:
    """`text[start:end]` is the name, without the defined name."""

    start: int
    end: int
    name: str
    defined_as: str | None = None
    """"Supplier" in: Acme Pty Ltd (the "Supplier")."""

    @property
    def text(self) -> str:
        return f"{self.name} ({self.defined_as})" if self.defined_as else self.name


def find_parties(text: str) -> list[Party]:
    """The parties that the opening of an agreement names, in text order; at least two, or none."""
    for opening in _BETWEEN.finditer(text, 0, OPENING):
        names = party_names(text, opening.start(), min(len(text), opening.start() + OPENING))
        if names:
            ends = [start for start, _ in names[1:]] + [names[-1][1] + 400]
            return [_party(text, span, min(end, len(text))) for span, end in zip(names, ends, strict=True)]
    return []


def _party(text: str, span: tuple[int, int], until: int) -> Party:
    start, end = span
    if tail := _AFTER_NAME.search(text, start, end):
        end = tail.start()
    defined = next((m for m in _DEFINED.finditer(text, end, until) if not _NO_NAME.search(m["name"])), None)
    return Party(start, end, " ".join(text[start:end].split()), defined["name"].strip(" ,.") if defined else None)
