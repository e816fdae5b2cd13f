"""Divides the spans of a page where letters are struck out, may be covered, or are drawn twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from orderly.models import Box
from orderly.services.document_processor.page_content import enclosing
from orderly.services.document_processor.page_layout import Block

Letter = dict[str, Any]
"""A letter of `Page.get_text("rawdict")`: c, origin, bbox."""

Judge = Callable[[int, Letter], str]
"""What is the matter with a letter of the block with this number; "" if nothing."""

Place = Callable[[Letter], int]
"""The column of a table in which a letter stands; -1 outside of tables."""

MATTER = "matter"
"""Key of a span for what the judge says of its letters."""
COLUMN = "column"


def divide_spans(blocks: Sequence[Block], judge: Judge, column: Place) -> None:
    """Divides the spans of raw blocks so that each has letters of one kind, in place, and gives them their text."""
    for number, block in enumerate(blocks):
        for line in block["lines"]:
            line["spans"] = [part for span in line["spans"] for part in _divide(span, number, judge, column)]
        block["lines"] = [line for line in block["lines"] if line["spans"]]


def _divide(span: dict[str, Any], number: int, judge: Judge, column: Place) -> Iterator[dict[str, Any]]:
    letters: list[Letter] = span.pop("chars")
    judged = [(judge(number, letter), letter) for letter in letters]
    for (matter, place), group in groupby(_with_spaces(judged), key=lambda pair: (pair[0], column(pair[1]))):
        part = [letter for _, letter in group]
        box: Box = part[0]["bbox"]
        for letter in part[1:]:
            box = enclosing(box, letter["bbox"])
        text = "".join([letter["c"] for letter in part])
        yield {**span, "text": text, "bbox": box, "origin": part[0]["origin"], MATTER: matter, COLUMN: place}


def _with_spaces(judged: Sequence[tuple[str, Letter]]) -> Iterator[tuple[str, Letter]]:
    """A space between letters of one kind is of that kind, too."""
    for at, (matter, letter) in enumerate(judged):
        if letter["c"].isspace() and 0 < at < len(judged) - 1:
            before, after = judged[at - 1][0], judged[at + 1][0]
            yield (before if before == after else ""), letter
        else:
            yield matter, letter


def divide_lines(blocks: Sequence[Block]) -> None:
    """Divides the lines that go from one column of a table into another, in place."""
    for block in blocks:
        divided: list[dict[str, Any]] = []
        for line in block["lines"]:
            groups = [list(group) for _, group in groupby(line["spans"], key=lambda span: span[COLUMN])]
            divided += [line] if len(groups) == 1 else [{**line, "spans": spans, "bbox": _box(spans)} for spans in groups]
        block["lines"] = divided


def take_out(blocks: Sequence[Block], matter: str) -> list[dict[str, Any]]:
    """Removes the spans of one kind, in place, and returns them. Of the spaces around them one stays."""
    taken: list[dict[str, Any]] = []
    for block in blocks:
        for line in block["lines"]:
            gone = [span for span in line["spans"] if span.get(MATTER) == matter]
            if gone:
                taken += gone
                line["spans"] = _without(line["spans"], matter)
                if line["spans"]:
                    line["bbox"] = _box(line["spans"])
        block["lines"] = [line for line in block["lines"] if line["spans"]]
    return taken


def _without(spans: Sequence[dict[str, Any]], matter: str) -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = []
    for span in spans:
        if span.get(MATTER) == matter:
            continue
        if kept and kept[-1]["text"].endswith(" ") and span["text"].startswith(" "):
            span["text"] = span["text"].removeprefix(" ")
        if span["text"]:
            kept.append(span)
    return kept


def _box(spans: Sequence[dict[str, Any]]) -> Box:
    box: Box = spans[0]["bbox"]
    for span in spans[1:]:
        box = enclosing(box, span["bbox"])
    return box


def as_phrases(spans: Sequence[dict[str, Any]]) -> list[str]:
    """The words of spans that stand side by side, joined."""
    phrases: list[str] = []
    before: Box | None = None
    for span in spans:
        box = span["bbox"]
        if before and abs(box[1] - before[1]) < box[3] - box[1] and -1 <= box[0] - before[2] < box[3] - box[1]:
            phrases[-1] += span["text"]
        else:
            phrases.append(span["text"])
        before = box
    return [text for phrase in phrases if (text := phrase.strip())]
