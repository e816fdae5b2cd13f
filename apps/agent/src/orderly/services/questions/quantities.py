"""The kind of figure that a question asks for, and whether a passage states one."""

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
_NUMBER = (
    r"(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|eighteen|twenty|thirty|forty|sixty"
    r"|ninety|hundred)"
)
_PERIOD = rf"\b{_NUMBER}(?:\s*\(\s*\d+\s*\))?[\s-]+{_PERIODS}(?!\w)"
_BLANK = r"[_\[*]{2,}|\[[^\]]*\]"
_FIGURES: dict[Quantity, re.Pattern[str]] = {
    "money": re.compile(
        r"[$€£]\s?[\d\[_*.]|\b(?:A|US|AU|C)\$|\b(?:AUD|USD|EUR|GBP)\b|\b\d[\d,.]*\s(?:dollars|euros|pounds)\b"
        rf"|\d\s?%|\bper ?cent|{_BLANK}",
        re.IGNORECASE,
    ),
    "period": re.compile(rf"{_PERIOD}|{_BLANK}", re.IGNORECASE),
    "duration": re.compile(
        rf"{_PERIOD}|{_BLANK}|\b(?:immediately|at any time|perpetual\w*|indefinite\w*|forthwith|promptly|until|as long as"
        r"|monthly|annual\w*|yearly|anniversary|permanent\w*|as soon as|forever|from time to time)\b",
        re.IGNORECASE,
    ),
    "frequency": re.compile(
        r"\b(?:daily|(?:bi-?)?(?:week|month)ly|fortnight\w*|quarterly|annual\w*|yearly|every|each|once|twice|times|at any time"
        rf"|from time to time|(?:per|an?) (?:day|week|month|quarter|year|annum))\b|{_PERIOD}|{_BLANK}",
        re.IGNORECASE,
    ),
    "share": re.compile(rf"\d\s?%|\bper ?cent|\brate\b|[$€£]\s?\d|{_BLANK}", re.IGNORECASE),
}
_ELSEWHERE = re.compile(r"\b(?:item|schedule|annexure|appendix|exhibit|table)\b", re.IGNORECASE)
"""Words of a passage that leave the figure to another place."""


def wanted_quantity(question: str) -> Quantity | None:
    """The kind of figure that a question asks for; None if it asks for none."""
    return next((kind for kind, asks in _ASKS if asks.search(question)), None)


def states(quantity: Quantity, text: str) -> bool:
    """Whether a text states such a figure."""
    return _FIGURES[quantity].search(text) is not None


def may_state(quantity: Quantity, text: str) -> bool:
    """Whether a text states such a figure, or says where it stands."""
    return states(quantity, text) or _ELSEWHERE.search(text) is not None
