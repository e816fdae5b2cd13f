"""Negation, modality and opposite words: whether a sentence says of an act what its quotation says of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from orderly.services.claims.words import stem

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
MUST, MAY = "must", "may"
_MODALS = {"shall": MUST, "must": MUST, "may": MAY, "can": MAY, "cannot": MAY, "will": "will"}
_BE = r"\b(?:is|are|be)\s+"
_PHRASES = tuple(
    (re.compile(pattern, re.IGNORECASE), modal)
    for pattern, modal in (
        (rf"{_BE}not\s+(?:required|obliged|bound|obligated)\s+to\b|\bneed\s+not\b", " must not "),
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
    in at by of the a an its their his her such all also only thereby
    """.split()
)
_REACH = 9
"""Words between a negation or a modal verb and the act that it concerns."""

_OPPOSITES = tuple(
    pair.split("/")
    for pair in """
    before/after prior/following increase/decrease increase/reduce include/exclude exclusive/non-exclusive
    exclusive/nonexclusive revocable/irrevocable transferable/non-transferable written/oral sole/joint
    commence/expire begin/end renew/terminate accept/reject maximum/minimum above/below earlier/later higher/lower
    buyer/seller lessor/lessee landlord/tenant licensor/licensee employer/employee lender/borrower
    mandatory/optional with/without always/never more/less more/fewer first/last all/none public/confidential
    domestic/foreign refundable/non-refundable binding/non-binding purchase/sell discloser/recipient
    payable/receivable valid/invalid enforceable/unenforceable limited/unlimited business/calendar
    """.split()
)
_AT_LEAST = re.compile(
    r"\b(?:at\s+least|(?:not|no)\s+(?:less|fewer|earlier|sooner)\s+than|minimum|or\s+more|(?<!not\s)(?<!no\s)more\s+than|(?<!not\s)exceed(?:s|ing)?)\b",
    re.I,
)
_AT_MOST = re.compile(
    r"\b(?:at\s+most|(?:not|no)\s+(?:more|later|longer|greater)\s+than|maximum|up\s+to|or\s+less|not\s+exceed(?:ing)?|within|less\s+than|capped)\b",
    re.I,
)


class Act(NamedTuple):
    verb: str
    """Stem."""
    modal: str
    negated: bool
    subject: str
    """Stem of the word before the modal verb."""


def find_acts(text: str) -> list[Act]:
    """The acts that modal verbs and negations concern."""
    for pattern, plain in _PHRASES:
        text = pattern.sub(plain, text)
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
        negated = is_negation or word == "cannot" or (bool(after) and after[0] in ("not", "never", "no", "neither"))
        reversed_ = negated or (clause_negated and modal is not None)
        verb = next(
            (w for w in after if w not in _SKIPPED and w not in _NEGATORS and not w.endswith("ly") and w not in ".;:"), ""
        )
        if verb:
            acts.append(Act(stem(verb), modal or "", reversed_, stem(words[at - 1]) if at else ""))
    return acts


def find_conflict(statement: str, evidence: str) -> str | None:
    """The word by which a statement says the opposite of, or another duty than, its evidence; None if there is none."""
    said, known = find_acts(statement), find_acts(evidence)
    return (
        _compare_acts(said, known)
        or _compare_negations(statement, said, evidence, known)
        or _find_opposite(statement, evidence)
    )


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
        if extra and (any(a.verb in stems for a in extra) or not _is_negative(evidence)):
            return "not"
    if len(theirs) > len(ours):
        stems = _stems(statement)
        for act in theirs:
            if (
                act.verb in stems
                and not any(b.verb == act.verb for b in said)
                and not any(b.verb == act.verb and not b.negated for b in known)
            ):
                return act.verb if _is_negative(statement) and not ours else act.modal or "not"
    modals = {a.modal for a in known} - {""}
    others = {b.verb for b in known}
    for act in said:
        is_open = act.modal in (MUST, MAY) and not act.negated and act.verb not in others and act.verb in _stems(evidence)
        if is_open and modals and act.modal not in modals and not (act.modal == MUST and "will" in modals):
            return act.modal
    return None


def _stems(text: str) -> set[str]:
    return {stem(m[0]) for m in _TOKEN.finditer(text)}


def _is_negative(text: str) -> bool:
    visible = _NOT_NEGATIVE.sub(" ", text)
    return any(
        m[0].casefold() in _NEGATORS or m[0].casefold().endswith(("n't", "n’t")) for m in _TOKEN.finditer(visible)
    ) or bool(
        re.search(
            r"\b(?:unless|except|only|subject to|prohibit|forbid|restrict|exclud|waive|refus|declin|lack|free from|void)",
            text,
            re.I,
        )
    )


def _find_opposite(statement: str, evidence: str) -> str | None:
    said = {w for m in re.finditer(r"[^\W_]+(?:-[^\W_]+)?", statement) for w in _forms(m[0])}
    known = {w for m in re.finditer(r"[^\W_]+(?:-[^\W_]+)?", evidence) for w in _forms(m[0])}
    for one, other in _OPPOSITES:
        for a, b in ((one, other), (other, one)):
            if a in said and a not in known and b in known and b not in said:
                return a
    (least, most), (known_least, known_most) = _limits(statement), _limits(evidence)
    if least and not most and known_most and not known_least:
        return least
    if most and not least and known_least and not known_most:
        return most
    return None


def _limits(text: str) -> tuple[str, str]:
    """The words that set a lower and an upper limit; empty if there are none."""
    least = _AT_LEAST.search(text)
    most = _AT_MOST.search(_AT_LEAST.sub(" ", text))
    return least[0] if least else "", most[0] if most else ""


def _forms(word: str) -> set[str]:
    folded = word.casefold()
    return {folded, folded.removesuffix("s"), folded.removesuffix("d"), folded.removesuffix("ed"), folded.removesuffix("ing")}
