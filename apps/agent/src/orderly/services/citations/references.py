"""References that an answer makes in its own words, "clause 14.2 provides", "see page 40": whether the document has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from orderly.models import Span
from orderly.services.text import RevisionView, is_within_section, section_reference

_PAGE = r"pages?|pp?\."
_UNIT = (
    r"(?:sub-?)?clauses?|cls?\.?|(?:sub-?)?sections?|articles?|paragraphs?|paras?\.?|schedules?|annexures?|annex|exhibits?|appendix|"
    r"items?"
)
_REFERENCE = re.compile(
    rf"\b(?P<kind>{_PAGE}|{_UNIT})\s+(?P<label>\d{{1,4}}(?:\.\d{{1,3}})*[A-Z]?(?:\(\w{{1,4}}\))*|(?:[A-Z]|[IVXL]{{2,6}})\b(?![.'’]\w))(?![\d%])",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:no|not|without|neither|nor)\s+(?:\w+\s+){0,2}\Z", re.IGNORECASE)
_LAW = re.compile(
    r"\b(?:Acts?|Regulations?|Code|Rules|Constitution|Ordinance|Directive|(?:Consumer|National)\s+Law|GDPR|Cth|NSW|Vic|Qld|SA|WA|Tas|ACT|NT)\b|\[(?:1[89]|20)\d\d\]|\bv\s+[A-Z]"
)
_AROUND = 100
"""Characters around a reference in which a statute is named that it may refer to."""


class Reference(NamedTuple):
    start: int
    end: int
    kind: str
    label: str

    @property
    def is_page(self) -> bool:
        return re.fullmatch(_PAGE, self.kind, re.IGNORECASE) is not None


def find_references(text: str, without: Sequence[Span]) -> Iterator[Reference]:
    """References to pages and sections of documents outside the given spans; not those to statutes, nor "no clause 9"."""
    for match in _REFERENCE.finditer(text):
        start, end = match.span()
        if any(a < end and start < b for a, b in without) or _DENIED.search(text, max(start - 40, 0), start):
            continue
        is_lower = match["label"].isalpha() and (
            match["label"].islower() or (match["kind"].islower() and len(match["label"]) == 1)
        )
        if not is_lower and not _LAW.search(text, max(start - _AROUND, 0), end + _AROUND):
            yield Reference(start, end, match["kind"], match["label"])


def has_page(view: RevisionView, number: int) -> bool:
    """Whether the file has the page. A file without pages has those that its text numbers."""
    if view.paged:
        return 1 <= number <= view.pages[-1]["number"]
    return (
        re.search(rf"\bpages?\s+{number}\b|(?:^|\s{{2}}){number}[^\S\n]*$", view.text, re.IGNORECASE | re.MULTILINE) is not None
    )


def has_reference(view: RevisionView, reference: Reference) -> bool:
    """Whether the document has the page or section. True where that cannot be told."""
    if reference.is_page:
        return not reference.label.isdigit() or has_page(view, int(reference.label))
    named = section_reference(f"{reference.kind} {reference.label}")
    if any(is_within_section(section_reference(s["label"]), named) for s in view.sections if s["label"]):
        return True
    number = re.escape(re.split(r"\(", reference.label)[0])
    at_line = rf"^[^\w\n]{{0,8}}(?:{_UNIT}|part)?\s{{0,4}}{number}(?![\w])(?!\.\d)"
    in_text = (
        rf"\b(?:{_UNIT}|ss?)\s+(?:[\w.()]+\s*(?:,|and|or|to|–|-)\s*)?{number}(?!\w)(?!\.\d)|"
        rf"(?<=[.;:]\s){number}(?:\.|\s)\s*[A-Z]"
    )
    return re.search(rf"{at_line}|{in_text}", view.text, re.IGNORECASE | re.MULTILINE) is not None
