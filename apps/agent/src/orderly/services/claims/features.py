"""What tells a sentence that its quotation supports from another: features of the pair, each with a word to name."""

from __future__ import annotations

import re

from orderly.services.claims.denials import add_denied_acts, add_modality, add_opposites, add_polarity
from orderly.services.claims.doers import add_parties
from orderly.services.claims.feature import Feature
from orderly.services.claims.polarity import DIFFERENCES, find_differences
from orderly.services.claims.relations import ALIKE, relation
from orderly.services.claims.scope import add_conditions, add_order, add_quantifiers
from orderly.services.claims.tokens import Word, content, read_words, word_stem

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


def read_features(statement: str, evidence: str) -> dict[str, Feature]:
    """Features of a sentence of an answer, without its quotations, and of the quoted words."""
    said, known = content(statement), content(evidence)
    matched: dict[str, tuple[float, str]] = {}
    for word in said:
        matched[word.stem] = max(((relation(word.stem, k.stem), k.stem) for k in known), default=(0.0, ""))
    count = max(len(said), 1)
    covered = sum(score >= 0.99 for score, _ in matched.values()) / count
    alike = sum(min(score, 1.0) for score, _ in matched.values()) / count
    novel = [w for w in said if matched[w.stem][0] < ALIKE]
    found: dict[str, Feature] = {
        "covered": Feature(covered),
        "alike": Feature(alike),
        "novel": Feature(len(novel) / count, novel[0].text if novel else ""),
        "novel count": Feature(min(len(novel), 5) / 5, novel[0].text if novel else ""),
        "novel among known": Feature(bool(novel) * covered, novel[0].text if novel else ""),
        "one novel among known": Feature((len(novel) == 1) * covered, novel[0].text if novel else ""),
    }
    _add_substitutions(found, statement, evidence, matched)
    _add_arrangement(found, statement, evidence, said, known, covered)
    found |= {name: Feature(word is not None, word or "") for name, word in find_differences(statement, evidence).items()}
    _add_remedies(found, said, matched)
    add_polarity(found, statement, evidence, matched, covered)
    add_denied_acts(found, statement, evidence)
    add_opposites(found, said, known, matched)
    add_quantifiers(found, statement, evidence)
    add_modality(found, statement, evidence, covered)
    add_parties(found, statement, evidence)
    add_conditions(found, statement, evidence, matched)
    add_order(found, statement, evidence)
    nearly = max(covered - 0.6, 0) / 0.4
    for name in _WITH_KNOWN:
        found[f"{name}, same words"] = Feature(found[name].value * covered, found[name].word)
    for name in DIFFERENCES:
        found[f"{name}, nearly verbatim"] = Feature(found[name].value * nearly, found[name].word)
    return found


_WITH_KNOWN = (
    "remedy", "opposite alone", "universal", "must of may", "condition new", "swapped", "other doer", "only", "at once",
    "order turned", "both differ", "first party other", "wide", "even if", "party new", "act denied", "denied act",
)  # fmt: skip


def _add_remedies(found: dict[str, Feature], said: tuple[Word, ...], matched: dict[str, tuple[float, str]]) -> None:
    new = [w for w in said if w.stem in _REMEDIES and matched[w.stem][0] < 0.9]
    found["remedy"] = Feature(min(len(new), 2), new[0].text if new else "")


def _add_substitutions(found: dict[str, Feature], statement: str, evidence: str, matched: dict[str, tuple[float, str]]) -> None:
    """A word of the statement between two words that the evidence has near each other, with another word there instead."""
    said = [w for w in read_words(statement) if w.has_content or w.is_mark]
    stems = [w.stem for w in read_words(evidence) if w.has_content or w.is_mark]
    places = {s: i for i, s in enumerate(stems)}
    word, edge = "", ""
    for at, one in enumerate(said):
        if one.is_mark or matched.get(one.stem, (1.0, ""))[0] >= ALIKE:
            continue
        left = places.get(matched.get(said[at - 1].stem, (0, ""))[1]) if at and not said[at - 1].is_mark else None
        right = (
            places.get(matched.get(said[at + 1].stem, (0, ""))[1]) if at + 1 < len(said) and not said[at + 1].is_mark else None
        )
        if left is not None and right is not None and 1 < right - left <= 3:
            word = word or one.text
        elif (left is not None and left + 1 < len(stems) and stems[left + 1][0].isalnum()) or (
            right is not None and right > 0 and stems[right - 1][0].isalnum()
        ):
            edge = edge or one.text
    found["substituted"] = Feature(bool(word), word)
    found["substituted beside"] = Feature(bool(edge) and not word, edge)


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
    new = [m[0] for m in _SMALL.finditer(statement) if m[0].casefold() not in small]
    found["small words new"] = Feature(min(len(new), 3) / 3 * covered, new[0] if new else "")
    places = {w.stem: i for i, w in enumerate(known)}
    order = [places[w.stem] for w in said if w.stem in places]
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    turned = sum(a > b for a, b in pairs) / max(len(pairs), 1)
    found["disorder"] = Feature(turned * covered if len(order) > 2 else 0.0, said[0].text if said else "")
    found["exact"] = Feature(float(covered == 1 and not turned and not new))
