"""One feature of a sentence and its quotation."""

from __future__ import annotations

from typing import NamedTuple


class Feature(NamedTuple):
    value: float
    word: str = ""
