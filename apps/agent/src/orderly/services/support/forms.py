"""Statements in other forms than sentences (rows of tables, ticked boxes, labels with a value), and references behind one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.services.support.facts import read_facts

NAME = re.compile(r"\b[A-Z][\w&'’]+\s+(?:(?:of|and)\s+)?[A-Z][\w&'’]+")
"""A name of several words."""

_TICKED = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])?\s*(?:\[[xX✓✔]\]|[☑☒✓✔✅❌✗✘])\s*\w")
_DEFINITION = re.compile(r"\s*:[ \t]+\w")
_LABELLED = re.compile(r"\W*\w[\w'’/&().-]*(?:\s+[\w'’/&().-]+){0,3}\s*:\s+(?P<value>[^\s:][^:\n]*)\Z")
"""A label of a few words, and what is said of it."""
_ROW = re.compile(r"\s*\|(?P<cells>.*?)\|?\s*\Z", re.DOTALL)
_RULE = re.compile(r"[\s|:-]*\Z")
_ANSWER = re.compile(r"\W*(?:yes|no|true|false)\W*\Z", re.IGNORECASE)
_SHORT_NAME = re.compile(r"\W*[A-Z][\w&'’-]*(?:\s+(?:(?:of|and)\s+)?[A-Z][\w&'’-]*)*\W*\Z")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts that set no space between words."""
_MIN_UNSPACED = 6
"""Letters of such a script that make a sentence."""

_FILE = re.compile(r"[^\s,;:()\[\]]+\.(?:pdf|docx?|txt|md|rtf|html?|eml|msg|csv|xlsx?|pptx?)\b", re.IGNORECASE)
_PLACE = re.compile(
    r"(?:[\s,]++(?:(?:pages?|pp?|sections?|ss?|clauses?|cls?|paragraphs?|paras?|articles?|schedules?)\b\.?\s*)?\(?\d[\w.()]*+)*+"
    r"[\s)\]”\"’.;,]*\Z",
    re.IGNORECASE,
)
"""A place in a document at the end of a text."""
_MOST_REFERENCES = 6
_MOST_REFERENCE = 400
"""Characters of one reference."""
_BEFORE = re.compile(r"[\s(\[,;–—-]*(?:\b(?:see|in|per|at|cf)\s*)?[\s(\[,;–—-]*\Z", re.IGNORECASE)


def without_reference(text: str, names: Sequence[str]) -> str:
    """The text without the references to documents at its end: "… (Lease.txt, Section 2)."

    Args:
        text: A sentence without markup.
        names: Names of the documents that were read.
    """
    rest = text
    for _ in range(_MOST_REFERENCES):
        first = max(len(rest) - _MOST_REFERENCE, 0)
        at = _begin_of_reference(rest[first:], names)
        if at is None:
            break
        first_of_it = _BEFORE.search(rest, first, first + at)
        rest = rest[: first_of_it.start()] if first_of_it else rest[: first + at]
    return rest if len(rest) == len(text) or not rest or not text.rstrip().endswith((".", ".)", ".]")) else f"{rest}."


def _begin_of_reference(text: str, names: Sequence[str]) -> int | None:
    lower = text.lower()
    for name in sorted(names, key=len, reverse=True):
        at = lower.rfind(name.lower())
        if at >= 0 and _PLACE.match(text, at + len(name)):
            return at
    return next((file.start() for file in _FILE.finditer(text) if _PLACE.match(text, file.end())), None)


def states_by_form(written: str, *, is_header: bool = False) -> bool:
    """Whether a piece says something by its form, without being a sentence.

    Args:
        written: The piece with its markup, without quotations and citations.
        is_header: Whether it is the first row of a table, whose cells are titles of columns.
    """
    if _TICKED.match(written) or _DEFINITION.match(written) or is_unspaced(written):
        return True
    if row := _ROW.match(written):
        cells = [cell for cell in row["cells"].split("|") if not _RULE.match(cell)]
        return len(cells) > 1 and any(_ANSWER.match(cell) or (not is_header and _is_value(cell)) for cell in cells[1:])
    labelled = _LABELLED.match(written.replace("*", "").replace("_", " ").rstrip())
    return labelled is not None and _is_value(labelled["value"])


def is_row(written: str) -> bool:
    return _ROW.match(written) is not None


def is_unspaced(text: str) -> bool:
    """Whether a text is a sentence of a script without spaces between words."""
    return len(_UNSPACED.findall(text)) >= _MIN_UNSPACED


def _is_value(text: str) -> bool:
    """Whether a text is a figure, a name, or yes or no."""
    return (
        _ANSWER.match(text) is not None
        or _SHORT_NAME.match(text) is not None
        or NAME.search(text) is not None
        or not read_facts(text).is_empty
    )
