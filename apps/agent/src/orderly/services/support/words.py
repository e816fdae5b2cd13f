"""Names and content words of a sentence."""

from __future__ import annotations

import re
from functools import lru_cache

from orderly.services.document_processor import is_word

GENERIC = frozenset(
    """
    the a an this that these those it its in on at under if where when while unless until either neither each both
    all any no none nothing for by to from with without as after before upon during of and or but nor so then thus
    hence however also yet such there here he she they we you i his her their our your my one two three who which
    what how why not only even just per via within between among through over about against above below since
    because although though whereas provided subject except other otherwise instead agreement agreements lease
    contract deed document documents clause clauses section sections article articles schedule schedules annexure
    exhibit appendix part page pages paragraph paragraphs item items recital recitals party parties heading table
    term terms act answer yes according pursuant overall finally first second third next further moreover therefore
    accordingly specifically generally rent interest notice payment payments fees fee costs cost price tax liability
    insurance damages breach default title property tenants subtenants confidentiality disclosure governing law time
    date dates period days months years year month day week january february march april may june july august
    september october november december monday tuesday wednesday thursday friday saturday sunday sources source note
    summary key main short long full please see australia australian nsw commonwealth state federal court v section
    subclause sub-clause sub-cl subsection sub-section cl cls prima facie inter alia mutatis mutandis bona fide pro rata
    ipso facto contra per se sub pdf docx lordships lordship ladyship honour honours justice judge nda mnda mou sla gst abn acn
    christmas easter
    """.split()
)  # fmt: skip
_SUBJECTS = frozenset(
    """
    rent interest notice payment payments fee fees cost costs price tax liability insurance damages breach default title
    property confidentiality disclosure
    """.split()
)
_COMMON_ENDING = re.compile(r"(?:tion|sion|ment|ance|ence|ity|ness|ing|ally|ably|ibly|ship|ised|ized|ful|less|[aeiuvw]al)s?\Z")
_STOP = GENERIC | frozenset(
    """
    is are was were be been being has have had do does did shall must may will can cannot could would should might
    agrees agree agreed says said states provides provide sets out gives give given made make makes any than more
    less least most up into out same own applies apply it's also there hereby hereof herein thereof whose whom
    """.split()
)  # fmt: skip

_WORD = re.compile(r"[^\W\d_]+(?:['’&.-][^\W\d_]+)*")
_NAME = re.compile(r"(?<![\w'’])[A-Z][\w&]*(?:['’.-]\w+)*")
_SENTENCE_START = re.compile(r"(?:\A|[.:;!?]\s|\n)[\s\"“”'‘(\[*_]*\Z")
ROLES = {
    "tenant": "lessee",
    "landlord": "lessor",
    "vendor": "seller",
    "purchaser": "buyer",
    "customer": "client",
    "employee": "executive",
}
SYNONYMS = {**ROLES, **{b: a for a, b in ROLES.items()}}


def names_in(text: str) -> list[tuple[int, int, str]]:
    """Capitalised words that are names or defined terms, without words that are capitalised only at the start of a sentence."""
    found = []
    for match in _NAME.finditer(text):
        word = re.sub(r"['’]s?\Z", "", match[0])
        folded = word.casefold()
        if folded in GENERIC or len(word) < 2 or text.startswith("$", match.end()) or _JUDGE.match(text, match.end()):
            continue
        starts = _SENTENCE_START.search(text, max(match.start() - 12, 0), match.start()) is not None
        if starts and word[1:].islower() and is_word(folded):
            plural = _PLURAL.search(folded) and not _ROLE.search(folded)
            if plural or _COMMON_ENDING.search(folded) or not _is_followed_by_verb(text, match.end()):
                continue
        found.append((match.start(), match.end(), word))
    return found + [(*m.span(), m[0]) for m in _LETTERED.finditer(text)]


_ROLE = re.compile(r"(?:[eo]r|ee|[ai]nt|dent|gent|lient)s\Z")
_PLURAL = re.compile(r"[^s]s\Z")
_JUDGE = re.compile(r"\s+(?:A?CJ|JJA?|JA?|A?JA|LJJ?|P)\b")
_LETTERED = re.compile(r"\b(?:Party|Partner|Class|Series|Tranche|Lot|Phase|Stage|Group)\s+(?:[A-Z]\b|\d+)")
"""Names of a letter or a number: "Party A"."""
_VERB_AFTER = re.compile(
    r"(?:\s+[A-Z][\w&.]*)*\s+(?:shall|must|may|will|can|is|are|was|has|have|had|does|do|agrees?|owns?|pays?|owes?|grants?|gives?|receives?|and|or|Pty|Ltd|Inc|LLC)\b"
)


def _is_followed_by_verb(text: str, end: int) -> bool:
    return _VERB_AFTER.match(text, end) is not None


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    folded = word.casefold().replace("’", "'").removesuffix("'s")
    for ending in (
        "ational",
        "ations",
        "ation",
        "ments",
        "ment",
        "ings",
        "ing",
        "ions",
        "ion",
        "ies",
        "ied",
        "ers",
        "ed",
        "es",
        "ly",
        "al",
        "s",
        "e",
        "y",
    ):
        if folded.endswith(ending) and len(folded) - len(ending) >= 3:
            folded = folded[: -len(ending)]
            break
    return folded[:6]


def content_stems(text: str) -> set[str]:
    """Stems of the words that carry meaning."""
    return {stem(m[0]) for m in _WORD.finditer(text) if len(m[0]) > 2 and m[0].casefold() not in _STOP}


def subject_stems(text: str) -> set[str]:
    """`content_stems`, with the subjects of clauses: rent, notice, payment."""
    return content_stems(text) | {stem(m[0]) for m in _WORD.finditer(text) if m[0].casefold() in _SUBJECTS}
