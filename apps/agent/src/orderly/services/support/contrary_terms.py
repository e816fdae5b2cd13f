"""Terms of which a clause has one or the other: alone or together, ahead or behind, kept or returned, free or for a fee."""

from __future__ import annotations

import re
from typing import NamedTuple

_CONTRAST = re.compile(
    r"\b(?:not|never|neither|nor|no|nobody|none|cannot|rather|instead|unless|except|until|without)\b|n['’]t\b", re.IGNORECASE
)
_ALONE = r"\b(?:sole(?:ly)?|alone|exclusive(?:ly)?)\b"
_TOGETHER = r"\b(?:joint(?:ly)?|together|shared?|non-?\s?exclusive(?:ly)?|both\s+parties)\b"
_AHEAD = r"\b(?:before(?:hand)?|prior|ahead|preced\w+|in\s+advance|preference)\b"
_BEHIND = r"\b(?:after(?:wards)?|follow(?:s|ing)|behind|subsequent\w*|subordinate\w*)\b"
_TWO_SIDED = r"\b(?:(?:either|each|both)\s+part(?:y|ies)|mutual\w*|agreed\s+(?:between|upon\s+by)|co-?operate)\b"
_BEST = r"\b(?:best\s+(?:efforts|endeavou?rs)|guarantees?|every\s+effort)\b"
_REASONABLE = r"\breasonable\s+(?:\w+\s+)?(?:efforts|endeavou?rs|steps)\b"
_SAME, _DIFFERENT = r"\b(?:same|identical)\b", r"\b(?:different|dissimilar)\b"
_FREE = r"\b(?:may\s+(?:refuse|choose|decline|decide)|(?:is|are)\s+free\s+to|can\s+choose|optional)\b"
_BOUND = (
    r"\A(?!.*\b(?:may|can|entitled|option\w*|right|discretion|unless|if|elects?|other\s+than|except)\b)"
    r".*?\b(?P<known>shall|must|obliged|required)\b"
)
_UNFETTERED = (
    r"\b(?:(?:at|in|within)\s+(?:\S+\s+){1,3}discretion|(?:absolute|sole|own|complete|full)\s+discretion|unfettered|arbitrar\w+|for\s+(?:any|no)\s+reason|at\s+will|"
    r"as\s+(?:long\s+as\s+)?it\s+(?:likes|pleases|sees\s+fit))\b"
)
_AT_DISCRETION = r"\b(?:discretion|(?:any|no)\s+reason|sole\w*|absolute\w*|at\s+will|without\s+cause|any\s+time)\b"
_FAIR = r"\b(?:reasonably|unreasonabl[ey]|for\s+cause|good\s+faith)\b"
_AT_ONCE = (
    r"\b(?:immediately|at\s+once|instantly|straight\s?away|forthwith|on\s+the\s+spot|right\s+away"
    r"|as\s+soon\s+as|the\s+moment)\b"
)
_IN_TIME = r"\b(?:within|after|days|months|prior|cure[ds]?|remed\w+|reasonable\s+time)\b"
_SOON = (
    r"\b(?:immediate\w*|once|forthwith|instant\w*|prompt\w*|soon|straight\w*|automatic\w*|upon|on|effective|without\s+delay)\b"
)
_GRACE = r"\b(?:(?:time|chance|opportunity)\s+to\s+(?:cure|remedy|put)|second\s+notice|grace\s+period)\b"
_NO_GRACE = r"\b(?:immediately|forthwith|at\s+once|without\s+(?:further\s+)?notice|automatic\w*)\b"
_OWN_COSTS = r"\b(?:its|their|his|her)\s+own\s+(?:\w+\s+){0,3}(?:costs?|fees|expenses)\b"
_LOSER_PAYS = r"\b(?:prevailing|successful|losing|unsuccessful)\s+party\b"
_PASSED_ON = r"\b(?:charge|recover|reimburse)s?\s+(?:\S+\s+){0,6}?(?:costs?|fees|expenses)\b"
_EXTRA = r"\b(?:on\s+top\s+of|(?:extra|additional|separate)\s+(?:charge|fee|cost|payment)|charged\s+(?:separately|extra))\b"
_INCLUDED = r"\b(?:component\s+of|includ(?:es|ed|ing)|part\s+of\s+the|inclusive)\b"
_MANY = r"\b(?:as\s+many|any\s+number|several|multiple|more\s+than\s+(?:one|once)|repeatedly)\b"
_ONE = r"\b(?:one\s+\(1\)|(?:only|just)\s+(?:\w+\s+)?(?:one|once)|single)(?!\w)"
_NOT_ONE = r"\b(?:many|number|several|multiple|more|unlimited|additional|each|every)\b"
_KEEP = r"\b(?:may|can|is\s+(?:free|allowed|entitled|permitted)\s+to)\b[^.;]{0,25}\b(?:keep|retain|hold\s+on)\b"
_RETURN = r"\b(?:return(?:s|ed)?|destroy\w*|deliver\s+up|hand\s+over|surrender\w*)\b"
_KEPT = r"\b(?:retain\w*|ke(?:ep|pt)\w*|maintain\w*|h[eo]ld|except|possession)\b"
_MUST_AGREE = (
    r"\b(?:must|shall|ha(?:s|ve)\s+to|(?:obliged|bound|required)\s+to)\s+(?:accept|take|agree|approve|consent|grant)\b"
)
_MAY_REFUSE = r"\b(?:refuse|reject|decline|withhold)\b"
_WHOLE_OF = r"\b(?:all\s+(?:of\s+)?(?:the|its|his|their|your)|everything|(?:whole|entire)|in\s+full)\b"
_PORTION = r"\b(?:only\s+(?:that|such|the|those)\s+(?:portion|part)s?|to\s+the\s+extent)\b"
_NOT_PART = r"\b(?:all|every\w*|whole|entire\w*|full\w*)\b"
_ENDS_WITH = r"\b(?:ends?|lapses?|ceases?|stops?|expires?)\s+(?:as\s+soon\s+as|when|on|upon|with|once|together\s+with)\b"
_SURVIVES = r"\b(?:survives?|shall\s+survive|remains?\s+in\s+(?:full\s+)?(?:force|effect)\s+(?:after|following))\b"
_UNBOUND = (
    r"\b(?:as\s+(?:it|they|he|she|you|we)\s+(?:likes?|pleases?|wish(?:es)?|chooses?|sees?\s+fit|wants?)|whether\s+or\s+not|"
    r"no\s+matter\s+(?:what|how|who|when|why|whether)|regardless|irrespective|at\s+will|freely|for\s+(?:any|whatever)\s+reason|"
    r"of\s+any\s+amount|without\s+(?:any\s+)?(?:limits?|limitation|restriction|cause|reason|exception|conditions?)|unlimited|"
    r"uncondition\w+|unrestricted|in\s+all\s+(?:cases|circumstances)|under\s+all\s+circumstances|without\s+asking)\b"
)
_UNBOUND_ALSO = (
    r"\b(?:any|no\s+(?:reason|event|limit|obligation|duty)|discretion|absolute\w*|free\w*|at\s+will|without|notwithstanding|"
    r"regardless|irrespective|whatsoever|whatever|unlimited|option|elect\w*|not\s+(?:obliged|required|bound|obligated)|"
    r"unrestrict\w*|uncondition\w*|sole\w*|all|whether|each|every|never|perpetual\w*|even\s+if|whenever|own)\b"
)


class _Terms(NamedTuple):
    ours: re.Pattern[str]
    """What a sentence says."""
    theirs: re.Pattern[str]
    """What its quotation says instead."""
    also: re.Pattern[str]
    """What bears out the sentence, if the quotation has it."""


_TERMS = tuple(
    _Terms(re.compile(ours, re.IGNORECASE), re.compile(theirs, re.IGNORECASE | re.DOTALL), re.compile(also, re.IGNORECASE))
    for ours, theirs, also in (
        (_ALONE, _TOGETHER, _ALONE),
        (_TOGETHER, _ALONE, _TOGETHER),
        (_SAME, _DIFFERENT, _SAME),
        (_DIFFERENT, _SAME, _DIFFERENT),
        (_BEST, _REASONABLE, _BEST),
        (_REASONABLE, _BEST, _REASONABLE),
        (_FREE, _BOUND, _FREE),
        (r"\b(?:behind|afterwards|subordinate)\b", _AHEAD, _BEHIND),
        (r"\b(?:ahead\s+of|beforehand|precedes?)\b", _BEHIND, _AHEAD),
        (r"\b(?:alone|unilaterally|single-handedly)\b", _TWO_SIDED, r"\b(?:alone|sole\w*|unilateral\w*|discretion)\b"),
        (_UNFETTERED, _FAIR, _AT_DISCRETION),
        (_FAIR, _UNFETTERED, r"reasonabl"),
        (_AT_ONCE, _IN_TIME, _SOON),
        (_GRACE, _NO_GRACE, r"\b(?:cure|remed\w+|unless|if)\b"),
        (_OWN_COSTS, _LOSER_PAYS, r"\bown\b"),
        (_OWN_COSTS, _PASSED_ON, r"\bown\b"),
        (_LOSER_PAYS, _OWN_COSTS, _LOSER_PAYS),
        (_EXTRA, _INCLUDED, r"\b(?:on\s+top|extra|separate\w*|exclud\w*|in\s+addition)\b"),
        (_MANY, _ONE, _NOT_ONE),
        (_KEEP, _RETURN, _KEPT),
        (_MUST_AGREE, _MAY_REFUSE, _MUST_AGREE),
        (_WHOLE_OF, _PORTION, _NOT_PART),
        (_ENDS_WITH, _SURVIVES, r"\b(?:end|lapse|cease|stop)\w*"),
        (r"\bin\s+advance\b", r"\bin\s+arrears?\b", _AHEAD),
        (r"\bin\s+arrears?\b", r"\bin\s+advance\b", r"\barrears?\b"),
        (
            _UNBOUND,
            r"\b(?P<known>only|unless|except|if|until|provided|subject\s+to|must|shall|within|limited)\b",
            _UNBOUND_ALSO,
        ),
    )
)


def find_contrary_term(statement: str, evidence: str) -> str | None:
    """The sentence's term and the quotation's, where each has one alone of two that exclude each other."""
    for terms in _TERMS:
        said = terms.ours.search(statement)
        if said is None or _CONTRAST.search(statement[: said.start()] + statement[said.end() :]):
            continue
        if terms.theirs.search(statement) or terms.ours.search(evidence) or terms.also.search(evidence):
            continue
        if known := terms.theirs.search(evidence):
            words = known.groupdict().get("known", known[0])
            return " ".join(f"{said[0]}; quoted: {words}".split())
    return None
