"""How words relate: the same, of one meaning, alike, or opposite."""

from __future__ import annotations

from functools import lru_cache

from orderly.services.engines.local import closeness, have_one_meaning
from orderly.services.support.tokens import word_stem

ALIKE = 0.6
"""Cosine from which two words count as alike."""

_OPPOSITES = """
    oral/written oral/writing verbal/written before/after prior/afterwards prior/subsequent before/afterwards
    increase/decrease increase/reduce
    include/exclude revocable/irrevocable sole/joint commence/expire begin/end start/end effective/expire
    renew/terminate renew/expire renew/end
    accept/reject accept/refuse accept/decline agree/refuse agree/disagree approve/reject approve/refuse
    maximum/minimum above/below earlier/later higher/lower
    mandatory/optional mandatory/voluntary compulsory/voluntary always/never more/less more/fewer first/last all/none
    public/confidential public/private
    domestic/foreign binding/non-binding payable/receivable valid/void valid/invalid enforceable/unenforceable
    limited/unlimited business/calendar
    deliberate/unintentional intentional/unintentional intentional/inadvertent deliberate/inadvertent
    deliberate/accidental negligent/intentional
    current/former existing/former future/past previous/next add/deduct add/subtract repay/recover repay/deduct
    pay/recover lend/borrow
    refuse/grant deny/grant admit/deny allow/dismiss allow/refuse uphold/dismiss affirm/reverse guilty/innocent
    win/lose succeed/fail appoint/remove
    ample/short sufficient/insufficient adequate/inadequate permit/prohibit allow/prohibit permit/forbid allow/forbid
    require/prohibit several/joint
    automatically/request automatic/optional exclusive/nonexclusive exclusively/also direct/indirect gross/net
    daily/monthly daily/annually daily/annual
    monthly/annually monthly/quarterly annually/quarterly  son/daughter mother/father husband/wife
    plaintiff/defendant claimant/respondent applicant/respondent appellant/respondent landlord/tenant lessor/lessee
    buyer/seller
    employer/employee licensor/licensee franchisor/franchisee lender/borrower insurer/insured discloser/recipient
    disclosing/receiving buy/sell
    purchase/sell return/keep return/retain return/destroy destroy/keep destroy/retain delete/keep delete/retain
    disclose/withhold open/closed
    fixed/variable fixed/renegotiate survive/lapse survive/cease continue/cease continue/lapse remain/cease
    remain/transfer retain/transfer retain/lose
    keep/lose keep/transfer replace/remain delete/remain cover/exclude insured/excluded covered/excluded
    harmless/liable independent/subject
    suspend/cancel suspend/terminate own/license waive/enforce waive/preserve create/dissolve whole/part entire/part
    partial/whole partial/entire
    original/copy electronic/paper consent/objection support/oppose agreed/opposed liable/immune solvent/insolvent
    early/late immediately/later immediately/eventually urgent/leisure present/absent northern/southern plead/contest
    true/false correct/incorrect
    lawful/unlawful legal/illegal reasonable/unreasonable paid/unpaid signed/unsigned perpetual/temporary
    permanent/temporary cumulative/exclusive
    accrue/waive import/export incoming/outgoing upstream/downstream majority/minority unanimous/majority
    unlimited/capped acquitted/convicted acquitted/guilty accept/object secured/unsecured senior/subordinate inclusive/exclusive
    prospective/retrospective concurrent/consecutive
"""
_OF_OTHERS = """
    plaintiff/defendant claimant/respondent applicant/respondent appellant/respondent landlord/tenant lessor/lessee
    buyer/seller employer/employee licensor/licensee franchisor/franchisee lender/borrower insurer/insured
    discloser/recipient disclosing/receiving purchase/sell effective/expire daily/monthly daily/annually daily/annual
    monthly/annually monthly/quarterly annually/quarterly
"""
"""Roles, of which a sentence about both parties names either, and frequencies, which are compared as such."""


def _stem_pairs(words: str) -> frozenset[tuple[str, str]]:
    """Pairs of stems, in both orders, of "one/other" words."""
    pairs = [(word_stem(a), word_stem(b)) for a, b in (pair.split("/") for pair in words.split())]
    return frozenset([*pairs, *((b, a) for a, b in pairs)])


OPPOSITES = _stem_pairs(_OPPOSITES)
_PLAIN_OPPOSITES = OPPOSITES - _stem_pairs(_OF_OTHERS)
_PREFIXES = ("non-", "non", "un", "in", "im", "ir", "il", "dis", "mis")


@lru_cache(maxsize=50_000)
def relation(one: str, other: str) -> float:
    """How much two stems mean the same: 1 the same, .9 of one meaning, else the cosine of their vectors, 0 if unknown."""
    if one == other or (min(len(one), len(other)) >= 5 and (one.startswith(other) or other.startswith(one))):
        return 1.0
    if are_opposite(one, other):
        return 0.0
    if have_one_meaning(one, other):
        return 0.9
    return closeness(one, (other,))


@lru_cache(maxsize=50_000)
def are_opposite(one: str, other: str) -> bool:
    return (one, other) in OPPOSITES or any(
        longer == f"{prefix}{shorter}"
        for longer, shorter in ((one, other), (other, one))
        if len(shorter) >= 4
        for prefix in _PREFIXES
    )


def are_plainly_opposite(one: str, other: str) -> bool:
    """Whether two stems say the opposite of one thing: no roles, and no words that merely look like an opposite."""
    return (one, other) in _PLAIN_OPPOSITES or one == f"non-{other}" or other == f"non-{one}"
