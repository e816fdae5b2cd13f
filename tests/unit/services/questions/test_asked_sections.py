"""Questions for the words of a section, told from questions that only mention its number."""

from __future__ import annotations

import pytest

from orderly.services.questions.asked_sections import asked_sections


@pytest.mark.parametrize(
    ("question", "sections"),
    [
        ("what does clause 6.2 say?", ["6.2"]),
        ("Show me section 9 of the agreement", ["9"]),
        ("cl 5.3 please", ["5.3"]),
        ("s 14(2)(a)", ["14(2)(a)"]),
        ("what does 7.2 say?", ["7.2"]),
        ("read clauses 5.1 and 5.2", ["5.1", "5.2"]),
        ("read out Schedule 2", ["Schedule 2"]),
        ("what does para [9] of the judgment say", ["9"]),
        ("Is clause 7 subject to clause 9?", []),
        ("What are the exceptions to clause 9.1?", []),
        ("what does section 124 of the Property Law Act say?", []),
        ("how much is $5.50", []),
        ("who signs?", []),
    ],
)
def test_the_sections_whose_words_are_asked_for(question: str, sections: list[str]) -> None:
    assert asked_sections(question) == sections
