"""Who is bound, who is free and who is forbidden to act, by a sentence and by its quotation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from orderly.services.support.parties import Doing, canonical_role, mentions, modal_doings, names_of
from orderly.services.support.polarity import MANNER, with_plain_modals
from orderly.services.support.tokens import word_stem

_SUBJECT = re.compile(
    r"(?:\A|[,;:.]\s+|\b(?:and|but|then|that)\s+)(?:[Tt]he\s+)?(?P<name>[A-Z][\w&.-]*(?:\s+(?:[A-Z][\w&.-]*|\d))*|[a-z]+)\s+"
    r"(?:also\s+|alone\s+|\w+ly\s+)?(?P<modal>must|shall|may|can|will)\s+(?P<verb>[a-z]+)"
)
_FROM_THE_OTHER_SIDE = frozenset(
    """
    hear receive get have learn approve consent agree refuse expect suffer wait accept be allow let permit not never
    know see insist object rely benefit
    """.split()
)
"""What a party does by what another does to it, and verbs without an act."""
_SEVERAL = re.compile(
    r"\b(?:either|each|both|neither|any|no|other)\s+part|\bparties\b|\bonly\b|\bentitle|\b(?:and|but|or)\s+(?:may|must|shall|can|will)\b|\brequired?\s+(?:the\s+)?[A-Z]",
    re.IGNORECASE,
)
"""A quotation in which more than the doers of its modal verbs may act."""
_FREE = frozenset({"may", "can"})
_FORCES = re.compile(r"\b(?:must|shall|may|can|will|might|could)\b", re.IGNORECASE)
_BINDS = re.compile(
    r"\b(?:must|shall|will|agrees?|required|obligat\w+|(?:is|are)\s+to|undertakes?|subject|only|unless|if|within|until|prior)\b",
    re.IGNORECASE,
)
_DUTY = re.compile(r"\b(?:must|shall|only|agrees?|undertakes?|required|obligat\w+|subject|limited)\b", re.IGNORECASE)
_FREES = re.compile(
    r"\b(?:may|can|will|entitled|option\w*|right|elect\w*|discretion|permit\w*|allow\w*|free|request)\b", re.IGNORECASE
)
_DENIES = re.compile(
    r"\b(?:not|never|neither|nor|no|nobody|none|cannot|rather|instead|unless|except|until|without)\b|n['’]t\b", re.IGNORECASE
)


_DOES_NOT_DENY = re.compile(
    r"\bwithout\s+(?:penalty|charge|cause|reason|limit\w*|prejudice|delay|notice|further)\b", re.IGNORECASE
)
_MAY_NOT = re.compile(
    r"\A(?:[Tt]he\s+)?(?P<name>[A-Z][\w&.-]*(?:\s+[A-Z][\w&.-]*)*|[a-z]+)\s+"
    r"(?:(?:may|must|shall|can)\s+not|cannot|can['’]t|mustn['’]t)\s+(?P<verb>[a-z]+)"
)


class _Holder(NamedTuple):
    name: str
    is_free: bool


def find_other_holder(statement: str, evidence: str) -> str | None:
    """The party of the evidence that must or may act by the sentence, where another alone must or may by the evidence."""
    said = list(_subjects(statement))
    if len(said) != 1 or _SEVERAL.search(evidence):
        return None
    holder, written = said[0]
    names = names_of(statement) | names_of(evidence)
    known = {party.name for party in mentions(evidence, names)}
    if holder.name not in known or not _is_party(holder.name, names) or _acts_too(holder.name, evidence):
        return None
    plain = with_plain_modals(evidence)
    others = {doing.doer for modal, doing in modal_doings(plain, names) if (modal in _FREE) == holder.is_free}
    if not others or holder.name in others or not all(_is_party(other, names) for other in others):
        return None
    return f"{written}; quoted: {_as_written(min(others), evidence)}"


def find_other_force(statement: str, evidence: str) -> str | None:
    """The duty of a party that is only free to act by the evidence, and the freedom of one that is bound."""
    ours = list(_subjects(statement))
    if len(ours) != 1 or len(_FORCES.findall(with_plain_modals(statement))) != 1:
        return None
    if _DENIES.search(statement) or _DENIES.search(evidence):
        return None
    holder, written = ours[0]
    plain = with_plain_modals(evidence)
    names = names_of(statement) | names_of(evidence)
    theirs = modal_doings(plain, names)
    if not theirs or not _is_party(holder.name, names) or any(doing.doer != holder.name for _, doing in theirs):
        return None
    acts = {doing.verb for _, doing in modal_doings(with_plain_modals(statement), names)}
    if acts <= {word_stem(match[1].casefold()) for match in MANNER.finditer(evidence)}:
        return None
    if holder.is_free:
        is_other = not _FREES.search(plain) and all(modal not in _FREE for modal, _ in theirs)
    else:
        same = _modals_of_same_verbs(statement, theirs, names)
        is_other = not _BINDS.search(plain) or (same <= _FREE and bool(same) and not _DUTY.search(plain))
    return f"{written} {'may' if holder.is_free else 'must'}; quoted: {theirs[0][0]}" if is_other else None


def find_denied_freedom(statement: str, evidence: str) -> str | None:
    """The party that may not act by the sentence, where the evidence only says what it may do."""
    denied = _MAY_NOT.match(" ".join(statement.split()))
    plain = _DOES_NOT_DENY.sub(" ", with_plain_modals(evidence))
    if denied is None or denied["verb"] in _FROM_THE_OTHER_SIDE or _DENIES.search(plain) or _DUTY.search(plain):
        return None
    names = names_of(statement) | names_of(evidence)
    words = denied["name"].casefold().split()
    name = canonical_role(words[-1]) or words[0]
    theirs = modal_doings(plain, names)
    if not theirs or not _is_party(name, names) or any(doing.doer != name or modal not in _FREE for modal, doing in theirs):
        return None
    return f"{denied['name']} may not; quoted: {theirs[0][0]}"


def _modals_of_same_verbs(statement: str, theirs: Sequence[tuple[str, Doing]], names: frozenset[str]) -> set[str]:
    verbs = {doing.verb for _, doing in modal_doings(with_plain_modals(statement), names)}
    return {modal for modal, doing in theirs if doing.verb in verbs}


def _subjects(statement: str) -> Iterator[tuple[_Holder, str]]:
    """The parties right before modal verbs."""
    for match in _SUBJECT.finditer(" ".join(with_plain_modals(statement).split())):
        words = match["name"].casefold().rstrip(".").split()
        name = canonical_role(words[-1]) or canonical_role(words[0]) or words[0]
        if match["verb"] not in _FROM_THE_OTHER_SIDE:
            yield _Holder(name, match["modal"] in _FREE), match["name"]


def _is_party(name: str, names: frozenset[str]) -> bool:
    return bool(name) and not name.startswith("@") and (bool(canonical_role(name)) or name in names)


def _acts_too(name: str, evidence: str) -> bool:
    """Whether the evidence names a party beside another before a modal verb, or as the doer: "by the Lessor"."""
    own = rf"\b{re.escape(name)}\b"
    return (
        re.search(
            rf"{own}[^.;]{{0,40}}\b(?:and|or|nor)\b[^.;]{{0,40}}\b(?:must|shall|may|will|can)\b|\bby\s+(?:the\s+)?{own}",
            evidence,
            re.IGNORECASE,
        )
        is not None
    )


def _as_written(name: str, evidence: str) -> str:
    found = re.search(rf"\b{re.escape(name)}\w*", evidence, re.IGNORECASE)
    return found[0] if found else name
