"""Finds the numbered paragraphs of a judgment: "[42]", or "42" without a full stop, as courts' reports print them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from orderly.services.text.heading_candidates import Candidate

_MIN_PARAGRAPHS = 5
_MIN_BARE_PARAGRAPHS = 8
_MIN_SHARE = 0.5
"""Least share of the text that paragraphs with bare numbers cover; numbers in a contract's table cover less."""

_CITED_CASE = re.compile(r"[\[(](?:19|20)\d\d[\])][ \xa0](?:\(?\d+\)?[ \xa0])?[A-Z][A-Za-z]*[A-Z]\b")
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_NUMBER = rf"(?P<number>\d{{1,3}})[ \t\xa0]+(?=[A-Z“\"'‘(\[])(?!(?:{_MONTH})\b)"
_BARE_NUMBER = re.compile(rf"(?:^[ \t]*|(?<=[.;:?!][ ])|(?<=[.;:?!][\"”’')\]][ ])|(?<=^[\"”'][ ])){_NUMBER}", re.MULTILINE)
_NUMBER_ANYWHERE = re.compile(rf"(?<=\s){_NUMBER}")
_MAX_STEP = 4
"""Numbers in between stand inside a line, behind a heading."""

_MAX_NUMBERS = 2000


def find_judgment_paragraphs(text: str, found: Sequence[Candidate]) -> list[Candidate]:
    """The paragraphs of a judgment, in order; empty for other documents."""
    bracketed = [candidate for candidate in found if candidate.kind == "paragraph"]
    numbers = [int(candidate.label[1:-1]) for candidate in bracketed]
    rising = sum(later == earlier + 1 for earlier, later in pairwise(numbers))
    if len(numbers) >= _MIN_PARAGRAPHS and rising >= 0.8 * (len(numbers) - 1):
        return bracketed
    return _find_bare(text) if _CITED_CASE.search(text) else []


def _find_bare(text: str) -> list[Candidate]:
    """The longest run of rising numbers before sentences; numbers of cited reports are out of order."""
    run = _longest_run([(int(match["number"]), match.start("number")) for match in _BARE_NUMBER.finditer(text)])
    if len(run) < _MIN_BARE_PARAGRAPHS or run[-1][1] - run[0][1] < _MIN_SHARE * len(text):
        return []
    filled = run[:1]
    for (_, before), (number, start) in pairwise(run):
        for match in _NUMBER_ANYWHERE.finditer(text, before, start):
            if int(match["number"]) == filled[-1][0] + 1 < number:
                filled.append((int(match["number"]), match.start("number")))
        filled.append((number, start))
    return [Candidate(start, "paragraph", f"[{number}]", None, True) for number, start in filled]


def _longest_run(numbers: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence that starts at 1 and rises by steps of at most four."""
    longest: dict[int, tuple[int, int]] = {}  # by number: length of the best run that ends in it, index of its last element
    before: list[int | None] = []
    for at, (number, _) in enumerate(numbers[:_MAX_NUMBERS]):
        earlier = [longest[value] for value in range(number - _MAX_STEP, number) if value in longest]
        length, index = max(earlier, default=(0, -1))
        before.append(index if length else None)
        if (length or number == 1) and length + 1 > longest.get(number, (0, 0))[0]:
            longest[number] = (length + 1, at)
    run: list[tuple[int, int]] = []
    at_last: int | None = max(longest.values(), default=(0, -1))[1] if longest else None
    while at_last is not None:
        run.append(numbers[at_last])
        at_last = before[at_last]
    return run[::-1]
