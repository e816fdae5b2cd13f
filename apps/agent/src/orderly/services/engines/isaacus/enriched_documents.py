"""Checks an enriched document (ILDGS) and takes out of it what Orderly uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import get_args

from orderly.services.engines import DocumentType, Enriched, Segment, Span, Term, moved
from orderly.services.engines.isaacus.replies import index_of, items_of, malformed

MAX_TEXTS = 8
"""Texts in one request."""

_KINDS = ("container", "unit", "item", "figure")

Item = Mapping[str, object]


def documents(reply: Item, texts: Sequence[str]) -> list[Enriched]:
    """In the order of the request. Raises EngineMisbehaved."""
    found: dict[int, Enriched] = {}
    for result in items_of(reply, "results"):
        position = index_of(result, len(texts))
        found[position] = _document(result.get("document"), texts[position])
    if len(found) != len(texts):
        raise malformed("an enriched document is missing")
    return [found[position] for position in range(len(texts))]


def joined(first: Enriched, second: Enriched, cut: int) -> Enriched:
    """Two parts of one text, the second of which begins at `cut`. What the document is, its beginning says."""
    second = moved(second, cut)
    return replace(
        first,
        segments=first.segments + second.segments,
        terms=first.terms + second.terms,
        headings=first.headings + second.headings,
        junk=first.junk + second.junk,
    )


def _document(item: object, text: str) -> Enriched:
    if not isinstance(item, dict):
        raise malformed("an enriched document is not an object")
    theirs = item.get("text")
    # Their offsets count in the text they give back, which may lack what surrounds ours.
    by = text.find(theirs) if isinstance(theirs, str) and theirs else -1
    if by < 0 or not isinstance(theirs, str):
        raise malformed("an enriched document has another text")
    kind, jurisdiction = _type(item.get("type")), item.get("jurisdiction")
    if not (jurisdiction is None or isinstance(jurisdiction, str)):
        raise malformed("a jurisdiction that is no text")
    found = Enriched(
        type=kind,
        jurisdiction=jurisdiction,
        title=_optional(item.get("title"), theirs),
        segments=tuple(_segment(segment, theirs) for segment in items_of(item, "segments")),
        terms=tuple(_term(term, theirs) for term in items_of(item, "terms")),
        headings=_spans(items_of(item, "headings"), theirs),
        junk=_spans(items_of(item, "junk"), theirs),
    )
    _check_nesting([*(s.span for s in found.segments), *found.headings, *found.junk])
    return moved(found, by) if by else found


def _type(value: object) -> DocumentType:
    for known in get_args(DocumentType):
        if value == known:
            return known  # type: ignore[no-any-return]
    raise malformed("an enriched document of an unknown type")


def _segment(item: Item, text: str) -> Segment:
    kind, level = item.get("kind"), item.get("level")
    if kind not in _KINDS or type(level) is not int or level < 0:
        raise malformed("a segment of unknown kind or level")
    return Segment(
        span=_span(item.get("span"), text),
        kind=kind,  # type: ignore[arg-type]
        code=_optional(item.get("code"), text),
        title=_optional(item.get("title"), text),
        level=level,
    )


def _term(item: Item, text: str) -> Term:
    mentions = _spans(items_of(item, "mentions"), text)
    return Term(_span(item.get("name"), text), _optional(item.get("meaning"), text), len(mentions))


def _spans(items: Iterable[object], text: str) -> tuple[Span, ...]:
    return tuple(_span(item, text) for item in items)


def _optional(item: object, text: str) -> Span | None:
    return None if item is None else _span(item, text)


def _span(item: object, text: str) -> Span:
    start, end = (item.get("start"), item.get("end")) if isinstance(item, dict) else (None, None)
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
        raise malformed("a span outside the text")
    if text[start].isspace() or text[end - 1].isspace():
        raise malformed("a span that begins or ends on white space")
    return start, end


def _check_nesting(spans: list[Span]) -> None:
    """Spans lie inside each other or apart."""
    open_ends: list[int] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        if open_ends and end > open_ends[-1]:
            raise malformed("spans that cross")
        open_ends.append(end)
