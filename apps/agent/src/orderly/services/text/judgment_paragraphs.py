"""Finds the numbered paragraphs of a judgment: "[42]", or "42" or "42."."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, pairwise

from orderly.services.text.heading_candidates import Candidate, find_at_line_starts
from orderly.services.words import ANY_MONTH

_MIN_PARAGRAPHS = 5
_MIN_BARE_PARAGRAPHS = 8
_MIN_CITED_CASES = 2
"""Least number of cases cited by a judgment whose paragraphs' numbers have full stops, as a contract's have."""

_MIN_SHARE = 0.5
"""Least share of the text that paragraphs with bare numbers cover; numbers in a contract's table cover less."""

_CITED_CASE = re.compile(r"[\[(](?:19|20)\d\d[\])][ \xa0](?:\(?\d+\)?[ \xa0])?[A-Z][A-Za-z]*[A-Z]\b")
_NUMBER = rf"(?P<number>\d{{1,3}})[ \t\xa0]+(?=[A-Z“\"'‘(\[])(?!(?:{ANY_MONTH})\b)"
_BARE_NUMBER = re.compile(rf"(?:^[ \t]*|(?<=[.;:?!][ ])|(?<=[.;:?!][\"”’')\]][ ])|(?<=^[\"”'][ ])){_NUMBER}", re.MULTILINE)
_STOPPED_NUMBER = re.compile(_BARE_NUMBER.pattern.replace(r"\d{1,3})", r"\d{1,3})\.?"), re.MULTILINE)
_NUMBER_ANYWHERE = re.compile(rf"(?<=\s){_NUMBER}")
_MAX_STEP = 8
"""Numbers in between stand inside a line, behind a heading."""

_SIGNATURE = re.compile(r"\n\s*(?=(I certify that\b|[A-Z][^\n]{1,60}[^\n.;:,?!\"”’)\]-]\n))")
"""A short line without a mark at its end: a judge's name, or a heading of what follows."""

_MAX_NUMBERS = 2000
_MAX_FIRST = 2
"""The first paragraph's number may stand behind a heading, in its line."""


def paragraph_starts(text: str) -> list[int]:
    """Where the numbered paragraphs of a judgment begin; empty for other documents."""
    return [paragraph.start for paragraph in find_judgment_paragraphs(text, list(find_at_line_starts(text)))]


def find_judgment_paragraphs(text: str, found: Sequence[Candidate]) -> list[Candidate]:
    """The paragraphs of a judgment, in order; empty for other documents."""
    bracketed = [candidate for candidate in found if candidate.kind == "paragraph"]
    numbers = [int(candidate.label[1:-1]) for candidate in bracketed]
    rising = sum(later == earlier + 1 for earlier, later in pairwise(numbers))
    if len(numbers) >= _MIN_PARAGRAPHS and rising >= 0.8 * (len(numbers) - 1):
        return bracketed
    cites = len({match[0] for match in islice(_CITED_CASE.finditer(text), _MAX_NUMBERS)})
    bare = _find_bare(text, _BARE_NUMBER) if cites else []
    return bare or (_find_bare(text, _STOPPED_NUMBER) if cites >= _MIN_CITED_CASES else [])


def _find_bare(text: str, numbers: re.Pattern[str]) -> list[Candidate]:
    """The longest run of rising numbers before sentences; numbers of cited reports are out of order."""
    run = _longest_run([(int(match["number"]), match.start("number")) for match in numbers.finditer(text)])
    if len(run) < _MIN_BARE_PARAGRAPHS or run[-1][1] - run[0][1] < _MIN_SHARE * len(text):
        return []
    filled = run[:1]
    for (_, before), (number, start) in pairwise(run):
        for match in _NUMBER_ANYWHERE.finditer(text, before, start):
            if int(match["number"]) == filled[-1][0] + 1 < number:
                filled.append((int(match["number"]), match.start("number")))
        filled.append((number, start))
    return [Candidate(start, "paragraph", f"[{number}]", None, True) for number, start in filled]


def find_paragraph_ends(text: str, paragraphs: Sequence[Candidate]) -> list[Candidate]:
    """Where a paragraph's number ends to be certain: after the first line if the next number is missing, and at the
    signature below the last paragraph.
    """
    ends: list[int] = []
    for one, other in pairwise(paragraphs):
        if int(other.label[1:-1]) > int(one.label[1:-1]) + 1 and text.find("\n", one.start, other.start) > 0:
            ends.append(text.find("\n", one.start, other.start))
    if signature := _SIGNATURE.search(text, text.find("\n", paragraphs[-1].start)):
        ends.append(signature.start(1))
    return [Candidate(end, "close", "", None, False) for end in ends]


def _longest_run(numbers: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence that starts at 1 or 2 and rises by steps of at most four."""
    longest: dict[int, tuple[int, int]] = {}  # by number: length of the best run that ends in it, index of its last element
    before: list[int | None] = []
    for at, (number, _) in enumerate(numbers[:_MAX_NUMBERS]):
        earlier = [longest[value] for value in range(number - _MAX_STEP, number) if value in longest]
        length, index = max(earlier, default=(0, -1))
        before.append(index if length else None)
        if (length or number <= _MAX_FIRST) and length + 1 > longest.get(number, (0, 0))[0]:
            longest[number] = (length + 1, at)
    run: list[tuple[int, int]] = []
    at_last: int | None = max(longest.values(), default=(0, -1))[1] if longest else None
    while at_last is not None:
        run.append(numbers[at_last])
        at_last = before[at_last]
    return run[::-1]
