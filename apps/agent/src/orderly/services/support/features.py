"""What tells a sentence that its quotation supports from another: features of the pair, each with a word to name."""

from __future__ import annotations

import re

from orderly.services.support.bearers import find_other_bearer
from orderly.services.support.contrary_terms import find_contrary_term
from orderly.services.support.denials import add_modality, add_negation, add_opposites
from orderly.services.support.doers import add_parties
from orderly.services.support.feature import Feature
from orderly.services.support.holders import find_denied_freedom, find_other_force, find_other_holder
from orderly.services.support.nearly_verbatim import find_altered
from orderly.services.support.parties import names_of
from orderly.services.support.payers import find_other_payer
from orderly.services.support.polarity import find_denied_act, find_differences
from orderly.services.support.relations import ALIKE, relation
from orderly.services.support.scope import FREQUENCY, add_conditions, add_quantifiers, find_overstatement
from orderly.services.support.tokens import Word, content, word_stem
from orderly.services.support.turned import find_turned

_ENOUGH = 3
"""Words of meaning from which a sentence that shares none with its quotation is about something else."""
_COMPOUND = re.compile(r"\b(\w+)-(day|week|month|year)\b", re.IGNORECASE)
_NUMBERED = re.compile(r"\b(?:[A-Z][a-z]+\s+){1,8}\d[\w.()]*")
"""A reference: "Item 5", "Housing Act 1985"."""
_REMEDIES = frozenset(
    word_stem(word)
    for word in """
    penalty penalties damages compensation compensate fined interest terminate termination forfeit forfeits suspend
    suspended liquidated
    imprisonment imprisoned bankruptcy court courts arbitration mediation refund reimburse indemnify indemnity double
    twice fee fees injunction
    resign dismiss dismissed dismissal complain commissioner tribunal registered notarised notary surcharge liable
    rescind sentenced convicted prosecute prosecuted police criminal offence deposit bond guarantee ownership royalty
    automatically renew renewed rebate discount bonus arbitrator consent approval telephone email courier vote
    """.split()
)


def read_features(statement: str, evidence: str, unknown_name: str | None, whole: str = "") -> dict[str, Feature]:
    """Features of a sentence of an answer and of the words that it quotes.

    Args:
        statement: The sentence without its quotations.
        evidence: The quoted words.
        unknown_name: A name of the sentence that the evidence does not have.
        whole: The evidence with the rest of the document's sentence, of which it is a part: its words are not new.
    """
    statement = _COMPOUND.sub(r"\1 \2s", statement)
    said, known = content(statement), content(evidence)
    whole = whole or evidence
    matched: dict[str, tuple[float, str]] = {}
    for word in said:
        matched[word.stem] = max(((relation(word.stem, k.stem), k.stem) for k in content(whole)), default=(0.0, ""))
    count = max(len(said), 1)
    covered = sum(score >= 0.99 for score, _ in matched.values()) / count
    novel = [w for w in said if matched[w.stem][0] < ALIKE]
    first = novel[0].text if novel else ""
    found: dict[str, Feature] = {
        "unrelated": Feature(len(novel) == len(said) > 0 and _says_much(statement, unknown_name), first),
        "novel": Feature(len(novel) / count, first),
        "novel count": Feature(min(len(novel), 5) / 5, first),
        "novel among known": Feature(bool(novel) * covered, first),
    }
    _add_arrangement(found, statement, evidence, said, known, covered)
    _add_remedies(found, statement, evidence, said, matched)
    add_negation(found, statement, evidence)
    add_opposites(found, statement, evidence)
    add_quantifiers(found, statement, evidence)
    add_modality(found, statement, evidence)
    add_parties(found, statement, whole)
    add_conditions(found, statement, evidence, matched)
    nearly = max(covered - 0.6, 0) / 0.4
    differences = find_differences(statement, evidence)
    for name in ("form", "limit", "bound", "time", "term", "silence"):
        found[name] = Feature(differences[name] is not None, differences[name] or "")
    decided = {
        "altered": find_altered(statement, evidence),
        "turned": find_turned(statement, evidence),
        "payer": find_other_payer(statement, whole),
        "bearer": find_other_bearer(statement, evidence),
        "holder": find_other_holder(statement, whole)
        or find_other_force(statement, evidence)
        or find_denied_freedom(statement, evidence),
        "contrary": find_contrary_term(statement, evidence),
        "overstated": find_overstatement(statement, evidence),
        "denied": find_denied_act(statement, evidence),
    }
    found |= {name: Feature(word is not None, word or "") for name, word in decided.items()}
    for name in ("act", "negation"):
        found[f"{name}, nearly verbatim"] = Feature((differences[name] is not None) * nearly, differences[name] or "")
    for name, share in (("other name", 1.0), ("other name, nearly verbatim", nearly)):
        found[name] = Feature((unknown_name is not None) * share, unknown_name or "")
    return found


def _says_much(statement: str, unknown_name: str | None) -> bool:
    """Whether a sentence has an unknown name, or enough words of meaning beside names and references."""
    plain, names = _NUMBERED.sub(" ", statement), names_of(statement)
    if unknown_name is not None and unknown_name in plain:
        return True
    return sum(word.folded not in names for word in content(plain)) >= _ENOUGH


def _add_remedies(
    found: dict[str, Feature],
    statement: str,
    evidence: str,
    said: tuple[Word, ...],
    matched: dict[str, tuple[float, str]],
) -> None:
    ruled_out = {word_stem(m[1].casefold()) for m in _RULED_OUT.finditer(statement)}
    if _DECIDED.search(evidence):
        ruled_out |= _DECISIONS
    new = [w for w in said if w.stem in _REMEDIES and w.stem not in ruled_out and matched[w.stem][0] < 0.9]
    found["remedy"] = Feature(min(len(new), 2), new[0].text if new else "")


_DECISIONS = frozenset(map(word_stem, ("vote", "approval", "consent")))
_DECIDED = re.compile(
    r"\b(?:vot(?:e|es|ed|ing)|ballots?|polls?|resol(?:ve[ds]?|utions?)|majorit(?:y|ies)|approv\w+|consents?|assent\w*|agrees?|permission|permit\w*|accept\w*)\b",
    re.IGNORECASE,
)
"""Words for a decision in a quotation, of which a sentence may say "vote" or "approval"."""
_RULED_OUT = re.compile(r"\b(?:not|no|without)\s+(?:an?\s+|any\s+)?(\w+)", re.IGNORECASE)
_SMALL = re.compile(
    r"\b(?:before|after|until|from|by|without|with|within|only|all|any|every|each|both|if|unless|except|even|not|no|never|more|less|least|most|than|up\s+to|"
    r"over|under|against|between|during|upon|other|own|same|first|last|next|previous|further|also|already|still|instead|rather|again|once|twice|half|double)\b",
    re.IGNORECASE,
)


def _add_arrangement(
    found: dict[str, Feature], statement: str, evidence: str, said: tuple[Word, ...], known: tuple[Word, ...], covered: float
) -> None:
    """Small words that the evidence has not, and words of the evidence in another order."""
    small = {m[0].casefold() for m in _SMALL.finditer(evidence)}
    new = [m[0] for m in _SMALL.finditer(FREQUENCY.sub(" ", statement)) if m[0].casefold() not in small]
    found["small words new"] = Feature(min(len(new), 3) / 3 * covered, new[0] if new else "")
    places = {w.stem: i for i, w in enumerate(known)}
    order = [places[w.stem] for w in said if w.stem in places]
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    turned = sum(a > b for a, b in pairs) / max(len(pairs), 1)
    found["disorder"] = Feature(turned * covered if len(order) > 2 else 0.0, said[0].text if said else "")
