"""How far a sentence goes: in all cases, only, on another condition."""

from __future__ import annotations

import re

from orderly.services.support.denials import denies, negations
from orderly.services.support.feature import Feature
from orderly.services.support.relations import ALIKE
from orderly.services.support.tokens import content

_CONDITION = re.compile(
    r"\b(?P<kind>(?:only|even)\s+(?:if|when|where|after|with)|if|where|when|unless|until|once|provided\s+that|in\s+the\s+event\s+(?:of|that)|in\s+case\s+of|"
    r"on|upon|because\s+of|because|after|before|as\s+soon\s+as|so\s+long\s+as|for|by\s+reason\s+of|despite|regardless\s+of)\s+(?P<rest>[^.;:,]{3,160})",
    re.IGNORECASE,
)
_UNIVERSAL = re.compile(
    r"\b(?:in\s+(?:all|every|any)\s+(?:cases?|circumstances?|events?|situations?)|under\s+(?:all|any|no)\s+circumstances|without\s+(?:any\s+)?(?:exception|limit\w*|consent|notice|"
    r"restriction|approval|cause)|at\s+all\b(?!\s+times)|whatsoever|whatever|however\s+\w+|regardless|irrespective|no\s+matter|always|never|anyone|anybody|everyone|"
    r"everything|anything|everywhere|freely|of\s+any\s+kind|for\s+any\s+reason|at\s+any\s+(?:time|hour)|at\s+all\s+times|even\s+(?:if|where|when|after|for|though)|"
    r"whenever|wherever|unconditional\w*|absolute\w*|entire\w*|whole|all|every|each|both|any|either|unlimited|forever|indefinite\w*|solely|alone|only|"
    r"exclusive\w*(?!\s+of)|automatic\w*|immediate\w*|at\s+once|forthwith|already|just)\b",
    re.IGNORECASE,
)
_STRONG = re.compile(
    r"\A(?:in\s|under\s|without\s(?:any\s)?exception|at\s+all\Z|whatsoever|whatever|however|regardless|irrespective|no\s+matter|always|never|anyone|anybody|"
    r"everyone|freely|of\s+any|for\s+any|even|at\s+any|at\s+all|whenever|uncondit|unlimited|forever|indef)",
    re.IGNORECASE,
)
FREQUENCY = re.compile(
    r"\b(?:every|each)\s+(?:(?:calendar|financial|business|working)\s+)?(?:day|week|fortnight|month|quarter|year|anniversary|"
    r"january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
"""Words that quantify times, which are compared as frequencies."""
_RESTRICTS = re.compile(
    r"\b(?:unless|except\w*|only|if|subject\s+to|other\s+than|without|until|save|provided|prior|solely|exclusive\w*|no\s+more|at\s+most|within|up\s+to|to\s+the\s+extent|(?:so|as)\s+far\s+as|but|must)\b",
    re.IGNORECASE,
)


_NEVER = re.compile(
    r"\b(?:never|always|under\s+(?:no|any|all)\s+circumstances|in\s+(?:no|all|every)\s+(?:cases?|circumstances?|events?)|without\s+exception|absolutely)\b",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"\b(?:except(?:\s+(?:with|where|when|if|as|to|for|that|in)|ing)?|unless|other\s+than|save\s+(?:as|that|where|for|with))\b",
    re.IGNORECASE,
)
_QUALIFYING = (
    r"(?:serious|material|gross|wilful|willful|substantial|persistent|repeated|fundamental|major|essential|deliberate)"
)
_EVERYONE = re.compile(
    r"\b(?:every|any|all|each)\s+(?P<thing>[a-z]{4,})\b(?=\s+(?:can|may|must|shall|will|has|have|is|are|gets?|needs?|of\s+the\s+\w+\Z)|\s*\Z)",
    re.IGNORECASE,
)
_ANY_OF = re.compile(r"\b(?:any|every|all|each)\s+(?!other\b)(?P<thing>[a-z]{4,})", re.IGNORECASE)


def find_overstatement(statement: str, evidence: str) -> str | None:
    """Finds "never" beside an exception, "any misconduct" beside serious misconduct, "every member" beside members who pay."""
    never = _NEVER.search(statement)
    if never and _EXCEPTION.search(evidence) and not (_EXCEPTION.search(statement) or _RESTRICTS.search(statement)):
        return None if _NEVER.search(evidence) else never[0]
    for match in _ANY_OF.finditer(statement):
        thing = re.escape(match["thing"].removesuffix("es").removesuffix("s"))
        qualified = re.search(rf"\b{_QUALIFYING}\s+(?:\w+\s+)?{thing}", evidence, re.IGNORECASE)
        if qualified and not re.search(rf"\b(?!{_QUALIFYING}\b)\w+\s+{thing}", evidence[: qualified.start()], re.IGNORECASE):
            return match[0]
    for match in _EVERYONE.finditer(statement):
        thing = re.escape(match["thing"].removesuffix("s"))
        some = re.search(
            rf"\b{thing}s?\s+(?:that|who|which|whose|with|holding|having|(?:of\s+the\s+\w+\s+)?with\s+whom)\b", evidence, re.I
        )
        if some and not re.search(
            rf"\b{thing}s?\b(?!\s+(?:that|who|which|whose|with|holding|having|of))", evidence[: some.start()], re.I
        ):
            return match[0]
    return None


def add_quantifiers(found: dict[str, Feature], statement: str, evidence: str) -> None:
    known = {" ".join(m[0].casefold().split()) for m in _UNIVERSAL.finditer(evidence)}
    plain = FREQUENCY.sub(" ", statement)
    new = [m[0] for m in _UNIVERSAL.finditer(plain) if " ".join(m[0].casefold().split()) not in known]
    denied = denies(statement)
    strong = [w for w in new if _STRONG.match(w) and not (denied and w.casefold().startswith(("freely", "at any", "any")))]
    if negations(evidence):
        strong = [w for w in strong if w.casefold() != "never"]
    restricted = bool(_RESTRICTS.search(evidence))
    only = [w for w in new if w.casefold() in ("only", "alone", "solely") or w.casefold().startswith("exclusiv")]
    if _ONLY.search(evidence) or _NOT_ONLY.search(statement):
        only = []  # said of the same in another word, or denied
    wide = [
        w
        for w in new
        if w.casefold() in ("all", "every", "any", "each", "both", "whole", "either") or w.casefold().startswith("entire")
    ]
    found["universal"] = Feature(bool(strong), strong[0] if strong else "")
    found["only"] = Feature(bool(only), only[0] if only else "")
    found["only of unrestricted"] = Feature(bool(only) and not restricted and not negations(evidence), only[0] if only else "")
    found["wide"] = Feature(bool(wide), wide[0] if wide else "")
    found["only dropped"] = Feature(bool(_ONLY.search(evidence)) and not _ONLY.search(statement) and not negations(statement))


_NOT_ONLY = re.compile(r"\b(?:not|non)[\s-]+(?:\w+\s+)?(?:only|alone|solely|exclusive\w*)\b", re.IGNORECASE)
_ONLY = re.compile(r"\b(?:only|solely|exclusive\w*(?!\s+of)|sole)\b", re.IGNORECASE)


def add_conditions(found: dict[str, Feature], statement: str, evidence: str, matched: dict[str, tuple[float, str]]) -> None:
    worst, word, kind = 0.0, "", ""
    for match in _CONDITION.finditer(statement):
        inside = [w for w in content(match["rest"]) if w.stem in matched]
        new = [w for w in inside if matched[w.stem][0] < ALIKE]
        if inside and len(new) / len(inside) > worst:
            worst, word, kind = len(new) / len(inside), new[0].text, match["kind"].casefold()
    strong = kind.startswith(("if", "where", "when", "unless", "only", "even", "in ", "provided", "because", "once"))
    found["condition new"] = Feature(worst if strong else 0.0, word)
