"""Validates enriched documents (ILDGS) and extracts the parts that Orderly uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from orderly.models import Span
from orderly.services.engines import DocumentType, Enriched, Segment, Term, shift_offsets
from orderly.services.engines.isaacus.replies import index_of, items_of, malformed

MAX_TEXTS = 8
"""Texts per request."""

_KINDS = ("container", "unit", "item", "figure")

Item = Mapping[str, object]


def parse(reply: Item, texts: Sequence[str]) -> list[Enriched]:
    """One document per text, in the order of the request. Raises EngineMisbehaved."""
    found: dict[int, Enriched] = {}
    for result in items_of(reply, "results"):
        position = index_of(result, len(texts))
        found[position] = _parse_document(result.get("document"), texts[position])
    if len(found) != len(texts):
        raise malformed("an enriched document is missing")
    return [found[position] for position in range(len(texts))]


def join(first: Enriched, second: Enriched, cut: int) -> Enriched:
    """Joins two parts of one text; the second part starts at `cut`. Type, jurisdiction and title come from the first part."""
    second = shift_offsets(second, cut)
    return replace(
        first,
        segments=first.segments + second.segments,
        terms=first.terms + second.terms,
        headings=first.headings + second.headings,
        junk=first.junk + second.junk,
    )


def _parse_document(item: object, text: str) -> Enriched:
    if not isinstance(item, dict):
        raise malformed("an enriched document is not an object")
    returned = item.get("text")
    # Isaacus' offsets refer to the returned text, which may lack leading or trailing characters of `text`.
    offset = text.find(returned) if isinstance(returned, str) and returned else -1
    if offset < 0 or not isinstance(returned, str):
        raise malformed("an enriched document has another text")
    kind, jurisdiction = _parse_type(item.get("type")), item.get("jurisdiction")
    if not (jurisdiction is None or isinstance(jurisdiction, str)):
        raise malformed("a jurisdiction that is no text")
    found = Enriched(
        type=kind,
        jurisdiction=jurisdiction,
        title=_parse_optional_span(item.get("title"), returned),
        segments=tuple(_parse_segment(segment, returned) for segment in items_of(item, "segments")),
        terms=tuple(_parse_term(term, returned) for term in items_of(item, "terms")),
        headings=_parse_spans(items_of(item, "headings"), returned),
        junk=_parse_spans(items_of(item, "junk"), returned),
    )
    _check_nesting([*(s.span for s in found.segments), *found.headings, *found.junk])
    return shift_offsets(found, offset) if offset else found


def _parse_type(value: object) -> DocumentType:
    for known in get_args(DocumentType):
        if value == known:
            return known  # type: ignore[no-any-return]
    raise malformed("an enriched document of an unknown type")


def _parse_segment(item: Item, text: str) -> Segment:
    kind, level = item.get("kind"), item.get("level")
    if kind not in _KINDS or type(level) is not int or level < 0:
        raise malformed("a segment of unknown kind or level")
    return Segment(
        span=_parse_span(item.get("span"), text),
        kind=kind,  # type: ignore[arg-type]
        code=_parse_optional_span(item.get("code"), text),
        title=_parse_optional_span(item.get("title"), text),
        level=level,
    )


def _parse_term(item: Item, text: str) -> Term:
    mentions = _parse_spans(items_of(item, "mentions"), text)
    return Term(_parse_span(item.get("name"), text), _parse_optional_span(item.get("meaning"), text), len(mentions))


def _parse_spans(items: Iterable[object], text: str) -> tuple[Span, ...]:
    return tuple(_parse_span(item, text) for item in items)


def _parse_optional_span(item: object, text: str) -> Span | None:
    return None if item is None else _parse_span(item, text)


def _parse_span(item: object, text: str) -> Span:
    start, end = (item.get("start"), item.get("end")) if isinstance(item, dict) else (None, None)
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        raise malformed("a span outside the text")
    if text[start].isspace() or text[end - 1].isspace():
        raise malformed("a span that begins or ends on white space")
    return start, end


def _check_nesting(spans: list[Span]) -> None:
    """Raises EngineMisbehaved if two spans overlap without one containing the other."""
    open_ends: list[int] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        if open_ends and end > open_ends[-1]:
            raise malformed("spans that cross")
        open_ends.append(end)
