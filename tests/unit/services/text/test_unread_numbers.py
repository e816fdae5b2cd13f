from __future__ import annotations

import pytest

from orderly.services.text.sections import find_sections

WORDS = "The parties act in good faith in all their dealings with each other."


def label_at(text: str, words: str) -> str | None:
    at = text.index(words)
    return next((one.label for one in reversed(find_sections(text)) if one.start <= at < one.end), None)


def definitions(count: int) -> str:
    return " ".join(f'1.{number} "Term {number}" means the thing of that name.' for number in range(1, count + 1))


def test_the_last_definition_ends_where_the_next_chapter_begins_in_the_line() -> None:
    text = (
        f"DEFINITIONS {definitions(12)} 2 Basics of the Agreement 2.1 Grant of Rights The owner grants a licence. {WORDS}\n\n"
        f"2.2 The owner pays all costs. {WORDS} 3 Purchase of Product 3.1 Packaging 3.1.1 The owner gives instructions.\n"
    )
    assert label_at(text, "Term 11") == "1.11"
    assert label_at(text, "The owner grants") is None
    assert label_at(text, "The owner pays") is None
    assert label_at(text, "The owner gives") is None


def test_a_clause_ends_where_the_number_after_a_missing_one_begins_a_line() -> None:
    text = (
        f"1 Term. It lasts a year. {WORDS}\n\n2 Insurance.\n\n2.1 Each party indemnifies. {WORDS}\n\n"
        f"2.2 The supplier insures. {WORDS} 2.3 The buyer is not. {WORDS}\n\n2.6 The buyer is named. {WORDS}\n\n"
        f"3 Recall. The supplier recalls goods. {WORDS}\n"
    )
    assert label_at(text, "The supplier insures") == "2.2"
    assert label_at(text, "The supplier recalls") in {"3", None}


def test_a_chapter_whose_heading_ends_a_line_ends_the_item_before_it() -> None:
    chapters = "".join(f"{number}. TITLE {'ABCDEFGH'[number - 1]}\n\nAs {number} says. {WORDS * 2} " for number in range(1, 9))
    text = f"{chapters}9. COMPETITION\n\n(a) Nothing is required.\n\n(b) [***] 10. FEES\n\nThe loser pays. {WORDS}\n"
    assert label_at(text, "Nothing is") == "9(a)"
    assert label_at(text, "The loser pays") in {"10", None}


def test_a_number_joined_to_its_title_is_read() -> None:
    text = (
        f"1. DEFINITIONS\n\n1.1“Lot” means a quantity.\n\n2. TERM\n\n2.1Term. It lasts a year. {WORDS}\n\n2.2Termination.\n\n"
        f"(a) Either party may end it. {WORDS}\n\n(b) At once, if the other fails. {WORDS}\n\n3. LAW\n\nOhio. {WORDS}\n"
    )
    assert label_at(text, "It lasts") == "2.1"
    assert label_at(text, "Either party may") == "2.2(a)"
    assert label_at(text, "a quantity") == "1.1"


@pytest.mark.parametrize(
    "words",
    [
        "as in Section 3.2 The fee",
        "as in Sections 2.1 and\n3.2 The fee",
        "of $3.5 Million",
        "on page 3.\n3.5 million dollars are due",
    ],
)
def test_references_and_amounts_end_no_clause(words: str) -> None:
    text = f"1. FEES\n\n1.1 Rate. {WORDS}\n\n1.2 Limit. It is {words}. The last words.\n\n2. LAW\n\nOhio. {WORDS}\n"
    assert label_at(text, "The last words") == "1.2"


def test_the_contents_end_no_clause() -> None:
    titles = ("Interpretation", "Duties", "Place of Work", "Hours", "Pay")
    rows = "".join(f"{number}.\t{title}\t{number + 2}\n" for number, title in enumerate(titles, 1))
    body = "".join(
        f"{number}.\t{title.upper()}\n{number}.1\t{WORDS}\n{number}.2\tAs {title} says.\n"
        for number, title in enumerate(titles, 1)
    )
    text = f"CONTENTS\nClause\tPage\n\n{rows}\n{body}"
    assert [label_at(text, f"As {title} says") for title in titles] == ["1.2", "2.2", "3.2", "4.2", "5.2"]


def test_a_clause_ends_at_a_later_number_where_several_are_unread() -> None:
    text = (
        f"1. Term. It is a year. {WORDS}\n\n2. Notices. They are given. {WORDS} And so they are. 6. Entire agreement. Nothing else "
        f"was agreed. {WORDS}\n"
    )
    assert label_at(text, "They are given") == "2"
    assert label_at(text, "Nothing else") != "2"


def test_numbers_that_stand_alone_one_below_another_are_torn_from_their_text() -> None:
    text = f"DEVELOPMENT AGREEMENT\n1.\n1.1.\n\n1.2.\n\nThis agreement is made today. {WORDS * 6}\n\n2. Phases\n2.1. The first. {WORDS}\n2.2. The next.\n"
    assert label_at(text, "This agreement is made") is None


def test_words_that_ask_for_a_signature_end_the_last_clause() -> None:
    text = f"1. Term. A year. {WORDS}\n\n2. Law. Ohio. {WORDS}   To indicate your agreement to the foregoing, please sign and return it to: The President.\n"
    assert label_at(text, "Ohio") == "2"
    assert label_at(text, "The President") is None
