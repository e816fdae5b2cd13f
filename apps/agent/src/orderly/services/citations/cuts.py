"""Finds the words of its sentence that a quotation leaves out although they reverse or limit it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.models import Span
from orderly.services.text import inline_items, sentence_around
from orderly.store.functions.revisions import Section

MAX_SHOWN = 160
"""Characters of the words left out that are shown."""

_NEGATIVE = (
    r"not|never|cannot|neither|nor|no|none|nothing|nobody|n['’]t|prohibit(?:ed|s)?|forb[ia]d(?:den|s)?|precluded?|refrains?|restrained|"
    r"restricted|barred|enjoined|prevented|unless|except(?:ing)?|excluding|excludes?|other\s+than|save\s+(?:for|that|as|where)|"
    r"rather\s+than|instead\s+of|(?:fail(?:s|ed|ure|ing)?|ceases?|refus(?:e|es|ed|al|ing)|declin(?:e|es|ed|ing))\s+to|without|waive[sd]?|waiver\s+of|disclaims?|"
    r"in\s+lieu\s+of|(?:exempt(?:ed)?|relieved)\s+(?:from|of)|den(?:y|ies|ied)|"
    r"(?:contend|alleg|submit|argu|assert|claim)(?:s|e[sd]|ted|ed)?\s+that|"
    r"reject(?:s|ed|ing)?|dismiss(?:es|ed|ing)?|far\s+from|hardly|scarcely|barely|lack(?:s|ed|ing)?|yet\s+to|(?:wrong|incorrect|untrue|erroneous)\s+(?:to|that)"
)
_NEGATION = re.compile(rf"(?<![\w-])(?:{_NEGATIVE})\b|\b\w+n['’]t\b", re.IGNORECASE)
_OPENER = re.compile(
    r"(?:\A\W*|\b)(?:Except|EXCEPT|Unless|UNLESS|Save|Neither|NEITHER|Nor|Nothing|NOTHING|None|No(?=\s[a-z])|NO(?=\s[A-Z]{3})|Never|Not|Other\s+than|"
    r"Only\s+if|If,?\s+and\s+only\s+if|Subject\s+to|Had(?=\s+[^,.;]{1,80}\b(?:been|given|made|\w+ed)\b)|(?:In|At|Under|On|To)\s+no|IN\s+NO|Without\s+(?:the\s+)?(?:\w+\s+){0,3}(?:consent|approval|permission|agreement|authori[sz]ation))\b"
    r"|\A\W*(?:\w{1,3}\W+)?(?:except|unless|save|neither|nothing|none|no|never|nor|in\s+no|under\s+no|not|only\s+if)\s"
)
"""The first words of a sentence that reverse or limit all of it."""

_HARMLESS = re.compile(
    r"\b(?:not|no)\s+(?:less|fewer|more|later|earlier|longer|greater|sooner)\s+than\b|\bnot\s+only\b|\bno\.\s*\d|\bwhether\s+or\s+not\b|"
    r"\bwithout\s+(?:limit(?:ing|ation)|prejudice|derogating|further|cause|notice|charge|interest|delay)\b|\bincluding\s+without\b|\bfailing\s+which\b",
    re.IGNORECASE,
)
_CLAUSE_NUMBER = re.compile(r"\d+(?:\.\d+)*[A-Z]?\.?")
"""The label of a clause; an item of its list has "4(a)"."""
_LABEL = re.compile(r"\A(?:\d+(?:\.\d+)*\.?|\(\w{1,4}\))\s+")
_FIRST_ITEM = re.compile(r"\((?:a|i|1|A)\)")
_CLAUSE_END = re.compile(r"[;.]\s")
_FINITE = r"(?:shall|will|may|must|can|is|are|was|were|has|have|does|do|agrees?|undertakes?|warrants?|acknowledges?)"
_NEW_CLAUSE = re.compile(
    rf"[;.]|\b(?:and|but|or|then),?\s+(?:[\"“]?\w+[\"”]?\s+){{1,5}}(?:{_FINITE}\b(?!\s+not)|means\b)|\b(?:but|however)\b",
    re.IGNORECASE,
)
_OWN_VERB = re.compile(
    rf"\W{{0,40}}(?!(?:that|which|who|whom|as|where)\b)(?:(?!(?:that|which|who|whom|as|where)\b)[\w’'-]++\W++){{1,8}}?{_FINITE}\b",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(r"\b(?:if|where|when|once|after|before|because|since|although|though|whereas|as)\b", re.IGNORECASE)
_CONDITIONAL = re.compile(
    r"\b(?:only|until|subject\s+to|provided|condition\w*|except\w*|but|whether|limit\w*)\b", re.IGNORECASE
)
_LIMIT = re.compile(
    r"\b(?:unless|except|excepting|save\s+(?:for|that|as|where|in)|other\s+than|excluding|provided\s*+(?:,\s*+)?(?:(?:however|always|further)\s*+(?:,\s*+)?)?(?:that|,)|"
    r"but\s+(?:not|only|excluding|shall|may|does|no)|only\s+(?:if|to\s+the\s+extent|with|after|where|when|upon)|"
    r"if\s+and\s+only\s+if|(?:so|as)\s+long\s+as|had\s+(?:it|he|she|they|the\s+\w+)\s+(?:not\s+)?been|without\s+(?:the\s+|first\s+|its\s+|their\s+|any\s+|obtaining\s+|having\s+)*(?:express\s+|prior\s+|written\s+|previous\s+|[\w’']+\s+){0,5}"
    r"(?:consent|approval|permission|agreement|authori[sz]ation)|however|"
    r"(?:is|are|be|become)\s+(?:null|void|invalid|prohibited|forbidden|unlawful|unenforceable)|(?:ceases?|lapses?|terminates?)\s+(?:if|when|upon))\b",
    re.IGNORECASE,
)
"""Words after a quotation that limit or reverse it."""

_LIMIT_NEXT = re.compile(r"\W{0,3}(?:until|subject\s+to|to\s+the\s+extent|if|not|never)\b", re.IGNORECASE)
"""Words that do so right after it."""
_ANY_LAST = re.compile(r"\b(?:any|every|all|no|each)\s+(?:\w+\s+)?\w+\Z", re.IGNORECASE)
_WHICH = re.compile(r"\s+(?:which|who|whose|that)\b")
"""Which of "any claim" is meant, right after it."""

_CONDITION_NEAR = re.compile(
    r"[^.,;:()]{0,80}?\b(?:if\b(?!\s+(?:any|applicable|necessary|required|requested|so)\b)|in\s+the\s+event\s+(?:of|that)\b)",
    re.IGNORECASE,
)
"""A condition in the clause that goes on behind a quotation."""
_ASIDE = re.compile(r"\bthat,\s[^,.;]{1,80},\s*\Z", re.IGNORECASE)
"""An aside behind "that": "the submission that, from the outset, "."""
_ASIDE_LIMIT = re.compile(r",\s+(?:unless|except|save)\b[^,.;]{1,120},\s*\Z", re.IGNORECASE)
"""A limit between commas right before a quotation: ", unless terminated, "."""
_CONDITION_FIRST = re.compile(
    r"(?:\A\W*(?:\(?\w{1,4}[.)]\s+|(?:\d{1,3}\.)*\d{1,3}\s+){0,2}|[.;]\s+)(?:If|IF|Should|In\s+(?:the\s+event|case)|Where)\b[^.;:]{1,300},\s+(?:then\s+)?[\"“]?\Z"
)
"""A condition right before a quotation that is the rest of its sentence: "If the rent is unpaid, "."""
_JOINED = re.compile(r"(?:and|but|so)\s+(?:that|this|it|they|the|each|he|she)\b", re.IGNORECASE)
"""A further clause of a sentence, which an earlier one does not reverse."""
_BEGINS_ASIDE = re.compile(r"(?:notwithstanding|despite|subject\s+to|unless|except|but|if|where|when|without)\b", re.IGNORECASE)
"""A quotation that is a condition or limit itself, which the main clause does not reverse."""
_DENIED_AFTER = re.compile(
    rf"(?:,\s)?(?:(?!\b(?:and|but|means)\b)[^.,;:]){{0,90}}?\b(?:{_FINITE}\s+(?:not|never|no)\b|cannot\b|\w+n['’]t\b|{_FINITE}\s+(?:\w+\s+){{0,2}}(?:prohibited|forbidden|excluded|waived|disclaimed|void|null|invalid|precluded|barred|of\s+no|rejected|dismissed|wrong|untenable|fail)\b|fails\b)",
    re.IGNORECASE,
)


def left_out(text: str, span: Span, sections: Sequence[Section]) -> str:
    """The words of its sentence that a quotation leaves out and that reverse or limit it; empty if there are none.

    Args:
        text: The document's text, without page headers and footers.
        span: The quoted words.
        sections: The sections of the revision, in order; what belongs to another numbered clause is left aside.
    """
    start, end = span
    around = sentence_around(text, start, end)
    quote = text[start:end]
    before, after = text[around.start : start], text[end : around.end]
    low, high = _bounds(text, span, sections)
    found: list[Span] = []
    if around.lead is not None and around.lead[1] <= start and _lead_reverses(text[slice(*around.lead)]):
        found.append(around.lead)
    if before.strip() and (_reverses(before, quote) or _is_condition(before, quote)):
        found.append((around.start, start))
    if after.strip() and _limits(after, quote):
        found.append((end, around.end))
    if around.tail is not None and around.tail[0] >= end and _LIMIT.match(text, *around.tail):
        found.append(around.tail)
    words = (" ".join(text[max(a, low) : min(b, high)].split()).strip(" ,;.") for a, b in found if min(b, high) > max(a, low))
    return next((one[:MAX_SHOWN] for one in (_LABEL.sub("", word) for word in words) if one), "")


def conveys(words: str) -> bool:
    """Whether an answer's own words deny, limit or condition what they quote."""
    return any(form.search(words) for form in (_NEGATION, _LIMIT, _SUBORDINATE, _CONDITIONAL))


def _bounds(text: str, quoted: Span, sections: Sequence[Section]) -> Span:
    """The span of the numbered clause that holds a quotation, by the sections that were read."""
    numbered = [s for s in sections if _CLAUSE_NUMBER.fullmatch(s["label"] or "")]
    own = [s for s in numbered if s["start"] <= quoted[0]]
    if not own:
        return 0, len(text)
    clause = own[-1]
    before = max((s["end"] for s in own if s["level"] == clause["level"] and s["end"] <= clause["start"]), default=0)
    high = min((s["start"] for s in numbered if s["level"] <= clause["level"] and s["start"] >= quoted[1]), default=len(text))
    return before, high


def _reverses(before: str, quote: str) -> bool:
    """Whether the words before a quotation in its sentence reverse it."""
    items = inline_items(before)
    lead, own = (before[: _first_item(before, items[-1])], before[items[-1] :]) if items else (before, "")
    if _opens_reversed(lead) or _opens_reversed(own):
        return True
    if items and _lead_reverses(lead):
        return True
    scope = own or lead
    visible = _HARMLESS.sub(lambda m: " " * len(m[0]), scope)
    found = list(_NEGATION.finditer(visible))
    if not found or (_JOINED.match(quote) and found[-1][0].casefold() not in ("neither", "nor")):
        return False
    if _ASIDE_LIMIT.search(visible):
        return True
    between = _ASIDE.sub("that ", visible[found[-1].end() :])
    if _NEW_CLAUSE.search(between) or _NEW_CLAUSE.match(quote):
        return False
    if not _OWN_VERB.match(quote):
        return True
    return "," not in between and not _SUBORDINATE.search(visible)


def _is_condition(before: str, quote: str) -> bool:
    """Whether a quotation, a clause of its own, leaves out the condition that its sentence begins with."""
    return _CONDITION_FIRST.search(before) is not None and _OWN_VERB.match(quote) is not None


def _opens_reversed(clause: str) -> bool:
    """Whether a clause begins with words, such as "Neither" or "Unless", that reverse or limit all of it."""
    visible = _HARMLESS.sub(lambda m: " " * len(m[0]), clause)
    opener = _OPENER.search(visible)
    return opener is not None and not _CLAUSE_END.search(visible, opener.end())


def _first_item(text: str, last: int) -> int:
    """Offset of the first item, "(a)" or "(i)", of the list whose item begins at `last`."""
    firsts = [match.start() for match in _FIRST_ITEM.finditer(text, 0, last + 4)]
    return firsts[-1] if firsts else last


def _lead_reverses(lead: str) -> bool:
    """Whether a lead-in, "The Lessee shall not:", reverses the items of its list."""
    visible = _HARMLESS.sub(lambda m: " " * len(m[0]), lead)
    found = list(_NEGATION.finditer(visible))
    return bool(found) and not _CLAUSE_END.search(visible, found[-1].end())


def _limits(after: str, quote: str) -> bool:
    """Whether the words after a quotation in its sentence limit or reverse it."""
    if _BEGINS_ASIDE.match(quote) and not _OWN_VERB.match(quote):
        return False
    items = inline_items(after)
    own = after[: items[0]] if items and after[: items[0]].rstrip()[-1:] in (";", ",") else after
    visible = _HARMLESS.sub(lambda m: " " * len(m[0]), own)
    if _ANY_LAST.search(quote) and _WHICH.match(visible):
        return True
    if _LIMIT.search(visible) or _LIMIT_NEXT.match(visible) or (_OWN_VERB.match(quote) and _CONDITION_NEAR.match(visible)):
        return True
    return not _OWN_VERB.match(quote) and bool(_DENIED_AFTER.match(visible))
