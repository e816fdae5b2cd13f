"""Opposite words: a sentence that says "oral" of what its quotation says "in writing"."""

from __future__ import annotations

import re
from typing import NamedTuple

from orderly.services.claims.words import content_stems
from orderly.services.values import parse_words

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)?")
_PAIRS = tuple(
    pair.split("/")
    for pair in """
    increase/decrease increase/reduce include/exclude
    revocable/irrevocable transferable/non-transferable sole/joint
    commence/expire begin/end renew/terminate accept/reject maximum/minimum above/below earlier/later higher/lower
    buyer/seller lessor/lessee landlord/tenant licensor/licensee employer/employee lender/borrower
    mandatory/optional with/without always/never more/less more/fewer first/last all/none public/confidential
    domestic/foreign refundable/non-refundable binding/non-binding purchase/sell discloser/recipient
    payable/receivable valid/invalid enforceable/unenforceable limited/unlimited business/calendar
    """.split()
)


class _Poles(NamedTuple):
    one: re.Pattern[str]
    other: re.Pattern[str]


def _poles(one: str, other: str) -> _Poles:
    return _Poles(re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))


_SHARED = r"both|either\s+party|either\s+of|each\s+party|neither\s+party|jointly|together|shared?|mutual(?:ly)?"
_NAMED_TWO = re.compile(r"\b(?:by|of|between)\s+(?:both\s+)?(?:the\s+)?[A-Z]\w+\s+and\s+(?:the\s+)?[A-Z]\w+")
_UNILATERAL = _poles(r"alone|unilateral(?:ly)?|by\s+itself|on\s+its\s+own|solely|single-handed(?:ly)?", _SHARED)
_FAMILIES = (
    _poles(r"in\s+writing|written|signed|writing", r"oral(?:ly)?|verbal(?:ly)?|unwritten|by\s+(?:tele)?phone|informal(?:ly)?"),
    _poles(
        r"without\s+(?:any\s+)?(?:cause|reason)|for\s+any\s+reason|for\s+convenience|at\s+any\s+time|at\s+will",
        r"(?:only\s+)?(?:for|with|on|upon)\s+(?:good\s+|just\s+)?cause|(?:needs?|requires?)\s+(?:a\s+|good\s+)?(?:cause|reason|breach)|only\s+(?:for|on|upon)\s+(?:\w+\s+)?breach",
    ),
    _poles(r"gratis", r"charges?(?!\s+of)|for\s+a\s+fee|at\s+a\s+(?:charge|cost|fee)"),
    _poles(r"(?<!non-)(?:exclusive(?:ly)?|sole(?:ly)?)", r"non-?exclusive(?:ly)?|concurrent(?:ly)?"),
    _UNILATERAL,
    _poles(
        r"automatic(?:ally)?|of\s+itself|without\s+further\s+(?:notice|act|action)",
        r"at\s+(?:its|their|his|her|the\s+\w+['’]s?)\s+(?:sole\s+)?(?:option|discretion|election)|elects?|by\s+(?:mutual\s+)?agreement|optional(?:ly)?",
    ),
    _poles(
        r"only\s+(?:\w+\s+)?(?:one|a\s+single)|at\s+most\s+(?:one|1)|single",
        r"several|multiple|many|unlimited|any\s+number|more\s+than\s+one",
    ),
    _poles(r"profits?|gains?|surplus|earned", r"loss(?:es)?|lost|loses?|deficits?"),
    _poles(r"same|equal(?:ly)?|identical", r"weaker|stronger|different(?:ly)?|unequal(?:ly)?|lesser|greater"),
    _poles(
        r"discharg\w+|releas\w+|extinguish\w*|ends?|ceases?",
        r"remains?|leaves?|continues?|survives?|in\s+place|persists?|intact",
    ),
    _poles(
        r"immediately|forthwith|at\s+once|on\s+the\s+day",
        r"on\s+the\s+first\s+(?:day\s+)?of|in\s+due\s+course|eventually|at\s+leisure",
    ),
)
"""Words of one pole and of its opposite. A sentence and its quotation conflict if each has one pole alone."""
_LIMITLESS = re.compile(
    r"\b(?:unlimited|without\s+(?:any\s+)?limit(?:ation)?|uncapped|unrestricted|any\s+number)\b", re.IGNORECASE
)
_LIMITED = re.compile(r"\b(?:at\s+most|maximum|up\s+to|capped?|limited\s+to)\b", re.IGNORECASE)
_NEEDLESS = re.compile(r"(?<!not )\b(?:unnecessary|dispensable|optional|voluntary|discretionary)\b", re.IGNORECASE)
_NEEDED = re.compile(r"\b(?:must|shall|required|mandatory)\b(?!\s+not)", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|solely|exclusively)\b(?!\s+(?:if|when|where|after|upon|on|with)\b)(?<!not only)", re.IGNORECASE)
_RESTRICTS = re.compile(
    r"\b(?:only|sole(?:ly)?|exclusive(?:ly)?|alone|no|not|none|nothing|never|neither|nor|except|unless|other\s+than|limit\w*|at\s+most|up\s+to|maximum|within|"
    r"until|subject\s+to|restrict\w*|confin\w*|must|shall|single|one|provided\s+that)\b|n['’]t\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|rather\s+than|instead\s+of|unless|except|other\s+than)\b|n['’]t\b",
    re.IGNORECASE,
)
_RULED_OUT = re.compile(
    r"\W*(?:\w+\W+){0,2}(?:(?:is|are|be)\s+)?(?:not|never|exclud\w+|barred|void|ineffective|invalid|impossible|precluded|prohibited|forbidden|"
    r"ruled\s+out|insufficient|unnecessary)\b",
    re.IGNORECASE,
)
"""Words behind one that deny it: "oral variation is excluded"."""

_BOUND = re.compile(
    r"\b(?:(?P<least>at\s+least|minimum(?:\s+of)?|more\s+than|over|exceed(?:s|ing)?)|"
    r"(?P<most>at\s+most|maximum(?:\s+of)?|up\s+to|less\s+than|fewer\s+than|under|capped\s+at))\s+"
    r"(?:(?:an?|the|of|additional|another|calendar|period|aggregate)\s+){0,3}(?P<value>[$€£]?\s?\d[\d,.]*|\w+)"
    r"|(?P<before>[$€£]?\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|\w+teen|\w+ty|a\s+hundred)(?:\s*\(\w+\))?\s+(?:(?!\d)\w+\s+)?or\s+(?P<direction>more|less|fewer|over|longer)\b",
    re.IGNORECASE,
)
_PERIOD = (
    r"(?P<count>\d+|\w+)(?:\s*\(\s*\w+\s*\))?\s+(?:business\s+|working\s+|calendar\s+)?"
    r"(?:hours?|days?|weeks?|months?|years?)['’]?"
)
_WITHIN = re.compile(
    rf"\b(?P<how>within|no\s+later\s+than|at\s+most|after|following)\s+(?:a\s+(?:period|term)\s+of\s+)?{_PERIOD}", re.I
)
_FROM = re.compile(
    rf"{_PERIOD}\s+(?:from|after|of|following|before|prior\s+to)\s+(?P<anchor>(?:[\w’'-]+\s*){{1,7}})", re.IGNORECASE
)
_EVENTS = (
    ("sign", "execut", "date"),
    ("receiv", "receip"),
    ("commen", "start", "begin", "effect"),
    ("end", "expir", "termin", "cessat", "ceas"),
    ("disclo", "reveal"),
    ("meet", "assemb"),
    ("deliv", "suppli", "supply"),
)
"""Stems of words for one event."""
_GIVES = r"(?:notif|inform|provid|pay|suppl|deliver|giv|offer|send|lend|lease|grant|indemnif|reimburs|furnish|make)"
_GIVER = re.compile(
    rf"\b(?P<subject>(?:Party\s+)?[A-Z]\w*)\s+(?:(?:shall|must|will|may|agrees?\s+to|is\s+to)\s+)?(?:\w+ly\s+)?{_GIVES}\w*\b(?!\s+by)"
)


OPPOSITIONS = ("pair", "pole", "limit", "bound", "time", "giver")


def find_oppositions(statement: str, evidence: str) -> dict[str, str | None]:
    """By the kind of opposition: the word by which a statement is opposed to its evidence, or None."""
    found = (
        find(statement, evidence)
        for find in (_find_pair, _find_family, _find_limit, _find_bound, _find_other_time, _find_other_giver)
    )
    return dict(zip(OPPOSITIONS, found, strict=True))


def _find_pair(statement: str, evidence: str) -> str | None:
    said = {form for m in _WORD.finditer(statement) for form in _forms(m[0])}
    known = {form for m in _WORD.finditer(evidence) for form in _forms(m[0])}
    for one, other in _PAIRS:
        for a, b in ((one, other), (other, one)):
            if a in said and a not in known and b in known and b not in said:
                return a
    return None


def _find_family(statement: str, evidence: str) -> str | None:
    for family in _FAMILIES:
        said = _sides(family, statement)
        if len(said) != 1:
            continue
        known = set(_sides(family, evidence))
        if family is _UNILATERAL and _NAMED_TWO.search(evidence):
            known.add(False)
        if known and known.isdisjoint(said):
            return next(iter(said.values()))
    return None


def _sides(family: _Poles, text: str) -> dict[bool, str]:
    """The poles that a text says, each with its word; a word that is denied says the other pole."""
    found: dict[bool, str] = {}
    for is_one, pole in ((True, family.one), (False, family.other)):
        for match in pole.finditer(text):
            denied = _DENIES.search(text, max(match.start() - 40, 0), match.start()) or _RULED_OUT.match(text, match.end())
            found.setdefault(is_one != bool(denied), match[0])
    return found


def _find_limit(statement: str, evidence: str) -> str | None:
    """Finds "unlimited" said of what is limited, "optional" of what must be, and "only" of what is not restricted at all."""
    without = _LIMITLESS.search(statement)
    if without and _LIMITED.search(evidence) and not _LIMITLESS.search(evidence):
        return without[0]
    needless = _NEEDLESS.search(statement)
    if needless and _NEEDED.search(evidence) and not _NEEDLESS.search(evidence):
        return needless[0]
    only = _ONLY.search(statement)
    return only[0] if only and not _RESTRICTS.search(evidence) else None


def _find_bound(statement: str, evidence: str) -> str | None:
    """Finds a figure that is the least in one text and the most in the other."""
    said, known = _bounds(statement), _bounds(evidence)
    for value, (kind, words) in said.items():
        if value in known and known[value][0] != kind:
            return words
    kinds, others = {kind for kind, _ in said.values()}, {kind for kind, _ in known.values()}
    if len(kinds) == len(others) == 1 and kinds != others:
        return next(words for _, words in said.values())
    return None


def _bounds(text: str) -> dict[str, tuple[str, str]]:
    found = {}
    for match in _BOUND.finditer(text):
        if match["direction"]:
            kind = "least" if match["direction"].casefold() in ("more", "over", "longer") else "most"
        else:
            kind = "least" if match["least"] else "most"
        value = re.sub(r"[$€£,\s]|\.\Z", "", match["value"] or match["before"]).casefold()
        number = parse_words(value)
        if number is None and not value[:1].isdigit() and (match["most"] or "").casefold() == "under":
            continue  # "under this clause"
        found[value if number is None else str(number)] = (kind, match["least"] or match["most"] or match[0])
    return found


def _find_other_time(statement: str, evidence: str) -> str | None:
    """Finds a period that runs from another event, or ends where the evidence lets it begin."""
    known = {(m["count"] or "").casefold(): _is_after(m["how"]) for m in _WITHIN.finditer(evidence)}
    for match in _WITHIN.finditer(statement):
        count = match["count"].casefold()
        if count in known and known[count] != _is_after(match["how"]):
            return match["how"]
    theirs = [_events(m["anchor"]) for m in _FROM.finditer(evidence)]
    for match in _FROM.finditer(statement):
        ours = _events(match["anchor"])
        if ours and theirs and all(other and not ours & other for other in theirs):
            return " ".join(match["anchor"].split()[:4])
        if ours and not theirs and not ours & _events(evidence):
            return " ".join(match["anchor"].split()[:4])
    return None


def _is_after(how: str) -> bool:
    return how.casefold() in ("after", "following")


def _events(text: str) -> set[str]:
    stems = content_stems(text)
    return stems | {kind[0] for kind in _EVENTS if any(one.startswith(part) for part in kind for one in stems)}


def _find_other_giver(statement: str, evidence: str) -> str | None:
    """Finds a party that gives in the statement what it receives in the evidence."""
    given = list(_GIVER.finditer(evidence))
    for match in _GIVER.finditer(statement):
        name = match["subject"]
        receives = re.search(
            rf"\b(?:to|notif(?:y|ies)|inform|pay|indemnify|reimburse)\s+(?:the\s+)?{re.escape(name)}\b", evidence
        )
        if given and receives and all(m["subject"] != name for m in given):
            return name
    return None


def _forms(word: str) -> set[str]:
    folded = word.casefold()
    return {folded, folded.removesuffix("s"), folded.removesuffix("d"), folded.removesuffix("ed"), folded.removesuffix("ing")}
