"""Finds the places of a document that a citation names: "Page 3, Section 2.1 (Rent)", "Schedule 3, paragraph 2", "6.2-6.4"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.models import Span
from orderly.services.text.passages import RevisionView
from orderly.services.text.section_references import Reference, is_within_section, section_reference
from orderly.store.functions.revisions import Section

MOST = 12
"""Places that one citation names."""
MAX_FOUND = 3_000
"""Characters of a place that only its first line shows."""

_PAGES = re.compile(r"\b(?:pages?|pp?\.?)\s*(?P<first>\d{1,5})(?:\s*(?:[-–]|to)\s*(?P<last>\d{1,5}))?", re.IGNORECASE)
_PARAGRAPH = re.compile(r"¶+\s*|(?:\bat\s+)?\[(?=\d{1,4}\])|(?<=\d)\]")
_TITLE = re.compile(r"\s*\((?P<title>[^()]*[^()\d\W][^()]{3,})\)\s*\Z")
_RANGE = re.compile(r"(?P<first>[A-Za-z]?\d+(?:\.\d+)*)\s*(?:[-–]|\bto\b)\s*(?P<last>[A-Za-z]?\d+(?:\.\d+)*)\Z")
_SEVERAL = re.compile(r"\s*(?:,|;|&|\band\b)\s*", re.IGNORECASE)
_UNIT = re.compile(r"^(?:sections?|clauses?|paragraphs?|paras?|items?|cls?)\.?\s+", re.IGNORECASE)
_PART_HEADING = re.compile(r"^\W*(?:section|part)\s+(?P<letter>[A-Z])\b", re.MULTILINE | re.IGNORECASE)
_MAIL = re.compile(r"\b(?:e\\?-?mail|mail|message)\b", re.IGNORECASE)
"""One message of a chain."""
_LETTERED_NUMBER = re.compile(r"\b[A-Z](?=\d)")
_LETTERED = re.compile(r"[a-z](?=\d)")


def find_places(view: RevisionView, named: str) -> list[Span]:
    """The spans that a citation names; several where it names several or where two places fit equally well.

    Args:
        view: The document.
        named: The citation without the document's name.

    Returns:
        Spans in the revision's text; empty if nothing is named or found.
    """
    pages = [span for match in _PAGES.finditer(named) for span in _pages(view, match)]
    rest = _PARAGRAPH.sub(" ", _PAGES.sub(" ", named)).strip(" ,;.:")
    found: list[Span] = []
    scope: Span | None = None
    for part in _parts(rest):
        inner = _resolve(view, part, scope) if scope else []
        spans = inner or _resolve(view, part, None)
        if inner and found and found[-1] == scope:
            found.pop()  # "Schedule 3, paragraph 2" names the paragraph alone
        found += spans
        scope = spans[0] if spans else scope
    on_pages = [span for span in found if any(a < span[1] and span[0] < b for a, b in pages)] if pages else found
    return list(dict.fromkeys(on_pages or pages or found))[:MOST]


def _pages(view: RevisionView, match: re.Match[str]) -> list[Span]:
    if not view.paged:
        return []
    first, last = int(match["first"]), int(match["last"] or match["first"])
    spans = [(page["start"], page["end"]) for page in view.pages if first <= page["number"] <= last]
    return [(spans[0][0], spans[-1][1])] if spans else []


def _parts(named: str) -> list[str]:
    """The parts of a citation, divided at commas and "and" outside brackets."""
    parts, depth, at = [], 0, 0
    for match in re.finditer(r"[()]|" + _SEVERAL.pattern, named, re.IGNORECASE):
        if match[0] in "()":
            depth += 1 if match[0] == "(" else -1
        elif depth <= 0:
            parts.append(named[at : match.start()])
            at = match.end()
    return [part.strip() for part in (*parts, named[at:]) if part.strip()]


def _resolve(view: RevisionView, part: str, scope: Span | None) -> list[Span]:
    if bounds := _RANGE.search(part):
        first, last = _resolve(view, bounds["first"], scope), _resolve(view, bounds["last"], scope)
        if first and last and first[0][0] <= last[0][1]:
            return [(first[0][0], last[0][1])]
    titled = _TITLE.search(part)
    bare = part[: titled.start()] if titled else part
    wanted = section_reference(bare)
    inside = [s for s in view.sections if scope is not None and scope[0] <= s["start"] and s["end"] <= scope[1]]
    sections = view.sections if scope is None else [s for s in inside if (s["start"], s["end"]) != scope]
    found = _by_label(sections, wanted, is_within=scope is not None) or _by_title(sections, bare) or _by_line(view, bare, scope)
    if not found and titled:
        found = _by_title(sections, titled["title"]) or _by_line(view, titled["title"], scope)
    if (plain := _LETTERED_NUMBER.sub("", bare)) != bare:  # "B2.2", where the page prints "2.2" under "Section B"
        found = found or _by_line(view, plain, scope)
        lettered = _LETTERED_NUMBER.search(bare)
        found = [span for span in found if lettered and _part_letter(view, span[0]) == lettered[0]] or found
    if found or scope or len(wanted) < 2:
        return found
    return _by_label(sections, wanted[:-1])  # an item that the outline does not have stands in its clause


def _part_letter(view: RevisionView, offset: int) -> str:
    """The letter of the part, "Section B", whose heading stands last before an offset."""
    last = next(iter(reversed(list(_PART_HEADING.finditer(view.text, 0, offset)))), None)
    return last["letter"] if last else ""


def _by_label(sections: Sequence[Section], wanted: Reference, *, is_within: bool = False) -> list[Span]:
    """`is_within`: whether these are the sections of a place that is named before, "Schedule 1, item 2"."""
    if not wanted or not any(char.isdigit() or len(part) < 3 for part in wanted for char in part):
        return []
    plain = tuple(_LETTERED.sub("", part) for part in wanted)
    labelled = [(section_reference(s["label"]), s) for s in sections if s["label"]]
    for reference in dict.fromkeys((wanted, plain)):
        exact = [s for known, s in labelled if known == reference]
        if found := exact or [s for known, s in labelled if _ends_with(known, reference, is_within=is_within)]:
            return [(s["start"], s["end"]) for s in found]
    inside = [(s["start"], s["end"]) for known, s in labelled if is_within_section(known, wanted)]
    return [(inside[0][0], inside[-1][1])] if inside else []


def _ends_with(known: Reference, named: Reference, *, is_within: bool) -> bool:
    """Whether a label is that of a clause within an exhibit: "Exhibit A, Section 2.1" for "2.1", and not for "1"."""
    before = known[: -len(named)]
    is_inner = bool(before) and before[-1][0].isdigit() and named[0][0].isdigit()
    return known[-len(named) :] == named and (is_within or not is_inner)


def _by_title(sections: Sequence[Section], named: str) -> list[Span]:
    wanted = _folded(re.sub(r"^(?:section|clause|part)\s+", "", named, flags=re.IGNORECASE))
    if len(wanted) < 4:
        return []
    titles = [(_folded(s["title"]), s) for s in sections if s["title"]]
    found = [s for title, s in titles if title == wanted] or [
        s for title, s in titles if title.startswith(wanted) or wanted.startswith(title)
    ]
    return [(s["start"], s["end"]) for s in found]


def _by_line(view: RevisionView, named: str, scope: Span | None) -> list[Span]:
    """The place whose first line begins with the words named, as headings that the outline lacks do."""
    words = _UNIT.sub("", named.strip())
    if len(words) < 1 + (scope is None) or not words[0].isalnum():
        return []
    written = _MAIL.sub("(?:e-?mail|mail|message)", r"\s+".join(map(re.escape, words.split())))
    forms = (written, re.sub(r"\d+", r"\\d+", written))
    pattern, alike = (re.compile(r"^[^\w\n]{0,20}" + form + r"(?!\w)", re.MULTILINE | re.IGNORECASE) for form in forms)
    low, high = scope or (0, len(view.text))
    matches = list(pattern.finditer(view.text, low, high))
    alone = [m for m in matches if not view.text[m.end() : view.text.find("\n", m.end())].strip(" .:")]
    found = [match.start() for match in alone or matches]
    numbered = [m.start() for m in alike.finditer(view.text, low, high)] if any(char.isdigit() for char in words) else []
    ends = numbered if len(numbered) > 1 else [s["start"] for s in view.sections]
    return [(at, min([e for e in ends if e > at + len(words)] + [at + MAX_FOUND, high])) for at in found]


def _folded(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().casefold()
