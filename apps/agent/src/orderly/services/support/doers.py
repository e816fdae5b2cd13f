"""Whether a sentence names the parties of its quotation, each as the one who acts there."""

from __future__ import annotations

import re

from orderly.services.support.feature import Feature
from orderly.services.support.parties import Doing, doing_of, doings, mentions, names_of
from orderly.services.support.tokens import read_words, word_stem

_ANY_PARTY = re.compile(
    r"\b(?:each|either|neither|both|all|no|any)\s+(?:of\s+the\s+)?(?:other\s+)?part(?:y|ies)\b", re.IGNORECASE
)
_GIVES = r"(?:notif|inform|provid|pay|suppl|deliver|giv|offer|send|lend|lease|grant|indemnif|reimburs|furnish|make)"
_GIFTS = frozenset(
    map(
        word_stem,
        """
        pay owe send report provide supply deliver lend grant indemnify reimburse furnish refund return remit compensate
        """.split(),
    )
)
_GIVER = re.compile(
    rf"\b(?P<subject>(?:Party\s+)?[A-Z]\w*)\s+(?:(?:shall|must|will|may|agrees?\s+to|is\s+to)\s+)?(?:\w+ly\s+)?{_GIVES}\w*\b(?!\s+by)"
)


def add_parties(found: dict[str, Feature], statement: str, evidence: str) -> None:
    names = names_of(statement) | names_of(evidence)
    ours, theirs = mentions(statement, names), mentions(evidence, names)
    known = {m.name for m in theirs}
    words = read_words(statement)
    evidence_words = {form for w in read_words(evidence) for form in (w.folded, w.folded.removesuffix("s"))}
    pronoun = any(m.name.startswith("@") for m in theirs) or _ANY_PARTY.search(evidence) is not None
    new = [m for m in ours if m.name not in known and not m.name.startswith("@") and m.name not in evidence_words]
    found["party new"] = Feature(bool(new) and not pronoun, words[new[0].at].text if new else "")
    swapped, agreed, word = _compare_doers(statement, evidence, names)
    written = {m.name: words[m.at].text for m in reversed(ours)}
    exchanged, replaced = _exchanged(statement, evidence, names)
    found["exchanged"] = Feature(bool(exchanged), written.get(exchanged, ""))
    found["replaced"] = Feature(bool(replaced), written.get(replaced, ""))
    shown = written.get(word, "")
    found["swapped"] = Feature(swapped and not agreed, shown)
    found["same doer"] = Feature(agreed)
    giver = _find_other_giver(statement, evidence) or written.get(_find_turned_gift(statement, evidence, names))
    found["giver"] = Feature(giver is not None, giver or "")


def _exchanged(statement: str, evidence: str, names: frozenset[str]) -> tuple[str, str]:
    """The party that does to the other what the other does to it in the evidence; the party that acts in place of another."""
    exchanged = replaced = ""
    named = {m.name for m in mentions(statement, names)}
    known_names = {m.name for m in mentions(evidence, names)}
    for said in doings(statement, names):
        same = [known for known in doings(evidence, names) if known.verb == said.verb and known.doer]
        if not said.doer or any(known.doer == said.doer for known in same):
            continue
        for known in same:
            if said.doer in known.others and known.doer in said.others:
                exchanged = said.doer
            elif said.doer not in known_names and known.doer not in named and "@" not in said.doer[0] + known.doer[0]:
                replaced = said.doer
    return exchanged, replaced


def _compare_doers(statement: str, evidence: str, names: frozenset[str]) -> tuple[bool, bool, str]:
    """Whether a party acts that is acted upon in the other text, or the same party acts; and the name of the first."""
    swapped, agreed, word = False, False, ""
    pairs: list[tuple[Doing | None, Doing | None]] = [
        (doing_of(statement, known.verb, names), known) for known in doings(evidence, names)
    ]
    pairs += [(said, doing_of(evidence, said.verb, names)) for said in doings(statement, names)]
    for said, known in pairs:
        if not (said and known and said.doer and known.doer) or said.doer.startswith("@") != known.doer.startswith("@"):
            continue
        if said.doer == known.doer:
            agreed = True
        elif said.doer in known.others or known.doer in said.others:
            swapped, word = True, said.doer
    return swapped, agreed, word


def _find_other_giver(statement: str, evidence: str) -> str | None:
    """Finds a party that gives in the statement what it receives in the evidence."""
    given = list(_GIVER.finditer(evidence))
    for match in _GIVER.finditer(statement):
        name = match["subject"]
        receives = re.search(
            rf"\b(?:to|notif(?:y|ies)|inform|pay|indemnify|reimburse)\s+(?:the\s+)?{re.escape(name)}\b", evidence
        )
        if given and receives and all(m["subject"] != name for m in given):
            return name
    return None


def _find_turned_gift(statement: str, evidence: str, names: frozenset[str]) -> str:
    """Finds the party that gives the other what the other gives it in the evidence, also by another verb; else nothing."""
    said = doings(statement, names)
    if not any(one.verb in _GIFTS for one in said) or _ANY_PARTY.search(evidence):
        return ""
    given = [known for known in doings(evidence, names) if known.verb in _GIFTS and _is_named(known.doer)]
    for one in said:
        if one.verb not in _GIFTS or not _is_named(one.doer) or any(known.doer == one.doer for known in given):
            continue
        givers = {known.doer for known in given if one.doer in known.others}
        if givers and givers.isdisjoint(other.doer for other in said) and one.others <= givers:
            return one.doer
    return ""


def _is_named(doer: str) -> bool:
    return bool(doer) and not doer.startswith("@")
