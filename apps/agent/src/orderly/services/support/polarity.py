"""Negation and modality: whether a sentence says of an act what its quotation says of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from orderly.services.support.bounds import (
    find_bound,
    find_denied_silence,
    find_form,
    find_limit,
    find_other_term,
    find_other_time,
)
from orderly.services.support.wording import as_known, as_said
from orderly.services.support.words import stem

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[.;:!?]")
_NEGATORS = frozenset(
    """
    not no never neither nor none nothing nobody cannot without unable prohibited forbidden precluded
    """.split()
)
_NOT_NEGATIVE = re.compile(
    r"\b(?:not|no)\s+(?:less|fewer|more|later|earlier|longer|greater|sooner)\s+than\b|\bnot\s+only\b|\bno\.\s*\d|\bwhether\s+or\s+not\b|"
    r"\bwithout\s+(?:limit\w*|prejudice|derogating|further|cause|notice)\b|\bif\s+not\b",
    re.IGNORECASE,
)
MUST, MAY, NEED_NOT = "must", "may", "need not"
_MODALS = {"shall": MUST, "must": MUST, "may": MAY, "can": MAY, "cannot": MAY, "will": "will", "neednot": NEED_NOT}
_BE = r"\b(?:is|are|be)\s+"
_PHRASES = tuple(
    (re.compile(pattern, re.IGNORECASE), modal)
    for pattern, modal in (
        (
            rf"(?:\b(?:shall|will|must)\s+not\s+be|{_BE}not|{_BE}under\s+no\s+(?:duty|obligation))\s*(?:required|obliged|bound|obligated)?\s+to\b|"
            r"\bneed\s+not\b|\b(?:does|do)\s+not\s+(?:have|need)\s+to\b",
            " neednot ",
        ),
        (
            rf"{_BE}(?:not\s+(?:entitled|permitted|allowed|able)\s+to|(?:prohibited|precluded|prevented|barred)\s+from)\b",
            " may not ",
        ),
        (rf"{_BE}(?:entitled|permitted|allowed|free|able)\s+to\b|\b(?:has|have)\s+the\s+(?:right|option)\s+to\b", " may "),
        (
            rf"{_BE}(?:required|obliged|bound|obligated)\s+to\b|\b(?:has|have)\s+(?:an?\s+obligation\s+)?to\b|\bneeds?\s+to\b",
            " must ",
        ),
    )
)
"""Phrases that say what a modal verb says."""
_SKIPPED = frozenset(
    """
    be been being is are was were have has had do does did to any ever otherwise or and either directly indirectly
    in at by of the a an as its their his her such all also only thereby
    """.split()
)
_REACH = 9
"""Words between a negation or a modal verb and the act that it concerns."""

_OTHERWISE = re.compile(r"\b(?:(?:any|no)(?:thing|one|body|where)\s+else|(?:any|no)\s+other)\b", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|solely|exclusively|no\s+other)\b", re.IGNORECASE)


_BY_CONSENT = re.compile(
    r"\b(?:with(?:out)?|needs?|requires?|subject\s+to|only|if|unless|obtain\w*|gets?)\b(?!\s+no\b)[^.;]{0,60}\b(?:consent|approval|permission)",
    re.IGNORECASE,
)


class Act(NamedTuple):
    verb: str
    """Stem."""
    modal: str
    negated: bool
    subject: str
    """Stem of the word before the modal verb."""


def with_plain_modals(text: str) -> str:
    """A text with modal verbs for the phrases that say the same."""
    for pattern, plain in _PHRASES:
        text = pattern.sub(plain, text)
    return text


def find_acts(text: str) -> list[Act]:
    """The acts that modal verbs and negations concern."""
    text = with_plain_modals(text)
    text = _NOT_NEGATIVE.sub(" ", text)
    words = [m[0].casefold().replace("’", "'") for m in _TOKEN.finditer(text)]
    acts: list[Act] = []
    clause_negated, last_end = False, 0
    for at, word in enumerate(words):
        if word in ".;!?" or word == ":":
            clause_negated, last_end = False, at + 1
            continue
        if word in ("neither", "no", "nothing", "none", "nor") and at - last_end < 6:
            clause_negated = True
        modal = _MODALS.get(word) or ("must" if word == "shan't" else "may" if word == "can't" else None)
        is_negation = word in _NEGATORS or word.endswith("n't")
        if modal is None and not is_negation:
            continue
        if is_negation and modal is None and at and (words[at - 1] in _MODALS):
            continue
        after = words[at + 1 : at + 1 + _REACH]
        negated = (
            is_negation or word in ("cannot", "neednot") or (bool(after) and after[0] in ("not", "never", "no", "neither"))
        )
        reversed_ = negated or (clause_negated and modal is not None)
        verb = next(
            (w for w in after if w not in _SKIPPED and w not in _NEGATORS and not w.endswith("ly") and w not in ".;:"), ""
        )
        if verb:
            acts.append(Act(stem(verb), modal or "", reversed_, stem(words[at - 1]) if at else ""))
    return acts


def find_differences(statement: str, evidence: str) -> dict[str, str | None]:
    """By the kind of difference: the word by which a statement says the opposite of its evidence, or another duty, or None."""
    form = find_form(statement, evidence)
    asks_consent = _BY_CONSENT.search(statement) is not None and _BY_CONSENT.search(evidence) is not None
    statement, evidence = as_said(statement), as_known(evidence)
    said, known = find_acts(statement), find_acts(evidence)
    found = {
        "form": form,
        "limit": find_limit(statement, evidence),
        "bound": find_bound(statement, evidence),
        "time": find_other_time(statement, evidence),
        "term": find_other_term(statement, evidence),
        "silence": find_denied_silence(statement, evidence),
    }
    if asks_consent or (_OTHERWISE.search(statement) and _ONLY.search(evidence)):
        return {"act": None, "negation": None, **found}  # "for nothing else" says "only", "with consent" says "not without"
    return {
        "act": _compare_acts(said, known),
        "negation": _compare_negations(statement, said, evidence, known),
        **found,
    }


def _compare_acts(said: Sequence[Act], known: Sequence[Act]) -> str | None:
    """Compares acts of the same verb, in order where both texts have as many of them."""
    for verb in dict.fromkeys(act.verb for act in said):
        ours, theirs = [a for a in said if a.verb == verb], [a for a in known if a.verb == verb]
        pairs = (
            [(a, [b]) for a, b in zip(ours, theirs, strict=True)] if len(ours) == len(theirs) else [(a, theirs) for a in ours]
        )
        for act, others in pairs:
            if others and (word := _differs(act, others)):
                return word
    return None


def _differs(act: Act, others: Sequence[Act]) -> str | None:
    if act.modal == NEED_NOT and any(other.modal in (NEED_NOT, MAY) for other in others):
        return None
    if act.negated and act.modal == MUST and all(other.modal == NEED_NOT for other in others):
        return MUST
    if act.modal == MAY and not act.negated and all(other.modal == NEED_NOT for other in others):
        return None
    if all(other.negated != act.negated for other in others):
        return "not" if act.negated else act.modal or "not"
    modals = {other.modal for other in others if other.negated == act.negated}
    if act.negated or "" in modals or act.modal in modals:
        return None
    if act.modal == MUST and "will" in modals:
        return None
    return act.modal if act.modal in (MUST, MAY) or (act.modal == "will" and modals == {MAY}) else None


def _compare_negations(statement: str, said: Sequence[Act], evidence: str, known: Sequence[Act]) -> str | None:
    """Finds a negation of an act that the other text has without one."""
    ours, theirs = [a for a in said if a.negated], [a for a in known if a.negated]
    if len(ours) > len(theirs):
        stems = _stems(evidence)
        extra = [a for a in ours if not any(b.verb == a.verb for b in known)]
        if extra and (any(a.verb in stems for a in extra) or not is_negative(evidence)):
            return "not"
    if len(theirs) > len(ours) and not _RULED_OUT.search(statement):
        stems = _stems(statement)
        for act in theirs:
            if (
                act.verb in stems
                and not any(b.verb == act.verb for b in said)
                and not any(b.verb == act.verb and not b.negated for b in known)
            ):
                return act.modal or "not"
    modals = {a.modal for a in known} - {""}
    others = {b.verb for b in known} | {stem(m[1]) for m in MANNER.finditer(evidence)}
    for act in said:
        is_open = act.modal in (MUST, MAY) and not act.negated and act.verb not in others and act.verb in _stems(evidence)
        if is_open and modals and act.modal not in modals and not (act.modal == MUST and "will" in modals):
            return act.modal
    return None


_EXCEPTS = re.compile(
    r"\b(?:unless|except\w*|without|until|only|other\s+than|subject\s+to|if|where|provided|save|to\s+the\s+extent)\b",
    re.IGNORECASE,
)
_COPULA = re.compile(r"\b(?:is|are|was|were|be|been|being|gets?)\s+(?:also\s+|then\s+)?(?P<act>[a-z]+)", re.IGNORECASE)


def find_denied_act(statement: str, evidence: str) -> str | None:
    """The act that a sentence asserts and its evidence denies, both without a condition."""
    if is_negative(statement) or _RULED_OUT.search(statement) or _EXCEPTS.search(evidence):
        return None
    said, known = as_said(statement), find_acts(as_known(evidence))
    modals = {act.verb: act.modal for act in find_acts(said)}
    asserted = modals.keys() | {stem(m["act"]) for m in _COPULA.finditer(said)}
    for act in known:
        is_bound = act.modal != NEED_NOT or modals.get(act.verb) == MUST
        if act.negated and act.verb in asserted and is_bound and all(o.negated for o in known if o.verb == act.verb):
            return modals.get(act.verb) or "not"
    return None


MANNER = re.compile(r"\b(?:by|on|upon|after)\s+(?:\w+ly\s+)?(\w+ing)\b", re.IGNORECASE)
"""An act by which another is done, and which must be done for it: "may end it by giving notice"."""

_RULED_OUT = re.compile(
    r"\b(?:prohibit|forbid|forbidden|exclud|restrain|prevent|ban(?:s|ned)\b|bar(?:s|red)\b|void\b|restrict|preclud|unlawful|invalid|impossible|ineffective|unavailable|"
    r"(?:needs?|requires?|subject to)\b[^.;]{0,40}\b(?:consent|approval|permission))",
    re.IGNORECASE,
)
"""Words that say of a noun what a negation says of a verb: "assignment is excluded"."""


def _stems(text: str) -> set[str]:
    return {stem(m[0]) for m in _TOKEN.finditer(text)}


def is_negative(text: str) -> bool:
    """Whether a text has a negation, or a word that rules out."""
    visible = _NOT_NEGATIVE.sub(" ", text)
    return any(
        m[0].casefold() in _NEGATORS or m[0].casefold().endswith(("n't", "n’t")) for m in _TOKEN.finditer(visible)
    ) or bool(
        re.search(
            r"\b(?:unless|except|other than|only|subject to|prohibit|forbid|restrict|exclud|waive|refus|declin|lack|free "
            r"from|void)",
            text,
            re.I,
        )
    )
