"""Forms and limits that a sentence drops, adds or turns round, and periods that run from another event."""

from __future__ import annotations

import re
from collections.abc import Collection
from decimal import Decimal

from orderly.services.support.words import content_stems, stem
from orderly.services.values import parse_words

_DENIED = re.compile(
    r"(?:(?:\b(?:not|never|cannot|neither|nor|no\s+(?:event|case|circumstances?|part(?:y|ies)|person))\b|n['’]t\b)[^.;:,]*|\bno\s+)\Z",
    re.IGNORECASE,
)
"""A negation before a bound: "must not exceed"."""
_LIMITLESS = re.compile(
    r"\b(?:unlimited|without\s+(?:any\s+)?limit(?:ation)?|uncapped|unrestricted|any\s+number|"
    r"(?:for|in)\s+any\s+(?:purpose|way|manner)(?!\s+(?:other|except)))\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(r"\b(?:at\s+most|only|maximum|up\s+to|capped?|limited\s+to)\b", re.IGNORECASE)
_NEEDLESS = re.compile(r"(?<!not )\b(?:unnecessary|dispensable|optional|voluntary|discretionary)\b", re.IGNORECASE)
_NEEDED = re.compile(r"(?<!not )\b(?:must|shall|required|mandatory)\b(?!\s+not)", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|solely|exclusively)\b(?!\s+(?:if|when|where|after|upon|on|with)\b)(?<!not only)", re.IGNORECASE)
_RESTRICTS = re.compile(
    r"\b(?:only|sole(?:ly)?|exclusive(?:ly)?|alone|no|not|none|nothing|never|neither|nor|except|unless|other\s+than|limit\w*|at\s+most|up\s+to|maximum|within|"
    r"until|subject\s+to|to\s+the\s+extent|(?:so|as)\s+far\s+as|insofar|restrict\w*|confin\w*|must|shall|single|one|provided\s+that)\b|n['’]t\b",
    re.IGNORECASE,
)
_ORAL = re.compile(r"\b(?:oral(?:ly)?|verbal(?:ly)?|unwritten|spoken|by\s+(?:tele)?phone|phone\s+call)\b", re.IGNORECASE)
_WRITTEN = re.compile(r"\b(?:written|signed|writing)\b", re.IGNORECASE)
_CONTRASTS = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|rather|instead|unless|except|insufficient|exclud\w+|invalid|void|"
    r"ineffective|barred|written|writing|even|los(?:es?|ing|t|s\s+of))\b|n['’]t\b",
    re.IGNORECASE,
)
_NO_CONTRAST = re.compile(r"\bwithout\s+(?:cause|reason|limit\w*|prejudice|delay|further|notice)\b", re.IGNORECASE)
_NEAR = 60
"""Characters around a term in which words may contrast it."""
_ADDED = r"(?:GST|VAT|tax(?:es)?|superannuation|outgoings|expenses|interest)"
_EXCLUSIVE_TERMS = tuple(
    (re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for pair in (
        (r"in\s+advance", r"in\s+arrears?"),
        (
            r"(?:first|1st)\s+(?:\w+\s+)?(?:of|in)\s+(?:each|every|the|a)\s+\w+|(?:start|beginning)\s+of\s+(?:each|every|the)\s+(?:month|quarter|year|week)",
            r"(?:end|last\s+(?:\w+\s+)?(?:of|in))\s+(?:of\s+)?(?:each|every|the|a)\s+(?:month|quarter|year|week)",
        ),
        (
            rf"inclu(?:des?|ding|sive\s+of)\s+(?:(?:any|all|applicable)\s+)*{_ADDED}",
            rf"(?:plus|net\s+of|exclu(?:des?|ding|sive\s+of))\s+(?:(?:any|all|applicable)\s+)*{_ADDED}",
        ),
        (
            r"automatic(?:ally)?",
            r"only\s+(?:by|on|upon|with|if)\s+(?:\S+\s+){0,5}?(?:agree\w*|request\w*|consents?|election|notice)",
        ),
        (r"compound(?:ed|s)?", r"simple\s+interest"),
        (r"variable|floating", r"fixed\s+(?:rate|interest|fee|price|rent)"),
        (r"(?<!non-)(?<!non)exclusive(?:ly)?(?!\s+of)", r"non-?exclusive(?:ly)?"),
        (r"calendar\s+days?", r"(?:business|working)\s+days?"),
        (r"only\s+(?:the\s+)?\w+\s+(?:may|can|has|is)", r"(?:either|each|both)\s+part(?:y|ies)"),
        (r"jointly\s+and\s+severally", r"severally\s*,?\s+(?:and\s+|but\s+)?not\s+jointly"),
        (
            r"automatic(?:ally)?|at\s+once|immediate(?:ly)?|forthwith|(?:without|no)\s+(?:\w+\s+)?notice",
            r"(?:by|on|upon|after)\s+(?:\S+\s+){0,12}?notice",
        ),
    )
    for one, other in (pair, pair[::-1])
)
"""Terms of which one says what the other denies."""
_PREFIX = re.compile(r"(?:un|non-?|ir(?=r)|im(?=[mp]))(?P<rest>[^\W\d_]{4,})")
_SILENT = re.compile(
    r"\b(?:(?:is|are)\s+silent|says?\s+nothing|(?:does|do)\s+not\s+(?:say|state|mention|address|specify|deal\s+with|provide))\b"
    r"(?:\s+(?:on|about|as\s+to|regarding|for|that|what|which))?+(?P<what>[^.;:,]{3,80})",
    re.IGNORECASE,
)
_ASKING = frozenset(
    "the its any all that what which who when where how whether this such her his their lease agreement contract deed".split()
)
_BOUND = re.compile(
    r"\b(?:(?P<least>at\s+least|minimum(?:\s+of)?|more\s+than|over|exceed(?:s|ing)?)|"
    r"(?P<most>at\s+most|maximum(?:\s+of)?|up\s+to|less\s+than|fewer\s+than|under|capped\s+at))\s+"
    r"(?:(?:an?|the|of|additional|another|calendar|period|aggregate)\s+){0,3}(?P<value>[$€£]?\s?\d[\d,.]*|\w+)(?:\s+(?P<scale>thousand|million|billion)\b)?"
    r"|(?P<before>[$€£]?\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|\b\w+(?:teen|ty)|a\s+hundred)(?:\s*\(\w+\))?\s+(?:(?!\d)\w+\s+)?or\s+(?P<direction>more|less|fewer|over|longer)\b",
    re.IGNORECASE,
)
_PERIOD = (
    r"(?P<count>(?<!\w)\w++)(?:\s*+\(\s*+\w++\s*+\))?\s++(?:(?:business|working|calendar)\s++)?"
    r"(?:hours?|days?|weeks?|months?|years?)['’]?"
)
_WITHIN = re.compile(
    rf"\b(?P<how>within|no\s+later\s+than|at\s+most|after|following)\s+(?:a\s+(?:period|term)\s+of\s+)?{_PERIOD}", re.I
)
_FROM = re.compile(
    rf"{_PERIOD}\s+(?:from|after|of(?!\s+(?:leave|grace|rest|notice|holidays?|service|work|absence|age)\b)|following|before|"
    r"prior\s+to)\s+(?!(?:that|this|then|it)\b)(?P<anchor>(?:[\w’'-]++\s*+){1,12})",
    re.IGNORECASE,
)
_EVENTS = (
    ("sign", "execut", "date"),
    ("receiv", "receip"),
    ("commen", "start", "begin", "effect"),
    ("end", "expir", "termin", "cessat", "ceas", "leav", "resign", "dismiss"),
    ("vacat", "leav", "mov"),
    ("disclo", "reveal"),
    ("meet", "assemb"),
    ("deliv", "suppli", "supply"),
)
"""Stems of words for one event."""


def find_limit(statement: str, evidence: str) -> str | None:
    """Finds "unlimited" said of what is limited, "optional" of what must be, and "only" of what is not restricted at all."""
    without = _LIMITLESS.search(statement)
    if without and _LIMITED.search(evidence) and not _LIMITLESS.search(evidence):
        return without[0]
    needless = _NEEDLESS.search(statement)
    if needless and _NEEDED.search(evidence) and not _NEEDLESS.search(evidence):
        return needless[0]
    only = _ONLY.search(statement)
    return only[0] if only and not _RESTRICTS.search(evidence) else None


def find_form(statement: str, evidence: str) -> str | None:
    """Finds "oral" said of what is in writing."""
    oral = _ORAL.search(statement)
    if oral is None or _ORAL.search(evidence) or not _WRITTEN.search(evidence):
        return None
    return None if _is_contrasted(statement, oral.span()) else oral[0]


def find_other_term(statement: str, evidence: str) -> str | None:
    """Finds "in arrears" said of what is due in advance, and other terms that the evidence's own term excludes."""
    for ours, theirs in _EXCLUSIVE_TERMS:
        said = ours.search(statement)
        if said and not theirs.search(statement) and theirs.search(evidence) and not ours.search(evidence):
            return None if _is_contrasted(statement, said.span()) else said[0]
    if _CONTRASTS.search(statement) or _CONTRASTS.search(evidence):
        return None
    words, known = _words(statement), _words(evidence)
    new, left_out = words - known, {_positive(word) for word in known - words}
    return min((word for word in new if word in left_out or (_positive(word) or word) in known), default=None)


def _is_contrasted(text: str, span: tuple[int, int]) -> bool:
    """Whether words near a term contrast it with another: "not orally"."""
    near = text[max(span[0] - _NEAR, 0) : span[0]], text[span[1] : span[1] + _NEAR]
    return any(_CONTRASTS.search(_NO_CONTRAST.sub(" ", part)) for part in near)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)?", text)}


def _positive(word: str) -> str | None:
    """What a word such as "unpaid" or "non-exclusive" is the opposite of."""
    found = _PREFIX.match(word)
    return found["rest"] if found else None


def find_denied_silence(statement: str, evidence: str) -> str | None:
    """Finds "the lease is silent on its governing law" beside words on the governing law."""
    silent = _SILENT.search(statement)
    if silent is None or silent[0].casefold() in evidence.casefold():
        return None
    what = _stems(silent["what"]) - _ASKING
    return silent[0].split(silent["what"])[0].strip() if what and what <= _stems(evidence) else None


def _stems(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[^\W\d_]{3,}", text)}


def find_bound(statement: str, evidence: str) -> str | None:
    """Finds a figure that is the least in one text and the most in the other."""
    said = _bounds(statement)
    known = _bounds(evidence) if said else {}
    for value, kinds in said.items():
        if value in known and not kinds.keys() & known[value].keys():
            return next(iter(kinds.values()))
    return None


def _bounds(text: str) -> dict[str, dict[str, str]]:
    """By the figure: "least" or "most", or both, with the words that say so."""
    found: dict[str, dict[str, str]] = {}
    for match in _BOUND.finditer(text):
        if match["direction"]:
            kind = "least" if match["direction"].casefold() in ("more", "over", "longer") else "most"
        else:
            denied = _DENIED.search(text, max(match.start() - 60, 0), match.start()) is not None
            kind = "least" if bool(match["least"]) != denied else "most"
        value = re.sub(r"[$€£,\s]|\.\Z", "", match["value"] or match["before"]).casefold()
        number = _scaled(value, match["scale"])
        if (match["most"] or "").casefold() == "under" and (match["value"] or "").casefold() == "one":
            continue  # "under one or more of these"
        if number is None and not value[:1].isdigit() and (match["most"] or "").casefold() == "under":
            continue  # "under this clause"
        found.setdefault(value if number is None else str(number), {})[kind] = match["least"] or match["most"] or match[0]
    return found


def _scaled(value: str, scale: str | None) -> Decimal | None:
    """A figure as a number: "20" and "million" are 20,000,000. None where it is no number."""
    number = Decimal(value) if re.fullmatch(r"\d+(?:\.\d+)?", value) else parse_words(value)
    return None if number is None else (Decimal(number) * _SCALES[(scale or "").casefold()]).normalize()


_SCALES = {"": 1, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}


def find_other_time(statement: str, evidence: str) -> str | None:
    """Finds a period that runs from another event, or ends where the evidence lets it begin."""
    within, ours_from = list(_WITHIN.finditer(statement)), list(_FROM.finditer(statement))
    known = {m["count"].casefold(): _is_after(m["how"]) for m in _WITHIN.finditer(evidence)} if within else {}
    for match in within:
        count = match["count"].casefold()
        if count in known and known[count] != _is_after(match["how"]):
            return match["how"]
    theirs = [_events(m["anchor"]) for m in _FROM.finditer(evidence)] if ours_from else []
    for match in ours_from:
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
    return stems | events_of(stems)


def events_of(stems: Collection[str]) -> set[str]:
    """The kinds of events that stems of words name, each by its first stem."""
    return {kind[0] for kind in _EVENTS if any(one.startswith(part) for part in kind for one in stems)}
