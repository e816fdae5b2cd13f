"""Quotation marks of all scripts and habits, and the cost of reading hostile text."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest

from orderly.services.text.quotations import PieceReader, find_citations, find_quotations

WORDS = "the Lessee owes nine thousand dollars"


@pytest.mark.parametrize(
    "written",
    [
        f"“{WORDS}”", f"”{WORDS}”", f"„{WORDS}“", f"„{WORDS}”", f"‟{WORDS}”", f'"{WORDS}"', f"'{WORDS}'", f"‘{WORDS}’", f"‚{WORDS}‘", f"‹{WORDS}›",
        f"«{WORDS}»", f"« {WORDS} »", f"»{WORDS}«", f"《{WORDS}》", f"「{WORDS}」", f"『{WORDS}』", f"``{WORDS}''", f"''{WORDS}''", f"″{WORDS}″",
        f"＂{WORDS}＂", f"❝{WORDS}❞", f"〝{WORDS}〞", f"&quot;{WORDS}&quot;", f"&ldquo;{WORDS}&rdquo;", f"&#8220;{WORDS}&#8221;",
        f"&#x201C;{WORDS}&#x201D;", f"&laquo;{WORDS}&raquo;", f"&lsquo;{WORDS}&rsquo;", f'“{WORDS}"', f'"{WORDS}”', f"“{WORDS}&quot;",
        f"<q>{WORDS}</q>", f"> {WORDS}\n", f"- > {WORDS}\n", f"1. > {WORDS}\n",
    ],
)  # fmt: skip
def test_words_in_marks_of_every_kind_are_a_quotation(written: str) -> None:
    for answer in (written, f"It says:\n\n{written} [Lease.pdf, Page 3]", f"It says:\n{written}\n\nAnd more."):
        assert [quotation.text for quotation in find_quotations(answer)] == [WORDS]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ('“(each a "X", and the "Y")” and the rest.', ['(each a "X", and the "Y")']),
        ('“a pipe of 6" or more” and "not more than ten".', ['a pipe of 6" or more', "not more than ten"]),
        ('“each "one of them” is here, and "two of them" too.', ['each "one of them', "two of them"]),
        ('The pipe is 6" wide, the rod 5\'7" long and the rock ’n’ roll of the ’90s.', []),
        ("The Lessor's and the lessees' rights: 'tis so.", []),
        ("`print('one two')` is code.", ["one two"]),
        ("“one line\nand another\nline of it” here.", ["one line\nand another\nline of it"]),
        ("‘Services’ means work. He said ‘no more’.", ["Services", "no more"]),
        ("&copy; 2020 &amp; later.", []),
    ],
)
def test_marks_inside_other_marks_and_apostrophes_are_text(answer: str, expected: list[str]) -> None:
    assert [quotation.text for quotation in find_quotations(answer)] == expected


HOSTILE = [
    "'a ", '"a ', "“a ", "”a ", "‘a’s ", "‘as’ ", "`a ", "``a ", "[", "[a ", "[.pdf", "(a) [", "<q ", "<q>", "</q>", "> a\n", "```\n", "```a\n", "&#8220;", "& ",
    "«a »", "'''", " ", "\n", ". ", "a. 'b. ", "[a.pdf] ", '"ab" [', "1. > ", "~~~\n", "a.\n",
]  # fmt: skip


def count_lines(read: Callable[[], object]) -> int:
    """Number of Python lines run, a measure of work that does not depend on the machine."""
    lines = 0

    def trace(frame: object, event: str, argument: object) -> object:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        read()
    finally:
        sys.settrace(before)
    return lines


def stream(answer: str) -> list[str]:
    reader = PieceReader()
    pieces: list[str] = []
    for at in range(0, len(answer), 16):
        pieces += reader.divide() if reader.add(answer[at : at + 16]) else []
    return [*pieces, *reader.rest()]


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("read", [find_quotations, find_citations, stream])
def test_work_grows_with_the_length_of_the_answer(unit: str, read: Callable[[str], object]) -> None:
    short, long = (unit * (chars // len(unit)) for chars in (1_000, 8_000))
    once, eight_times = count_lines(lambda: read(short)), count_lines(lambda: read(long))
    assert eight_times < 16 * once + 2_000


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_long_line_is_read_at_once(unit: str) -> None:
    """Regular expressions count no lines: 100,000 characters would take minutes if one of them were quadratic."""
    answer = unit * (100_000 // len(unit))
    began = time.process_time()
    find_citations(answer, find_quotations(answer))
    assert time.process_time() - began < 10
