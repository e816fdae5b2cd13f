"""What one text denies and the other asserts: negations, opposite words, duties and permissions."""

from __future__ import annotations

import re
from functools import lru_cache

from orderly.services.support.feature import Feature
from orderly.services.support.relations import are_opposite, are_plainly_opposite
from orderly.services.support.tokens import content, read_words

NO = re.compile(
    r"\b(?:not|no|never|neither|nor|none|nothing|nobody|cannot|without)\b|n['’]t\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:not|no)\s+(?:less|fewer|more|later|earlier|longer|greater|sooner)\s+than\b|\bnot\s+only\b|\bno\.\s*\d|\bwhether\s+or\s+not\b|"
    r"\bwithout\s+(?:limit\w*|prejudice|derogating|further|cause|notice|delay|charge)\b|\bif\s+not\b|\bnor\b",
    re.IGNORECASE,
)
_UN = re.compile(
    r"\b(?:void|invalid\w*|defective|exclud\w*|outside|barred|bars|prohibit\w*|forbid\w*|refus\w*|declin\w*|lacks?|fail\w*|ineffective|unenforceab\w*|"
    r"ceas\w*|prevent\w*|exempt\w*|free\s+(?:of|from)|immune|disclaim\w*|waiv\w*|except\w*|unless|depriv\w*|unnecessary|unless|den(?:y|ies|ied)|"
    r"other\s+than|rather\s+than|instead|until|impossible|unavailable|wrong|mistakes?|errors?|off\s+limits|loses?|lost|un[a-z]{4,}ed|non-\w+|void|"
    r"nullif\w*|against|unable|defaults?|breach\w*|stop\w*|avert\w*|voluntary|reject\w*|save\s+(?:as|that|where|for|in)|only)\b",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"\b(?:shall|must|has\s+to|have\s+to|is\s+to|are\s+to|obliged|obligated|required|bound|duty|mandatory|compulsory|obligation|needs?|owes?|requires?)\b",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"\b(?:(?:may|can|could)(?!\s+not\b)|entitled|permitted|allowed|free|option\w*|discretion\w*|voluntar\w*|choos\w*|choice|right|elect\w*|permits?|allows?|possible|able|preferabl\w*|should|power)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.;:,()]")
_WILL = re.compile(r"\b(?:will|agrees?)\b", re.IGNORECASE)


@lru_cache(maxsize=1_024)
def negations(text: str) -> int:
    return len(NO.findall(_HARMLESS.sub(" ", text)))


@lru_cache(maxsize=1_024)
def denies(text: str) -> bool:
    """Whether a text has a negation, or a word that says of a noun what a negation says of a verb."""
    return negations(text) > 0 or _UN.search(text) is not None


def add_negation(found: dict[str, Feature], statement: str, evidence: str) -> None:
    found["negation dropped"] = Feature(negations(evidence) > 0 and not denies(statement), "not")


def add_opposites(found: dict[str, Feature], statement: str, evidence: str) -> None:
    """Words plainly opposite to the evidence's, which neither text denies."""
    known = content(evidence)
    stems = {k.stem for k in known}
    pairs = [w for w in content(statement) if w.stem not in stems and any(are_opposite(w.stem, k.stem) for k in known)]
    own = {w.stem for w in content(statement)}
    opposed = [
        w
        for w in pairs
        if any(
            k.stem not in own
            and are_plainly_opposite(w.stem, k.stem)
            and not _is_denied(statement, w.stem)
            and not _is_denied(evidence, k.stem)
            for k in known
        )
    ]
    found["opposed"] = Feature(bool(opposed), opposed[0].text if opposed else "")


_OTHERWISE = re.compile(r"\b(?:rather|instead|other\s+than|except\w*|unless|until|even|or|los(?:es?|ing|t))\b", re.IGNORECASE)


def _is_denied(text: str, stem: str) -> bool:
    """Whether a clause with the word has a negation, an exception or a choice."""
    clauses = [clause for clause in _CLAUSE.split(text) if any(w.stem == stem for w in read_words(clause))]
    return any(negations(clause) > 0 or _OTHERWISE.search(clause) is not None for clause in clauses)


def add_modality(found: dict[str, Feature], statement: str, evidence: str) -> None:
    may, known_may = _MAY.search(statement), _MAY.search(evidence)
    duty = _MUST.search(evidence) or _WILL.search(evidence)
    lowered = may is not None and not _MUST.search(statement) and duty is not None and known_may is None
    found["may of must"] = Feature(lowered, may[0] if may else "")
