"""Statements in other forms than sentences (rows of tables, ticked boxes, labels with a value), and references behind one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orderly.services.support.clauses import NAME
from orderly.services.support.facts import read_facts
from orderly.services.support.statements import is_aside, is_question_or_law

_TICKED = re.compile(r"\s*(?:(?:[-*+•]|\d{1,3}[.)])?\s*(?:\[[xX✓✔]\]|[☑☒✓✔✅❌✗✘])|[-*+•]\s*\([xX✓✔]\))\s*\w")
_DEFINITION = re.compile(r"(?:\A|\n)[ \t]*:[ \t]+\w")
_LABEL = r"\W*\w[\w'’/&().-]*(?:\s+[\w'’/&().-]+){0,3}"
_LABELLED = re.compile(rf"{_LABEL}\s*(?::{{1,2}}|=|[\u2190-\u21ff\u2794-\u27be]|[-=]>)\s+(?P<value>[^\s:][^:\n]*)\Z")
"""A label of a few words, and what is said of it."""
_DASHED = re.compile(rf"{_LABEL}\s+[–—-]\s+(?P<value>[^\s:][^:\n]*)\Z")
"""A label before a dash, which also divides sentences."""
_ROW = re.compile(r"\s*\|(?P<cells>.*?)\|?\s*\Z", re.DOTALL)
_LOOSE_ROW = re.compile(r"\s*(?P<cells>[^|\n]*\w[^|\n]*(?:\|[^|\n]*)+)\s*\Z")
"""A row whose outer bounds are left out."""
_HTML_CELL = re.compile(r"<(?P<kind>t[dh]|d[td])\b[^<>]*>(?P<cell>.*?)</(?P=kind)>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_EMPTY_CELL = re.compile(
    r"(?:(?<=;)|\A)\s*(?:(?:none|nil|nothing|silent|unclear|n/?a|not)(?:\s+(?:is|was))?(?:\s+(?:stated|specified|found|addressed|mentioned|"
    r"applicable|given|provided|quoted))?|[-–—]+)\.?\s*(?=;|\Z)",
    re.IGNORECASE,
)
"""A table's cell that says that there is nothing to say."""
_RULE = re.compile(r"[\s|:-]*\Z")
_ANSWER = re.compile(r"\W*(?:yes|no|true|false|[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?)\W*\Z", re.IGNORECASE)
_SHORT_NAME = re.compile(r"\W*[A-Z][\w&'’-]*(?:\s+(?:(?:of|and)\s+)?[A-Z][\w&'’-]*)*\W*\Z")
_DIGIT = re.compile(r"\d")
_HAS_WORD = re.compile(r"[^\W\d_]{2}")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts that set no space between words."""
_MIN_UNSPACED = 6
"""Letters of such a script that make a sentence."""

_FILE = re.compile(r"[^\s,;:()\[\]]+\.(?:pdf|docx?|txt|md|rtf|html?|eml|msg|csv|xlsx?|pptx?)\b", re.IGNORECASE)
_PLACE = re.compile(
    r"(?>(?:[\s,]++(?:(?:pages?|pp?|sections?|ss?|clauses?|cls?|paragraphs?|paras?|articles?|schedules?)\b\.?\s*)?\(?\d[\w.()]*+)*)"
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
    if _TICKED.match(written) or _DEFINITION.search(written) or is_unspaced(written):
        return True
    if html := list(_HTML_CELL.finditer(written)):
        return _is_filled([_TAG.sub(" ", cell["cell"]) for cell in html if cell["kind"].lower() != "th"], is_header=False)
    if row := _row(written):
        return _is_filled([cell for cell in row["cells"].split("|") if not _RULE.match(cell)], is_header=is_header)
    plain = written.replace("*", "").replace("_", " ").rstrip()
    if labelled := _LABELLED.match(plain):
        label = plain[: labelled.start("value")]
        return not _is_aside(label) and (_is_value(labelled["value"]) or _says(labelled["value"]))
    dashed = _DASHED.match(plain)
    if dashed is None:
        return False
    is_sentence = dashed["value"].rstrip().endswith((".", "!", "?", ":"))
    return _is_value(dashed["value"]) or (not is_sentence and _says(dashed["value"]))


def gives_value(written: str) -> bool:
    """Whether a text is a label with a figure, a name of several words, or yes or no: "Guarantor: Oak Bank"."""
    labelled = _LABELLED.match(written.rstrip())
    if labelled is None or _DIGIT.search(written[: labelled.start("value")]):
        return False
    value = labelled["value"]
    is_name = _SHORT_NAME.match(value) is not None and NAME.search(value) is not None
    return is_name or _ANSWER.match(value) is not None or not read_facts(value).is_empty


def _is_filled(cells: Sequence[str], *, is_header: bool) -> bool:
    """Whether a row says something of what its first cell names."""
    said = cells[1:]
    return any(_ANSWER.match(cell) for cell in said) or (not is_header and any(_is_value(cell) or _says(cell) for cell in said))


def _says(text: str) -> bool:
    """Whether a text has words that are neither about the work nor a reference alone."""
    said = without_reference(f" {without_empty_cells(text)}", ())
    return _HAS_WORD.search(said) is not None and not _is_aside(said) and _PLACE.match(said) is None


def _is_aside(text: str) -> bool:
    return is_aside(text) or is_question_or_law(text)


def without_empty_cells(row: str) -> str:
    """A row, its cells divided by semicolons, without those that say that there is nothing to say."""
    return _EMPTY_CELL.sub("", row).strip("; ")


def is_row(written: str) -> bool:
    return _row(written) is not None


def _row(written: str) -> re.Match[str] | None:
    lines = [line for line in written.strip().split("\n") if not _RULE.match(line)]
    return _ROW.match(written) or (_LOOSE_ROW.match(lines[-1]) if lines else None)


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
