"""Names of judges by their form, "Justice Hale", "Gummow J", compared with those of the document that is quoted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from orderly.models import Span
from orderly.services.support.words import GENERIC

_NAME = r"[A-Z][\w'’-]+"
_JUDGE = re.compile(
    rf"\b(?:(?:Lord|Lady|Chief|Madam|Mr|Mrs|Ms)\s+)*(?:Justice|JUSTICE|Judge|JUDGE)\s+(?P<after>{_NAME})|"
    rf"\b(?P<before>{_NAME})(?:,\s+|\s+)(?:ACJ|CJ|JJA|JJ|JA|J|AJA|LJJ|LJ)\b(?![\w.])"
)
_HEADING = re.compile(rf"^\W*(?:{_JUDGE.pattern})\W*$".replace("?P<after>", "?:").replace("?P<before>", "?:"), re.MULTILINE)
"""A name on a line of its own, above what that judge says."""
_LETTERED = GENERIC | frozenset(
    """
    class series tranche lot phase stage group party partner option plan tier type grade level zone block building suite unit
    room table figure form box annex attachment addendum version line route gate division category
    """.split()
)
"""Words before the letter of an item: "Class J"."""
_SIGNED = 4_000
"""Characters at the end of a judgment in which its author is named."""


def judges_of(text: str) -> frozenset[str]:
    """Names of those who speak in a judgment: they sign it, or stand above their part of it."""
    headings = "\n".join(heading[0] for heading in _HEADING.finditer(text))
    return frozenset(name for _, _, name in _judges(f"{text[-_SIGNED:]}\n{headings}"))


def find_judges(statement: str, near: str, speakers: Callable[[], frozenset[str]]) -> tuple[str | None, list[Span]]:
    """The first judge of a statement who neither speaks in the document nor is named near the quotation, and the others.

    `speakers`: reads the names of those who speak in the document; called only for a statement that names a judge.
    """
    spans: list[Span] = []
    named = {name for _, _, name in _judges(near)} if (found := list(_judges(statement))) else set()
    for start, end, name in found:
        if name not in named and name not in speakers():
            return statement[start:end], spans
        spans.append((start, end))
    return None, spans


def _judges(text: str) -> Iterator[tuple[int, int, str]]:
    for found in _JUDGE.finditer(text):
        name = (found["after"] or found["before"]).casefold().replace("’", "'").removesuffix("'s")
        if found["after"] or name not in _LETTERED:
            yield *found.span(), name
