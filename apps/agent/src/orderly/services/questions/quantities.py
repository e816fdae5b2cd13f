"""The kind of figure that a question asks for."""

from __future__ import annotations

import re
from typing import Literal

Quantity = Literal["money", "period", "duration", "share", "frequency"]
"""A period is a number of days or the like; a duration may be in words alone: "until the end of the lease"."""

_PERIODS = r"(?:business |calendar |working )?(?:minutes?|hours?|days?|weeks?|months?|years?)['’]?"
_SUMS = r"(?:amount|sum|fees?|price|salary|rent|deposit|wage|pay)"
_RATED = r"(?:(?:annual|yearly|monthly|weekly|hourly|base|total|purchase|contract) )?"
_ASKS: tuple[tuple[Quantity, re.Pattern[str]], ...] = (
    (
        "period",
        re.compile(rf"\bhow (?:many {_PERIODS}|much (?:\w+ )?(?:notice|time|warning|leave))(?!\w)", re.IGNORECASE),
    ),
    (
        "duration",
        re.compile(
            r"\bhow (?:long|soon|quickly|fast)\b"
            r"|\bwhat (?:is|are|was) the (?:\w+ ){0,3}(?:notice|cure|grace|warranty|rent-free) period\b",
            re.IGNORECASE,
        ),
    ),
    ("frequency", re.compile(r"\bhow (?:often|frequently|regularly)\b", re.IGNORECASE)),
    (
        "share",
        re.compile(
            r"\bwhat (?:(?:is|was|are) (?:the|its|his|her|their) )?(?:[\w'’]+ ){0,3}(?:percentages?|rates?|proportion)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "money",
        re.compile(
            r"\bhow much (?:is|are|was|were|does|do|did|must|may|can|will|would|rent|money|salary)\b"
            rf"|\bhow (?:large|big|high) (?:is|are|was|were|a)\b|\bwhat {_RATED}{_SUMS}\b"
            rf"|\bwhat (?:is|are|was|were) (?:the|its|his|her|their|my|our) (?:[\w'’-]+ ){{0,2}}{_SUMS}\b",
            re.IGNORECASE,
        ),
    ),
)


def wanted_quantity(question: str) -> Quantity | None:
    """The kind of figure that a question asks for; None if it asks for none."""
    return next((kind for kind, asks in _ASKS if asks.search(question)), None)
