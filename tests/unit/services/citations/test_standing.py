"""The standing of quotations by the lines under which they are shown."""

from __future__ import annotations

import pytest

from orderly.services.citations.standing import Standing, StandingReader

ANSWER = """“One” [A.pdf]

Likely, not confirmed:

- “Two” [B.pdf]
- **C.pdf**: “Three” [C.pdf]
“Four” [C.pdf]

In D.pdf it is “Five” [D.pdf].
- “Six” [E.pdf]
- (likely, not confirmed) “Seven” [F.pdf]

**Nearest passages, not confirmed as an answer:**
- “Eight” [G.pdf]
"""
EXPECTED: list[tuple[str, Standing]] = [
    ("One", "answer"), ("Two", "likely"), ("Three", "likely"), ("Four", "likely"), ("Five", "answer"), ("Six", "answer"),
    ("Seven", "likely"), ("Eight", "nearest"),
]  # fmt: skip


@pytest.mark.parametrize("size", [1, 7, 40, 1_000])
def test_a_heading_holds_for_its_list_wherever_the_stream_is_cut(size: int) -> None:
    reader, found = StandingReader(), []
    for at in range(0, len(ANSWER), size):
        piece = ANSWER[at : at + size]
        found += [(n, reader.at(piece, ANSWER.index(f"“{word}") - at)) for n, (word, _) in enumerate(EXPECTED)
                  if at <= ANSWER.index(f"“{word}") < at + size]  # fmt: skip
        reader.add(piece)
    assert [(EXPECTED[n][0], standing) for n, standing in found] == EXPECTED


def test_ordinary_sentences_about_confirmation_change_nothing() -> None:
    text = "The order was likely late. It is not confirmed by the Lessee: “words of the lease”"
    assert StandingReader().at(text, text.index("“")) == "answer"
