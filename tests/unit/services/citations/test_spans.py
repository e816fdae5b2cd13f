"""An answer is divided into spans that are judged by themselves: sentences, items, rows, headings, phrases of any length."""

from __future__ import annotations

import pytest

from orderly.services.citations.spans import divide
from orderly.services.text import draft_fences, find_quotations


def spans(text: str) -> list[tuple[str, str]]:
    masked = [(q.start, q.end) for q in find_quotations(text)]
    return [(text[s.start : s.end], s.kind) for s in divide(text, masked, draft_fences(text)[0])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It ends in May. It may end sooner.", ["It ends in May.", "It may end sooner."]),
        ("It ends [1]. It may [2]. So (or not). “Never.” [3] Yes.", ["It ends [1].", "It may [2].", "So (or not).", "“Never.” [3]", "Yes."]),
        ("Rent: $4,500\n\nYes.", ["Rent: $4,500", "Yes."]),
        ("See cl. 3.1 and s. 4, i.e. Smith Pty. Ltd. v. Jones.", ["See cl. 3.1 and s. 4, i.e. Smith Pty. Ltd. v. Jones."]),
        ("- a. One fee.\n- Two\n  1. Three of us\n> Four of us", ["a. One fee.", "Two", "1. Three of us", "Four of us"]),
        ("It says “No. It does not. Never.” and more. So.", ["It says “No. It does not. Never.” and more.", "So."]),
        ("The terms (“A and b c.” [1]). Then d e.", ["The terms (“A and b c.” [1]).", "Then d e."]),
        ("It says “…”.\n\n“…”\n\n—", ["It says “…”.", "“…”"]),
        ("Dr. A. Smith of St. Ives agrees. 12 do not.", ["Dr. A. Smith of St. Ives agrees.", "12 do not."]),
    ],
)  # fmt: skip
def test_sentences_and_items_are_spans(text: str, expected: list[str]) -> None:
    assert [words for words, _ in spans(text)] == expected


def test_rows_headings_and_titles_of_columns_are_spans_of_their_kind() -> None:
    text = "## Fees\n\n| Fee | When |\n|---|---|\n| $9 | May. Or June |\n\n**Next**\n\n---\n\nAll of it."
    kinds = ["heading", "columns", "row", "heading", "sentence"]
    assert spans(text) == [
        *zip(["## Fees", "| Fee | When |", "| $9 | May. Or June |", "**Next**", "All of it."], kinds, strict=True)
    ]


def test_spans_know_their_item_block_part_what_they_introduce_and_whether_they_stand_in_a_draft() -> None:
    text = "One:\n\n- Twelve. Three.\n- Four.\n\n# Five\n\nSix.\nSeven.\n\n```draft\nDear Eight,\n```\nNine ten."
    found = divide(text, (), draft_fences(text)[0])
    assert [s.item for s in found] == [1, 2, 2, 3, 4, 5, 5, 6, 7]
    assert [s.block for s in found] == sorted(s.block for s in found)
    assert len({s.block for s in found[1:4]}) == 1 and len({s.block for s in found}) == 6
    assert [s.section for s in found] == [0] * 4 + [1] * 5
    assert [s.introduces for s in found] == [True, False, False, False, True, False, False, False, False]
    assert [s.in_draft for s in found] == [False] * 7 + [True, False]
