"""Whether a sentence names the parties of its quotation, each as the one who acts there."""

from __future__ import annotations

import re

from orderly.services.claims.feature import Feature
from orderly.services.claims.parties import Doing, doing_of, doings, mentions, names_of
from orderly.services.claims.tokens import read_words

_ANY_PARTY = re.compile(
    r"\b(?:each|either|neither|both|all|no|any)\s+(?:of\s+the\s+)?(?:other\s+)?part(?:y|ies)\b", re.IGNORECASE
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
    swapped, other, agreed, word = _compare_doers(statement, evidence, names)
    written = {m.name: words[m.at].text for m in reversed(ours)}
    exchanged, replaced = _exchanged(statement, evidence, names)
    found["exchanged"] = Feature(bool(exchanged), written.get(exchanged, ""))
    found["replaced"] = Feature(bool(replaced), written.get(replaced, ""))
    shown = written.get(word, "")
    found["swapped"] = Feature(swapped and not agreed, shown)
    found["swapped in part"] = Feature(swapped and agreed, shown)
    found["other doer"] = Feature(other and not agreed and not swapped, shown)
    found["same doer"] = Feature(agreed)
    shared = [m.name for m in ours if m.name in known]
    first = [m.name for m in theirs if m.name in set(shared)]
    a, b = list(dict.fromkeys(shared)), list(dict.fromkeys(first))
    passive = bool(re.search(r"\bby\s", statement)) != bool(re.search(r"\bby\s", evidence))
    found["parties turned"] = Feature(
        len(a) > 1 and a[:2] == b[:2][::-1] and not passive, words[ours[0].at].text if ours else ""
    )
    found["first party other"] = Feature(
        bool(ours and theirs) and ours[0].name != theirs[0].name and not pronoun and ours[0].name in known,
        words[ours[0].at].text if ours else "",
    )


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


def _compare_doers(statement: str, evidence: str, names: frozenset[str]) -> tuple[bool, bool, bool, str]:
    """Whether a party acts that is acted upon in the other text, or another party acts, or the same; and the party's name."""
    swapped, other, agreed, word = False, False, False, ""
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
        else:
            other, word = True, said.doer
    return swapped, other, agreed, word
