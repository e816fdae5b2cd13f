"""Finds the parties to an agreement and the names that the agreement gives them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from orderly.services.values.letter_parties import letter_parties
from orderly.services.values.numbered_items import numbered_items, pointed_items
from orderly.services.values.party_names import MADE_BY, SHORTEST, SUFFIX, ends_abbreviated, party_names
from orderly.services.words import ANY_MONTH

OPENING = 12_000
"""Characters. The parties stand at the start of an agreement."""
_BETWEEN = re.compile(rf"\b(?:between|among(?:st)?|{MADE_BY})\b|^\W*parties[ \t]*:(?=[ \t]*\w)", re.I | re.M)
_AFTER_NAME = re.compile(r",?\s+\(?(?:ACN|ABN|ARBN|A\.C\.N\.|A\.B\.N\.)|,\s+of\b")
_ROLES = (
    "Landlord|Tenant|Lessor|Lessee|Employer|Employee|Supplier|Customer|Distributor|Licensor|Licensee|Vendor|Purchaser|Buyer|Seller|"
    "Lender|Borrower|Guarantor|Franchisor|Franchisee|Principal|Contractor|Company|Client|Discloser|Recipient|Assignor|Assignee|Owner|Consultant|"
    "Issuer|Investor|Noteholder|Mortgagor|Mortgagee|Grantor|Grantee|Hirer|Executive|Manufacturer|Operator|Builder|Grower|Trustee|Publisher|Author|Provider|Subscriber|User"
)
_DEFINED = re.compile(
    rf"(?:[(\[]|\bhere(?:in)?after\s)(?:[^()\[\]]{{0,120}}?[“\"‘']\s*(?:(?i:the)\s+)?(?P<name>[A-Z][\w&.'’ /-]{{0,60}}?"
    r"|we|us|you)[”\"’']"
    rf"|(?:the\s+|as\s+)?(?P<role>{_ROLES})[)\]])"
)
_BARE_ROLE = re.compile(rf"\((?:the\s+|as\s+)?(?:{_ROLES})\)")
"""A party's role in brackets without quotation marks: "Acme Pty Ltd (Company) and"."""
_ONLY_A_ROLE = re.compile(
    rf"(?:[Tt]he|THE)\s+\w+|(?:the\s+)?(?:(?i:{_ROLES}|Provider|Party|Parties)s?)|(?i:the\s+)?(?:\w+ing|Other)\s+Part(?:y|ies)\b.*",
    re.S,
)
"""A party that is named before: such words do not introduce it."""
_WITHIN_NAME = r"\([^()\n]{1,20}\)(?=[ \t]+(?:Pty|PTY|Ltd|LTD|Limited|LIMITED|Inc|Holdings)\b)"
"""Brackets of a name: "Gateway (Qld) Pty Ltd"."""
_LINE_WITH_ROLE = re.compile(
    rf"^[ \t|]*(?:\(?\w{{1,3}}[.)]\s*)?"
    rf"(?P<name>[A-Z](?:[^\n(]|{_WITHIN_NAME}){{2,100}}?)"
    rf"(?:\([A-Z\d ]{{3,40}}\)[^\n(]{{0,200}})?[ \t]*"
    rf"\(\s*(?:the\s+|as\s+)?[“\"‘']?(?P<role>{_ROLES})[”\"’']?\s*\)",
    re.M,
)
_ROLE_WITH_LINE = re.compile(
    rf"^[ \t|*]*(?:item[ \t]*\d{{1,2}}[ \t.:|]+|(?:\d{{1,2}}|(?-i:[A-Z]))[.)]?[ \t]+)?(?:Name of (?:the )?)?"
    rf"(?P<role>{_ROLES})s?"
    r"(?:[ *]*+(?:[:|]|\t[ \t*]*+:?)|[ ]{2,}+)[ \t|*]*+"
    rf"(?:\n[ \t]*(?:1\.[ \t]+)?)?(?P<name>(?-i:[A-Z])(?:[^\n(|]|{_WITHIN_NAME}){{2,100}})",
    re.M | re.I,
)
_LINE_ENDS_WITH_ROLE = re.compile(
    r"^[ \t|]*(?:\(?\w{1,3}[.)]\s*)?(?:(?i:by|to|from|between|and|given by|in favour of)\b[ \t:]+)?"
    r"(?P<name>[A-Z](?:[^\n(]|\([A-Z\d ]{3,40}\)){2,250}?)"
    r"\(\s*(?:the\s+|as\s+)?[“\"‘']?(?P<role>[A-Z][a-z]+(?: [A-Z][a-z]+)?)[”\"’']?\s*\)[ \t.,;]*(?:and)?[ \t]*$",
    re.M,
)

"""A line that ends with the name that the agreement gives a party, whatever that is."""
_IS_COMPANY = re.compile(rf"{SUFFIX}|\b(?:ACN|ABN|ARBN)\b")
_IS_TITLE = re.compile(r"\b(?:agreement|contract|deed|lease)\b|\bbetween\b", re.I)
_TRADES = re.compile(r",?\s+(?:trading as|t/as?|as trustee)\b", re.I)
_POINTS = re.compile(
    r"(?:[Tt]he|Each|Every) (?P<role>[\w-]+)\b[^\n]{0,40}\b(?:named|described|identified|specified|set out|stated) (?:in|at)\b"
)
"""A party that is named elsewhere: "The franchisee named in item 1 of the Schedule"."""
_REST = r"(?:,?\s+of\s+[^\n(]{3,120}|,[^\n(]{0,120})?\s*\([^\n]{2,120}\)"
_TWO_LINES = re.compile(
    rf"^[ \t]*(?P<one>[A-Z][^\n(,]{{2,100}}?){_REST}[^\n]{{0,120}}\n\s*(?:[Aa]nd|AND|&)\s+"
    rf"(?P<two>[A-Z][^\n(,]{{2,100}}?){_REST}",
    re.M,
)
"""Two names with what defines them, joined by a line "and": the opening of a letter or of a contract in plain words."""
_ADDRESS = re.compile(
    rf"{_AFTER_NAME.pattern}|,\s+an?\s+[A-Za-z]|(?:,?\s+of|,)\s+(?:\d|(?:Unit|Level|Suite|Shop|Floor|PO|P\.O)\b)"
)
_SHORT_NAME = re.compile(r"(?<=[\w.])\s+\((?P<name>[A-Z][\w&-]*)\)\Z")
"""A short name behind that of a company: "Acme Pty Ltd (Acme)"."""
_NOBODY = re.compile(
    rf"(?:(?i:(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?|{ANY_MONTH}"
    r"|Acts?|Clauses?|Sections?|Schedules?|Items?|Parts?|\d)\b"
)
"""What two of a kind may stand between, and is no party: "between Monday and Friday"."""
_RECITALS = re.compile(r"^\W*(?:whereas|recitals?|background|operative (?:provisions|part)|this deed witnesses)\b", re.M | re.I)
"""Where the parties have been named."""
_NO_NAME = re.compile(r"(?:Agreement|Contract|Deed|Lease|Party|Parties|Date|Act)$")


@dataclass(frozen=True, slots=True)
class Party:
    """`text[start:end]` is the name, without the defined name."""

    start: int
    end: int
    name: str
    defined_as: str | None = None
    """"Supplier" in: Acme Pty Ltd (the "Supplier")."""

    @property
    def text(self) -> str:
        return f"{self.name} ({self.defined_as})" if self.defined_as else self.name


def find_parties(text: str) -> list[Party]:
    """The parties that the opening of an agreement names, in text order; at least two, or none."""
    text = text.replace("**", "  ")  # bold in Markdown, at the same places
    return [_pointed_at(text, party) for party in _named_parties(text)]


def _named_parties(text: str) -> list[Party]:
    names_alone = _BARE_ROLE.sub(lambda role: f'("{role[0][2:-2]}")', text)  # as long as before
    titled: list[Party] = []
    for opening in _BETWEEN.finditer(text, 0, OPENING):
        names = party_names(names_alone, opening.start(), min(len(text), opening.start() + OPENING))
        if names and not any(_ONLY_A_ROLE.fullmatch(text, *name) or _NOBODY.match(text, *name) for name in names):
            last = names[-1][1]
            again = text.find(text[slice(*names[0])], last, last + 400)  # the opening, after a page that has the names only
            after = _BETWEEN.search(text, last, last + 400)  # what stands behind it defines another mention
            stop = again if again >= 0 else after.start() if after else last + 400
            ends = [*(start for start, _ in names[1:]), stop]
            found = _once([_party(text, span, min(end, len(text))) for span, end in zip(names, ends, strict=True)])
            if any(party.defined_as for party in found) and (not titled or _same(titled, found)):
                return found
            titled = titled or found  # a title has the names only; the opening below it defines them
    names_company = any(_IS_COMPANY.search(party.name) for party in titled)
    return (
        (titled if names_company else [])
        or _listed(text)
        or _on_lines_with_roles(text)
        or titled
        or _on_two_lines(text)
        or [Party(start, end, " ".join(text[start:end].split())) for start, end in letter_parties(text)]
    )


def _on_two_lines(text: str) -> list[Party]:
    match = _TWO_LINES.search(text, 0, OPENING)
    if match is None or not any(_DEFINED.search(text, match.end(name), match.end()) for name in ("one", "two")):
        return []
    return [_party(text, match.span("one"), match.start("two")), _party(text, match.span("two"), match.end())]


def _pointed_at(text: str, party: Party) -> Party:
    """The party itself where its name only says in which item of a schedule it stands."""
    points = _POINTS.match(party.name)
    if points is None:
        return party
    role = party.defined_as or points["role"]
    label = rf"^[^\n]{{0,20}}\b{re.escape(role)}[ \t]*(?::|\t|[ ]{{2}})\s*"
    labelled = re.search(rf"{label}(?P<name>[A-Z][^\n]{{2,100}})", text, re.M | re.I)
    items = (span for number in pointed_items(party.name) for span in numbered_items(text, number))
    span = next(items, labelled.span("name") if labelled else None)
    if span is None:
        return party
    start, end = span
    name = _without_address(text, start, text.find("(", start, end) if "(" in text[start:end] else end)
    return Party(start, start + len(name), " ".join(name.split()), party.defined_as)


def _once(parties: list[Party]) -> list[Party]:
    """Without names that come again, as where the list of parties follows a title page."""
    once: dict[str, Party] = {}
    for party in parties:
        known = once.setdefault(party.name.casefold(), party)
        if known.defined_as is None and party.defined_as:
            once[party.name.casefold()] = party
    return list(once.values()) if len(once) > 1 else parties


def _same(one: list[Party], other: list[Party]) -> bool:
    return [party.name.casefold() for party in one] == [party.name.casefold() for party in other]


def _listed(text: str) -> list[Party]:
    """Parties of a list or schedule, each on a line with its role: "Acme Pty Ltd of Sydney (Landlord)", "Tenant: Acme Ltd"."""
    found: dict[str, Party] = {}
    for pattern in (_LINE_WITH_ROLE, _ROLE_WITH_LINE):
        for match in pattern.finditer(text, 0, OPENING):
            start, end = match.span("name")
            name = _without_address(text, start, end)
            if len(name) >= SHORTEST:
                found.setdefault(
                    match["role"].title(), Party(start, start + len(name), " ".join(name.split()), _shown(match["role"]))
                )
        if len(found) > 1:
            return sorted(found.values(), key=lambda party: party.start)
    return []


def _on_lines_with_roles(text: str) -> list[Party]:
    """Parties whose lines end with their names in the agreement, of which one at least is a company."""
    recitals = _RECITALS.search(text, 0, OPENING)
    until = recitals.start() if recitals else OPENING
    lines = [m for m in _LINE_ENDS_WITH_ROLE.finditer(text, 0, until) if not _IS_TITLE.search(text, *m.span("name"))]
    names = [(m, _without_address(text, *m.span("name"))) for m in lines]
    found = [Party(m.start("name"), m.start("name") + len(name), " ".join(name.split()), m["role"]) for m, name in names]
    is_agreement = any(_IS_COMPANY.search(text, *line.span("name")) for line in lines)
    return found if len(found) > 1 and is_agreement else []


def _without_address(text: str, start: int, end: int) -> str:
    for tail in (_ADDRESS, _TRADES):
        if after := tail.search(text, start, end):
            end = after.start()
    name = text[start:end].rstrip(" ,;|\t")
    return name if ends_abbreviated(name) else name.rstrip(".")


def _shown(role: str) -> str:
    return role.title() if role.isupper() else role


def _party(text: str, span: tuple[int, int], until: int) -> Party:
    start, end = span
    if tail := _ADDRESS.search(text, start, end):
        end = tail.start()
    names = [m["name"] or m["role"] for m in _DEFINED.finditer(text, end, until)]
    if short := _SHORT_NAME.search(text[:end], start):
        end = short.start()
        names.insert(0, short["name"])
    defined = next((name.strip(" ,.") for name in names if not _NO_NAME.search(name)), None)
    return Party(start, end, " ".join(text[start:end].split()), defined)
