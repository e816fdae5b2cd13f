"""Takes from an answer what a client would follow or fetch: links, pictures and HTML elements, in every notation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from orderly.models import Span
from orderly.services.text.quotations import names_place
from orderly.services.text.quoted_spans import find_brackets, merge_spans

_DEFINITION = re.compile(r"(?<=\])[ \t]*:[ \t]*\n?[ \t]*<?(?:(?:[a-z][a-z0-9+.-]*:)?//|https?:)[^\s<>]+>?", re.IGNORECASE)
"""The target behind "[label]:", on the same line or the next."""

_TAG = re.compile(r"<(?=[a-z/])/?(?P<name>[a-z][^\s<>/=]*)?", re.IGNORECASE)
_LOADING = frozenset({"script", "style"})
"""Elements that load by what they contain."""

_BLANK = re.compile(r"\s*")
_PICTURE = re.compile(r"!(?=\[)")
_LINK = re.compile(r"\](?=\()")
_MAX_TAG = 4_000
"""Characters of a tag."""


def remove_markup(answer: str, verified: Sequence[Span] = ()) -> str:
    """Replaces links and pictures by their text, which keeps its brackets if it is a citation; removes tags that load.

    Args:
        answer: The answer.
        verified: Spans of quotations whose links stand in the document; these stay as they are.
    """
    removed = [
        span for span in (*_inline_links(answer), *_targets(answer), *_loading_tags(answer)) if not _is_within(span, verified)
    ]
    kept, at = [], 0
    for start, end in merge_spans(removed):
        kept.append(answer[at:start])
        at = end
    return "".join([*kept, answer[at:]])


def defuse_markup(shown: str, said: str, verified_links: bool) -> str:
    """Sets a space where a picture, a link or a tag would begin that `remove_markup` could not take out.

    A quotation that stands so in its document has one, and what is written so that its parts are released one by one.

    Args:
        shown: A piece of an answer, as it is shown.
        said: The end of what was shown before it.
        verified_links: Whether quotations in it may have links.
    """
    shown = _PICTURE.sub("! ", shown)
    if said.endswith("!") and shown.startswith("["):
        shown = f" {shown}"
    if not verified_links:
        shown = _LINK.sub("] ", shown)
    opened = [start + 1 for start, end, loads in _tags(shown) if loads or end is None]
    return " ".join(shown[at:to] for at, to in pairwise([0, *opened, len(shown)]))


def _inline_links(answer: str) -> Iterator[Span]:
    ends = dict(find_brackets(answer).pairs)
    for start, end in ends.items():
        if answer[start] == "[" and end in ends and answer[end] == "(":
            yield end, ends[end]
            if answer[start - 1 : start] == "!" or not names_place(answer, start, end):
                yield start - (answer[start - 1 : start] == "!"), start + 1
                yield end - 1, end


def _targets(answer: str) -> Iterator[Span]:
    """The targets of reference links and pictures."""
    return (match.span() for match in _DEFINITION.finditer(answer))


def _loading_tags(answer: str) -> Iterator[Span]:
    return ((start, end) for start, end, loads in _tags(answer) if loads and end is not None)


def _tags(text: str) -> Iterator[tuple[int, int | None, bool]]:
    """Start and end of each tag, and whether it loads something: it sets an attribute. End None: it is not closed here."""
    at = 0
    while match := _TAG.search(text, at):
        at = match.end()
        name = (match["name"] or "").lower()
        end, sets = _end_of_tag(text, at)
        if end is not None:
            at = end
        if end is not None or sets or text[match.end() : match.end() + 1].isspace() or match.end() == len(text):
            yield match.start(), end, sets or name in _LOADING


def _end_of_tag(text: str, at: int) -> tuple[int | None, bool]:
    """The end of the tag whose name ends at `at`, and whether it sets an attribute. A value in quotes may hold ">"."""
    sets = False
    for place in (places := iter(range(at, min(len(text), at + _MAX_TAG)))):
        if text[place] == ">":
            return place + 1, sets
        if text[place] == "<":
            break
        if text[place] != "=":
            continue
        sets = True
        blank = _BLANK.match(text, place + 1)
        value = blank.end() if blank else place + 1
        if text[value : value + 1] in ("'", '"'):
            closing = text.find(text[value], value + 1)
            if closing < 0:
                break
            for _ in range(closing - place):
                next(places, None)
    return None, sets


def _is_within(span: Span, spans: Sequence[Span]) -> bool:
    return any(first <= span[0] and span[1] <= last for first, last in spans)
