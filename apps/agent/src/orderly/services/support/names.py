"""Names that a sentence uses and its quotation does not."""

from __future__ import annotations

import re

from orderly.services.document_processor import is_word
from orderly.services.support.evidence import Evidence
from orderly.services.support.facts import Facts
from orderly.services.support.words import SYNONYMS, stem
from orderly.services.values import find_jurisdictions

_IN_TITLE = re.compile(
    r"\b(?:Agreement|Lease|Contract|Deed|Licen[cs]e|Policy|Act|Terms|Letter|Amendment|Schedule|Section|Clause|Article)\b|\.\w{2,4}\b"
)
"""Words of a document's or section's title near a name."""
_ARTICLE = re.compile(r"\A(?:the|an?)\Z", re.IGNORECASE)
_MARKS = " \t\n*_#>-–•|\"“‘'("
_ALL_PARTIES = re.compile(
    r"\b(?:each|either|neither|both|the|all|no|any)\s+(?:of\s+the\s+)?(?:other\s+)?part(?:y|ies)\b", re.IGNORECASE
)
_PARTIES_NAMED = re.compile(
    r"\b(?:[Bb]oth|[Ee]ither|[Ee]ach|[Nn]either)\s+(?:the\s+)?[A-Z]\w+\s+(?:and|or|nor)\s+(?:the\s+)?[A-Z]\w+"
)
"""The parties by their names, of whom the evidence speaks as "either party"."""
_LABEL_BEFORE = re.compile(r"(?:\A|[;\n])[\s*_#>•–-]*\Z")
_LABEL_AFTER = re.compile(r"[*_]*\s*(?:[;:(–—-]|\Z)")
_OF_TITLE = re.compile(r"\s+(?:\w+\s+){0,3}(?:agreement|lease|contract|deed|licen[cs]e|policy|letter)\b", re.IGNORECASE)
_MIN_SHORT_NAME = 4
"""Letters of the beginning of a file name's word that may name the document: "Acme" of "ACMECORP_2020.pdf"."""


def wrong_name(facts: Facts, evidence: Evidence) -> str | None:
    named_to: int | None = None
    """End of a name at the beginning of the statement."""
    both = _ALL_PARTIES.search(evidence.text) is not None and _PARTIES_NAMED.search(facts.text)
    for start, end, name in facts.names:
        folded = name.casefold()
        if both and both.start() <= start and end <= both.end():
            continue
        if _names_document(facts.text, start, end, folded, evidence):
            continue
        if _ALL_PARTIES.search(evidence.text) is not None and _is_in(name, evidence.opening_names):
            continue
        if " " in name:
            in_title = name in evidence.labels and _IN_TITLE.search(facts.text, max(start - 60, 0), end + 60)
            if in_title or name in evidence.text:
                continue
            return name
        if (
            _is_in(name, evidence.names_of_sentence)
            or (
                (not _ARTICLE.sub("", facts.text[:start].strip(_MARKS)) or start == (named_to or -1) + 1)
                and _is_in(name, evidence.meant)
            )
            or (not facts.text[:start].strip(_MARKS) and _is_in(name, evidence.words))
            or SYNONYMS.get(folded) in evidence.words
            or (name.isupper() and _is_acronym(name, evidence))
        ):
            named_to = end
            continue
        if _is_in(name, evidence.label_words) and _IN_TITLE.search(facts.text, max(start - 60, 0), end + 60):
            continue
        return name
    return None


def _names_document(text: str, start: int, end: int, folded: str, evidence: Evidence) -> bool:
    """Whether a name is that of the document: its acronym, the label of a row or item, or before "agreement"."""
    if text[start:end].isupper() and folded in evidence.label_words:
        return True
    if len(folded) < _MIN_SHORT_NAME or not any(word.startswith(folded) for word in evidence.label_words):
        return False
    is_label = _LABEL_BEFORE.search(text[:start]) is not None and _LABEL_AFTER.match(text, end) is not None
    return is_label or _OF_TITLE.match(text, end) is not None


def _is_in(name: str, known: set[str]) -> bool:
    folded = name.casefold()
    parts = [part for part in re.split(r"[-.&'’]", folded) if part]
    return folded in known or f"{folded}s" in known or folded.removesuffix("s") in known or all(part in known for part in parts)


def _is_acronym(name: str, evidence: Evidence) -> bool:
    initials = "".join(m[0][0] for m in re.finditer(r"\b[A-Z]\w*", evidence.text))
    words = r"[\s-]+".join(rf"{letter}[a-z]+" for letter in name.casefold())
    return len(name) > 1 and (name in initials or re.search(rf"\b{words}\b", evidence.text, re.IGNORECASE) is not None)


def is_word_of(name: str, evidence: Evidence) -> bool:
    """Whether a word that the dictionary lacks is another form of one of the evidence: "Arbitral", "arbitration"."""
    return _ADJECTIVE.search(name) is not None and stem(name) in evidence.stems


def is_proper(name: str, statement: str) -> bool:
    """Whether a name is no word of the language, as "Non-payment" and "American" are, or that of a company."""
    if re.search(rf"\b{re.escape(name)}\s+(?:Pty|Ltd|Limited|Inc|LLC|Corp)\b", statement):
        return True
    if _OF_PEOPLE.search(name) and re.search(rf"\b{re.escape(name)},?\s+[a-z]", statement):
        return False
    return not all(is_word(part) or is_word(_american(part)) or part in _PREFIXES for part in name.casefold().split("-"))


def _american(word: str) -> str:
    """A word in the spelling of the dictionary: "behaviour", "organisation"."""
    return _S_FOR_Z.sub("iz", word.replace("our", "or"))


_S_FOR_Z = re.compile(r"is(?=e|ing|ation)")
_OF_PEOPLE = re.compile(r"(?:[ie]an|ican|ish|ese|ench|Dutch|German|Greek|Swiss|Thai)\Z")
_ADJECTIVE = re.compile(r"[a-z](?:al|ary|ory|ic|ive|able|ible)\Z")
_PREFIXES = frozenset({"e", "non", "pre", "post", "co", "sub", "re", "anti", "semi"})


def is_law(name: str, evidence: Evidence) -> bool:
    """Whether a name is that of a jurisdiction of the evidence: "Victorian"."""
    known = {law.name for law in find_jurisdictions(evidence.text)}
    return any(law.name in known for law in find_jurisdictions(f"{name} law"))
