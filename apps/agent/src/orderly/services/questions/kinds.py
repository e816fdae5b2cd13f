"""What kind of document a question means where it names none: "the lease", "our NDA", or a party's role, "the tenant"."""

from __future__ import annotations

import re
from collections.abc import Collection

from orderly.services.questions.spelling import closest
from orderly.services.words import ROLE_NAMES

HEADING = 260
"""Leading characters of a document that say what it is."""
_KINDS = {
    "lease": "lease sublease tenancy",
    "nda": "nda confidentiality non-disclosure nondisclosure",
    "loan": "loan facility",
    "guarantee": "guarantee guaranty",
    "judgment": "judgment judgement case decision",
    "act": "act statute legislation",
    "policy": "policy",
    "terms": "terms",
    "will": "will",
    "trust": "trust",
    "constitution": "constitution",
    "partnership": "partnership",
    "employment": "employment",
    "consulting": "consulting consultancy",
    "franchise": "franchise",
    "mortgage": "mortgage",
    "sale": "sale",
    "licence": "licence license",
    "regulations": "regulations",
    "letter": "letter",
    "undertaking": "undertaking",
    "conditions": "conditions",
    "memorandum": "memorandum memo",
    "by-laws": "by-laws by-law bylaws bylaw",
    "shareholders": "shareholders shareholder",
}
_ROLES_OF_KINDS = {
    "lease": "Landlord Tenant Lessor Lessee",
    "loan": "Borrower Lender",
    "guarantee": "Guarantor",
    "employment": "Employee Employer",
    "sale": "Vendor Purchaser Buyer Seller",
    "licence": "Licensor Licensee",
    "franchise": "Franchisor Franchisee",
    "consulting": "Consultant",
    "mortgage": "Mortgagor Mortgagee",
    "shareholders": "Shareholder Founder",
    "partnership": "Partner",
    "trust": "Trustee",
    "will": "Executor Testator Beneficiary",
}
ROLES_OF_KINDS = {kind: frozenset(roles.split()) for kind, roles in _ROLES_OF_KINDS.items()}
"""The parties of a kind of document, whatever one of that kind calls them."""
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_ALONE = frozenset(
    (
        *("lease", "tenancy", "nda", "loan", "judgment", "judgement", "case", "act", "statute", "policy", "constitution"),
        *("will", "by-laws", "bylaws"),
    )
)
"""Words that mean the document by themselves; the others only before "agreement", "contract" or "deed"."""
_MEANT = re.compile(
    rf"\b(?:the|this|our|my|that)\s+(?:(?P<qualified>{'|'.join(map(re.escape, _KIND_OF))})\s+(?:agreement|contract|deed)s?"
    rf"|(?P<alone>{'|'.join(_ALONE)}))\b(?![-\w]|\s+(?:of|for|between|where|in which)\b)",
    re.IGNORECASE,
)
_SEEMING = frozenset(
    ("partnership", "franchise", "employment", "consultancy", "mortgage", "guarantee", "guaranty", "undertaking", "letter")
)
"""Words that seem to mean the only document of that kind, and may also be its subject."""
_SEEMS = re.compile(
    rf"\b(?:the|this|our|my)\s+(?P<word>{'|'.join(sorted(_SEEMING))})\b(?![-\w]|\s+(?:agreements?|contracts?|deeds?|of|for|between)\b)",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"\b(?:the|this|our|my|that)\s+(?P<word>[a-z]{5,})\b(?![-'’])(?P<noun>\s+(?:agreement|contract|deed)\b)?", re.IGNORECASE
)
"""Where a word for a kind may be misspelt."""
_OTHER_WORDS = frozenset(
    ("least", "leash", "please", "cease", "tease", "police", "polity", "statue", "parties", "consultant", "consultation")
)
"""Words that differ from one for a kind by what a misspelling may change."""
_ASKED = re.compile(
    r"\b(?:which(?: one)?|(?:list|sort|order|rank)(?: all)?|each|every|all)(?: of)?(?: (?:the|our|these|my))?\s+"
    r"(?P<kind>lease|tenanc|nda|loan|judge?ment|polic)(?:y|ie)?s?\b(?![-\w]|\s+(?:agreements?|of|for|between|documents?)\b)",
    re.IGNORECASE,
)
"""Documents of a kind that are asked for among all: "which of the leases", "list the leases". Not Acts: others cite them."""
_ALL_ROLES = ROLE_NAMES.union(*ROLES_OF_KINDS.values())
_STEMS = {"tenanc": "lease", "judgement": "judgment", "polic": "policy"}
_HEADED = re.compile(r"\b[A-Z][\w-]*")
_CASE = re.compile(r"\bv\.?s?\.?\b|\[(?:19|20)\d\d\]|\b(?:FCA|FCAFC|NSWSC|EWHC|EWCA|UKSC|HCA)\b", re.IGNORECASE)


def kinds_of(name: str, text: str) -> frozenset[str]:
    """What a document is by the words of its file name and the capitalised ones of its heading."""
    words = [*re.findall(r"[a-z-]+", name.lower()), *(w.lower() for w in _HEADED.findall(text[:HEADING]))]
    kinds = {_KIND_OF[word] for word in words if word in _KIND_OF}
    return frozenset(kinds | ({"judgment"} if _CASE.search(name) else set()))


def kind_of(word: str) -> str | None:
    """The kind that a word for a document says; None if every agreement may be called so."""
    return _KIND_OF.get(word.lower())


def is_of_kind(word: str, kinds: Collection[str]) -> bool:
    """Whether a word for a document fits one of these kinds."""
    return _KIND_OF.get(word) in kinds


def kinds_meant(question: str) -> list[tuple[str, tuple[int, int]]]:
    """Kinds of documents that a question means, each with its place."""
    return [(_KIND_OF[(m["qualified"] or m["alone"]).lower()], m.span()) for m in _MEANT.finditer(question)]


def kind_seeming(question: str) -> tuple[str, tuple[int, int]] | None:
    """The kind of the document that a question seems to mean, and its place: "the partnership"."""
    seems = _SEEMS.search(question)
    return (_KIND_OF[seems["word"].lower()], seems.span()) if seems else None


def with_kinds_respelt(question: str, kinds: Collection[str]) -> tuple[str, list[tuple[str, str]]]:
    """The question with misspelt words for these kinds corrected, and (word as written, word meant)."""
    fixed: list[tuple[str, str]] = []
    for written in _WRITTEN.finditer(question):
        word = written["word"].lower()
        wanted = (w for w, kind in _KIND_OF.items() if kind in kinds and (written["noun"] or w in _ALONE or w in _SEEMING))
        if word in _OTHER_WORDS or word.title() in _ALL_ROLES or any(word.startswith(known) for known in _KIND_OF):
            continue
        if meant := closest(word, list(wanted)):
            fixed.append((written["word"], meant))
    for word, meant in fixed:
        question = re.sub(rf"\b{word}\b", meant, question)
    return question, fixed


def kind_asked(question: str) -> str | None:
    """The kind of documents that a question asks for among all: "which judgment"."""
    asked = _ASKED.search(question)
    return _STEMS.get(asked["kind"].lower(), asked["kind"].lower()) if asked else None


def may_mean_kind(question: str) -> bool:
    """Whether a question may mean a document by its kind or by a party's role."""
    question, _ = with_kinds_respelt(question, frozenset(_KINDS))
    return bool(
        kind_asked(question)
        or kinds_meant(question)
        or kind_seeming(question)
        or roles_meant(question, _ALL_ROLES, any_one=True)
    )


def roles_meant(question: str, roles: Collection[str], *, any_one: bool = False) -> set[str]:
    """Which roles a question speaks of with "the": "the tenant", "the tenants"; with `any_one` also "a tenant"."""
    article = r"(?:the|an?)" if any_one else "the"
    spoken = [m[1].lower() for m in re.finditer(rf"\b{article}\s+([a-z]{{4,}})", question, re.IGNORECASE)]
    forms = {form for word in spoken for form in (word, word.removesuffix("s"), re.sub(r"ies\Z", "y", word))}
    return {role for role in roles if not forms.isdisjoint((role.lower(), role.lower().removesuffix("s")))}
