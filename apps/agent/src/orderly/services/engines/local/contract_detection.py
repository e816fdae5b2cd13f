"""Detects contracts by wording."""

from __future__ import annotations

import re
from collections.abc import Sequence

SAMPLE = 15_000
"""Characters read from the start; a fifth as many are read from the end."""
THRESHOLD = 2.5
"""Measured: 121 contracts score at least 3.5, 40 other documents at most 1.3."""
_CONTRACT = (
    (3.0, r"\b(?:this|the) (?:\w+[ -]){0,4}(?:agreement|contract|deed|lease|licen[cs]e)\b"),
    (2.0, r"\b(?:by and (?:between|among)|made (?:as of|on|this)|entered into)\b"),
    (1.5, r"\b(?:the parties|each party|either party|neither party|other party)\b"),
    (1.5, r"\b(?:whereas|now,? therefore|in witness whereof|witnesseth|hereinafter|recitals)\b"),
    (1.0, r"\b(?:agrees? (?:to|that)|undertakes? to|covenants?)\b"),
    (1.0, r"\b(?:hereto|hereunder|hereof|herein)\b"),
    (1.5, r"\b(?:governed by|entire agreement|successors and assigns|confidential information)\b"),
    (1.0, r"\b(?:terminat\w+|indemnif\w+|warrant\w+)\b"),
    (1.0, r"\b(?:shall|will) (?:pay|provide|deliver|not|be|have)\b"),
)
_OTHER = (
    (3.0, r"\b(?:be it enacted|an act to|this act may be cited|short title|royal assent|subsection \(\d)|§ ?\d+\."),
    (2.5, r"\b(?:plaintiffs?|defendants?|appellants?|respondents?|the court held|judgment|your honor|counsel for)\b"),
    (2.0, r"\b(?:dear (?:sir|madam|mr|ms|all|\w+,)|yours (?:faithfully|sincerely)|kind regards|best regards|sincerely,)"),
    (1.5, r"\b(?:minister|governor|parliament|legislat\w+|gazette|general assembly|universal declaration)\b"),
)  # fmt: skip


def looks_like_contract(text: str) -> bool:
    """Whether contract phrases outweigh phrases of statutes, judgments and letters by THRESHOLD."""
    sample = (text[:SAMPLE] + "\n" + text[-SAMPLE // 5 :] if len(text) > SAMPLE else text).lower()
    return _score(_CONTRACT, sample) - _score(_OTHER, sample) >= THRESHOLD


def _score(patterns: tuple[tuple[float, str], ...], sample: str) -> float:
    """Sum of the patterns' weights; a pattern counts in full from three matches on."""
    return sum(weight * min(3, len(re.findall(pattern, sample))) / 3 for weight, pattern in patterns)


_CONTRACTUAL = re.compile(
    r"\b(?:this (?:[\w-]+ ){0,4}agreement|th(?:e|is) contract|the parties|(?:either|each|neither) party|"
    r"here(?:under|to|in|of)|thereof)\b",
    re.I,
)
_FOREIGN = re.compile(
    r"\b(?:plaintiffs?|defendants?|appellants?|respondents?|applicants?|tribunals?|magistrates?|(?:his|her) honour|the judge|"
    r"my view|i (?:consider|accept|find|think)|section \d+[a-z]{0,2} of (?:the|this) act|this act|sub-?sections?|minister|"
    r"regulations?|penalty units?|act \d{4})\b",
    re.I,
)
"""Expressions of judgments and legislation, which speak of "the contract" and "the parties" too."""
FEW, MANY = 0.1, 0.3
"""Shares of contractual passages that count as none and as all; of contracts' passages some seven tenths are contractual."""


def contract_share(passages: Sequence[str]) -> float:
    """0..1: how far the passages are those of contracts."""
    share = sum(map(_is_contractual, passages)) / max(1, len(passages))
    return min(1.0, max(0.0, (share - FEW) / (MANY - FEW)))


def _is_contractual(passage: str) -> bool:
    return _CONTRACTUAL.search(passage) is not None and _FOREIGN.search(passage) is None
