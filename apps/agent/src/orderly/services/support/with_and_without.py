"""What comes with a thing by a sentence and without it by its quotation, and acts that an exception allows."""

from __future__ import annotations

import re

from orderly.services.support.relations import relation
from orderly.services.support.tokens import content, word_stem

_CONTRAST = re.compile(r"\b(?:not|cannot|never|neither|nor|nobody|unless|except|rather)\b|n['’]t\b", re.IGNORECASE)
_SMALL = r"(?:(?:an?|the|any|its|their|such|some|other|further|additional|prior|written|accrued)\s+){0,3}"
_WITH = re.compile(
    rf"\b(?P<term>(?:together\s+)?with|plus|including|inclusive\s+of|after)\s+{_SMALL}(?P<thing>[a-z]{{4,}})\b(?!['’])",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    rf"\b(?P<term>without|excluding|exclusive\s+of|free\s+of|net\s+of)\s+{_SMALL}(?P<thing>[a-z]{{4,}})(?:\s+(?:or|and)\s+(?P<second>[a-z]{{4,}}))?",
    re.IGNORECASE,
)
_NO_THINGS = frozenset(
    map(word_stem, "limitation prejudice regard giving having being further notice delay which whom each that respect".split())
)
_ALLOWS = re.compile(
    r"\b(?:except|save|provided|other\s+than)\b[^.;]{0,40}?\b(?:that|where|when|if)\b[^.;]{0,60}?\bmay\s+(?P<act>[a-z]+)",
    re.IGNORECASE,
)
_BARS = re.compile(
    r"\b(?P<term>(?:may|can|must|shall)\s*not|(?:needs?|requires?|must\s+(?:obtain|get|have))\b[^.;]{0,40}\b(?:consent|approval|permission))\b",
    re.IGNORECASE,
)
_ALSO_EXCEPTS = re.compile(r"\b(?:unless|except|save|other\s+than|but|only|generally|subject\s+to)\b", re.IGNORECASE)


def find_with_of_without(statement: str, evidence: str) -> str | None:
    """What the sentence adds that the evidence leaves out, and the other way round."""
    for ours, theirs in ((_WITH, _WITHOUT), (_WITHOUT, _WITH)):
        for said in ours.finditer(statement):
            rest = statement[: said.start()] + statement[said.end() :]
            things = _things(said)
            if not things or _CONTRAST.search(rest) or theirs.search(rest):
                continue
            known = [m for m in theirs.finditer(evidence) if things & _things(m)]
            if known and _CONTRAST.search(evidence[: known[0].start()]):
                continue  # "not without" asks for it
            elsewhere = {w.stem for w in content(theirs.sub(" ", evidence))}
            if known and not things & elsewhere:
                return " ".join(f"{said[0]}; quoted: {known[0][0]}".split())
    return None


_EXCEPTED = re.compile(
    r"\b(?:except(?:ing)?(?:\s+(?:for|in\s+the\s+case\s+of|where|as\s+to))?|excluding|other\s+than|but\s+not|save\s+for|apart\s+from)\s+(?P<things>[^.;:()]{3,120})"
    r"|(?P<before>[^.;:,()]{3,60})\s+(?:excepted|excluded)\b",
    re.IGNORECASE,
)
_COVERS = re.compile(
    r"\b(?:appl(?:y|ies)\s+to|covers?|includes?|extends?\s+to|also\b[^.;]{0,30}?)\s+(?P<things>[^.;:]{3,80})", re.IGNORECASE
)


def find_covered_exception(statement: str, evidence: str) -> str | None:
    """What the sentence includes and an exception of the evidence excludes."""
    covers = _COVERS.search(statement)
    if covers is None or _CONTRAST.search(statement) or _ALSO_EXCEPTS.search(statement):
        return None
    named = {word.stem for word in content(covers["things"])}
    for match in _EXCEPTED.finditer(evidence):
        excluded = {word.stem for word in content(match["things"] or match["before"])}
        elsewhere = {word.stem for word in content(evidence[: match.start()] + evidence[match.end() :])}
        if named and named <= excluded - elsewhere:
            return f"{covers['things'].strip()}; quoted: {' '.join(match[0].split())}"
    return None


def find_barred_exception(statement: str, evidence: str) -> str | None:
    """An act that the sentence bars and an exception of the evidence allows."""
    bars = _BARS.search(statement)
    allows = _ALLOWS.search(evidence) if bars and not _ALSO_EXCEPTS.search(statement) else None
    if bars is None or allows is None:
        return None
    act = word_stem(allows["act"].casefold())
    is_same = any(relation(word.stem, act) >= _SAME for word in content(statement))
    return " ".join(f"{bars['term']}; quoted: may {allows['act']}".split()) if is_same else None


_SAME = 0.9


def _things(match: re.Match[str]) -> set[str]:
    named = (match["thing"], match.groupdict().get("second"))
    return {word_stem(word.casefold()) for word in named if word} - _NO_THINGS
