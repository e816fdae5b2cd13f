"""What one text denies and the other asserts: negations, opposite words, duties and permissions."""

from __future__ import annotations

import re
from itertools import pairwise

from orderly.services.claims.feature import Feature
from orderly.services.claims.relations import are_opposite, relation
from orderly.services.claims.tokens import Word, content

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
_SUBORDINATE = re.compile(
    r"\b(?:unless|except|if|where|when|provided\s+that|other\s+than|save\s+(?:as|that|where)|although|though|while|whereas|until|once|whether)\b|[;.]|,\s+(?:but|and)\b",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"\b(?:shall|must|has\s+to|have\s+to|is\s+to|are\s+to|obliged|obligated|required|bound|duty|mandatory|compulsory|obligation|needs?|owes?|requires?)\b",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"\b(?:may|can|could|entitled|permitted|allowed|free|option\w*|discretion\w*|voluntar\w*|choos\w*|choice|right|elect\w*|permits?|allows?|possible|able|preferabl\w*|should|power)\b",
    re.IGNORECASE,
)
_WILL = re.compile(r"\b(?:will|agrees?)\b", re.IGNORECASE)


def negations(text: str) -> int:
    return len(NO.findall(_HARMLESS.sub(" ", text)))


def _clauses(text: str) -> list[str]:
    cuts = [0, *(m.start() for m in _SUBORDINATE.finditer(text)), len(text)]
    return [part for a, b in pairwise(cuts) if (part := text[a:b]).strip(" .;,")]


def _best_clause(text: str, stems: set[str]) -> str:
    parts = _clauses(text)
    return max(parts, key=lambda p: sum(w.stem in stems for w in content(p)), default=text)


def add_polarity(
    found: dict[str, Feature], statement: str, evidence: str, matched: dict[str, tuple[float, str]], covered: float
) -> None:
    aligned = {k for s, k in matched.values() if s >= 0.8}
    main = max(_clauses(statement), key=lambda p: len(content(p)), default=statement)
    ours = {matched[w.stem][1] for w in content(main) if w.stem in matched}
    clause = _best_clause(evidence, ours or aligned)
    said, known = negations(main), negations(clause)
    whole = negations(statement) % 2 != negations(evidence) % 2
    hard = (said > 0) != (known > 0)
    soft = (said + len(_UN.findall(main))) % 2 != (known + len(_UN.findall(clause))) % 2
    shown = NO.search(statement)
    word = shown[0] if shown else "not"
    found["negation differs"] = Feature(hard, word)
    found["negation differs, same words"] = Feature(hard * covered, word)
    found["negation differs in all"] = Feature(whole and hard, word)
    found["negation added"] = Feature(said > 0 and not negations(evidence), word)
    found["negation added, same words"] = Feature((said > 0 and not negations(evidence)) * covered, word)
    found["negation dropped"] = Feature(
        negations(evidence) > 0 and not negations(statement) and not _UN.search(statement), "not"
    )
    found["negation dropped, same words"] = Feature(
        (negations(evidence) > 0 and not negations(statement) and not _UN.search(statement)) * covered, "not"
    )
    found["sense differs"] = Feature(soft, word)
    found["sense differs, same words"] = Feature(soft * covered, word)
    found["both differ"] = Feature(soft and hard, word)


def add_denied_acts(found: dict[str, Feature], statement: str, evidence: str) -> None:
    """An act that one text denies and the other asserts, by the same word or another of its meaning."""
    ours, theirs = _acts(statement), _acts(evidence)
    added = dropped = ""
    for stem, (denied, word) in ours.items():
        like = [other for other_stem, (other, _) in theirs.items() if relation(stem, other_stem) >= 0.9]
        if like and denied and not any(like):
            added = added or word
        elif like and not denied and all(like) and not _UN.search(statement):
            dropped = dropped or word
    found["act denied"] = Feature(bool(added), added)
    found["denied act"] = Feature(bool(dropped), dropped)


def _acts(text: str) -> dict[str, tuple[bool, str]]:
    """Stem -> whether a negation stands before it in its clause, and the word."""
    found: dict[str, tuple[bool, str]] = {}
    for clause in _CLAUSE_CUT.split(_HARMLESS.sub(" ", text)):
        no = NO.search(clause)
        for word in content(clause):
            denied = no is not None and clause.find(word.text) > no.start()
            found.setdefault(word.stem, (denied, no[0] if no and denied else word.text))
    return found


_CLAUSE_CUT = re.compile(
    r"[.;:]|\b(?:unless|except|but|although|though|while|if|where|provided\s+that|other\s+than)\b", re.IGNORECASE
)


def add_opposites(
    found: dict[str, Feature], said: tuple[Word, ...], known: tuple[Word, ...], matched: dict[str, tuple[float, str]]
) -> None:
    stems = {k.stem for k in known}
    pairs = [w for w in said if w.stem not in stems and any(are_opposite(w.stem, k.stem) for k in known)]
    odd = bool(pairs) and found["negation differs"].value == 0
    found["opposite"] = Feature(bool(pairs), pairs[0].text if pairs else "")
    found["opposite alone"] = Feature(odd, pairs[0].text if pairs else "")
    found["opposite and negation"] = Feature(bool(pairs) and not odd)


def add_modality(found: dict[str, Feature], statement: str, evidence: str, covered: float) -> None:
    must, may = _MUST.search(statement), _MAY.search(statement)
    known_must, known_may, will = _MUST.search(evidence), _MAY.search(evidence), _WILL.search(evidence)
    raised = must is not None and may is None and known_may is not None and known_must is None and will is None
    lowered = may is not None and must is None and (known_must or will) is not None and known_may is None
    found["must of may"] = Feature(raised, must[0] if must else "")
    found["may of must"] = Feature(lowered, may[0] if may else "")
    found["may of must, same words"] = Feature(lowered * covered, may[0] if may else "")
