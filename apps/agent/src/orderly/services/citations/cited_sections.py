"""Compares the section that a citation names with the sections around the quoted words."""

from __future__ import annotations

import re

from orderly.services.text import RevisionView, citation_label, is_within_section, section_reference
from orderly.store.functions.revisions import Section

_TITLE = re.compile(r"\s*\((?P<title>[^()]{4,})\)\s*$")
_MARK = re.compile(r"(?:^|[\s(])\(?([A-Za-z]{1,4}|\d{1,2})[).](?=\s|$)")


def stands_in_section(view: RevisionView, offset: int, cited: str) -> bool:
    """Whether the words at `offset` stand in the section named `cited`: "Section 10.2(a)", "Article IV", "Recitals"."""
    around = sections_around(view, offset)
    titled = _TITLE.search(cited)
    named = section_reference(cited[: titled.start()] if titled else cited)
    for section in around:
        if section["label"] is None and section["title"] and section_reference(section["title"]) == named:
            return True
        if section["label"] is not None and is_within_section(section_reference(section["label"]), named):
            return True
    return bool(around) and _is_marked(view, around[-1], offset, named)


def describe_section(view: RevisionView, offset: int) -> str:
    """Names the innermost section around `offset` as a citation does."""
    around = sections_around(view, offset)
    named = citation_label(around[-1]["label"], around[-1]["title"]) if around else ""
    return named or "a part of the document without a section number"


def sections_around(view: RevisionView, offset: int) -> list[Section]:
    """The sections that contain `offset`, from the outermost."""
    return [section for section in view.sections if section["start"] <= offset < section["end"]]


def _is_marked(view: RevisionView, section: Section, offset: int, named: tuple[str, ...]) -> bool:
    """Whether `named` is an item within `section` whose mark, "(a)", is the last one before the words."""
    known = section_reference(section["label"] or "")
    if not known or len(named) != len(known) + 1 or not is_within_section(named, known):
        return False
    before = view.text[section["start"] : offset] + view.text[offset : offset + len(named[-1]) + 3]
    marks = [match[1].lower() for match in _MARK.finditer(before)]
    return bool(marks) and marks[-1] == named[-1]
