"""Passages of a search cut to what is nearest to the query."""

from __future__ import annotations

from orderly.agent.rendering.cutting import CUT_CHARACTERS, cut_to, telling_beginning

LONG = (
    "The parties meet every week. " * 30
    + "Either party may end it on ninety days' notice in writing. "
    + "Costs lie where they fall. " * 30
)


def test_a_cut_passage_holds_the_words_of_the_query_and_whole_words() -> None:
    cut = cut_to("notice to end the agreement", LONG)
    assert "ninety days' notice" in cut
    assert cut.startswith("… ") and cut.endswith(" …")
    assert len(cut) <= CUT_CHARACTERS + 4
    assert cut.strip("… ") in LONG


def test_a_short_passage_stays_whole_and_one_without_the_words_shows_its_beginning() -> None:
    assert cut_to("notice", "Rent is due.") == "Rent is due."
    assert cut_to("insurance", LONG).startswith("The parties meet")


def test_a_long_passage_is_shown_from_the_sentence_on_with_most_words_of_the_question() -> None:
    shown = telling_beginning("Who may end it by notice?", LONG, 200)
    assert shown.startswith("Either party may end it on ninety days' notice in writing. Costs lie where they fall.")
    assert shown.endswith("...") and shown.removesuffix("...") in LONG


def test_a_passage_that_holds_no_word_of_the_question_is_shown_from_its_beginning() -> None:
    assert LONG.startswith(telling_beginning("Is there insurance?", LONG, 200).removesuffix("..."))
    assert telling_beginning("Is there insurance?", "Rent is due.", 200) == "Rent is due."
