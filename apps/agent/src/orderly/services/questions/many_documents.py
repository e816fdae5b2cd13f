"""Questions that are put to several documents: "which of the agreements", "in each lease"."""

from __future__ import annotations

import re

_ACROSS = re.compile(
    r"\b(?:which|what|list|show|compare|all|any|each|every|these|those|our|the|how many)\b"
    r"(?:\s++(?:of|the|these|those|our|my|other)\b){0,6}"
    r"(?:\s++[\w-]++){0,2}\s++(?:agreements|contracts|deeds|leases|licen[cs]es|documents|files|ones)\b"
    r"|\b(?:each|every)(?: of| one of)?(?: (?:the|these|those|our|my))?(?: (?!part(?:y|ies)\b|of\b|to\b|under\b|in\b)[\w-]+)?"
    r" (?:agreement|contract|deed|lease|licen[cs]e|document|file|one)\b"
    r"|\bwhich (?:of (?:them|these)|ones)\b|\b(?:any|every)where\b|\belsewhere\b"
    r"|\b(?:any|all|each|both|most|none) of (?:them|these|those)\b|\bthem all\b|\ball (?:two|three|four|five|six|ten)\b"
    r"|\bboth(?: (?:the|these|those|our|my))?(?: [\w-]+)? (?:agreements|contracts|deeds|leases|licen[cs]es|documents|files)\b"
    r"|\b(?:by|per) (?:document|file)\b"
    r"|\b(?:in|under|by|for|of) each\W*$|\b(?:which|each|every|all|these|those)(?: of)?(?: (?:the|these|those))? judgments?\b"
    r"|\b(?:which|all) (?:of )?(?:the|these|those) cases\b"
    r"|\bthe (?:others|rest)\b|\b(?:in|across) (?:all|the whole|the entire)\b",
    re.IGNORECASE,
)


def asks_of_all(question: str) -> bool:
    """Whether a question is about several documents."""
    return _ACROSS.search(question) is not None
