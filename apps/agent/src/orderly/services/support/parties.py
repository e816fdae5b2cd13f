"""Who does what to whom: the parties before and behind the verbs of a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from orderly.services.document_processor import is_word
from orderly.services.support.relations import relation
from orderly.services.support.tokens import Word, read_words

_ROLES = """
    creditor debtor farmer court insurer insured person worker employer employee inspector officer minister treasurer
    government committee secretary
    president chairperson resident operator consumer trader customer client provider processor controller subprocessor
    company purchaser partner
    user candidate claimant respondent defendant applicant appellant plaintiff judge tribunal agency tenant landlord
    lessor lessee licensor
    licensee franchisor franchisee distributor supplier buyer seller vendor contractor subcontractor consultant
    principal agent owner recipient
    discloser disclosee borrower lender guarantor trustee beneficiary shareholder stockholder director board adviser
    advisor sponsor bank dealer
    manager supervisor carrier shipper affiliate subsidiary host publisher author artist manufacturer reseller member
    registrar commissioner
    administrator liquidator receiver police doctor hospital patient student school university council association
    organiser organizer attendee
    visitor subscriber policyholder professional player executive trust fund investor adjudicator mediator arbitrator
    authority prosecutor
    witness stranger neighbour spouse custodian transferee transferor assignor assignee grantor grantee promoter
    developer
    mortgagor mortgagee pledgor executor donor donee licencee landowner builder engineer architect operator auditor
    bidder
""".split()
ROLES = frozenset(_ROLES)
_ONE_ROLE = {
    "tenant": "lessee",
    "landlord": "lessor",
    "vendor": "seller",
    "purchaser": "buyer",
    "customer": "client",
    "policyholder": "insured",
    "worker": "employee",
    "executive": "employee",
    "stockholder": "shareholder",
    "advisor": "adviser",
}
_MODALS = frozenset("shall will must may can cannot should would could agrees agree undertakes undertake".split())
_BE = frozenset("be is are was were been being".split())
_BETWEEN = frozenset(
    """
    not never also only hereby be been have has to agree agrees promptly immediately at any time solely jointly
    severally then either the
    right entitled required obliged obligated permitted allowed bound but is under no duty obligation using reasonable
    efforts
    """.split()
)
_LETS = re.compile(r"(?:entitl|permit|allow|enabl|oblig|requir|empower|authori[sz])\w*")
_PRONOUNS = {"i": "@i", "my": "@i", "me": "@i", "we": "@we", "us": "@we", "our": "@we", "you": "@you", "your": "@you"}
_THINGS = frozenset(
    """
    agreement information date act section clause article schedule amendment exhibit term terms product products
    services service account
    fee fees amount period event software property premises code policy order form conditions party parties annual
    meeting effective material
    confidential data transaction notice contract deed lease
    """.split()
)


_FINITE = re.compile(
    r"\w{2,}(?<!s)(?:s|ed)|gave|sent|paid|took|found|held|made|wrote|told|brought|kept|lost|bought|sold|began|chose|got"
)


class Mention(NamedTuple):
    at: int
    name: str
    """A role, the word of a name, or the person of a pronoun."""


class Doing(NamedTuple):
    verb: str
    """Stem."""
    at: int
    doer: str
    """Empty if the sentence does not say."""
    others: frozenset[str]
    """Parties behind the verb, up to the end of the clause."""


def role_of(word: Word) -> str:
    """The role that a word names, in the singular; empty if it names none."""
    one = word.folded.removesuffix("s")
    return next((role for role in (word.folded, one) if role in ROLES), "")


def canonical_role(folded: str) -> str:
    """The one name of a role, in the singular, that has several: "lessee" for "tenants"; empty if a word names none."""
    one = folded if folded in ROLES else folded.removesuffix("s")
    return _ONE_ROLE.get(one, one) if one in ROLES else ""


def names_of(text: str) -> frozenset[str]:
    """Words that a text capitalises and that are no ordinary words at the beginning of a sentence."""
    words = read_words(text)
    return frozenset(
        w.folded
        for at, w in enumerate(words)
        if w.text[0].isupper()
        and w.folded not in _THINGS
        and w.has_content
        and (not _starts(words, at) or not is_word(w.folded))
    )


@lru_cache(maxsize=1_024)
def mentions(text: str, known: frozenset[str] = frozenset()) -> tuple[Mention, ...]:
    """The parties that a text names. `known`: names, which may begin a sentence."""
    words = read_words(text)
    found: list[Mention] = []
    for at, word in enumerate(words):
        if word.is_mark:
            continue
        if name := _PRONOUNS.get(word.folded):
            found.append(Mention(at, name))
        elif role := role_of(word):
            found.append(Mention(at, _ONE_ROLE.get(role, role)))
        elif word.text[0].isupper() and word.folded not in _THINGS and word.has_content and not _starts(words, at):
            if found and found[-1].at == at - 1 and not found[-1].name.startswith("@"):
                continue  # a name of several words goes by its first
            found.append(Mention(at, word.folded))
        elif word.folded in known or (word.text.isupper() and word.has_content and word.folded not in _THINGS):
            found.append(Mention(at, word.folded))
    return tuple(found)


def _starts(words: Sequence[Word], at: int) -> bool:
    return at == 0 or words[at - 1].text in ".;:!?"


@lru_cache(maxsize=1_024)
def doings(text: str, known: frozenset[str] = frozenset()) -> tuple[Doing, ...]:
    """The verbs behind modal verbs and right behind a party, with who does them and to whom."""
    words, parties = read_words(text), mentions(text, known)
    found = []
    for party in parties:
        at = next((n for n in range(party.at + 1, len(words)) if not words[n].text[0].isupper()), len(words))
        if at < len(words) and _FINITE.fullmatch(words[at].folded) and words[at].folded not in _MODALS | _BE:
            found.append(_doing(words, parties, at, at))
    modal = [doing for _, doing in modal_doings(text, known)]
    for at, word in enumerate(words):
        if _LETS.fullmatch(word.folded) and at and words[at - 1].folded not in _BE | _BETWEEN:
            modal += _let(words, parties, at)
    found += sorted(modal, key=lambda doing: doing.at)
    return tuple(found)


@lru_cache(maxsize=1_024)
def modal_doings(text: str, known: frozenset[str] = frozenset()) -> tuple[tuple[str, Doing], ...]:
    """The verbs behind modal verbs, each with its modal verb."""
    words, parties = read_words(text), mentions(text, known)
    found = []
    for at, word in enumerate(words):
        if word.folded not in _MODALS:
            continue
        verb = next(
            (
                n
                for n in range(at + 1, min(at + 9, len(words)))
                if words[n].folded not in _BETWEEN and not words[n].folded.endswith("ly")
            ),
            None,
        )
        if verb is not None and not words[verb].is_mark:
            found.append((word.folded, _doing(words, parties, verb, at)))
    return tuple(found)


def _let(words: Sequence[Word], parties: Sequence[Mention], at: int) -> Iterator[Doing]:
    """The act of "entitles the Company to terminate"."""
    to = next((n for n in range(at + 1, min(at + 7, len(words) - 1)) if words[n].folded == "to"), None)
    doer = next((m.name for m in parties if at < m.at < (to or at)), "")
    if to is not None and doer and not words[to + 1].is_mark:
        behind = frozenset(m.name for m in parties if m.at > to and m.name != doer)
        yield Doing(words[to + 1].stem, to + 1, doer, behind)


def doing_of(text: str, verb: str, known: frozenset[str] = frozenset()) -> Doing | None:
    """What a sentence says of a verb of the other text, by the same or a like word."""
    words, parties = read_words(text), mentions(text, known)
    for at, word in enumerate(words):
        if word.has_content and not role_of(word) and relation(word.stem, verb) >= 0.9 and at:
            return _doing(words, parties, at, at)
    return None


def _doing(words: Sequence[Word], parties: Sequence[Mention], verb: int, modal: int) -> Doing:
    start = max((n for n in range(modal) if words[n].text in ".;:!?"), default=-1)
    end = min((n for n in range(verb, len(words)) if words[n].text in ".;:"), default=len(words))
    passive = any(words[n].folded in _BE for n in range(max(modal, verb - 3), verb)) or (
        modal == verb and verb > 0 and words[verb - 1].folded in _BE
    )
    behind = [m for m in parties if verb < m.at < end]
    if passive:
        doer = next((m.name for m in behind if any(words[n].folded == "by" for n in range(max(m.at - 3, verb), m.at))), "")
    else:
        before = [m for m in parties if start < m.at < modal or (modal == verb and start < m.at < verb)]
        before = [m for m in before if not _is_of(words, m.at)] or before
        doer = before[-1].name if before else ""
    return Doing(words[verb].stem, verb, doer, frozenset(m.name for m in behind if m.name != doer))


def _is_of(words: Sequence[Word], at: int) -> bool:
    """Whether a party is named only as belonging to something: "an employee of the Company"."""
    return any(words[n].folded in ("of", "to", "from", "with", "for", "by") for n in range(max(at - 2, 0), at))
